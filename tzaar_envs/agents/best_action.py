"""Agents that value every legal action and play the best one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.action_values import ActionValues
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generator, random_generator

if TYPE_CHECKING:
    from tzaar_envs.core.batch import Batch


class BestActionAgent(Agent):
    """Plays the action of the highest value; ties at random.

    Args:
        game: the game that it plays.
        name: its name in results.
        action_values: from states to values, see `ActionValues`.
        seed: fixes the choice between equally good actions, and the draws behind the values.
    """

    def __init__(
        self,
        game: Game,
        name: str,
        action_values: ActionValues,
        seed: int | Sequence[int] | None = None,
    ) -> None:
        self.game = game
        self.name = name
        self.action_values = action_values
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from now on."""
        self._rng = random_generator(seed)
        self._chance = new_generator(seed)

    def act(self, position: State | AgentObservation) -> int:
        """Return the best action; needs a state."""
        return int(self.act_batch([self.require_state(position)])[0])

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return the best action of each state."""
        if any(state.is_terminal for state in states):
            raise ValueError("there is no legal action: the game is over")
        return self._best(self.words_of(states))

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the best action in each row."""
        self.require_game(batch.game)
        return self._best(batch.states[rows])

    def _best(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        values = self.action_values(self.game, states, self._chance)
        greatest = values.max(axis=1, keepdims=True)
        # One is NaN if any value is. NumPy's `isfinite` takes longer for few rows.
        if not all(map(math.isfinite, greatest[:, 0].tolist())):
            raise ValueError(f"{self.name}: the best action has a value that is not finite")
        best = values == greatest
        chosen: NDArray[np.int64] = (best * self._rng.random(best.shape)).argmax(axis=1)
        return chosen
