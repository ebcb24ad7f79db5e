"""The evaluation function of Black Elephant: features, whose weights are tuned by matches.

| feature      | of each seat; the value is that of the seat to move less the other's         |
|--------------|------------------------------------------------------------------------------|
| `logs`       | beige logs held                                                              |
| `captives`   | captives held                                                                |
| `home`       | elephants home                                                               |
| `lines`      | lines that its elephants on the board have crossed, the first one not counted |
| `logs_ahead` | elephants with a beige log straight ahead                                    |
| `burnt_logs` | burnt logs left                                                              |
| `on_board`   | elephants on the board                                                       |
| `turned`     | elephants that do not face its goal line                                     |
| `near_goal`  | elephants one line before its goal line                                      |
| `threatened` | elephants that the other seat could capture by WATCH                         |
| `exposed`    | the greatest gain of one capture by WATCH, in points; 0 if not to move       |

A capture by WATCH gains 2 points and 0.3 for each line crossed, less the logs that it costs.

The weights stand in `weights.json`, written by `training/tuning/tune_by_matches.py`.
"""

import json
import math
from pathlib import Path

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.black_elephant.board import (
    BURNT_LEFT,
    CAPTIVES,
    DISTANCE,
    EAST,
    ELEPHANT_CELLS,
    ENTRY_FACING,
    FILE_A,
    FILE_G,
    HELD,
    HOME,
    LOG_CELLS,
    NORTH,
    SIZE,
    SOUTH,
    WEST,
)
from tzaar_envs.games.black_elephant.rules import (
    danger_cost,
    elephant_cells,
    facing_cells,
    first_of,
    returns,
    size_of,
    threatened_cells,
)
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

FEATURES = (
    "logs",
    "captives",
    "home",
    "lines",
    "logs_ahead",
    "burnt_logs",
    "on_board",
    "turned",
    "near_goal",
    "threatened",
    "exposed",
)
(
    LOGS,
    CAPTIVES_HELD,
    ELEPHANTS_HOME,
    LINES_CROSSED,
    LOGS_AHEAD,
    BURNT_LOGS_LEFT,
    ON_BOARD,
    TURNED,
    NEAR_GOAL,
    THREATENED,
    EXPOSED,
) = range(len(FEATURES))
_data = json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8"))
WEIGHTS = np.array([_data["weights"][name] for name in FEATURES])

# What the greatest gain of a capture is made of, in points.
CAPTIVE = 2.0
LINE = 0.3

# `(2, SIZE)`: the cells that are so many lines or more beyond each seat's first one.
BEYOND = np.array(
    [
        [
            sum(1 << cell for cell in np.flatnonzero(SIZE - 1 - distances >= lines))
            for lines in range(SIZE)
        ]
        for distances in DISTANCE
    ]
)
FORWARD = ENTRY_FACING  # of each seat: its first area is the one of its number


@compiled
def evaluate(state: StateArray, seat: int) -> float:
    """Estimate the return of a seat.

    A finished game counts its result, any other `tanh` of the weighted sum of the features.
    """
    return estimate(state, seat, WEIGHTS)


@compiled
def estimate(state: StateArray, seat: int, weights: np.ndarray) -> float:
    """Return what `evaluate` returns, with any float64 weights of the features."""
    if state[STATUS] != RUNNING:
        results = np.empty(2)
        returns(state, results)
        return results[seat]
    value = math.tanh(feature_sum(state, weights))
    return value if seat == state[SEAT] else -value


@compiled
def feature_sum(state: StateArray, weights: np.ndarray) -> float:
    """Return the weighted sum of all features of a running game, for the seat to act."""
    own = state[SEAT]
    other = 1 - own
    # Differences of integers, so that equally good positions have exactly equal values.
    return (
        weights[LOGS] * (state[HELD + own] - state[HELD + other])
        + weights[CAPTIVES_HELD] * (state[CAPTIVES + own] - state[CAPTIVES + other])
        + weights[ELEPHANTS_HOME] * (state[HOME + own] - state[HOME + other])
        + weights[LINES_CROSSED] * (lines_crossed(state, own) - lines_crossed(state, other))
        + weights[LOGS_AHEAD] * (logs_ahead(state, own) - logs_ahead(state, other))
        + weights[BURNT_LOGS_LEFT] * (state[BURNT_LEFT + own] - state[BURNT_LEFT + other])
        + weights[ON_BOARD]
        * (size_of(state[ELEPHANT_CELLS + own]) - size_of(state[ELEPHANT_CELLS + other]))
        + weights[TURNED] * (turned_round(state, own) - turned_round(state, other))
        + weights[NEAR_GOAL] * (near_goal(state, own) - near_goal(state, other))
        + weights[THREATENED] * (threatened(state, own) - threatened(state, other))
        + weights[EXPOSED] * greatest_gain(state)
    )


@compiled
def lines_crossed(state: StateArray, seat: int) -> int:
    """Return how many lines the elephants of a seat on the board have left behind."""
    lines = 0
    for line in range(1, SIZE):
        lines += size_of(state[ELEPHANT_CELLS + seat] & BEYOND[seat, line])
    return lines


@compiled
def logs_ahead(state: StateArray, seat: int) -> int:
    """Return how many elephants of a seat have a beige log, and no elephant, straight ahead."""
    logs = state[LOG_CELLS] & ~elephant_cells(state)
    before = (
        facing_cells(state, NORTH) & logs >> SIZE
        | facing_cells(state, SOUTH) & logs << SIZE
        | facing_cells(state, EAST) & (logs & ~FILE_A) >> 1
        | facing_cells(state, WEST) & (logs & ~FILE_G) << 1
    )
    return size_of(state[ELEPHANT_CELLS + seat] & before)


@compiled
def turned_round(state: StateArray, seat: int) -> int:
    """Return how many elephants of a seat do not face its goal line."""
    return size_of(state[ELEPHANT_CELLS + seat] & ~facing_cells(state, FORWARD[seat]))


@compiled
def near_goal(state: StateArray, seat: int) -> int:
    """Return how many elephants of a seat stand one line before its goal line."""
    return size_of(state[ELEPHANT_CELLS + seat] & BEYOND[seat, SIZE - 2] & ~BEYOND[seat, SIZE - 1])


@compiled
def threatened(state: StateArray, seat: int) -> int:
    """Return how many elephants of a seat the other one could capture by WATCH."""
    return size_of(state[ELEPHANT_CELLS + seat] & threatened_cells(state, 1 - seat))


@compiled
def greatest_gain(state: StateArray) -> float:
    """Return the greatest gain of one capture by WATCH of the seat to act, in points."""
    own = state[SEAT]
    gain = 0.0
    cells = state[ELEPHANT_CELLS + 1 - own] & threatened_cells(state, own)
    while cells:
        cell = first_of(cells)
        cells &= cells - 1
        lines = SIZE - 1 - DISTANCE[1 - own, cell]
        gain = max(gain, CAPTIVE + LINE * lines - danger_cost(state, own, cell))
    return gain
