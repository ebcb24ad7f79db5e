"""The single-agent view: a Gymnasium environment with the opponents inside `step`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tzaar_envs.agents import Agent
from tzaar_envs.core.arrays import Observation
from tzaar_envs.core.base_env import ENV_OPTIONS, ILLEGAL_REWARD, final_rewards, observation_box
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import resolve_options
from tzaar_envs.registry import find_spec
from tzaar_envs.wrappers.opponents import OpponentPool, Table, play_opponents

_OPENING_ATTEMPTS = 100  # seats and opponents are drawn anew for each


class SingleAgentEnv(gymnasium.Env[Observation, np.int64]):
    """A game against agents, as a Gymnasium environment.

    The learner has one seat. `reset` and `step` return when the learner is to act again or the game
    is over, so that a loss by the opponent's reply is the reward of the learner's own last action.

    **Observation**: `Box` int8 of `game.observation_shape`, as the learner's seat sees it.

    **Action**: `Discrete(num_actions)`. `action_masks()` tells the legal ones, as does
    `info["action_mask"]`.

    **Reward**: the learner's, at the end of the game; see the option `reward` of `GameEnv`.

    **Info**: `action_mask` int8 `(num_actions,)`, `seat` the learner's seat; at the end also
    `returns` and `scores`, float64 `(num_players,)`.

    Args:
        game: the name of a game, or a game.
        opponent: an agent or the text that names one (see `make_agent`), for all other seats; or a
            sequence of those, of which every other seat draws one for each game.
        seat: the learner's seat; None draws it for each game.
        **options: those of the environment (`render_mode`, `illegal`, `reward`) and of the game.

    Raises:
        ValueError: an unknown name or option, or a value that is not allowed.
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        opponent: str | Agent | Sequence[str | Agent] = "random",
        seat: int | None = None,
        **options: Any,
    ) -> None:
        own = {option.name: option for option in ENV_OPTIONS}
        given = {name: options.pop(name) for name in list(options) if name in own}
        values = resolve_options(ENV_OPTIONS, given, "the single-agent view")
        self.render_mode = values["render_mode"]
        self._raise_on_illegal = values["illegal"] == "raise"
        self._reward = values["reward"]
        if isinstance(game, str):
            game = Game(find_spec(game), **options)
        elif options:
            raise ValueError(f"options {options!r} belong to the game, which was given as {game!r}")
        self.game = game
        self.observation_space = observation_box(game)  # type: ignore[assignment]
        self.action_space = spaces.Discrete(game.num_actions)
        opponents = [opponent] if isinstance(opponent, str | Agent) else list(opponent)
        self.pool = OpponentPool(game, opponents, seat)
        self._table: Table | None = None
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game and let the opponents act until the learner is to act.

        Args:
            seed: fixes all chance events, seats and opponents' choices from here on.
            options: `{"position": notation}` starts from there; other keys are ignored.

        Raises:
            ValueError: the position cannot be read, its game is over, or the opponents end it
                before the learner can act.
        """
        super().reset(seed=seed)
        if seed is not None:
            self.pool.seed(seed)
        position = (options or {}).get("position")
        if position is not None:
            self._table = self._open_position(position, seed)
        else:
            if seed is not None or self._table is None:
                self._table = Table(self.game.new_state(seed))
            else:
                self._table.state.restart()
            self.pool.open([self._table])
        self._over = False
        if self.render_mode == "human":
            self.render()
        return self._table.state.observation(self._table.seat), self._info()

    def _open_position(self, position: str, seed: int | None) -> Table:
        start = self.game.parse(position, seed)
        if start.is_terminal:
            raise ValueError(f"the game is over in position {position!r}: nobody could act")
        if seed is None and self._table is not None:
            start.continue_chance(self._table.state)
        for _ in range(_OPENING_ATTEMPTS):
            table = Table(start.clone())
            self.pool.draw_seats(table)
            play_opponents([table])
            if not table.state.is_terminal:
                return table
        raise ValueError(
            f"the opponents end the game from position {position!r} before the learner can act: "
            "give the learner the seat to act"
        )

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then let the opponents act.

        Raises:
            ValueError: an illegal action with `illegal="raise"`.
            gymnasium.error.ResetNeeded: before `reset`, or after the end of the game.
        """
        if self._table is None or self._over:
            raise gymnasium.error.ResetNeeded("reset() needs to be called before step()")
        state, seat = self._table.state, self._table.seat
        if not state.is_legal(int(action)) and not self._raise_on_illegal:
            self._over = True
            info = self._info() | {"illegal": int(action)}
            return state.observation(seat), ILLEGAL_REWARD, True, False, info
        state.apply(int(action))
        play_opponents([self._table])
        reward = 0.0
        if state.is_terminal:
            self._over = True
            reward = float(final_rewards(state, self._reward)[seat])
        if self.render_mode == "human":
            self.render()
        terminated = state.is_terminal and not state.is_truncated
        return state.observation(seat), reward, terminated, state.is_truncated, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool `(num_actions,)`, the legal actions; the name that MaskablePPO asks for."""
        if self._table is None:
            raise gymnasium.error.ResetNeeded("reset() needs to be called before action_masks()")
        return self._table.state.legal_mask().view(np.bool_)

    def _info(self) -> dict[str, Any]:
        assert self._table is not None
        state = self._table.state
        info: dict[str, Any] = {"action_mask": state.legal_mask(), "seat": self._table.seat}
        if state.is_terminal:
            info |= {"returns": state.returns(), "scores": state.scores()}
        return info

    def render(self) -> str | None:
        """Return the board as text (`"ansi"`), or print it (`"human"`)."""
        if self._table is None:
            raise gymnasium.error.ResetNeeded("reset() needs to be called before render()")
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing without a render mode: make the environment with "
                "render_mode='ansi' or 'human'"
            )
            return None
        text = self._table.state.draw()
        if self.render_mode == "ansi":
            return text
        print(text, flush=True)
        return None
