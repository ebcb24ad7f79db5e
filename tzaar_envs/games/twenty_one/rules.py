"""The rules of Twenty One, compiled; sections are those of docs/rules/twenty_one.md."""

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED
from tzaar_envs.games.twenty_one.board import (
    ACTIVE,
    CHOICE,
    DEAL_RANDOM,
    DICE,
    DICE_COUNT,
    FILL,
    FREE,
    HIGHEST,
    KEEP,
    LOWEST,
    MARK,
    MARK_BITS,
    MARKS,
    NONE,
    ONE,
    OPTION_DEAL,
    OPTION_PLAYERS,
    OPTION_SHEETS,
    PHASE,
    PLAYERS,
    PRINTED,
    REROLL,
    ROLL,
    ROW,
    SCORE,
    SHEET,
    SHEETS_COUNT,
    STRIKE,
    STRUCK,
)
from tzaar_envs.games.twenty_one.sheets import COLOUR_BITS, FIELD_BITS, POSITIONS, ROWS
from tzaar_envs.jit.arrays import Mask, RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.rng import below, between, pick

_COLOUR = (1 << COLOUR_BITS) - 1
_NUMBER = (1 << FIELD_BITS - COLOUR_BITS) - 1


@compiled
def reset(state: StateArray, options: StateArray, rng: RngState) -> None:
    """Deal the sheets and roll for the first turn (sections 1.3 and 2)."""
    state[:] = 0
    state[PLAYERS] = options[OPTION_PLAYERS]
    state[PRINTED] = options[OPTION_SHEETS]
    if options[OPTION_DEAL] == DEAL_RANDOM:
        left = np.ones(SHEETS_COUNT, np.int64)
        for seat in range(state[PLAYERS]):
            sheet = pick(rng, left)
            left[sheet] = 0
            state[SHEET][seat] = sheet
    else:
        for seat in range(state[PLAYERS]):
            state[SHEET][seat] = seat
    state[CHOICE] = NONE
    begin(state)
    start_turn(state, 0, rng)


@compiled
def begin(state: StateArray) -> None:
    """Set rows, scores and status, which follow from sheets and marks (section 7)."""
    for seat in range(state[PLAYERS]):
        state[ROW][seat] = 0
        state[SCORE][seat] = 0
        for _ in range(ROWS):
            close_row(state, seat)
    judge(state)


@compiled
def start_turn(state: StateArray, active: int, rng: RngState) -> None:
    """Roll all dice for the active seat (section 3.1)."""
    state[PHASE] = ROLL
    state[ACTIVE] = active
    state[SEAT] = active
    for colour in range(DICE_COUNT):
        state[DICE][colour] = between(rng, LOWEST, HIGHEST)


@compiled
def colour_at(printed: int, position: int) -> int:
    """Return the printed colour of a row at a position."""
    return printed >> FIELD_BITS * position & _COLOUR


@compiled
def number_at(printed: int, position: int) -> int:
    """Return the printed number of a row at a position."""
    return printed >> FIELD_BITS * position + COLOUR_BITS & _NUMBER


@compiled
def mark_at(marks: int, position: int) -> int:
    """Return `FREE`, `STRUCK` or the value entered at a position of a row."""
    return marks >> MARK_BITS * position & MARK


@compiled
def printed_row(state: StateArray, seat: int, row: int) -> int:
    """Return a printed row of a seat's sheet."""
    return state[PRINTED][ROWS * state[SHEET][seat] + row]


@compiled
def bonus(hits: int) -> int:
    """Return the points for the hits of a row (section 3.3)."""
    return hits * (hits + 1) // 2


@compiled
def count_hits(marks: int, printed: int) -> int:
    """Return the number of values in a row that equal the printed number."""
    hits = 0
    for position in range(POSITIONS):
        hits += mark_at(marks, position) == number_at(printed, position)
    return hits


@compiled
def row_score(marks: int, printed: int) -> int:
    """Return the sum of a row's values and the bonus for its hits (section 3.3)."""
    total = bonus(count_hits(marks, printed))
    for position in range(POSITIONS):
        mark = mark_at(marks, position)
        if mark != STRUCK:
            total += mark
    return total


@compiled
def leftmost_free(marks: int) -> int:
    """Return the leftmost free position of a row, `POSITIONS` if it is complete."""
    for position in range(POSITIONS):
        if mark_at(marks, position) == FREE:
            return position
    return POSITIONS


@compiled
def enterable(state: StateArray, seat: int) -> int:
    """Return the positions that a seat can enter, as bits (section 3.2)."""
    row = state[ROW][seat]
    marks = state[MARKS][ROWS * seat + row]
    printed = printed_row(state, seat, row)
    fitting = 0
    for position in range(POSITIONS):
        if mark_at(marks, position) == FREE:
            die = state[DICE][colour_at(printed, position)]
            if die <= number_at(printed, position):
                fitting |= 1 << position
    return fitting


