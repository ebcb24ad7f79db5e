"""Positions and actions of Twenty One as text (docs/rules/twenty_one.md, section 7)."""

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.notation import parse_number, parse_symbol, split_list, split_position
from tzaar_envs.games.twenty_one import board as b
from tzaar_envs.games.twenty_one import rules
from tzaar_envs.jit.arrays import StateArray

FIELDS = ("phase", "active seat", "seat to decide", "dice", "sheets", "choices")
PHASES = ("roll", "fill")  # in the order of the phase numbers
OVER = "over"
NOTHING = "-"
MARK_NAMES = ".123456x"  # in the order of the marks

_LAST_CHOICE = 2**b.POSITIONS - 1


def format_position(state: StateArray) -> str:
    """Return the six fields: phase, active seat, seat to decide, dice, sheets, choices."""
    seats = range(state[b.PLAYERS])
    running = state[STATUS] == RUNNING
    fields = (
        PHASES[state[b.PHASE]] if running else OVER,
        str(state[b.ACTIVE]),
        str(state[SEAT]) if running else NOTHING,
        "".join(str(die) for die in state[b.DICE]),
        "/".join(_format_sheet(state, seat) for seat in seats),
        "/".join(_format_choice(int(state[b.CHOICE][seat])) for seat in seats),
    )
    return " ".join(fields)


def _format_sheet(state: StateArray, seat: int) -> str:
    rows = state[b.MARKS][b.ROWS * seat : b.ROWS * (seat + 1)].tolist()
    names = [
        "".join(MARK_NAMES[rules.mark_at(marks, position)] for position in range(b.POSITIONS))
        for marks in rows
    ]
    return f"{b.LETTERS[state[b.SHEET][seat]]}:{','.join(names)}"


def _format_choice(choice: int) -> str:
    return NOTHING if choice == b.NONE else str(choice)


def parse_position(text: str, options: StateArray) -> StateArray:
    """Read the six fields; ValueError that names field and reason."""
    phase, active, deciding, dice, sheets, choices = split_position(text, FIELDS)
    parse_symbol("phase", phase, (*PHASES, OVER))
    state = np.zeros(b.STATE_SIZE, np.int64)
    state[b.PLAYERS] = options[b.OPTION_PLAYERS]
    state[b.PRINTED] = options[b.OPTION_SHEETS]
    state[b.PHASE] = b.ROLL if phase == PHASES[b.ROLL] else b.FILL
    seats = [str(seat) for seat in range(state[b.PLAYERS])]
    state[b.ACTIVE] = parse_symbol("active seat", active, seats)
    state[b.DICE] = _parse_dice(dice)
    state[b.CHOICE] = b.NONE
    _parse_sheets(state, sheets)
    rules.derive(state)
    if phase == OVER and state[STATUS] == RUNNING:
        raise ValueError("phase 'over': no sheet has a complete row 5")
    if phase != OVER and state[STATUS] != RUNNING:
        raise ValueError(f"phase {phase!r}: a sheet has a complete row 5, so the game is over")
    if phase == OVER:
        if deciding != NOTHING:
            raise ValueError(f"seat to decide {deciding!r}: expected '-' when the game is over")
        state[SEAT] = (state[b.ACTIVE] + 1) % state[b.PLAYERS]
    else:
        state[SEAT] = parse_symbol("seat to decide", deciding, seats)
    _parse_choices(state, choices)
    _check_order(state, phase)
    return state


def _parse_dice(text: str) -> list[int]:
    dice = split_list(f"dice {text!r}", text, "", b.DICE_COUNT, "digits")
    return [parse_number(f"dice {text!r}", die, b.HIGHEST, b.LOWEST) for die in dice]


def _parse_sheets(state: StateArray, text: str) -> None:
    sheets = split_list("sheets", text, "/", int(state[b.PLAYERS]), "sheets")
    for seat, sheet in enumerate(sheets):
        letter, colon, content = sheet.partition(":")
        if not colon or letter not in tuple(b.LETTERS):
            raise ValueError(
                f"sheet of seat {seat} {sheet!r}: expected a letter {b.LETTERS[0]} to "
                f"{b.LETTERS[-1]} and ':' at its start"
            )
        number = b.LETTERS.index(letter)
        if number in state[b.SHEET][:seat]:
            raise ValueError(f"sheet of seat {seat}: another seat already has sheet {letter}")
        state[b.SHEET][seat] = number
        state[b.MARKS][b.ROWS * seat : b.ROWS * (seat + 1)] = _parse_rows(state, seat, content)


