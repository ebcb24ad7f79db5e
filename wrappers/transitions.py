"""Per-player transitions from turn-based games.

Other players act between two actions of a player, and only one player makes the last move. So a
player's transition goes from one of its actions to its next one, or to the end of the game, and
sums all rewards in between:

    player_0   action ----------------> action -----------------> end, +1
    player_1            action ---------------> action ---------> end, -1

So both ends of a transition belong to the same player, and values never change sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from pettingzoo import AECEnv

from tzaar_envs.core.game import Game
from tzaar_envs.envs.base import whole_copy
from tzaar_envs.envs.vector import Infos, Results, Seeds, VectorGameEnv
from tzaar_envs.wrappers.views import GameWrapper, check_env

Rows = NDArray[np.int64]
"""Numbers of games, or of seats in them."""


@dataclass(frozen=True, eq=False)
class Transitions:
    """The transitions of `n` actions. Those of a player in a game are in the order of its actions.

    Observations are int8 `(n, *observation_shape)`; those of `RecordTransitions` have the dtype and
    shape of its environment.

    Attributes:
        rows: int64 `(n,)`, the game.
        seats: int64 `(n,)`, the player.
        observations: What the player saw.
        masks: int8 `(n, num_actions)`, its legal actions.
        actions: int64 `(n,)`, the action that it played.
        rewards: float64 `(n,)`, the sum of its rewards until its next action or the end.
        next_observations: What it sees then.
        next_masks: int8 `(n, num_actions)`, its legal actions then; zeros at the end.
        terminated: bool `(n,)`, whether the game ended by the rules before its next action.
        truncated: bool `(n,)`, whether it ended by a move cap. Both: by an illegal action of any
            player.
    """

    rows: NDArray[np.int64]
    seats: NDArray[np.int64]
    observations: NDArray[Any]
    masks: NDArray[np.int8]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    next_observations: NDArray[Any]
    next_masks: NDArray[np.int8]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def done(self) -> NDArray[np.bool_]:
        """Bool `(n,)`, whether the game ended before the player's next action."""
        return self.terminated | self.truncated

    def where(self, chosen: NDArray[np.generic]) -> Transitions:
        """Return some of the transitions: those at the indices, or where a bool array is True."""
        return Transitions(*(getattr(self, field.name)[chosen] for field in fields(self)))


