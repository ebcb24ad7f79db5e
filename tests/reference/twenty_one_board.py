"""The sheets, marks and phases of Twenty One, and what its reference stores of a position."""

import random
from dataclasses import dataclass
from typing import NamedTuple

# --- Section 1.1: components ---------------------------------------------------------------------

COLOURS = "YBWGKR"
NUM_DICE = len(COLOURS)
LETTERS = "ABCDEF"
PLAYERS = range(2, 7)

# --- Section 1: the sheets -----------------------------------------------------------------------

NUM_ROWS = 5
ROW_LENGTH = 6
POSITIONS = range(ROW_LENGTH)


class Field(NamedTuple):
    """A printed field of a sheet."""

    colour: int
    number: int


Row = tuple[Field, ...]
Sheet = tuple[Row, ...]


def _standard_number(row: int, pos: int) -> int:
    """The formula of 3.1; rows count from 1."""
    return 6 - pos - (1 if pos < row - 1 else 0)


def _standard_colour(sheet: int, row: int, pos: int) -> int:
    """The formula of 3.2; rows count from 1."""
    return (row * ((pos - sheet) % 6 + 1)) % 7 - 1


STANDARD_SHEETS: tuple[Sheet, ...] = tuple(
    tuple(
        tuple(
            Field(_standard_colour(sheet, row, pos), _standard_number(row, pos))
            for pos in POSITIONS
        )
        for row in range(1, NUM_ROWS + 1)
    )
    for sheet in range(len(LETTERS))
)


# --- Section 1.4: field states -------------------------------------------------------------------

FREE = "."
STRUCK = "x"
ENTERED = "123456"

# The marks of a row are a text of six characters, those of a player five such texts.
Marks = list[str]


def is_complete(row_marks: str) -> bool:
    return FREE not in row_marks


def current_row(marks: Marks) -> int:
    """The topmost row that is not complete; only asked while the player has one."""
    return [is_complete(row_marks) for row_marks in marks].index(False)


# --- Section 7: positions ------------------------------------------------------------------------

ROLL = "roll"
FILL = "fill"
OVER = "over"


@dataclass(eq=False)
class Position:
    """What a position stores.

    Attributes:
        sheets: The six printed sheets of the game.
        phase: One of ``roll``, ``fill`` and ``over``.
        active: The active seat; when the game is over that of the last turn.
        dice: The values of the dice in colour order.
        letters: Per seat the number of the sheet, 0 for A.
        marks: Per seat the marks of the five rows.
        choices: Per seat the filling already chosen in this turn, or None.
        rng: The source of chance.
    """

    sheets: tuple[Sheet, ...]
    phase: str
    active: int
    dice: list[int]
    letters: list[int]
    marks: list[Marks]
    choices: list[int | None]
    rng: random.Random

    @property
    def to_decide(self) -> int | None:
        """The seat to decide: the active one, then the next ones in turn order (section 3.5)."""
        if self.phase == OVER:
            return None
        if self.phase == ROLL:
            return self.active
        chosen = sum(choice is not None for choice in self.choices)
        return (self.active + chosen) % len(self.letters)


def somebody_has_finished(marks: list[Marks]) -> bool:
    """Section 4: a complete row 5 ends the game."""
    return any(is_complete(rows[-1]) for rows in marks)
