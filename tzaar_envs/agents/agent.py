"""The agent protocol: whatever can choose an action."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

if TYPE_CHECKING:
    from tzaar_envs.core.batch import Batch

AgentObservation: TypeAlias = Mapping[str, NDArray[np.int8]]
"""What an environment hands to an agent: `observation` and `action_mask`."""


class Agent(ABC):
    """Chooses actions in one game. It keeps no memory of a game but its random generator.

    Attributes:
        name: how results call it, for instance `greedy`.
        game: the game that it plays.
    """

    name: str
    game: Game

    @abstractmethod
    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all random choices from here on; None takes entropy from the system."""

    @abstractmethod
    def act(self, position: State | AgentObservation) -> int:
        """Return a legal action for the player to move.

        Args:
            position: a state whose game is not over, or an observation of the player to move.

        Raises:
            TypeError: the agent needs a state and got an observation.
        """

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return int64 `(len(states),)`, a legal action for each; faster than one at a time."""
        return np.array([self.act(state) for state in states], dtype=np.int64)

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return int64 `(len(rows),)`, a legal action for each of these rows, whose games run.

        Without an implementation of its own an agent is handed states, which takes longer.
        """
        return self.act_batch([batch.state(int(row)) for row in rows])
