"""The rules of Twenty One, compiled; sections are those of docs/rules/twenty_one.md."""

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED
from tzaar_envs.games.twenty_one import board as b
from tzaar_envs.jit.arrays import Mask, RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.rng import below, between, pick

_COLOUR = (1 << b.COLOUR_BITS) - 1
_NUMBER = (1 << b.FIELD_BITS - b.COLOUR_BITS) - 1


@compiled
def reset(state: StateArray, options: StateArray, rng: RngState) -> None:
    """Deal the sheets and roll for the first turn (sections 1.3 and 2)."""
    state[:] = 0
    state[b.PLAYERS] = options[b.OPTION_PLAYERS]
    state[b.PRINTED] = options[b.OPTION_SHEETS]
    if options[b.OPTION_DEAL] == b.DEAL_RANDOM:
        left = np.ones(b.SHEETS_COUNT, np.int64)
        for seat in range(state[b.PLAYERS]):
            sheet = pick(rng, left)
            left[sheet] = 0
            state[b.SHEET][seat] = sheet
    else:
        for seat in range(state[b.PLAYERS]):
            state[b.SHEET][seat] = seat
    state[b.CHOICE] = b.NONE
    start_turn(state, 0, rng)


@compiled
def derive(state: StateArray) -> None:
    """Set rows, scores and status, still 0, which follow from sheets and marks (section 7)."""
    for seat in range(state[b.PLAYERS]):
        for _ in range(b.ROWS):
            close_row(state, seat)
    update_status(state)


@compiled
def start_turn(state: StateArray, active: int, rng: RngState) -> None:
    """Roll all dice for the active seat (section 3.1)."""
    state[b.PHASE] = b.ROLL
    state[b.ACTIVE] = active
    state[SEAT] = active
    for colour in range(b.DICE_COUNT):
        state[b.DICE][colour] = between(rng, b.LOWEST, b.HIGHEST)


@compiled
def colour_at(printed: int, position: int) -> int:
    """Return the printed colour of a row at a position."""
    return printed >> b.FIELD_BITS * position & _COLOUR


@compiled
def number_at(printed: int, position: int) -> int:
    """Return the printed number of a row at a position."""
    return printed >> b.FIELD_BITS * position + b.COLOUR_BITS & _NUMBER


@compiled
def mark_at(marks: int, position: int) -> int:
    """Return `FREE`, `STRUCK` or the value entered at a position of a row."""
    return marks >> b.MARK_BITS * position & b.MARK


@compiled
def printed_row(state: StateArray, seat: int, row: int) -> int:
    """Return a printed row of a seat's sheet."""
    return state[b.PRINTED][b.ROWS * state[b.SHEET][seat] + row]


@compiled
def current_row(state: StateArray, seat: int) -> tuple[int, int]:
    """Return the marks and the printed row of a seat's current row, in a running game."""
    row = state[b.ROW][seat]
    return state[b.MARKS][b.ROWS * seat + row], printed_row(state, seat, row)


@compiled
def bonus(hits: int) -> int:
    """Return the points for the hits of a row (section 3.3)."""
    return hits * (hits + 1) // 2


@compiled
def count_hits(marks: int, printed: int) -> int:
    """Return the number of values in a row that equal the printed number."""
    hits = 0
    for position in range(b.POSITIONS):
        hits += mark_at(marks, position) == number_at(printed, position)
    return hits


@compiled
def row_score(marks: int, printed: int) -> int:
    """Return the sum of a row's values and the bonus for its hits (section 3.3)."""
    total = bonus(count_hits(marks, printed))
    for position in range(b.POSITIONS):
        mark = mark_at(marks, position)
        if mark != b.STRUCK:
            total += mark
    return total


@compiled
def free_positions(marks: int) -> int:
    """Return the free positions of a row as bits."""
    free = 0
    for position in range(b.POSITIONS):
        free |= (mark_at(marks, position) == b.FREE) << position
    return free


@compiled
def leftmost_free(marks: int) -> int:
    """Return the leftmost free position of a row, `POSITIONS` if it is complete."""
    for position in range(b.POSITIONS):
        if mark_at(marks, position) == b.FREE:
            return position
    return b.POSITIONS


@compiled
def enterable(state: StateArray, seat: int) -> int:
    """Return the positions that a seat can enter, as bits (section 3.2)."""
    marks, printed = current_row(state, seat)
    fitting = 0
    for position in range(b.POSITIONS):
        if mark_at(marks, position) == b.FREE:
            die = state[b.DICE][colour_at(printed, position)]
            if die <= number_at(printed, position):
                fitting |= 1 << position
    return fitting


@compiled
def filled(marks: int, printed: int, dice: StateArray, choice: int) -> int:
    """Return the marks of a row after a filling action (section 3.2)."""
    if choice == b.STRIKE:
        return marks | b.STRUCK << b.MARK_BITS * leftmost_free(marks)
    for position in range(b.POSITIONS):
        if choice >> position & 1:
            marks |= dice[colour_at(printed, position)] << b.MARK_BITS * position
    return marks


