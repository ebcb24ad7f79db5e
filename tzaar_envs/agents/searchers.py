"""Agents that look ahead: by one action, by alpha-beta search, by Monte Carlo tree search.

The action values of `greedy` are those of the game's evaluation function, or of a network. One that
learnt values plays by them without a search: it compares the positions after each of its moves,
which may be two actions (Tesauro, 1995). Values are easier to learn than a probability for each
action.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.agent import StateAgent
from tzaar_envs.core.game import ActionValues, Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.arrays import RngState
from tzaar_envs.jit.rng import new_generator, random_generator, seed_sequence
from tzaar_envs.search.afterstates import evaluations_of_rows, new_afterstates, values_of_rows
from tzaar_envs.search.alphabeta import AlphaBeta, checked_budget
from tzaar_envs.search.batched import Evaluator
from tzaar_envs.search.leaf_network import CompiledEvaluator, require_game
from tzaar_envs.search.mcts import Mcts

if TYPE_CHECKING:
    from tzaar_envs.core.batch import Batch


DRAWS = 8  # outcomes of an action that involves chance, whose evaluations are averaged


def action_values(game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
    """Return float64 `(len(states), num_actions)`: the evaluation after each action.

    The evaluation is for the player to move, -1 to 1, and minus infinity for illegal actions. Where
    an action involves chance, it is the mean of `DRAWS` outcomes. What the player cannot see is
    drawn again before, so the values do not depend on it.

    Args:
        game: The game.
        states: Positions of the game, int64 `(n, state_size)`.
        rng: Draws hidden information and the chance events of the actions.

    Raises:
        ValueError: Positions of another shape or type.
    """
    rules = game.rules
    states = game.checked_positions(states)
    values = np.empty((len(states), game.num_actions))
    evaluations_of_rows(
        rules.functions,
        states.copy(),
        DRAWS,
        np.empty(rules.state_size, np.int64),
        np.empty(game.num_actions, np.int64),
        rng,
        values,
    )
    return values


class NetworkValues:
    """Values of actions by a network; an `ActionValues`.

    Where something is hidden or left to chance, they are means of `DRAWS` draws.

    Args:
        game: The game of the positions.
        evaluator: The network.
        plies: 2: if the same seat acts again, and nothing was drawn, an action is worth as much as
            the best one after it. 1: it is worth what the position after it is.

    Raises:
        ValueError: The network is of another game.
    """

    def __init__(self, game: Game, evaluator: CompiledEvaluator, plies: int = 2) -> None:
        require_game(evaluator, game)
        self._game, self._plies = game, plies
        self._evaluator = evaluator.copy()  # whose memory no other thread uses
        self._search = new_afterstates(game, self._evaluator.leaf_network(), DRAWS, plies)

    def __call__(self, game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
        """Return float64 `(len(states), num_actions)`, minus infinity for illegal actions.

        Args:
            game: The game, the same as above.
            states: Positions, int64 `(n, state_size)`.
            rng: Draws hidden information and the chance events of the actions.

        Raises:
            ValueError: Another game.
        """
        require_game(self._evaluator, game)
        values = np.empty((len(states), game.num_actions))
        values_of_rows(self._search, np.ascontiguousarray(states), rng, values)
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        return NetworkValues, (self._game, self._evaluator, self._plies)


class BestActionAgent(StateAgent):
    """Plays the action of the highest value; ties at random.

    Args:
        game: The game that it plays.
        action_values: Maps states to values, see `ActionValues`.
        seed: Fixes the choice between equally good actions, and the draws behind the values.
    """

    def __init__(
        self,
        game: Game,
        action_values: ActionValues,
        seed: int | Sequence[int] | None = None,
    ) -> None:
        self.game = game
        self.action_values = action_values
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from now on."""
        self._rng = random_generator(seed)
        self._chance = new_generator(seed)

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


class AlphaBetaAgent(StateAgent):
    """Plays the best action that alpha-beta search finds; ties are broken at random.

    With a depth its play follows from the seed; with a time it depends on the machine as well. It
    is for one thread at a time.

    Args:
        game: The game that it plays: two players, nothing hidden, no chance after the set-up.
        depth: The depth in plies.
        ms: Milliseconds per action in place of the depth; 0: no time limit.
        seed: Fixes the choice between equally good actions.
        evaluator: A network that values positions in place of the game's evaluation function.

    Raises:
        ValueError: Alpha-beta cannot search the game, or the budget is not allowed.
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
        self._alphabeta = AlphaBeta(game, evaluator=evaluator)
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from now on."""
        self._rng = random_generator(seed)

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return the best action of each state."""
        self._alphabeta.control = self.control
        results = [
            self._alphabeta.search(state, self.depth, self.ms, self._rng) for state in states
        ]
        self.last_searches = results
        return np.array([result.action for result in results], np.int64)


class MctsAgent(StateAgent):
    """Plays the secure action of a tree search, or a proven win.

    Its choice for a position follows from its seed and the number of positions before.

    Args:
        game: The game that it plays.
        seed: Fixes its playouts.
        evaluator: Values leaves and actions, for instance by a network; see
            `search.batched`.
        **options: See `search.options.MCTS_OPTIONS`.

    Raises:
        ValueError: An unknown option, or a value that is not allowed.
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
        """Fix all playouts from now on."""
        self._seed = seed_sequence(seed).generate_state(4).tolist()
        self._searched = 0

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
        results = self.mcts.search(states, generators)
        self.last_searches = results
        return results.actions
