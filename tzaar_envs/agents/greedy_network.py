"""The action values of `greedy:policy=PATH`: what a network expects after an action.

A network that learnt values plays like this without a search: it compares the positions after each
of its moves, which may be two actions (Tesauro, 1995). Values are easier to learn than a
probability for each action.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.greedy import DRAWS
from tzaar_envs.core.game import Game
from tzaar_envs.jit.arrays import RngState
from tzaar_envs.search.afterstates import new_afterstates, values_of_rows
from tzaar_envs.search.leaf_network import CompiledEvaluator, require_game


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

    def __call__(self, game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
        """Return float64 `(len(states), num_actions)`, minus infinity for illegal actions.

        Args:
            game: the game, the same as above.
            states: positions, int64 `(n, state_size)`.
            rng: for hidden information, and for chance events of the actions.

        Raises:
            ValueError: another game.
        """
        require_game(self._evaluator, game)
        values = np.full((len(states), game.num_actions), -np.inf)
        search = new_afterstates(game, self._evaluator.leaf_network(), DRAWS, self._plies)
        values_of_rows(search, np.ascontiguousarray(states), rng, values)
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        return NetworkValues, (self._game, self._evaluator, self._plies)
