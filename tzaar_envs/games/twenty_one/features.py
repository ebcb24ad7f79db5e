"""The observation of Twenty One: the numbers that the game's record names, in its order."""

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.twenty_one.board import (
    ACTIVE,
    CHOICE,
    DICE,
    DICE_COUNT,
    FILL,
    FREE,
    HIGHEST,
    MARKS,
    NONE,
    PHASE,
    PLAYERS,
    PRINTED,
    ROLL,
    ROW,
    SHEET,
    STRUCK,
)
from tzaar_envs.games.twenty_one.rules import (
    colour_at,
    count_hits,
    mark_at,
    number_at,
    row_score,
)
from tzaar_envs.games.twenty_one.sheets import POSITIONS, ROWS
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

FIELDS = ROWS * POSITIONS

# Where the numbers stand: those that are there once ...
ROLL_PHASE = 0
FILL_PHASE = 1
ACTIVE_SEAT = 2  # one for each seat, then as many for the seat to decide, then:
DICE_VALUES = 0
NUMBERS = DICE_VALUES + DICE_COUNT * HIGHEST
CHOSEN = NUMBERS + FIELDS
CHOSEN_POSITIONS = CHOSEN + 1
COMMON_SIZE = CHOSEN_POSITIONS + POSITIONS

# ... and those of each seat.
CURRENT_ROW = 0
FREE_FIELDS = CURRENT_ROW + ROWS
ROW_SCORES = FREE_FIELDS + 1
COLOURS = ROW_SCORES + ROWS
NUMBER = COLOURS + FIELDS
COLOUR = NUMBER + POSITIONS
FREE_HERE = COLOUR + POSITIONS * DICE_COUNT
VALUE = FREE_HERE + POSITIONS
HIT = VALUE + POSITIONS
HITS = HIT + POSITIONS
ROW_POINTS = HITS + POSITIONS + 1
DIE = ROW_POINTS + 1
FITS = DIE + POSITIONS
EXACT = FITS + POSITIONS
SEAT_SIZE = EXACT + POSITIONS


@compiled
def observe(state: StateArray, seat: int, out: Observation) -> None:
    """Write all numbers; of the choices of this turn only the observer's own."""
    out[:] = 0
    players = state[PLAYERS]
    if state[STATUS] == RUNNING:
        out[ROLL_PHASE] = state[PHASE] == ROLL
        out[FILL_PHASE] = state[PHASE] == FILL
        out[ACTIVE_SEAT + players + (state[SEAT] - seat) % players] = 1
    out[ACTIVE_SEAT + (state[ACTIVE] - seat) % players] = 1
    start = ACTIVE_SEAT + 2 * players
    observe_common(state, seat, out[start:])
    start += COMMON_SIZE
    for place in range(players):
        observe_sheet(state, (seat + place) % players, out[start:])
        start += SEAT_SIZE


@compiled
def observe_common(state: StateArray, seat: int, out: Observation) -> None:
    """Write dice, printed numbers, and what the observer has chosen."""
    for colour in range(DICE_COUNT):
        out[DICE_VALUES + HIGHEST * colour + state[DICE.start + colour] - 1] = 1
    for row in range(ROWS):
        printed = state[PRINTED.start + row]  # of the first sheet, the numbers are the same on all
        for position in range(POSITIONS):
            out[NUMBERS + POSITIONS * row + position] = number_at(printed, position)
    choice = state[CHOICE.start + seat]
    if choice != NONE:
        out[CHOSEN] = 1
        for position in range(POSITIONS):
            out[CHOSEN_POSITIONS + position] = choice >> position & 1


@compiled
def observe_sheet(state: StateArray, seat: int, out: Observation) -> None:
    """Write what there is to know about one seat's sheet."""
    first_printed = PRINTED.start + ROWS * state[SHEET.start + seat]
    first_marks = MARKS.start + ROWS * seat
    for row in range(ROWS):
        printed = state[first_printed + row]
        for position in range(POSITIONS):
            out[COLOURS + POSITIONS * row + position] = colour_at(printed, position)
    current = state[ROW.start + seat]
    scored = current if state[STATUS] == RUNNING else min(current + 1, ROWS)
    for row in range(scored):
        out[ROW_SCORES + row] = row_score(state[first_marks + row], state[first_printed + row])
    if current < ROWS:
        out[CURRENT_ROW + current] = 1
        out[FREE_FIELDS] = POSITIONS * (ROWS - 1 - current)  # and those of the current row
        observe_row(state[first_marks + current], state[first_printed + current], state, out)


@compiled
def observe_row(marks: int, printed: int, state: StateArray, out: Observation) -> None:
    """Write the current row of a seat, and what the dice could do there."""
    for position in range(POSITIONS):
        colour = colour_at(printed, position)
        number = number_at(printed, position)
        mark = mark_at(marks, position)
        die = state[DICE.start + colour]
        out[NUMBER + position] = number
        out[COLOUR + DICE_COUNT * position + colour] = 1
        out[DIE + position] = die
        free = mark == FREE
        out[FREE_FIELDS] += free
        out[FREE_HERE + position] = free
        out[FITS + position] = free & (die <= number)
        out[EXACT + position] = free & (die == number)
        out[VALUE + position] = mark * (mark != STRUCK)
        out[HIT + position] = mark == number
    out[HITS + count_hits(marks, printed)] = 1
    out[ROW_POINTS] = row_score(marks, printed)
