"""The agent `random`: uniformly random legal actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.game import Game
from tzaar_envs.core.masks import ActionSampler
from tzaar_envs.core.state import State

if TYPE_CHECKING:
    from tzaar_envs.core.batch import Batch


class RandomAgent(Agent):
    """Plays every legal action with the same probability.

    Args:
        game: the game that it plays.
        seed: fixes its choices.
    """

    name = "random"

    def __init__(self, game: Game, seed: int | Sequence[int] | None = None) -> None:
        self.game = game
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from now on."""
        self._sampler = ActionSampler(seed)

    def act(self, position: State | AgentObservation) -> int:
        """Return a random legal action."""
        mask = position.legal_mask() if isinstance(position, State) else position["action_mask"]
        action = int(self._sampler.sample(mask[None])[0])
        if action < 0:
            raise ValueError("there is no legal action: the game is over, or it is not our turn")
        return action

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return a random legal action in each row."""
        return self._sampler.sample(batch.masks[rows].view(np.bool_))
