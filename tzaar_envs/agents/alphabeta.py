"""The agent `alphabeta`: alpha-beta search to a depth or for a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import random_generator
from tzaar_envs.search.alphabeta import AlphaBeta, checked_budget
from tzaar_envs.search.leaf_network import CompiledEvaluator
from tzaar_envs.search.result import SearchResult


class AlphaBetaAgent(Agent):
    """Plays the best action that alpha-beta search finds; ties are broken at random.

    With a depth its play follows from the seed; with a time it depends on the machine as well.

    Args:
        game: the game that it plays: two players, nothing hidden, no chance after the set-up.
        depth: in plies.
        ms: milliseconds per action in place of the depth; 0: no time limit.
        seed: fixes the choice between equally good actions.
        evaluator: a network that values positions in place of the game's evaluation function.

    Raises:
        ValueError: alpha-beta cannot search the game, or the budget is not allowed.
    """

    def __init__(
        self,
        game: Game,
        depth: int = 3,
        ms: float = 0,
        seed: int | Sequence[int] | None = None,
        evaluator: CompiledEvaluator | None = None,
    ) -> None:
        self.depth, self.ms = checked_budget(0 if ms else depth, ms)
        self.game = game
        self.name = f"alphabeta:ms={ms:g}" if ms else f"alphabeta:depth={depth}"
        self._search = AlphaBeta(game, evaluator=evaluator)
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from now on."""
        self._rng = random_generator(seed)

    def search(self, state: State) -> SearchResult:
        """Search a position with this agent's budget."""
        self._search.control = self.control
        return self._search.search(state, self.depth, self.ms, self._rng)

    def act(self, position: State | AgentObservation) -> int:
        """Return the best action; needs a state."""
        result = self.search(self.require_state(position))
        self.last_searches = (result,)
        return result.action

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return the best action of each state."""
        results = [self.search(state) for state in states]
        self.last_searches = results
        return np.array([result.action for result in results], np.int64)
