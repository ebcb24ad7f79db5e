"""Single-agent view of many games: a Gymnasium vector environment with opponents inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents import Agent
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.envs.base import score_unit
from tzaar_envs.envs.base_vector import VECTOR_OPTIONS, BaseVectorEnv, Infos, Seeds
from tzaar_envs.envs.opponents import OpponentPool, SeatedBatch, split_options


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
        game: the name of a game, or a game.
        opponent: see `SingleAgentEnv`.
        seat: the learner's seat; None draws it for each game.
        seed: the seed of the first `reset` if that call gets none.
        **options: those of `VECTOR_OPTIONS` and of the game.

    Raises:
        UnknownOptionError: an option that does not exist.
        ValueError: an unknown name, or a value that is not allowed.
    """

    def __init__(
        self,
        game: str | Game,
        opponent: str | Agent | Sequence[str | Agent] = "random",
        seat: int | None = None,
        seed: Seeds = None,
        **options: Any,
    ) -> None:
        game, own = split_options(game, options, VECTOR_OPTIONS, ("opponent", "seat", "seed"))
        self.pool = OpponentPool(game, opponent, seat)
        unit = score_unit(game.spec, own["reward"])
        self.games = SeatedBatch(self.pool, own["num_envs"], own["num_threads"], unit)
        super().__init__(game, self.games.batch, own, seed)
        self.games.last = self._last

    def _seed(self, seed: int) -> None:
        self.pool.seed(seed)

    def _open(self, rows: NDArray[np.bool_], start: State | None = None) -> None:
        self.games.open(rows, start)

    def _advance(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        over = self._over
        self.games.step(actions, ~over)
        if over.any():
            self.games.open(over)
        return self.batch.rewards[self._rows, self.games.seats]

    def _show_last(self, rows: NDArray[np.bool_]) -> None:
        self.batch.show(rows, self.games.seats[rows])

    def _infos(self) -> Infos:
        return {
            "action_mask": self._masks(),
            "seat": self.games.seats.copy(),
        }