@compiled
def filled(marks: int, printed: int, dice: StateArray, choice: int) -> int:
    """Return the marks of a row after a filling action (section 3.2)."""
    if choice == STRIKE:
        return marks | STRUCK << MARK_BITS * leftmost_free(marks)
    for position in range(POSITIONS):
        if choice >> position & 1:
            marks |= dice[colour_at(printed, position)] << MARK_BITS * position
    return marks


@compiled
def legal(state: StateArray, actions: StateArray) -> int:
    """Write the legal actions (section 3), and return how many they are."""
    if state[STATUS] != RUNNING:
        return 0
    if state[PHASE] == ROLL:
        actions[0] = KEEP
        actions[1] = REROLL
        return 1 + can_reroll(state)
    fitting = enterable(state, state[SEAT])
    actions[0] = STRIKE
    count = 1
    entered = fitting  # runs through all non-empty sets of fitting positions
    while entered > 0:
        actions[count] = entered
        count += 1
        entered = entered - 1 & fitting
    return count


@compiled
def can_reroll(state: StateArray) -> bool:
    """Return whether some die does not show 1 (section 3.1)."""
    return state[DICE].max() > ONE


@compiled
def apply(state: StateArray, action: int, rng: RngState) -> None:
    """Play an action; after the last choice of a turn, all take effect (section 3)."""
    if state[PHASE] == ROLL:
        if action == REROLL:
            for colour in range(DICE_COUNT):
                if state[DICE][colour] != ONE:
                    state[DICE][colour] = between(rng, LOWEST, HIGHEST)
        state[PHASE] = FILL
        return
    state[CHOICE][state[SEAT]] = action
    state[SEAT] = (state[SEAT] + 1) % state[PLAYERS]
    if state[SEAT] == state[ACTIVE]:
        end_turn(state, rng)


@compiled
def end_turn(state: StateArray, rng: RngState) -> None:
    """Apply the choices of all seats, then start the next turn, if any (section 3.4)."""
    for seat in range(state[PLAYERS]):
        row = state[ROW][seat]
        index = ROWS * seat + row
        printed = printed_row(state, seat, row)
        state[MARKS][index] = filled(state[MARKS][index], printed, state[DICE], state[CHOICE][seat])
        close_row(state, seat)
    state[CHOICE] = NONE
    judge(state)
    following = (state[ACTIVE] + 1) % state[PLAYERS]
    if state[STATUS] == RUNNING:
        start_turn(state, following, rng)
    else:
        state[SEAT] = following


@compiled
def close_row(state: StateArray, seat: int) -> None:
    """If a seat's current row is complete, score it and continue with the next (section 3.3)."""
    row = state[ROW][seat]
    if row < ROWS and leftmost_free(state[MARKS][ROWS * seat + row]) == POSITIONS:
        state[SCORE][seat] += score_of(state, seat, row)
        state[ROW][seat] += 1


@compiled
def score_of(state: StateArray, seat: int, row: int) -> int:
    """Return the present score of a row of a seat."""
    return row_score(state[MARKS][ROWS * seat + row], printed_row(state, seat, row))


@compiled
def judge(state: StateArray) -> None:
    """End the game if a seat has completed its last row; the others score theirs (section 4)."""
    state[STATUS] = RUNNING
    for seat in range(state[PLAYERS]):
        if state[ROW][seat] == ROWS:
            state[STATUS] = TERMINATED
    if state[STATUS] == RUNNING:
        return
    for seat in range(state[PLAYERS]):
        if state[ROW][seat] < ROWS:
            state[SCORE][seat] += score_of(state, seat, state[ROW][seat])


def end_code(state: StateArray) -> str:
    """Return the only case of section 4."""
    return "last_row"


@compiled
def scores(state: StateArray, out: np.ndarray) -> None:
    """Write the points of complete rows; in a finished game the totals (section 5)."""
    for seat in range(state[PLAYERS]):
        out[seat] = state[SCORE][seat]


@compiled
def determinize(state: StateArray, seat: int, rng: RngState) -> None:
    """Redraw the choices of this turn that other seats have made (section 8)."""
    if state[STATUS] != RUNNING or state[PHASE] != FILL:
        return
    for other in range(state[PLAYERS]):
        if other != seat and state[CHOICE][other] != NONE:
            state[CHOICE][other] = random_choice(state, other, rng)


@compiled
def random_choice(state: StateArray, seat: int, rng: RngState) -> int:
    """Return a uniformly random legal filling action: any set of fitting positions."""
    fitting = enterable(state, seat)
    choice = 0
    for position in range(POSITIONS):
        if fitting >> position & 1 and below(rng, 2) == 1:
            choice |= 1 << position
    return choice


@compiled
def acting(state: StateArray, out: Mask) -> None:
    """Write the active seat while it rolls, then all seats that have not chosen (section 3.5)."""
    out[:] = 0
    if state[STATUS] != RUNNING:
        return
    if state[PHASE] == ROLL:
        out[state[ACTIVE]] = 1
        return
    for seat in range(state[PLAYERS]):
        out[seat] = state[CHOICE][seat] == NONE
