"""The evaluation function of Zatre: sheet totals estimated with weights, tuned by matches.

| feature         | its weight                                                                  |
|-----------------|-----------------------------------------------------------------------------|
| `crosses`       | entries in column x2 for each tile that a seat still draws                  |
| `tens`          | entries in column 10 for each such tile                                     |
| `elevens`       | entries in column 11 for each such tile                                     |
| `twelves`       | entries in column 12 for each such tile                                     |
| `light_chances` | points for each value on a light cell that would score at once, for the     |
|                 | seat whose turn begins                                                      |
| `dark_chances`  | the same for each value on a dark cell                                      |

The weights are in `weights.json`, tuned by matches (see docs/research/baselines.md).
"""

import math

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.toolkit import load_weights, popcount, share
from tzaar_envs.games.zatre import board as b
from tzaar_envs.games.zatre import lines, rules
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

WEIGHTS = load_weights(__file__)
COLUMN_WEIGHTS = np.array([WEIGHTS.crosses, WEIGHTS.tens, WEIGHTS.elevens, WEIGHTS.twelves])

LIMIT = 0.95  # of the estimate while the game runs
# The lead in points that counts as tanh(1): a constant, and so much times the root of the bag.
SURE_LEAD = 5.0
SURE_LEAD_BY_BAG = 4.0


@compiled
def evaluate(state: StateArray, seat: int) -> float:
    """Estimate the return of a seat, from public information.

    In a finished game it is the result. Otherwise it is `0.95 * tanh(lead / (5 + 4 * sqrt(bag)))`,
    with the lead in points over the best other seat and the number of tiles in the bag. The points
    of a seat are the expected total of its sheet: the present turn is scored as if it ended now (a
    pending cell as an 11-line with its cross), and for each of the seat's share of the tiles in the
    bag its columns grow by their weights, in entries of one line. At the beginning of a turn the
    seat to act has also the worth of its chances to score at once.
    """
    if state[STATUS] != RUNNING:
        results = np.empty(state[b.PLAYERS])
        rules.scores(state, results)
        share(results, results)
        return results[seat]
    tiles = rules.bag_size(state)
    begins = state[b.PLACED_COUNT] == 0
    scored = state if begins else end_of_turn(state)
    own = 0.0
    best = -np.inf
    for other in range(state[b.PLAYERS]):
        points = expected_total(scored, other, tiles / state[b.PLAYERS])
        if begins and other == state[SEAT]:
            points += worth_of_chances(state)
        if other == seat:
            own = points
        else:
            best = max(best, points)
    return LIMIT * math.tanh((own - best) / (SURE_LEAD + SURE_LEAD_BY_BAG * math.sqrt(tiles)))


@compiled
def worth_of_chances(state: StateArray) -> float:
    """Return the worth of all placements that score at once, for the seat to act."""
    light = 0
    dark = 0
    for word in range(b.SET_WORDS):
        for total in range(b.LOWEST_SCORE, b.HIGHEST_SUM + 1):
            fewer = lines.loaded(state, word, total - b.VALUES - 1)
            cells = lines.loaded(state, word, total - 1) & ~fewer
            light += popcount(cells & b.LIGHT_SET[word])
            dark += popcount(cells & ~b.LIGHT_SET[word])
    return WEIGHTS.light_chances * light + WEIGHTS.dark_chances * dark


@compiled
def end_of_turn(state: StateArray) -> StateArray:
    """Return a copy in which the turn has been scored, with a pending cell as an 11."""
    scored = state.copy()
    rules.score_turn(scored)
    if state[b.PENDING] != b.NO_CELL:
        rules.enter(scored, scored[SEAT], b.TEN + 1, 1)
        rules.enter(scored, scored[SEAT], b.CROSS, 1)
    return scored


@compiled
def expected_total(state: StateArray, seat: int, draws: float) -> float:
    """Return the expected sheet total if the seat draws so many more tiles.

    Every column grows at the rate of its weight, in entries of one line.
    """
    counts = state[b.COUNTS][b.SHEET_COLUMNS * seat : b.SHEET_COLUMNS * (seat + 1)]
    total = 0.0
    row = 0
    while True:
        value = 0.0
        complete = 1.0
        for column in range(b.TEN, b.TWELVE + 1):
            if row < counts[column]:
                value += b.POINTS[column] * rules.lines_in(state, seat, column, row)
            else:
                chance = chance_of_row(counts[column], row, COLUMN_WEIGHTS[column] * draws)
                value += b.POINTS[column] * chance
                complete *= chance
        value += complete * rules.bonus(row)
        if value == 0.0:
            return total
        total += value * (1.0 + chance_of_row(counts[b.CROSS], row, WEIGHTS.crosses * draws))
        row += 1


@compiled
def chance_of_row(count: int, row: int, more: float) -> float:
    """Return the probability that a column of `count` entries reaches a row, growing by `more`."""
    return min(1.0, max(0.0, count + more - row))