@compiled
def legal(state: StateArray, actions: StateArray) -> int:
    """Write the legal actions (section 3), and return how many they are."""
    if state[STATUS] != RUNNING:
        return 0
    if state[b.PHASE] == b.ROLL:
        actions[0] = b.KEEP
        actions[1] = b.REROLL
        return 1 + can_reroll(state)
    fitting = enterable(state, state[SEAT])
    actions[0] = b.STRIKE
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
    return state[b.DICE].max() > b.ONE


@compiled
def apply(state: StateArray, action: int, rng: RngState) -> None:
    """Play an action; after the last choice of a turn, all take effect (section 3)."""
    if state[b.PHASE] == b.ROLL:
        if action == b.REROLL:
            for colour in range(b.DICE_COUNT):
                if state[b.DICE][colour] != b.ONE:
                    state[b.DICE][colour] = between(rng, b.LOWEST, b.HIGHEST)
        state[b.PHASE] = b.FILL
        return
    state[b.CHOICE][state[SEAT]] = action
    state[SEAT] = (state[SEAT] + 1) % state[b.PLAYERS]
    if state[SEAT] == state[b.ACTIVE]:
        end_turn(state, rng)


@compiled
def end_turn(state: StateArray, rng: RngState) -> None:
    """Apply the choices of all seats, then start the next turn, if any (section 3.4)."""
    for seat in range(state[b.PLAYERS]):
        marks, printed = current_row(state, seat)
        marks = filled(marks, printed, state[b.DICE], state[b.CHOICE][seat])
        state[b.MARKS][b.ROWS * seat + state[b.ROW][seat]] = marks
        close_row(state, seat)
    state[b.CHOICE] = b.NONE
    update_status(state)
    following = (state[b.ACTIVE] + 1) % state[b.PLAYERS]
    if state[STATUS] == RUNNING:
        start_turn(state, following, rng)
    else:
        state[SEAT] = following


@compiled
def close_row(state: StateArray, seat: int) -> None:
    """If a seat's current row is complete, score it and continue with the next (section 3.3)."""
    row = state[b.ROW][seat]
    if row < b.ROWS and leftmost_free(state[b.MARKS][b.ROWS * seat + row]) == b.POSITIONS:
        state[b.SCORE][seat] += score_of(state, seat, row)
        state[b.ROW][seat] += 1


@compiled
def score_of(state: StateArray, seat: int, row: int) -> int:
    """Return the present score of a row of a seat."""
    return row_score(state[b.MARKS][b.ROWS * seat + row], printed_row(state, seat, row))


@compiled
def update_status(state: StateArray) -> None:
    """End the game if a seat has completed its last row; the others score theirs (section 4)."""
    for seat in range(state[b.PLAYERS]):
        if state[b.ROW][seat] == b.ROWS:
            state[STATUS] = TERMINATED
    if state[STATUS] == RUNNING:
        return
    for seat in range(state[b.PLAYERS]):
        if state[b.ROW][seat] < b.ROWS:
            state[b.SCORE][seat] += score_of(state, seat, state[b.ROW][seat])


def end_code(state: StateArray) -> str:
    """Return the only case of section 4."""
    return "last_row"


@compiled
def scores(state: StateArray, out: np.ndarray) -> None:
    """Write the points of complete rows; in a finished game the totals (section 5)."""
    for seat in range(state[b.PLAYERS]):
        out[seat] = state[b.SCORE][seat]


@compiled
def determinize(state: StateArray, seat: int, rng: RngState) -> None:
    """Redraw the choices of this turn that other seats have made (section 8)."""
    if state[STATUS] != RUNNING or state[b.PHASE] != b.FILL:
        return
    for other in range(state[b.PLAYERS]):
        if other != seat and state[b.CHOICE][other] != b.NONE:
            state[b.CHOICE][other] = random_choice(state, other, rng)


@compiled
def random_choice(state: StateArray, seat: int, rng: RngState) -> int:
    """Return a uniformly random legal filling action: any set of fitting positions."""
    fitting = enterable(state, seat)
    choice = 0
    for position in range(b.POSITIONS):
        if fitting >> position & 1 and below(rng, 2) == 1:
            choice |= 1 << position
    return choice


@compiled
def acting(state: StateArray, out: Mask) -> None:
    """Write the active seat while it rolls, then all seats that have not chosen (section 3.5)."""
    out[:] = 0
    if state[STATUS] != RUNNING:
        return
    if state[b.PHASE] == b.ROLL:
        out[state[b.ACTIVE]] = 1
        return
    for seat in range(state[b.PLAYERS]):
        out[seat] = state[b.CHOICE][seat] == b.NONE
