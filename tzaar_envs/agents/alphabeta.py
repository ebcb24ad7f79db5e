"""`alphabeta`: alpha-beta search to a depth or for some time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.search.alphabeta.search import AlphaBeta, Found, checked_budget


class AlphaBetaAgent(Agent):
    """Plays the best action that alpha-beta search finds; among equals the first in random order.

    To a depth its play follows from the seed; within a time it depends on the machine as well.

    Args:
        game: the game that it plays: two seats, nothing hidden, no chance after the set-up.
        depth: in plies.
        ms: milliseconds for an action in place of the depth; 0: not by time.
        seed: fixes the choice between equally good actions.

    Raises:
        ValueError: the game does not suit, or the budget is not allowed.
    """

    def __init__(
        self,
        game: Game,
        depth: int = 3,
        ms: float = 0,
        seed: int | Sequence[int] | None = None,
    ) -> None:
        self.depth, self.ms = checked_budget(0 if ms else depth, ms)
        self.game = game
        self.name = f"alphabeta:ms={ms:g}" if ms else f"alphabeta:depth={depth}"
        self._search = AlphaBeta(game)
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from here on."""
        self._rng = np.random.Generator(np.random.PCG64(seed))

    def search(self, state: State) -> Found:
        """Return all that a search of the position finds, with this agent's budget."""
        return self._search.search(state, self.depth, self.ms, self._rng)

    def act(self, position: State | AgentObservation) -> int:
        """Return the best action; needs a state."""
        if not isinstance(position, State):
            raise TypeError(f"{self.name} looks ahead: give it a State, not an observation")
        return self.search(position).action
