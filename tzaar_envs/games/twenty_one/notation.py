"""Positions and actions of Twenty One as text (docs/rules/twenty_one.md, section 7)."""

import numpy as np

from tzaar_envs.core import notation
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.twenty_one import board as b
from tzaar_envs.games.twenty_one import rules
from tzaar_envs.jit.arrays import StateArray

FIELDS = ("phase", "active seat", "seat to decide", "dice", "sheets", "choices")
PHASES = ("roll", "fill")  # in the order of the phase numbers
OVER = "over"
NOTHING = "-"
MARK_NAMES = ".123456x"  # in the order of the marks
# The actions whose names are the same in all positions.
NAMES = {b.KEEP: "keep", b.REROLL: "reroll", b.STRIKE: "strike"}


def format_position(state: StateArray) -> str:
    """Return the six fields: phase, active seat, seat to decide, dice, sheets, choices."""
    seats = range(state[b.PLAYERS])
    running = state[STATUS] == RUNNING
    choices = state[b.CHOICE][: state[b.PLAYERS]]
    fields = (
        PHASES[state[b.PHASE]] if running else OVER,
        str(state[b.ACTIVE]),
        str(state[SEAT]) if running else NOTHING,
        "".join(str(die) for die in state[b.DICE]),
        "/".join(_format_sheet(state, seat) for seat in seats),
        "/".join(NOTHING if choice == b.NONE else str(choice) for choice in choices),
    )
    return " ".join(fields)


def _format_sheet(state: StateArray, seat: int) -> str:
    rows = state[b.MARKS][b.ROWS * seat : b.ROWS * (seat + 1)].tolist()
    names = [
        "".join(MARK_NAMES[rules.mark_at(marks, position)] for position in range(b.POSITIONS))
        for marks in rows
    ]
    return f"{b.LETTERS[state[b.SHEET][seat]]}:{','.join(names)}"


def parse_position(text: str, options: StateArray) -> StateArray:
    """Read the six fields; ValueError that names field and reason."""
    phase, active, _, dice, sheets, choices = notation.split_position(text, FIELDS)
    state = np.zeros(b.STATE_SIZE, np.int64)
    players = int(options[b.OPTION_PLAYERS])
    state[b.PLAYERS] = players
    state[b.PRINTED] = options[b.OPTION_SHEETS]
    notation.parse_symbol("phase", phase, (*PHASES, OVER))
    state[b.PHASE] = b.ROLL if phase == PHASES[b.ROLL] else b.FILL
    state[b.ACTIVE] = notation.parse_symbol(
        "active seat", active, [str(seat) for seat in range(players)]
    )
    values = notation.split_list(f"dice {dice!r}", dice, "", b.DICE_COUNT, "digits")
    state[b.DICE] = [
        notation.parse_number(f"dice {dice!r}", d, b.HIGHEST, b.LOWEST) for d in values
    ]
    for seat, sheet in enumerate(notation.split_list("sheets", sheets, "/", players, "sheets")):
        _parse_sheet(state, seat, sheet)
    state[b.CHOICE] = b.NONE
    rules.derive(state)
    _parse_choices(state, choices)
    notation.check_canonical(FIELDS, text, format_position(state))
    return state


def _parse_sheet(state: StateArray, seat: int, text: str) -> None:
    where = f"sheet of seat {seat} {text!r}"
    letter, _, content = text.partition(":")
    number = notation.parse_symbol(f"{where}: letter", letter, b.LETTERS)
    if number in state[b.SHEET][:seat]:
        raise ValueError(f"{where}: another seat already has sheet {letter}")
    state[b.SHEET][seat] = number
    below_incomplete = False
    for row, marks in enumerate(notation.split_list(where, content, ",", b.ROWS, "rows")):
        place = f"{where}, row {row + 1}"
        state[b.MARKS][b.ROWS * seat + row] = _parse_row(state, seat, row, marks, place)
        if below_incomplete and marks.strip(MARK_NAMES[b.FREE]):
            raise ValueError(f"{place}: marks below an incomplete row")
        below_incomplete = MARK_NAMES[b.FREE] in marks


def _parse_row(state: StateArray, seat: int, row: int, text: str, place: str) -> int:
    printed = rules.printed_row(state, seat, row)
    marks = 0
    for position, character in enumerate(
        notation.split_list(place, text, "", b.POSITIONS, "characters")
    ):
        mark = notation.parse_symbol(f"{place}: field", character, MARK_NAMES)
        number = rules.number_at(printed, position)
        if number < mark < b.STRUCK:
            raise ValueError(
                f"{place}: {mark} at position {position} is above the printed number {number}"
            )
        if mark == b.STRUCK and MARK_NAMES[b.FREE] in text[:position]:
            raise ValueError(
                f"{place}: position {position} is struck, but a field to its left is free; the "
                "leftmost free field is struck first"
            )
        marks |= mark << b.MARK_BITS * position
    return marks


def _parse_choices(state: StateArray, text: str) -> None:
    """Read the choices in turn order; the first seat without one is to decide, or the last one."""
    players = int(state[b.PLAYERS])
    choices = notation.split_list("choices", text, "/", players, "choices")
    state[SEAT] = state[b.ACTIVE]
    if state[STATUS] != RUNNING:
        state[SEAT] = (state[b.ACTIVE] + 1) % players
    elif state[b.PHASE] == b.FILL:
        for _ in range(players - 1):
            seat = int(state[SEAT])
            if choices[seat] == NOTHING:
                break
            action = notation.parse_number(
                f"choice of seat {seat}", choices[seat], 2**b.POSITIONS - 1
            )
            if action & ~int(rules.enterable(state, seat)):
                raise ValueError(f"choice of seat {seat} {action}: not legal with these dice")
            state[b.CHOICE][seat] = action
            state[SEAT] = (seat + 1) % players


def format_action(state: StateArray, action: int) -> str:
    """Return a legal action as `keep`, `reroll`, `strike` or `enter YW`."""
    if action in NAMES:
        return NAMES[action]
    letters = current_letters(state, int(state[SEAT]))
    chosen = [letter for position, letter in enumerate(letters) if action >> position & 1]
    return f"enter {''.join(chosen)}"


def current_letters(state: StateArray, seat: int) -> str:
    """Return the colour letters of a seat's current row, or its last one, from the left."""
    printed = rules.printed_row(state, seat, min(int(state[b.ROW][seat]), b.ROWS - 1))
    return "".join(b.COLOURS[rules.colour_at(printed, position)] for position in range(b.POSITIONS))


def parse_action(state: StateArray, text: str) -> int:
    """Read `keep`, `reroll`, `strike` or `enter YW`; the action need not be legal."""
    for action, name in NAMES.items():
        if name == text:
            return action
    letters = current_letters(state, int(state[SEAT]))
    chosen = [letter for letter in letters if letter in text.removeprefix("enter")]
    if not chosen or text != f"enter {''.join(chosen)}":
        raise ValueError(
            f"action {text!r}: expected keep, reroll, strike, or enter with colours in the order "
            f"of the row, {letters}, for instance 'enter {letters[0]}{letters[2]}'"
        )
    return sum(1 << letters.index(letter) for letter in chosen)
