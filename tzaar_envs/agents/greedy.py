"""The action values of `greedy`: by the game's evaluation function, or by a network.

A network that learnt values plays by them without a search: it compares the positions after each of
its moves, which may be two actions (Tesauro, 1995). Values are easier to learn than a probability
for each action.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.jit.arrays import RngState
from tzaar_envs.search.afterstates import evaluations_of_rows, new_afterstates, values_of_rows
from tzaar_envs.search.leaf_network import CompiledEvaluator, require_game

DRAWS = 8  # outcomes of an action that involves chance, whose evaluations are averaged


def action_values(game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
    """Return float64 `(len(states), num_actions)`: the evaluation after each action.

    The evaluation is for the player to move, -1 to 1, and minus infinity for illegal actions. Where
    an action involves chance, it is the mean of `DRAWS` outcomes. What the player cannot see is
    drawn again before, so the values do not depend on it.

    Args:
        game: the game.
        states: positions, int64 `(n, state_size)`.
        rng: draws hidden information and the chance events of the actions.
    """
    rules = game.rules
    values = np.full((len(states), game.num_actions), -np.inf)
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
        game: the game of the positions.
        evaluator: the network.
        plies: 2: if the same seat acts again, and nothing was drawn, an action is worth as much as
            the best one after it. 1: it is worth what the position after it is.

    Raises:
        ValueError: the network is of another game, or another number of plies.
    """

    def __init__(self, game: Game, evaluator: CompiledEvaluator, plies: int = 2) -> None:
        if plies not in (1, 2):
            raise ValueError(f"plies={plies} is not allowed: use 1 or 2")
        require_game(evaluator, game)
        self._game, self._plies = game, plies
        self._evaluator = evaluator.copy()  # whose memory no other thread uses
        self._search = new_afterstates(game, self._evaluator.leaf_network(), DRAWS, plies)

    def __call__(self, game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
        """Return float64 `(len(states), num_actions)`, minus infinity for illegal actions.

        Args:
            game: the game, the same as above.
            states: positions, int64 `(n, state_size)`.
            rng: draws hidden information and the chance events of the actions.

        Raises:
            ValueError: another game.
        """
        require_game(self._evaluator, game)
        values = np.full((len(states), game.num_actions), -np.inf)
        values_of_rows(self._search, np.ascontiguousarray(states), rng, values)
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        return NetworkValues, (self._game, self._evaluator, self._plies)
