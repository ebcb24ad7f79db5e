"""The evaluation function of Twenty One: chances to win by weighted features, tuned by matches.

| feature         | for each seat, in points                              |
|-----------------|-------------------------------------------------------|
| `numbers_here`  | printed numbers of the free fields of the current row |
| `numbers_below` | printed numbers of the rows below                     |

The weights are in `weights.json`, tuned by matches (see docs/research/baselines.md).
"""

import math

import numpy as np

from tzaar_envs.core.kernel import RUNNING, STATUS
from tzaar_envs.core.toolkit import load_weights, popcount, share
from tzaar_envs.games.twenty_one import board as b
from tzaar_envs.games.twenty_one import rules
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

WEIGHTS = load_weights(__file__)

SPREAD = 2.0  # of the final points, if the game ends now
SPREAD_PER_FIELD = 0.3  # added for each free field of the seat that has the fewest


@compiled
def evaluate(state: StateArray, seat: int) -> float:
    """Estimate the return of a seat.

    In a finished game it is the result. Otherwise every seat has prospects: the present points of
    its rows, bonus included, and the weighted sum of its features. While seats choose what to fill,
    they have the prospects after their best choice; the choice of `seat` itself is used if it has
    made one. If that choice completes row 5, the features do not count. The chances to win are
    proportional to `exp(prospects / spread)`, where the spread is 2 points and, unless the game
    ends, 0.3 for each free field of the seat that has the fewest. The value is the seat's chance
    less the mean of the others' chances.
    """
    players = state[b.PLAYERS]
    outcomes = np.empty(players)
    if state[STATUS] != RUNNING:
        rules.scores(state, outcomes)
        share(outcomes, outcomes)
        return outcomes[seat]
    goes_on = not will_finish(state, seat)
    spread = SPREAD + SPREAD_PER_FIELD * fewest_free_fields(state) * goes_on
    for other in range(players):
        choice = state[b.CHOICE][seat] if other == seat else b.NONE
        outcomes[other] = prospects(state, other, choice, goes_on)
    return expected_return(outcomes, seat, spread)


@compiled
def expected_return(points: np.ndarray, seat: int, spread: float) -> float:
    """Return the expectation of a seat if chances to win are as `exp(points / spread)`."""
    best = points.max()
    others = 0.0
    for other in range(points.size):
        if other != seat:
            others += math.exp((points[other] - best) / spread)
    own = math.exp((points[seat] - best) / spread)
    return (own - others / (points.size - 1)) / (own + others)


@compiled
def will_finish(state: StateArray, seat: int) -> bool:
    """Return whether a seat has chosen to complete its row 5 in this turn."""
    choice = state[b.CHOICE][seat]
    if choice == b.NONE or state[b.ROW][seat] < b.ROWS - 1:
        return False
    marks, printed = rules.current_row(state, seat)
    return rules.leftmost_free(rules.filled(marks, printed, state[b.DICE], choice)) == b.POSITIONS


@compiled
def fewest_free_fields(state: StateArray) -> int:
    """Return the number of free fields of the seat that has the fewest, in a running game."""
    fewest = b.ROWS * b.POSITIONS
    for seat in range(state[b.PLAYERS]):
        free = popcount(rules.free_positions(rules.current_row(state, seat)[0]))
        fewest = min(fewest, free + b.POSITIONS * (b.ROWS - 1 - state[b.ROW][seat]))
    return fewest


@compiled
def prospects(state: StateArray, seat: int, choice: int, goes_on: bool) -> float:
    """Return the prospects of a seat in a running game, see `evaluate`.

    While seats choose, they are those after the given choice or, for `NONE`, after the best one.
    """
    marks, printed = rules.current_row(state, seat)
    if state[b.PHASE] != b.FILL:
        best = row_worth(marks, printed, goes_on)
    else:
        first = b.STRIKE if choice == b.NONE else choice
        best = row_worth(rules.filled(marks, printed, state[b.DICE], first), printed, goes_on)
        fitting = rules.enterable(state, seat) if choice == b.NONE else 0
        entered = fitting  # runs through all non-empty sets of fitting positions
        while entered > 0:
            after = rules.filled(marks, printed, state[b.DICE], entered)
            best = max(best, row_worth(after, printed, goes_on))
            entered = entered - 1 & fitting
    numbers_below = 0
    for lower in range(state[b.ROW][seat] + 1, b.ROWS):
        for position in range(b.POSITIONS):
            numbers_below += rules.number_at(rules.printed_row(state, seat, lower), position)
    below = WEIGHTS.numbers_below * numbers_below
    return state[b.SCORE][seat] + best + below * goes_on


@compiled
def row_worth(marks: int, printed: int, goes_on: bool) -> float:
    """Return the present points of a row and, if the game goes on, the worth of its free fields."""
    numbers = 0
    for position in range(b.POSITIONS):
        if rules.mark_at(marks, position) == b.FREE:
            numbers += rules.number_at(printed, position)
    free = WEIGHTS.numbers_here * numbers
    return rules.row_score(marks, printed) + free * goes_on