class TransitionCollector:
    """Follows every seat of some games from action to action.

    Attributes:
        is_open: Bool `(rows, num_players)`, whether the last action of a seat waits for its next
            one; False drops it, for a game that starts anew.
        rewards: Float64 `(rows, num_players)`, the rewards of each seat since its last action, to
            which further ones are added.

    Args:
        game: The game.
        rows: Number of games.
        observation_shape: Shape of the observations, where wrappers have changed it.
        dtype: Type of the observations.
    """

    def __init__(
        self,
        game: Game,
        rows: int = 1,
        observation_shape: tuple[int, ...] | None = None,
        dtype: Any = np.int8,
    ) -> None:
        shape = (rows, game.num_players)
        observation_shape = observation_shape or game.observation_shape
        self.is_open = np.zeros(shape, np.bool_)
        self.rewards = np.zeros(shape)
        # The last action of each seat.
        self._observations = np.zeros((*shape, *observation_shape), dtype)
        self._masks = np.zeros((*shape, game.num_actions), np.int8)
        self._actions = np.zeros(shape, np.int64)
        self._complete: list[Transitions] = []

    def take(self) -> Transitions:
        """Return the transitions completed since the last call."""
        none, ends = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        self._close(none, none, self._observations[none, 0], self._masks[none, 0], ends, ends)
        parts, self._complete = self._complete, []
        names = [field.name for field in fields(Transitions)]
        return Transitions(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in names)
        )

    def act(
        self,
        rows: Rows,
        seats: Rows,
        observations: NDArray[Any],
        masks: NDArray[np.int8],
        actions: NDArray[np.int64],
    ) -> None:
        """Note that one seat in each of some games has acted.

        Args:
            rows: The games.
            seats: The seats.
            observations: The observation before each action.
            masks: The legal actions of each.
            actions: The actions.
        """
        again = self.is_open[rows, seats]
        if again.any():
            goes_on = np.zeros(np.count_nonzero(again), np.bool_)
            self._close(
                rows[again], seats[again], observations[again], masks[again], goes_on, goes_on
            )
        self.is_open[rows, seats] = True
        self._observations[rows, seats] = observations
        self._masks[rows, seats] = masks
        self._actions[rows, seats] = actions
        self.rewards[rows, seats] = 0.0

    def end(
        self,
        rows: Rows,
        observe: Callable[[Rows, Rows], NDArray[Any]],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None:
        """Complete the last transition of every seat that has acted in games that are over.

        Args:
            rows: The games.
            observe: Maps games and seats to what these see in the end.
            terminated: Whether the rules have ended each game.
            truncated: Whether a move cap has ended each game.
        """
        for seat in range(self.is_open.shape[1]):
            ended = rows[self.is_open[rows, seat]]
            if ended.size:
                seats = np.full(ended.size, seat)
                masks = np.zeros((ended.size, self._masks.shape[-1]), np.int8)
                seen = observe(ended, seats)
                self._close(ended, seats, seen, masks, terminated[ended], truncated[ended])
        self.is_open[rows] = False

    def _close(
        self,
        rows: Rows,
        seats: Rows,
        next_observations: NDArray[Any],
        next_masks: NDArray[np.int8],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None:
        self._complete.append(
            Transitions(
                rows=rows,
                seats=seats,
                observations=self._observations[rows, seats],
                masks=self._masks[rows, seats],
                actions=self._actions[rows, seats],
                rewards=self.rewards[rows, seats],
                next_observations=next_observations,
                next_masks=next_masks,
                terminated=terminated,
                truncated=truncated,
            )
        )


_ONE_GAME = np.zeros(1, np.int64)


class RecordTransitions(GameWrapper):
    """An AEC environment that records the transitions of all its players.

    Play as usual, and call `take()` to get the transitions. A player's last action is not among
    them until the player must act again or the game ends; a `reset` in mid-game drops it.

    Args:
        env: An environment of the suite, wrapped or not.

    Raises:
        ValueError: An environment whose observations have another form.
    """

    def __init__(self, env: AECEnv[str, Any, int]) -> None:
        check_env(env, "RecordTransitions", of_suite=True)
        super().__init__(env)
        box = env.observation_space(env.possible_agents[0])["observation"]
        self._collector = TransitionCollector(env.unwrapped.game, 1, box.shape, box.dtype)
        self._seen: Any = None  # by the selected agent, since the step
        self._started = False

    def take(self) -> Transitions:
        """Return the transitions completed since the last call; all have the row 0."""
        return self._collector.take()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game, see `GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        self._collector.is_open[:] = False
        self._seen = None
        self._started = True

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, terminated, truncated and info of the selected agent."""
        result = super().last(observe)
        self._seen = result[0]
        return result

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent, see `GameEnv.step`."""
        env, collector = self.env, self._collector
        if action is None or not self._started or not env.agents:
            env.step(action)
            return
        agents, agent = env.possible_agents, env.agent_selection
        # The agent has usually just observed, and observing again costs as much as a step.
        seen = self._seen or env.observe(agent)
        env.step(action)  # raises if the action cannot be played
        self._seen = None
        seat = np.array([agents.index(agent)])
        collector.act(
            _ONE_GAME,
            seat,
            seen["observation"][None],
            seen["action_mask"][None],
            np.array([action]),
        )
        collector.rewards += [env.rewards[name] for name in agents]
        terminated, truncated = env.terminations[agent], env.truncations[agent]
        if terminated or truncated:  # of all agents: they end together
            collector.end(
                _ONE_GAME,
                lambda _, seats: np.array(
                    [env.observe(agents[seat])["observation"] for seat in seats]
                ),
                np.array([terminated]),
                np.array([truncated]),
            )


class RecordVectorTransitions:
    """Steps a vector environment and records the transitions of all players in all rows.

    `reset` and `step` have the arguments and results of the environment. A `reset` in mid-game
    drops the last actions.

    Args:
        env: An environment of `make_vec`. `autoreset="same_step"` is not allowed, because the last
            observations of all players are read from the final position.

    Raises:
        ValueError: Another environment, or that mode.
    """

    __copy__ = whole_copy

    def __init__(self, env: VectorGameEnv) -> None:
        if not isinstance(env, VectorGameEnv):
            raise ValueError(
                f"RecordVectorTransitions needs an environment of make_vec, not {env!r}"
            )
        if env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP:
            raise ValueError(
                "autoreset='same_step' is not allowed: use 'next_step' or 'disabled', which keep "
                "the position at the end of a game until the next step"
            )
        self.env = env
        self._collector = TransitionCollector(env.game, env.num_envs)

    def take(self) -> Transitions:
        """Return the transitions completed since the last call."""
        return self._collector.take()

    def reset(
        self, *, seed: Seeds = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], Infos]:
        """Start games, see `VectorGameEnv.reset`."""
        result = self.env.reset(seed=seed, options=options)
        rows = (options or {}).get("reset_mask")
        self._collector.is_open[slice(None) if rows is None else np.asarray(rows)] = False
        return result

    def step(self, actions: NDArray[np.int64]) -> Results:
        """Play one action in every game, see `VectorGameEnv.step`."""
        batch = self.env.batch
        rows = np.flatnonzero(~batch.over)
        seats = batch.players[rows]
        observations, masks = batch.observations[rows], batch.masks[rows]
        result = self.env.step(actions)  # raises if an action is refused
        _, _, terminated, truncated, infos = result
        self._collector.act(rows, seats, observations, masks, np.asarray(actions)[rows])
        self._collector.rewards += infos["rewards"]
        ended = np.flatnonzero(terminated | truncated)
        self._collector.end(ended, batch.observe, terminated, truncated)
        return result
