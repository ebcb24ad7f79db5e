"""Single-agent views: Gymnasium environments with opponents inside `step`."""

from __future__ import annotations

import itertools
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tzaar_envs.agents import Agent
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import NOBODY
from tzaar_envs.core.masks import ILLEGAL
from tzaar_envs.core.state import State
from tzaar_envs.core.toolkit import ILLEGAL_REWARD
from tzaar_envs.core.validation import integer
from tzaar_envs.envs import base
from tzaar_envs.envs.opponents import (
    OPENING_ATTEMPTS,
    OpponentPool,
    Opponents,
    SeatedBatch,
    checked_seat,
    pool_of,
    unplayable,
)
from tzaar_envs.envs.rendering import FPS
from tzaar_envs.envs.vector import VECTOR_OPTIONS, BaseVectorEnv, Infos, Results, Seeds
from tzaar_envs.jit.arrays import Mask, Observation

Seen: TypeAlias = tuple[int, Mask, Observation]
"""The player to act, its mask and its observation, see `State.play_and_observe`."""

Result: TypeAlias = tuple[NDArray[Any], float, bool, bool, dict[str, Any]]
"""The result of `SingleAgentEnv.step`."""

_NOTHING: NDArray[np.int8] = np.zeros(0, np.int8)


class SingleAgentEnv(base.OneGame, gymnasium.Env[NDArray[Any], np.int64]):
    """A game against agents, as a Gymnasium environment.

    The learner has one seat. `reset` and `step` return when the learner must act or the game is
    over, so the learner's last action gets the reward for a game that the opponent's reply ends.

    **Observation**: `Box` of `game.observation_shape`, int8 or what `dtype` says, as the learner's
    seat sees it.

    **Action**: `Discrete(num_actions)`. `action_masks()` and `info["action_mask"]` show the legal
    actions.

    **Reward**: the learner's, at the end of the game; see the option `reward` of `GameEnv`.

    **Info**: `action_mask` int8 `(num_actions,)`; `seat`, the learner's seat; `returns` and
    `scores` at the end of the game by the rules, float64 `(num_players,)`, else zeros; `illegal`,
    the illegal action that ended it (`terminated`, not `truncated`), else -1.
    `game_state.end_code` says why a game ended.

    Args:
        game: The name of a game, or a game.
        opponent: An agent or the text that names one (see `make_agent`), for all other seats; or
            several, from which each other seat draws one for each game: a sequence, or a mapping to
            relative probabilities such as `{"greedy": 0.7, "random": 0.3}`; or an `OpponentPool`.
        seat: The learner's seat; None draws it for each game.
        **options: Options of `ENV_OPTIONS` and of the game.

    Raises:
        UnknownOptionError: An option that does not exist.
        ValueError: An unknown name, or a value that is not allowed.
    """

    metadata = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": FPS}  # noqa: RUF012

    _needs_reset = gymnasium.error.ResetNeeded

    def __init__(
        self,
        game: str | Game,
        opponent: Opponents | OpponentPool = "random",
        seat: int | None = None,
        **options: Any,
    ) -> None:
        game, values = base.split_options(game, options, base.ENV_OPTIONS, ("opponent", "seat"))
        super().__init__(game, values)
        self.observation_space = base.observation_box(game, values["dtype"])
        self.action_space = spaces.Discrete(game.num_actions)
        self.pool = pool_of(game, opponent)
        self._given_seat = checked_seat(game, seat)
        self._seat = 0
        self._agents: list[Agent | None] = []  # of each seat; None is the learner
        # Also true while opponents act: after an error of theirs it is not the learner's turn.
        self._is_over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start a game and let the opponents act until the learner must.

        Args:
            seed: Seed for all further chance events, seats and opponents' choices.
            options: `{"position": notation}` starts from there; other keys are ignored, a
                misspelt one is refused.

        Raises:
            ValueError: A position that is invalid, in which the game is over, or from which the
                opponents end the game before the learner can act.
        """
        seed = None if seed is None else integer("seed", seed)  # Gymnasium refuses those of NumPy
        super().reset(seed=seed)
        position = base.reset_options(options, "position").get("position")
        self._state = base.new_game(self.game, self._state, seed, position)
        if seed is not None:
            self.pool.seed(seed)
        self._is_over = True
        state = self._open(self._state, position)
        self._is_over = False
        if self.render_mode == "human":
            self.render()
        seen = state.observation(self._seat).astype(self._dtype, copy=False)
        return seen, self._info(state, state.legal_mask())

    def _open(self, state: State, position: str | None) -> State:
        """Draw seats and let the opponents act; return a game in which the learner can."""
        for attempt in itertools.count(1):
            self._last = None
            self._seat, self._agents = self.pool.draw_seats(self._given_seat)
            seen = self._play_opponents(state, (state.current_player, _NOTHING, _NOTHING))
            if seen[0] != NOBODY:
                break
            if attempt == OPENING_ATTEMPTS:
                raise ValueError(unplayable(position))
            self._state = state = base.new_game(self.game, state, None, position)
        return state

    def step(self, action: np.int64 | int) -> Result:
        """Play the learner's action, then let the opponents act.

        Raises:
            TypeError: The action is not an integer.
            ValueError: An illegal action with `illegal="raise"`, or an action that does not exist;
                an opponent played an action that is not legal, which ends the game.
            gymnasium.error.ResetNeeded: Before `reset`, or after the end of the game.
        """
        state = self._state
        if state is None or self._is_over:
            raise gymnasium.error.ResetNeeded("reset() needs to be called before step()")
        player, mask, observation = seen = self._play(state, action)
        reward, terminated, truncated, illegal = 0.0, False, False, -1
        if player == ILLEGAL:
            if self._raise_on_illegal or not 0 <= action < self.game.num_actions:
                raise state.refusal(int(action))
            reward = ILLEGAL_REWARD
            illegal = int(action)
            self._is_over = terminated = True  # alone: Gymnasium's checker plays illegal actions
        else:
            self._is_over = True
            player, mask, observation = self._play_opponents(state, seen)
            self._is_over = player == NOBODY
            if state.is_terminal:
                reward = float(base.final_rewards(state, self._reward)[self._seat])
                truncated = state.is_truncated
            elif self._is_over:  # an opponent cannot answer, and so has lost the game
                reward = 1 / (self.game.num_players - 1)
            terminated = self._is_over and not truncated
        if self._is_over:
            won = state.returns()[self._seat] > 0 if state.is_terminal else reward > 0
            self.pool.record(self._agents, bool(won))
            mask = np.zeros(self.game.num_actions, np.int8)
            observation = state.observation(self._seat)
        observation = observation.astype(self._dtype, copy=False)
        if self.render_mode == "human":
            self.render()
        return observation, reward, terminated, truncated, self._info(state, mask, illegal)

    def _play(self, state: State, action: np.int64 | int) -> Seen:
        """Play an action, see `State.play_and_observe`, and remember it for pictures."""
        before = state.clone() if self._draws else None
        seen = state.play_and_observe(action)  # type: ignore[arg-type]
        if before is not None and seen[0] != ILLEGAL:
            self._last = before, int(action)
        return seen

    def _play_opponents(self, state: State, seen: Seen) -> Seen:
        """Let the agents act until the learner must or the game is over.

        Args:
            state: The game.
            seen: The player to act, with what it sees; see `State.play_and_observe`.

        Returns:
            The same, of the learner or of the end of the game.
        """
        player = seen[0]
        while player != self._seat and player != NOBODY:
            agent = self._agents[player]
            assert agent is not None
            # Agents may do with a copy what they like.
            try:
                answer = integer(f"{agent.name}: action", agent.act(state.clone()))
            except ForfeitError as error:
                self.pool.report_forfeit(agent, error)
                return NOBODY, _NOTHING, _NOTHING
            self.pool.report_answer(agent)
            seen = self._play(state, answer)
            player = seen[0]
            if player == ILLEGAL:
                raise ValueError(
                    f"{agent.name} played action {answer}, which is not legal in {state.label}"
                )
        return seen

    def _info(self, state: State, mask: Mask, illegal: int = -1) -> dict[str, Any]:
        # The same keys in every step: buffers take those of the first one for all there are.
        is_over, players = state.is_terminal, self.game.num_players
        return {
            "action_mask": mask,
            "seat": self._seat,
            "returns": state.returns() if is_over else np.zeros(players),
            "scores": state.scores() if is_over else np.zeros(players),
            "illegal": illegal,
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool `(num_actions,)`, the legal actions; MaskablePPO calls it by this name."""
        if self._state is None:
            raise gymnasium.error.ResetNeeded("reset() needs to be called before action_masks()")
        if self._is_over:
            return np.zeros(self.game.num_actions, np.bool_)
        return self._state.legal_mask().view(np.bool_)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the board as text or pixels, or show it in a window; see `GameEnv.render`."""
        if self._state is None:
            raise gymnasium.error.ResetNeeded("reset() needs to be called before render()")
        return self._show()


class SingleAgentVectorEnv(BaseVectorEnv):
    """Many games of `SingleAgentEnv`, stepped as one batch.

    Each opponent acts in all its games at once: `random` and the baselines in compiled code, a
    policy with one pass of its network.

    **Observation**: `(num_envs, *observation_shape)`, int8 or what `dtype` says, as the learner's
    seat sees it.

    **Action**: `MultiDiscrete`, one of the learner for each row.

    **Reward**: float64 `(num_envs,)`, the learner's, at the end of a game.

    **Infos**: `action_mask` int8 `(num_envs, num_actions)`; `seat` int64 `(num_envs,)`, the
    learner's; `rewards`, `scores` and `final_obs` as in `VectorGameEnv`. Autoreset and copies work
    as there.

    Args:
        game: The name of a game, or a game.
        opponent: Opponents, see `SingleAgentEnv`.
        seat: The learner's seat; None draws it for each game.
        seed: The seed of the first `reset` if that call gets none.
        **options: Options of `VECTOR_OPTIONS` and of the game.

    Raises:
        UnknownOptionError: An option that does not exist.
        ValueError: An unknown name, or a value that is not allowed.
    """

    def __init__(
        self,
        game: str | Game,
        opponent: Opponents | OpponentPool = "random",
        seat: int | None = None,
        seed: Seeds = None,
        **options: Any,
    ) -> None:
        game, own = base.split_options(game, options, VECTOR_OPTIONS, ("opponent", "seat", "seed"))
        self.pool = pool_of(game, opponent)
        unit = base.score_unit(game.spec, own["reward"])
        self.games = SeatedBatch(self.pool, own["num_envs"], own["num_threads"], unit, seat)
        super().__init__(game, self.games.batch, own, seed)
        self.games.last = self._last

    def _seed(self, seed: int) -> None:
        self.pool.seed(seed)

    def _open(self, rows: NDArray[np.bool_], start: State | None = None) -> None:
        self.games.open(rows, start)

    def _advance(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        over = self._over
        self.games.step(actions, ~over, self._raise_on_illegal)
        if over.any():
            self.games.open(over)
        return self.batch.rewards[np.arange(self.num_envs), self.games.seats]

    def step(self, actions: NDArray[np.int64]) -> Results:
        """Play one action in every game, see `VectorGameEnv`; no game ends with both flags.

        Raises:
            gymnasium.error.ResetNeeded: An error has ended the opponents' turn.
        """
        observations, rewards, terminated, truncated, infos = super().step(actions)
        return observations, rewards, terminated, truncated & ~terminated, infos

    def _show_last(self, rows: NDArray[np.bool_]) -> None:
        self.batch.show(rows, self.games.seats[rows])

    def _infos(self) -> Infos:
        return {"action_mask": self._masks(), "seat": self.games.seats.copy()}