def _parse_rows(state: StateArray, seat: int, text: str) -> list[int]:
    rows = split_list(f"sheet of seat {seat}", text, ",", b.ROWS, "rows")
    below_incomplete = False
    parsed = []
    for row, content in enumerate(rows):
        place = f"sheet of seat {seat}, row {row + 1} {content!r}"
        parsed.append(_parse_row(content, int(rules.printed_row(state, seat, row)), place))
        if below_incomplete and parsed[row]:
            raise ValueError(f"{place}: marks below an incomplete row")
        below_incomplete = MARK_NAMES[b.FREE] in content
    return parsed


def _parse_row(text: str, printed: int, place: str) -> int:
    marks = 0
    for position, character in enumerate(split_list(place, text, "", b.POSITIONS, "characters")):
        mark = parse_symbol(f"{place}: field", character, MARK_NAMES)
        number = rules.number_at(printed, position)
        if mark not in (b.FREE, b.STRUCK) and mark > number:
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
    choices = split_list(f"choices {text!r}", text, "/", int(state[b.PLAYERS]), "choices")
    for seat, choice in enumerate(choices):
        if choice == NOTHING:
            continue
        action = parse_number(f"choice of seat {seat}, unless '-'", choice, _LAST_CHOICE)
        if state[STATUS] != RUNNING or state[b.PHASE] != b.FILL:
            raise ValueError(f"choice of seat {seat} {choice!r}: choices are made in phase 'fill'")
        if action & ~int(rules.enterable(state, seat)):
            raise ValueError(f"choice of seat {seat} {choice!r}: not legal with these dice")
        state[b.CHOICE][seat] = action


def _check_order(state: StateArray, phase: str) -> None:
    """Refuse a seat to decide that is not the first one without a choice after the active seat."""
    if phase == OVER:
        return
    active, deciding, players = int(state[b.ACTIVE]), int(state[SEAT]), int(state[b.PLAYERS])
    if phase == PHASES[b.ROLL] and deciding != active:
        raise ValueError(
            f"seat to decide {deciding}: in phase 'roll' the active seat {active} decides"
        )
    decided_before = (deciding - active) % players
    for place in range(players):
        seat = (active + place) % players
        if (state[b.CHOICE][seat] != b.NONE) != (place < decided_before):
            expected = "a choice" if place < decided_before else "none yet"
            raise ValueError(
                f"choice of seat {seat} {_format_choice(int(state[b.CHOICE][seat]))!r}: expected "
                f"{expected}, since seat {deciding} is to decide and the order starts at {active}"
            )


def format_action(state: StateArray, action: int) -> str:
    """Return a legal action as `keep`, `reroll`, `strike` or `enter YW`."""
    if action == b.KEEP:
        return "keep"
    if action == b.REROLL:
        return "reroll"
    if action == b.STRIKE:
        return "strike"
    letters = current_letters(state, int(state[SEAT]))
    chosen = [letter for position, letter in enumerate(letters) if action >> position & 1]
    return f"enter {''.join(chosen)}"


def current_letters(state: StateArray, seat: int) -> str:
    """Return the colour letters of a seat's current row, from the left."""
    printed = rules.printed_row(state, seat, int(state[b.ROW][seat]))
    return "".join(b.COLOURS[rules.colour_at(printed, position)] for position in range(b.POSITIONS))


def parse_action(state: StateArray, text: str) -> int:
    """Read `keep`, `reroll`, `strike` or `enter YW`; the action need not be legal."""
    words = {"keep": b.KEEP, "reroll": b.REROLL, "strike": b.STRIKE}
    if text in words:
        return words[text]
    verb, space, chosen = text.partition(" ")
    if verb != "enter" or not space or not chosen or any(c not in b.COLOURS for c in chosen):
        raise ValueError(
            f"action {text!r}: expected keep, reroll, strike, or enter with colour letters of "
            f"{b.COLOURS}, for instance 'enter {b.COLOURS[0]}{b.COLOURS[2]}'"
        )
    if state[STATUS] != RUNNING:
        raise ValueError(f"action {text!r}: the game is over")
    letters = current_letters(state, int(state[SEAT]))
    in_order = "".join(letter for letter in letters if letter in chosen)
    if chosen != in_order:
        raise ValueError(
            f"action {text!r}: expected every colour once and in the order of the row, {letters}: "
            f"'enter {in_order}'"
        )
    return sum(1 << letters.index(letter) for letter in chosen)
