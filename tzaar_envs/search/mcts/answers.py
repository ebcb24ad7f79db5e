"""Answers of evaluators, checked before compiled code reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import array_of
from tzaar_envs.jit.compile import compiled

Evaluator: TypeAlias = Callable[
    [NDArray[np.int64]], tuple[NDArray[np.floating], NDArray[np.floating]]
]
"""From positions `(n, state_size)` to priors `(n, num_actions)` and values `(n, num_players)`.

Priors are the probabilities of the actions of the seat to act, 0 or more; those of illegal actions
are ignored, the others need not add up to 1. Values are the expected returns of all seats. All
numbers are finite. Errors name the evaluator by its attribute `name`, if it has one. One that
checks positions has a method `trusted` too, which does not; searches call that.
"""


def ask(
    evaluator: Evaluator, game: Game, leaves: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the priors and values that an evaluator gives to positions, as float64.

    Raises:
        ValueError: another shape or type, or a number that is not allowed, such as the NaN of a
            network that has diverged.
    """
    who = getattr(evaluator, "name", None) or f"evaluator {evaluator!r}"
    answer = getattr(evaluator, "trusted", evaluator)(leaves)
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise ValueError(f"{who} returned {answer!r:.100}: use a pair of priors and values")
    shapes = (len(leaves), game.num_actions), (len(leaves), game.num_players)
    priors: NDArray[np.float64] = array_of(f"{who}: priors", answer[0], np.float64, shapes[0])
    values: NDArray[np.float64] = array_of(f"{who}: values", answer[1], np.float64, shapes[1])
    if (action := _first_unusable(priors, 0.0)) >= 0:
        found, which = priors.flat[action], f"prior of action {action % game.num_actions}"
    elif (player := _first_unusable(values, -np.inf)) >= 0:
        found, which = values.flat[player], f"value for player {player % game.num_players}"
    else:
        return priors, values
    raise ValueError(
        f"{who} gave {found} as the {which}: priors must be finite and 0 or more, values finite; "
        "a network that gives anything else has diverged"
    )


@compiled
def _first_unusable(numbers: NDArray[np.float64], least: float) -> int:
    """Return the flat index of the first number that is not finite or below `least`, else -1."""
    flat = numbers.reshape(-1)
    for index in range(flat.size):
        if not (least <= flat[index] < np.inf and flat[index] > -np.inf):
            return index
    return -1
