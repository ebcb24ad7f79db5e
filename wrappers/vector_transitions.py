"""Per-player transitions from many games at once, see `transitions`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from tzaar_envs.envs.base_vector import Infos, Results, Seeds
from tzaar_envs.envs.copies import whole_copy
from tzaar_envs.envs.vector import VectorGameEnv


@dataclass(frozen=True, eq=False)
class Transitions:
    """The transitions of `n` actions; `transitions.Transition` explains the fields.

    Attributes:
        rows: int64 `(n,)`, the game.
        seats: int64 `(n,)`, the player.
        observations: int8 `(n, *observation_shape)`.
        masks: int8 `(n, num_actions)`.
        actions: int64 `(n,)`.
        rewards: float64 `(n,)`.
        next_observations: int8 `(n, *observation_shape)`.
        next_masks: int8 `(n, num_actions)`.
        terminated: bool `(n,)`.
        truncated: bool `(n,)`.
    """

    rows: NDArray[np.int64]
    seats: NDArray[np.int64]
    observations: NDArray[np.int8]
    masks: NDArray[np.int8]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    next_observations: NDArray[np.int8]
    next_masks: NDArray[np.int8]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.rows)


class RecordVectorTransitions:
    """Steps a vector environment and records the transitions of all players in all rows.

    `reset` and `step` have the arguments and results of the environment. The transitions of a
    player in a row are in the order of its actions; a `reset` in mid-game drops the last ones.

    Args:
        env: an environment of `make_vec`. `autoreset="same_step"` is not allowed, because the last
            observations of all players are read from the final position.

    Raises:
        ValueError: another environment, or that mode.
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
        game = env.game
        shape = (env.num_envs, game.num_players)
        # The last action of each seat, and its rewards since.
        self._is_open = np.zeros(shape, np.bool_)
        self._observations = np.zeros((*shape, *game.observation_shape), np.int8)
        self._masks = np.zeros((*shape, game.num_actions), np.int8)
        self._actions = np.zeros(shape, np.int64)
        self._rewards = np.zeros(shape)
        self._complete: list[Transitions] = [self._empty()]

    def _empty(self) -> Transitions:
        batch, none = self.env.batch, np.zeros(0, np.int64)
        seen, masks = batch.observations[:0].copy(), batch.masks[:0].copy()
        ends = np.zeros(0, np.bool_)
        return Transitions(none, none, seen, masks, none, np.zeros(0), seen, masks, ends, ends)

    def take(self) -> Transitions:
        """Return the transitions completed since the last call."""
        taken, self._complete = self._complete, [self._empty()]
        names = [entry.name for entry in fields(Transitions)]
        return Transitions(
            *(np.concatenate([getattr(part, name) for part in taken]) for name in names)
        )

    def reset(
        self, *, seed: Seeds = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], Infos]:
        """Start games, see `VectorGameEnv.reset`."""
        result = self.env.reset(seed=seed, options=options)
        rows = (options or {}).get("reset_mask")
        self._is_open[slice(None) if rows is None else np.asarray(rows)] = False
        return result

    def step(self, actions: NDArray[np.int64]) -> Results:
        """Play one action in every game, see `VectorGameEnv.step`."""
        batch = self.env.batch
        rows = np.flatnonzero(~batch.over)
        seats = batch.players[rows]
        observations, masks = batch.observations[rows], batch.masks[rows]
        result = self.env.step(actions)  # raises if an action is refused
        _, _, terminated, truncated, infos = result

        again = self._is_open[rows, seats]
        running = np.zeros(np.count_nonzero(again), np.bool_)
        self._close(rows[again], seats[again], observations[again], masks[again], running, running)
        self._is_open[rows, seats] = True
        self._observations[rows, seats] = observations
        self._masks[rows, seats] = masks
        self._actions[rows, seats] = np.asarray(actions)[rows]
        self._rewards[rows, seats] = 0.0
        self._rewards += infos["rewards"]

        ended = terminated | truncated
        for seat in range(self.env.game.num_players):
            rows = np.flatnonzero(ended & self._is_open[:, seat])
            seats = np.full(rows.size, seat)
            final = batch.observe(rows, seats)
            nothing = np.zeros((rows.size, self.env.game.num_actions), np.int8)
            self._close(rows, seats, final, nothing, terminated[rows], truncated[rows])
        self._is_open[ended] = False
        return result

    def _close(
        self,
        rows: NDArray[np.int64],
        seats: NDArray[np.int64],
        next_observations: NDArray[np.int8],
        next_masks: NDArray[np.int8],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None:
        """Complete the transitions of some seats."""
        self._complete.append(
            Transitions(
                rows=rows,
                seats=seats,
                observations=self._observations[rows, seats],
                masks=self._masks[rows, seats],
                actions=self._actions[rows, seats],
                rewards=self._rewards[rows, seats],
                next_observations=next_observations,
                next_masks=next_masks,
                terminated=terminated,
                truncated=truncated,
            )
        )
