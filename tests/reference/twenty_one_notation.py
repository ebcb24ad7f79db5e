"""The notation of Twenty One, section 7: positions and sheets, written, read and checked."""

import functools
import random
import re

from reference import twenty_one_board as b
from reference.common import read_number, split


def position_text(position: b.Position) -> str:
    """Return a position in the notation."""
    sheets = "/".join(
        f"{b.LETTERS[letter]}:{','.join(marks)}"
        for letter, marks in zip(position.letters, position.marks, strict=True)
    )
    choices = "/".join("-" if choice is None else str(choice) for choice in position.choices)
    dice = "".join(map(str, position.dice))
    decides = "-" if position.to_decide is None else position.to_decide
    return f"{position.phase} {position.active} {decides} {dice} {sheets} {choices}"


def read_position(
    text: str, players: int, printed: tuple[b.Sheet, ...], rng: random.Random
) -> b.Position:
    """Read a position of a game with these sheets; whether the choices are legal is not checked.

    Raises:
        ValueError: The text is not a position; the message names the field and the reason.
    """
    what = "fields of a position (phase, active seat, seat to decide, dice, sheets, choices)"
    fields = split(what, text, " ", 6)
    phase, active_text, decides_text, dice_text, sheets_text, choices_text = fields
    if phase not in (b.ROLL, b.FILL, b.OVER):
        raise ValueError(f"phase: {phase!r} is none of roll, fill and over")
    active = read_number("active seat", active_text, 0, players - 1)
    decides = None
    if decides_text != "-":
        decides = read_number("seat to decide", decides_text, 0, players - 1)
    if not re.fullmatch("[1-6]{6}", dice_text):
        raise ValueError(f"dice: {dice_text!r} are not six digits from 1 to 6")
    dice = [int(value) for value in dice_text]
    letters, marks = _read_sheets_field(sheets_text, players, printed)
    choices = _read_choices(choices_text, players)
    position = b.Position(printed, phase, active, dice, letters, marks, choices, rng)
    _check_phase(position, decides)
    return position


def _check_phase(position: b.Position, decides: int | None) -> None:
    """Refuse a phase that does not go with the sheets, the choices or the seat to decide."""
    if b.somebody_has_finished(position.marks) != (position.phase == b.OVER):
        raise ValueError(
            f"phase: {position.phase!r} does not go with the sheets; the game is over when a row 5 "
            "is complete, and only then"
        )
    if decides != position.to_decide:
        raise ValueError(
            f"seat to decide: {decides} does not go with phase, active seat and choices"
        )
    players = len(position.letters)
    in_order = [(position.active + turn) % players for turn in range(players)]
    chosen = [seat for seat in in_order if position.choices[seat] is not None]
    if position.phase != b.FILL and chosen:
        raise ValueError(f"choices: there are none in phase {position.phase!r}")
    if chosen != in_order[: len(chosen)] or len(chosen) == players:
        raise ValueError(
            "choices: those before the seat to decide have chosen, beginning with the active "
            "one, and nobody else"
        )


def _read_sheets_field(
    text: str, players: int, printed: tuple[b.Sheet, ...]
) -> tuple[list[int], list[b.Marks]]:
    """Read letters and marks of all seats."""
    sheet_texts = split("sheets", text, "/", players)
    letters: list[int] = []
    marks: list[b.Marks] = []
    for seat, sheet_text in enumerate(sheet_texts):
        letter_text, colon, rows_text = sheet_text.partition(":")
        if not colon or len(letter_text) != 1 or letter_text not in b.LETTERS:
            raise ValueError(f"sheets: {sheet_text!r} of seat {seat} has no letter A-F before ':'")
        letter = b.LETTERS.index(letter_text)
        if letter in letters:
            raise ValueError(f"sheets: {letter_text} is there twice")
        rows = split(f"sheets: rows of seat {seat}", rows_text, ",", b.NUM_ROWS)
        _check_marks(f"sheets: seat {seat}", rows, printed[letter])
        letters.append(letter)
        marks.append(rows)
    return letters, marks


def _check_marks(where: str, rows: b.Marks, sheet: b.Sheet) -> None:
    for index, (row_marks, row) in enumerate(zip(rows, sheet, strict=True)):
        here = f"{where}, row {index + 1} {row_marks!r}"
        if len(row_marks) != b.ROW_LENGTH:
            raise ValueError(f"{here}: {len(row_marks)} characters instead of {b.ROW_LENGTH}")
        for pos, mark in enumerate(row_marks):
            if mark not in b.FREE + b.STRUCK + b.ENTERED:
                raise ValueError(f"{here}: unknown character {mark!r}")
            if mark in b.ENTERED and int(mark) > row[pos].number:
                raise ValueError(f"{here}: {mark} is more than the printed {row[pos].number}")
            if mark == b.STRUCK and b.FREE in row_marks[:pos]:
                raise ValueError(f"{here}: a struck field has a free one to its left")
        if row_marks != b.FREE * b.ROW_LENGTH and not all(map(b.is_complete, rows[:index])):
            raise ValueError(f"{here}: there are marks below an incomplete row")


def _read_choices(text: str, players: int) -> list[int | None]:
    texts = split("choices", text, "/", players)
    # Written out, so that only the plain decimal form is read.
    readable: dict[str, int | None] = {"-": None, **{str(mask): mask for mask in range(64)}}
    for choice in texts:
        if choice not in readable:
            raise ValueError(f"choices: {choice!r} is neither '-' nor a number from 0 to 63")
    return [readable[choice] for choice in texts]


# --- Section 1: the option with the printed sheets -----------------------------------------------


@functools.cache
def parse_sheets(text: str) -> tuple[b.Sheet, ...]:
    """Read the option: ``standard``, or six sheets of the kind that section 1 describes.

    Raises:
        ValueError: The text is neither; the message names the sheet, the row and the reason.
    """
    if text == "standard":
        return b.STANDARD_SHEETS
    sheet_texts = split("sheets: 'standard', or sheets", text, "/", len(b.LETTERS))
    sheets = tuple(
        _read_printed_sheet(letter, sheet_text)
        for letter, sheet_text in zip(b.LETTERS, sheet_texts, strict=True)
    )
    for letter, sheet in zip(b.LETTERS, sheets, strict=True):
        if _numbers(sheet) != _numbers(sheets[0]):
            raise ValueError(f"sheets: the numbers of sheet {letter} are not those of sheet A")
    if len(set(sheets)) != len(sheets):
        raise ValueError("sheets: two of them are equal")
    return sheets


def _numbers(sheet: b.Sheet) -> list[list[int]]:
    return [[field.number for field in row] for row in sheet]


def _read_printed_sheet(letter: str, text: str) -> b.Sheet:
    rows = []
    row_texts = split(f"sheets: rows of sheet {letter}", text, ",", b.NUM_ROWS)
    for index, row_text in enumerate(row_texts, start=1):
        where = f"sheets: row {index} of sheet {letter} {row_text!r}"
        if not re.fullmatch(r"([YBWGKR][1-6]){6}", row_text):
            raise ValueError(f"{where}: expected six fields of a colour letter and a number 1-6")
        row = tuple(
            b.Field(b.COLOURS.index(colour), int(number))
            for colour, number in zip(row_text[::2], row_text[1::2], strict=True)
        )
        if len({field.colour for field in row}) != b.NUM_DICE:
            raise ValueError(f"{where}: a colour is missing or there twice")
        if any(row[pos].number < row[pos + 1].number for pos in range(b.ROW_LENGTH - 1)):
            raise ValueError(f"{where}: the numbers rise from left to right")
        rows.append(row)
    return tuple(rows)
