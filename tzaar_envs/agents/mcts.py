"""The agent `mcts`: Monte Carlo tree search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generator, seed_sequence
from tzaar_envs.search.mcts.answers import Evaluator
from tzaar_envs.search.mcts.search import Mcts

if TYPE_CHECKING:
    from tzaar_envs.core.batch import Batch


class MctsAgent(Agent):
    """Plays the action that a tree search visits most, or a proven win.

    Its choice for a position follows from its seed and the number of positions before.

    Args:
        game: the game that it plays.
        seed: fixes its playouts.
        evaluator: values leaves and actions, for instance by a network; see
            `search.mcts.answers`.
        **options: see `search.options.MCTS_OPTIONS`.

    Raises:
        ValueError: an unknown option, or a value that is not allowed.
    """

    name = "mcts"

    def __init__(
        self,
        game: Game,
        seed: int | Sequence[int] | None = None,
        evaluator: Evaluator | None = None,
        **options: Any,
    ) -> None:
        self.game = game
        self.mcts = Mcts(game, evaluator, **options)
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all playouts from now on, and drop the tree of the last search."""
        self._seed = seed_sequence(seed).generate_state(4).tolist()
        self._searched = 0
        self.mcts.forget()

    def act(self, position: State | AgentObservation) -> int:
        """Return the action to play; needs a state."""
        return int(self.act_batch([self.require_state(position)])[0])

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return the action to play in each state."""
        return self._search(self.words_of(states))

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the action to play in each row."""
        self.require_game(batch.game)
        return self._search(batch.states[rows])

    def _search(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        # Each position has its own generator, so the size of the batch does not matter.
        numbers = range(self._searched, self._searched + len(states))
        self._searched += len(states)
        generators = np.stack([new_generator([*self._seed, number]) for number in numbers])
        self.mcts.control = self.control
        results = self.mcts.search(states, generators, trusted=True)
        self.last_searches = results
        return results.actions
