"""The action values of `greedy`: the game's evaluation function one ply later."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.jit.arrays import RngState
from tzaar_envs.search.afterstates import evaluations_of_rows, new_afterstates
from tzaar_envs.search.leaf_network import no_network

DRAWS = 8  # outcomes of an action that involves chance, whose evaluations are averaged


def action_values(game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
    """Return float64 `(len(states), num_actions)`: the evaluation after each action.

    The evaluation is for the player to move, -1 to 1, and minus infinity for illegal actions. Where
    an action involves chance, it is the mean of `DRAWS` outcomes. What the player cannot see is
    drawn again before, so the values do not depend on it.

    Args:
        game: the game.
        states: positions, int64 `(n, state_size)`.
        rng: for hidden information, and for chance events of the actions.
    """
    values = np.full((len(states), game.num_actions), -np.inf)
    evaluations_of_rows(new_afterstates(game, no_network(), DRAWS), states, rng, values)
    return values
