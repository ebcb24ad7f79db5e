"""The evaluation function of Zatre: what weights make of a position; they are tuned by matches.

| feature         | what its weight is                                                          |
|-----------------|-----------------------------------------------------------------------------|
| `crosses`       | entries in column x2 for each tile that a seat still draws                  |
| `tens`          | entries in column 10 for each such tile                                     |
| `elevens`       | entries in column 11 for each such tile                                     |
| `twelves`       | entries in column 12 for each such tile                                     |
| `light_chances` | points for each value on a light cell that would score at once, for the     |
|                 | seat whose turn begins                                                      |
| `dark_chances`  | points for each value on a dark cell that would, likewise                   |
| `light_next`    | points for each value on a light cell that would score at once, for the     |
|                 | seat whose turn goes on                                                     |
| `dark_next`     | points for each value on a dark cell that would, likewise                   |

The weights stand in `weights.json`, written by `training/tuning/tune_by_matches.py`.
"""

import json
import math
from pathlib import Path

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.zatre.board import (
    COUNTS,
    CROSS,
    HIGHEST_SUM,
    LIGHT_SET,
    LOWEST_SCORE,
    NO_CELL,
    PENDING,
    PLACED_COUNT,
    PLAYERS,
    POINTS,
    SET_WORDS,
    SHEET_COLUMNS,
    TEN,
    TWELVE,
    VALUES,
)
from tzaar_envs.games.zatre.rules import (
    bag_size,
    bonus,
    enter,
    lines_in,
    loaded,
    returns,
    score_turn,
    size,
)
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

FEATURES = (
    "crosses",
    "tens",
    "elevens",
    "twelves",
    "light_chances",
    "dark_chances",
    "light_next",
    "dark_next",
)
LIGHT_CHANCES = FEATURES.index("light_chances")  # the first four are the columns
LIGHT_NEXT = FEATURES.index("light_next")
_data = json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8"))
WEIGHTS = np.array([_data["weights"][name] for name in FEATURES])

LIMIT = 0.95  # of the estimate while the game runs
# A lead of so many points, more with the root of the bag's tiles, counts as tanh(1).
SURE_LEAD = 5.0
SURE_LEAD_BY_BAG = 4.0


@compiled
def evaluate(state: StateArray, seat: int) -> float:
    """Estimate the return of a seat, from what everybody sees.

    A finished game counts its result. Else it is `0.95 * tanh(lead / (5 + 4 * sqrt(bag)))`, where
    the lead is that over the best other seat in points, and the bag counts its tiles. The points of
    a seat are what its sheet may come to: the turn that is being played is scored as it stands (a
    pending cell as an 11-line with its cross), and with each of the seat's share of the tiles in
    the bag its columns grow by their weights, by entries of one line. The seat to act has besides
    what its chances to score at once are worth.
    """
    return estimate(state, seat, WEIGHTS)


@compiled
def estimate(state: StateArray, seat: int, weights: np.ndarray) -> float:
    """Return what `evaluate` returns, with any float64 weights of the features."""
    if state[STATUS] != RUNNING:
        results = np.empty(state[PLAYERS])
        returns(state, results)
        return results[seat]
    tiles = bag_size(state)
    begins = state[PLACED_COUNT] == 0
    scored = state if begins else end_of_turn(state)
    chances = weights[LIGHT_CHANCES if begins else LIGHT_NEXT :]
    own = 0.0
    best = -np.inf
    for other in range(state[PLAYERS]):
        points = expected_total(scored, other, tiles / state[PLAYERS], weights)
        if other == state[SEAT]:
            points += worth_of_chances(state, chances)
        if other == seat:
            own = points
        else:
            best = max(best, points)
    return LIMIT * math.tanh((own - best) / (SURE_LEAD + SURE_LEAD_BY_BAG * math.sqrt(tiles)))


@compiled
def worth_of_chances(state: StateArray, weights: np.ndarray) -> float:
    """Return what the placements that score at once are worth to the seat to act.

    The first two weights are those of a value on a light and on a dark cell.
    """
    light = 0
    dark = 0
    for word in range(SET_WORDS):
        for total in range(LOWEST_SCORE, HIGHEST_SUM + 1):
            fewer = loaded(state, word, total - VALUES - 1)
            cells = loaded(state, word, total - 1) & ~fewer
            light += size(cells & LIGHT_SET[word])
            dark += size(cells & ~LIGHT_SET[word])
    return weights[0] * light + weights[1] * dark


@compiled
def end_of_turn(state: StateArray) -> StateArray:
    """Return a copy in which the turn has been scored as it stands, a pending cell as an 11."""
    scored = state.copy()
    score_turn(scored)
    if state[PENDING] != NO_CELL:
        enter(scored, scored[SEAT], TEN + 1, 1)
        enter(scored, scored[SEAT], CROSS, 1)
    return scored


@compiled
def expected_total(state: StateArray, seat: int, draws: float, weights: np.ndarray) -> float:
    """Return the sheet total to expect if the seat draws so many more tiles.

    Every column goes on at the rate that is its weight, with entries for one line each.
    """
    counts = state[COUNTS][SHEET_COLUMNS * seat : SHEET_COLUMNS * (seat + 1)]
    total = 0.0
    row = 0
    while True:
        value = 0.0
        complete = 1.0
        for column in range(TEN, TWELVE + 1):
            if row < counts[column]:
                value += POINTS[column] * lines_in(state, seat, column, row)
            else:
                chance = chance_of_row(counts[column], row, weights[column] * draws)
                value += POINTS[column] * chance
                complete *= chance
        value += complete * bonus(row)
        if value == 0.0:
            return total
        total += value * (1.0 + chance_of_row(counts[CROSS], row, weights[CROSS] * draws))
        row += 1


@compiled
def chance_of_row(count: int, row: int, more: float) -> float:
    """Return how likely a column of `count` entries reaches a row with so many more to expect."""
    return min(1.0, max(0.0, count + more - row))
