"""The evaluation function of Black Elephant: a weighted sum of features, tuned by matches.

| feature      | for each seat; the value is that of the seat to move less the other's         |
|--------------|-------------------------------------------------------------------------------|
| `logs`       | beige logs held                                                               |
| `captives`   | captives held                                                                 |
| `home`       | elephants home                                                                |
| `lines`      | lines that its elephants on the board have crossed, without the first one     |
| `logs_ahead` | elephants with a beige log, and no elephant, straight ahead                   |
| `burnt_logs` | burnt logs left                                                               |
| `on_board`   | elephants on the board                                                        |
| `turned`     | elephants that do not face its goal line                                      |
| `near_goal`  | elephants one line before its goal line                                       |
| `threatened` | elephants that the other seat could capture by WATCH                          |
| `exposed`    | the greatest gain of one capture by WATCH, in points; 0 if it is not to move  |

A capture by WATCH gains 2 points and 0.3 for each line crossed, less its cost in logs.

The weights are in `weights.json`, tuned by matches (see docs/research/baselines.md).
"""

import math

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.toolkit import load_weights, lowest_bit, popcount, share
from tzaar_envs.games.black_elephant import board as b
from tzaar_envs.games.black_elephant import rules
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

WEIGHTS = load_weights(__file__)

# The gain of a capture, in points.
CAPTIVE = 2.0
LINE = 0.3

# `(2, SIZE)`: the cells that are so many lines or more beyond each seat's first one.
BEYOND = np.array(
    [
        [
            sum(1 << cell for cell in np.flatnonzero(b.SIZE - 1 - distances >= lines))
            for lines in range(b.SIZE)
        ]
        for distances in b.DISTANCE
    ]
)
FORWARD = b.ENTRY_FACING  # of each seat: its elephants start in the area of its number


@compiled
def evaluate(state: StateArray, seat: int) -> float:
    """Estimate the return of a seat.

    In a finished game it is the result, otherwise `tanh` of the weighted sum of the features.
    """
    if state[STATUS] != RUNNING:
        results = np.empty(2)
        rules.scores(state, results)
        share(results, results)
        return results[seat]
    value = math.tanh(feature_sum(state))
    return value if seat == state[SEAT] else -value


@compiled
def feature_sum(state: StateArray) -> float:
    """Return the weighted sum of all features of a running game, for the seat to act."""
    own = state[SEAT]
    other = 1 - own
    # Sums of integer differences, so that equally good positions have exactly equal values.
    return (
        WEIGHTS.logs * (state[b.HELD + own] - state[b.HELD + other])
        + WEIGHTS.captives * (state[b.CAPTIVES + own] - state[b.CAPTIVES + other])
        + WEIGHTS.home * (state[b.HOME + own] - state[b.HOME + other])
        + WEIGHTS.lines * (lines_crossed(state, own) - lines_crossed(state, other))
        + WEIGHTS.logs_ahead * (logs_ahead(state, own) - logs_ahead(state, other))
        + WEIGHTS.burnt_logs * (state[b.BURNT_LEFT + own] - state[b.BURNT_LEFT + other])
        + WEIGHTS.on_board
        * (popcount(state[b.ELEPHANT_CELLS + own]) - popcount(state[b.ELEPHANT_CELLS + other]))
        + WEIGHTS.turned * (turned_round(state, own) - turned_round(state, other))
        + WEIGHTS.near_goal * (near_goal(state, own) - near_goal(state, other))
        + WEIGHTS.threatened * (threatened(state, own) - threatened(state, other))
        + WEIGHTS.exposed * greatest_gain(state)
    )


@compiled
def lines_crossed(state: StateArray, seat: int) -> int:
    """Return the number of lines that the elephants of a seat on the board have left behind."""
    lines = 0
    for line in range(1, b.SIZE):
        lines += popcount(state[b.ELEPHANT_CELLS + seat] & BEYOND[seat, line])
    return lines


@compiled
def logs_ahead(state: StateArray, seat: int) -> int:
    """Return the number of a seat's elephants with a beige log, and no elephant, straight ahead."""
    logs = state[b.LOG_CELLS] & ~rules.elephant_cells(state)
    before = (
        rules.facing_cells(state, b.NORTH) & logs >> b.SIZE
        | rules.facing_cells(state, b.SOUTH) & logs << b.SIZE
        | rules.facing_cells(state, b.EAST) & (logs & ~b.FILE_A) >> 1
        | rules.facing_cells(state, b.WEST) & (logs & ~b.FILE_G) << 1
    )
    return popcount(state[b.ELEPHANT_CELLS + seat] & before)


@compiled
def turned_round(state: StateArray, seat: int) -> int:
    """Return the number of elephants of a seat that do not face its goal line."""
    return popcount(state[b.ELEPHANT_CELLS + seat] & ~rules.facing_cells(state, FORWARD[seat]))


@compiled
def near_goal(state: StateArray, seat: int) -> int:
    """Return the number of elephants of a seat that are one line before its goal line."""
    return popcount(state[b.ELEPHANT_CELLS + seat] & BEYOND[seat, b.SIZE - 2])


@compiled
def threatened(state: StateArray, seat: int) -> int:
    """Return the number of elephants of a seat that the other one could capture by WATCH."""
    return popcount(state[b.ELEPHANT_CELLS + seat] & rules.threatened_cells(state, 1 - seat))


@compiled
def greatest_gain(state: StateArray) -> float:
    """Return the greatest gain of one capture by WATCH of the seat to act, in points."""
    own = state[SEAT]
    gain = 0.0
    cells = state[b.ELEPHANT_CELLS + 1 - own] & rules.threatened_cells(state, own)
    while cells:
        cell = lowest_bit(cells)
        cells &= cells - 1
        lines = b.SIZE - 1 - b.DISTANCE[1 - own, cell]
        gain = max(gain, CAPTIVE + LINE * lines - rules.danger_cost(state, own, cell))
    return gain
