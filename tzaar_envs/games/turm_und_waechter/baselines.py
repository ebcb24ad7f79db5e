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

The weights stand in `weights.json`, written by `training/tuning/tune_evaluation.py`.
"""

import json
import math
from pathlib import Path

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.turm_und_waechter.board import (
    BLUE,
    BLUE_CASTLE,
    CELLS,
    GUARD,
    MAX_RANGE,
    NOBODY,
    ON_BOARD,
    RED,
    RED_CASTLE,
    SETS,
    SIZE,
    STEP,
    WINNER,
    set_of,
)
from tzaar_envs.games.turm_und_waechter.rules import figures_of, lowest, shifted, size_of
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

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

_ranks, _files = np.divmod(np.arange(CELLS), SIZE)
# By two cells, the steps from one to the other.
_steps = abs(_ranks[:, None] - _ranks) + abs(_files[:, None] - _files)
NEIGHBOURS = np.array([set_of(steps == 1) for steps in _steps])
AROUND = np.array([set_of(steps <= 2) for steps in _steps])
# By seat and cell, 1 / (steps from there to the castle where the seat's guard wants to go).
CLOSE = 1 / np.maximum(1, _steps[[BLUE_CASTLE, RED_CASTLE]])


@compiled
def evaluate(state: StateArray, seat: int) -> float:
    """Estimate the return of a seat.

    A finished game counts its result. Else 0.9 for the side to move if it can win with its next
    move; otherwise `0.8 * tanh` of the weighted sum of the features.
    """
    return estimate(state, seat, WEIGHTS)


@compiled
def estimate(state: StateArray, seat: int, weights: np.ndarray) -> float:
    """Return what `evaluate` returns, with any float64 weights of the features."""
    if state[STATUS] != RUNNING:
        if state[WINNER] == NOBODY:
            return 0.0
        return 1.0 if state[WINNER] == seat else -1.0
    prey = tallest_prey(state)
    value = WIN_AT_ONCE
    if prey != GUARD:
        total = balance(state, weights) + weights[PREY] * prey
        value = LIMIT * (1 - 2 / (1 + math.exp(2 * total)))  # tanh, in two thirds of its time
    return value if seat == state[SEAT] else -value


@compiled
def feature_sum(state: StateArray, weights: np.ndarray) -> float:
    """Return the weighted sum of all features of a running game, for the side to move."""
    return balance(state, weights) + weights[PREY] * tallest_prey(state)


@compiled
def balance(state: StateArray, weights: np.ndarray) -> float:
    """Return the weighted sum of all features but `prey`, for the side to move."""
    lead = standing(state, RED, weights) - standing(state, BLUE, weights)
    return lead if state[SEAT] == RED else -lead


@compiled
def standing(state: StateArray, seat: int, weights: np.ndarray) -> float:
    """Return the weighted sum of one side's features, whoever is to move."""
    own = figures_of(seat)
    towers = state[own + 1]
    enemy_guard = lowest(state[figures_of(1 - seat)])
    higher_stones = 0
    for level in range(own + 4, own + SETS):
        higher_stones += size_of(state[level])
    return (
        weights[TOWERS] * size_of(towers)
        + weights[SECOND_STONES] * size_of(state[own + 2])
        + weights[THIRD_STONES] * size_of(state[own + 3])
        + weights[HIGHER_STONES] * higher_stones
        + weights[GUARD_CLOSE] * CLOSE[seat, lowest(state[own])]
        + weights[ATTACKERS] * size_of(towers & AROUND[enemy_guard])
    )


@compiled
def tallest_prey(state: StateArray) -> int:
    """Return how tall a tower the side to move can take, or `GUARD` if it can win with a move."""
    # With a seat that is known when it is compiled, this takes three quarters of the time.
    return prey_of(state, RED) if state[SEAT] == RED else prey_of(state, BLUE)


@compiled
def prey_of(state: StateArray, seat: int) -> int:
    """Return `tallest_prey` of a seat, as if it were to move."""
    own = figures_of(seat)
    enemy = figures_of(1 - seat)
    goal = BLUE_CASTLE if seat == RED else RED_CASTLE
    if state[own] & NEIGHBOURS[goal] and not state[own + 1] >> goal & 1:
        return GUARD
    enemies = state[enemy] | state[enemy + 1]
    empty = ~(enemies | state[own] | state[own + 1])
    prey = 0
    for direction in range(4):
        step = STEP[direction]
        on_board = ON_BOARD[direction, 1]
        # From the enemies back, field by field: from here each is so many stones away.
        cells = shifted(enemies, -step) & on_board
        prey |= shifted(cells & state[own], step)
        for stones in range(1, MAX_RANGE + 1):
            prey |= shifted(cells & state[own + stones], stones * step) & ~state[enemy + stones + 1]
            cells = shifted(cells & empty, -step) & on_board
    if prey & state[enemy]:
        return GUARD
    height = 0
    for level in range(enemy + 1, enemy + SETS):
        height += prey & state[level] != 0
    return height
