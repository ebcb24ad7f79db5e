"""The evaluation function of Twenty One: what weights make of a position; tuned by matches.

| feature         | of each seat, in points                                                     |
|-----------------|-----------------------------------------------------------------------------|
| `numbers_here`  | printed numbers of the free fields of the current row                       |
| `numbers_below` | printed numbers of the rows below                                           |
| `fields_here`   | free fields of the current row                                              |
| `rows_below`    | rows below the current one                                                  |
| `next_hits`     | free fields of the current row, times what its next hit adds to the bonus   |

The weights stand in `weights.json`, written by `training/tuning/tune_by_matches.py`.
"""

import json
import math
from pathlib import Path

import numpy as np

from tzaar_envs.core.kernel import RUNNING, STATUS
from tzaar_envs.games.twenty_one.board import (
    CHOICE,
    DICE,
    FILL,
    FREE,
    MARKS,
    NONE,
    PHASE,
    PLAYERS,
    ROW,
    SCORE,
    STRIKE,
)
from tzaar_envs.games.twenty_one.rules import (
    count_hits,
    enterable,
    filled,
    leftmost_free,
    mark_at,
    number_at,
    printed_row,
    returns,
    row_score,
)
from tzaar_envs.games.twenty_one.sheets import POSITIONS, ROWS
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

FEATURES = (
    "numbers_here",
    "numbers_below",
    "fields_here",
    "rows_below",
    "next_hits",
)
(
    NUMBERS_HERE,
    NUMBERS_BELOW,
    FIELDS_HERE,
    ROWS_BELOW,
    NEXT_HITS,
) = range(len(FEATURES))
_data = json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8"))
WEIGHTS = np.array([_data["weights"][name] for name in FEATURES])

SPREAD = 2.0  # of the points that are still open, when the game ends now
SPREAD_PER_FIELD = 0.3  # and more for each free field of the seat that has the fewest


@compiled
def evaluate(state: StateArray, seat: int) -> float:
    """Estimate the return of a seat.

    A finished game counts its result. Else every seat has prospects: the points of its rows as they
    stand, bonus included, and the weighted sum of its features. A seat that chooses what to fill
    has those after its best choice; only for the seat itself its choice is known, if it has made
    one. If this choice completes row 5, the features count nothing. The chances to win are taken in
    proportion to `exp(prospects / spread)`, where the spread is 2 points, and 0.3 for each free
    field of the seat that has the fewest as long as the game goes on. The value is the own chance
    less the mean of the others'.
    """
    return estimate(state, seat, WEIGHTS)


@compiled
def estimate(state: StateArray, seat: int, weights: np.ndarray) -> float:
    """Return what `evaluate` returns, with any float64 weights of the features."""
    players = state[PLAYERS]
    outcomes = np.empty(players)
    if state[STATUS] != RUNNING:
        returns(state, outcomes)
        return outcomes[seat]
    goes_on = not will_finish(state, seat)
    spread = SPREAD + SPREAD_PER_FIELD * fewest_free_fields(state) * goes_on
    for other in range(players):
        choice = state[CHOICE][seat] if other == seat else NONE
        outcomes[other] = prospects(state, other, choice, goes_on, weights)
    return expected_return(outcomes, seat, spread)


@compiled
def expected_return(points: np.ndarray, seat: int, spread: float) -> float:
    """Return what a seat can expect if the chances to win are as `exp(points / spread)`."""
    best = points.max()
    others = 0.0
    for other in range(points.size):
        if other != seat:
            others += math.exp((points[other] - best) / spread)
    own = math.exp((points[seat] - best) / spread)
    return (own - others / (points.size - 1)) / (own + others)


@compiled
def will_finish(state: StateArray, seat: int) -> bool:
    """Whether a seat has chosen to complete its row 5 in this turn."""
    choice = state[CHOICE][seat]
    row = state[ROW][seat]
    if choice == NONE or row < ROWS - 1:
        return False
    marks = state[MARKS][ROWS * seat + row]
    printed = printed_row(state, seat, row)
    return leftmost_free(filled(marks, printed, state[DICE], choice)) == POSITIONS


@compiled
def fewest_free_fields(state: StateArray) -> int:
    """Return the number of free fields of the seat that has the fewest; the game is running."""
    fewest = ROWS * POSITIONS
    for seat in range(state[PLAYERS]):
        row = state[ROW][seat]
        free = POSITIONS * (ROWS - 1 - row)
        for position in range(POSITIONS):
            free += mark_at(state[MARKS][ROWS * seat + row], position) == FREE
        fewest = min(fewest, free)
    return fewest


@compiled
def prospects(
    state: StateArray, seat: int, choice: int, goes_on: bool, weights: np.ndarray
) -> float:
    """Return the points that a seat can hope for, see `evaluate`; the game is running.

    While seats choose, it is the best that the seat can do unless its choice is given.
    """
    row = state[ROW][seat]
    marks = state[MARKS][ROWS * seat + row]
    printed = printed_row(state, seat, row)
    best = 0.0
    if state[PHASE] != FILL:
        best = row_worth(marks, printed, goes_on, weights)
    elif choice != NONE:
        best = row_worth(filled(marks, printed, state[DICE], choice), printed, goes_on, weights)
    else:
        best = row_worth(filled(marks, printed, state[DICE], STRIKE), printed, goes_on, weights)
        fitting = enterable(state, seat)
        entered = fitting
        while entered > 0:
            worth = row_worth(
                filled(marks, printed, state[DICE], entered), printed, goes_on, weights
            )
            best = max(best, worth)
            entered = entered - 1 & fitting
    numbers_below = 0
    for lower in range(row + 1, ROWS):
        for position in range(POSITIONS):
            numbers_below += number_at(printed_row(state, seat, lower), position)
    below = weights[NUMBERS_BELOW] * numbers_below + weights[ROWS_BELOW] * (ROWS - 1 - row)
    return state[SCORE][seat] + best + below * goes_on


@compiled
def row_worth(marks: int, printed: int, goes_on: bool, weights: np.ndarray) -> float:
    """Return the points of a row as it stands, and what its free fields are worth."""
    numbers = 0
    fields = 0
    for position in range(POSITIONS):
        if mark_at(marks, position) == FREE:
            numbers += number_at(printed, position)
            fields += 1
    next_hit = count_hits(marks, printed) + 1
    free = (
        weights[NUMBERS_HERE] * numbers
        + weights[FIELDS_HERE] * fields
        + weights[NEXT_HITS] * fields * next_hit
    )
    return row_score(marks, printed) + free * goes_on
