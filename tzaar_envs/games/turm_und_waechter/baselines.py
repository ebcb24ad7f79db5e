"""The evaluation function of Turm & Wächter: features, whose weights are tuned from games.

| feature         | of each side; the value is that of the side to move less the other's        |
|-----------------|-----------------------------------------------------------------------------|
| `towers`        | towers                                                                      |
| `second_stones` | towers of height 2 or more                                                  |
| `third_stones`  | towers of height 3 or more                                                  |
| `higher_stones` | stones above the third of a tower                                           |
| `guard_close`   | 1 / (steps that the guard has left to the castle where it wants to go)      |
| `attackers`     | towers within 2 steps of the enemy guard                                    |
| `prey`          | height of the tallest tower that it can take; 0 if not to move              |

The weights stand in `weights.json`, written by `training/tune_evaluation.py`.
"""

import json
import math
from pathlib import Path

import numpy as np

from tzaar_envs.core.arrays import Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.turm_und_waechter.board import (
    BLUE_CASTLE,
    CELLS,
    GUARD,
    MAX_RANGE,
    NOBODY,
    RED,
    RED_CASTLE,
    SETS,
    SIZE,
    STEP,
    STONES,
    WINNER,
    set_of,
)
from tzaar_envs.games.turm_und_waechter.rules import figures_of, lowest, shifted, starts

FEATURES = (
    "towers",
    "second_stones",
    "third_stones",
    "higher_stones",
    "guard_close",
    "attackers",
    "prey",
)
(
    TOWERS,
    SECOND_STONES,
    THIRD_STONES,
    HIGHER_STONES,
    GUARD_CLOSE,
    ATTACKERS,
    PREY,
) = range(len(FEATURES))
_data = json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8"))
WEIGHTS = np.array([_data["weights"][name] for name in FEATURES])

WIN_AT_ONCE = 0.9
LIMIT = 0.8  # of the estimate when nobody is about to win

_cells = np.arange(CELLS)
_ranks, _files = np.divmod(_cells, SIZE)
# By cell, the cells within 2 steps of it.
AROUND = np.array(
    [
        set_of(abs(_ranks - rank) + abs(_files - file) <= 2)
        for rank, file in zip(_ranks, _files, strict=True)
    ]
)


@compiled
def evaluate(state: Words, seat: int) -> float:
    """Estimate the return of a seat.

    A finished game counts its result. Else 0.9 for the side to move if it can win with its next
    move; otherwise `0.8 * tanh` of the weighted sum of the features.
    """
    return estimate(state, seat, WEIGHTS)


@compiled
def estimate(state: Words, seat: int, weights: np.ndarray) -> float:
    """Return what `evaluate` returns, with any float64 weights of the features."""
    if state[STATUS] != RUNNING:
        if state[WINNER] == NOBODY:
            return 0.0
        return 1.0 if state[WINNER] == seat else -1.0
    prey = tallest_prey(state)
    value = WIN_AT_ONCE
    if prey != GUARD:
        value = LIMIT * math.tanh(balance(state, weights) + weights[PREY] * prey)
    return value if seat == state[SEAT] else -value


@compiled
def feature_sum(state: Words, weights: np.ndarray) -> float:
    """Return the weighted sum of all features of a running game, for the side to move."""
    return balance(state, weights) + weights[PREY] * tallest_prey(state)


@compiled
def balance(state: Words, weights: np.ndarray) -> float:
    """Return the weighted sum of all features but `prey`, for the side to move."""
    seat = state[SEAT]
    return standing(state, seat, weights) - standing(state, 1 - seat, weights)


@compiled
def standing(state: Words, seat: int, weights: np.ndarray) -> float:
    """Return the weighted sum of one side's features, whoever is to move."""
    own = figures_of(seat)
    towers = state[own + 1]
    steps = steps_to_goal(lowest(state[own]), seat)
    enemy_guard = lowest(state[figures_of(1 - seat)])
    higher_stones = 0
    for level in range(own + 4, own + SETS):
        higher_stones += size_of(state[level])
    return (
        weights[TOWERS] * size_of(towers)
        + weights[SECOND_STONES] * size_of(state[own + 2])
        + weights[THIRD_STONES] * size_of(state[own + 3])
        + weights[HIGHER_STONES] * higher_stones
        + weights[GUARD_CLOSE] / steps
        + weights[ATTACKERS] * size_of(towers & AROUND[enemy_guard])
    )


@compiled
def size_of(cells: int) -> int:
    """Return the number of cells in a set."""
    # Bits are added up in pairs, fours and eights; the product has their sum in its top byte. In
    # this form the compiler recognizes it and uses the processor's own instruction. Compiled,
    # int() does nothing; uncompiled, it keeps the product from overflowing.
    pairs = cells - (cells >> 1 & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    eights = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    return int(eights) * 0x0101010101010101 >> 56 & 0xFF


@compiled
def tallest_prey(state: Words) -> int:
    """Return how tall a tower the side to move can take, or `GUARD` if it can win with a move."""
    own = figures_of(state[SEAT])
    enemy = figures_of(1 - state[SEAT])
    goal = BLUE_CASTLE if state[SEAT] == RED else RED_CASTLE
    prey = 0
    for direction in range(4):
        cells = 0
        for stones in range(1, MAX_RANGE + 1):
            cells = starts(state, direction, stones, cells)
            targets = shifted(cells, stones * STEP[direction])
            if targets & state[enemy]:
                return GUARD
            if stones == 1 and shifted(cells & state[own], STEP[direction]) >> goal & 1:
                return GUARD
            while prey < STONES and targets & state[enemy + prey + 1]:
                prey += 1
            if not cells:
                break
    return prey


@compiled
def steps_to_goal(cell: int, seat: int) -> int:
    """Return the steps of a guard from a cell to the castle that it wants to reach."""
    goal = BLUE_CASTLE if seat == RED else RED_CASTLE
    return abs(cell // SIZE - goal // SIZE) + abs(cell % SIZE - goal % SIZE)
