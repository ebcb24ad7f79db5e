"""Section 1 of Zatre's rules: tiles, board, score sheet and terms; and what a position stores."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

# --- Section 1.1: components ---------------------------------------------------------------------

VALUES = (1, 2, 3, 4, 5, 6)
TILES = {1: 21, 2: 20, 3: 20, 4: 20, 5: 20, 6: 20}
FEWEST_PLAYERS = 2
MOST_PLAYERS = 4

# --- Section 1.2: the board ----------------------------------------------------------------------

Cell = tuple[int, int]  # row, column
Board = dict[Cell, int]  # the tiles that lie, an empty cell has no entry

SIZE = 15
START = (7, 7)
OUTER = (4, 5, 6, 8, 9, 10)


def _is_cell(row: int, col: int) -> bool:
    if 1 <= row <= 13 and 1 <= col <= 13:
        return True
    return (row in (0, 14) and col in OUTER) or (col in (0, 14) and row in OUTER)


CELLS = tuple((row, col) for row in range(SIZE) for col in range(SIZE) if _is_cell(row, col))
ALL_CELLS = frozenset(CELLS)
OUTER_LIGHT = {(0, 6), (0, 8), (14, 6), (14, 8), (6, 0), (8, 0), (6, 14), (8, 14)}
LIGHT = frozenset(
    (row, col)
    for row, col in CELLS
    if (row, col) in OUTER_LIGHT
    or (1 <= row <= 13 and 1 <= col <= 13 and (row == col or row + col == 14))
) - {START}

LEFT, RIGHT, UP, DOWN = (0, -1), (0, +1), (-1, 0), (+1, 0)
HORIZONTAL, VERTICAL = (LEFT, RIGHT), (UP, DOWN)
AXES = (HORIZONTAL, VERTICAL)
Direction = tuple[int, int]
Axis = tuple[Direction, Direction]


def next_cell(cell: Cell, direction: Direction) -> Cell:
    return cell[0] + direction[0], cell[1] + direction[1]


NEIGHBOURS = {
    cell: [
        next_cell(cell, direction)
        for direction in (LEFT, RIGHT, UP, DOWN)
        if next_cell(cell, direction) in ALL_CELLS
    ]
    for cell in CELLS
}


def _ray(cell: Cell, direction: Direction) -> list[Cell]:
    """Return the cells that follow a cell in a direction, up to the edge, nearest first."""
    cells = []
    while (cell := next_cell(cell, direction)) in ALL_CELLS:
        cells.append(cell)
    return cells


RAYS = {
    (cell, direction): _ray(cell, direction)
    for cell in CELLS
    for direction in (LEFT, RIGHT, UP, DOWN)
}

COLUMN_LETTERS = "ABCDEFGHIJKLMNO"


def cell_name(cell: Cell) -> str:
    return f"{COLUMN_LETTERS[cell[1]]}{cell[0] + 1}"


CELL_OF_NAME = {cell_name(cell): cell for cell in CELLS}

# --- Section 1.3: the score sheet ----------------------------------------------------------------

POINTS = {10: 1, 11: 2, 12: 4}


def _bonus(row: int) -> int:
    """Return the printed bonus of a row; the first row is row 1."""
    return min(6, 3 + (row - 1) // 4)


class Sheet(NamedTuple):
    """A score sheet: how many crosses there are, and the entries of each column from the top."""

    crosses: int
    columns: dict[int, tuple[int, ...]]

    def total(self) -> int:
        """The sum of the values of all rows."""
        # Rows with nothing but a cross are worth 0.
        rows = max(len(column) for column in self.columns.values())
        return sum(self._value(row) for row in range(1, rows + 1))

    def _value(self, row: int) -> int:
        entries = [column[row - 1] for column in self.columns.values() if row <= len(column)]
        value = sum(entries)
        if len(entries) == len(self.columns):
            value += _bonus(row)
        return 2 * value if row <= self.crosses else value

    def __str__(self) -> str:
        """The sheet in the notation, section 7."""
        columns = (",".join(map(str, column)) or "-" for column in self.columns.values())
        return ":".join([str(self.crosses), *columns])


EMPTY_SHEET = Sheet(0, {total: () for total in POINTS})

# --- Section 1.4: terms --------------------------------------------------------------------------

HIGHEST_SUM = 12


def _run(board: Board, cell: Cell, direction: Direction) -> list[Cell]:
    """Return the tiles that follow a cell in a direction without a gap, nearest first."""
    run = []
    for other in RAYS[cell, direction]:
        if other not in board:
            break
        run.append(other)
    return run


def line_through(board: Board, cell: Cell, axis: Axis) -> list[Cell]:
    """Return the line through a tile, from left or top; one single cell if there is no line."""
    before, after = axis
    return [*reversed(_run(board, cell, before)), cell, *_run(board, cell, after)]


def sum_of(board: Board, line: Iterable[Cell]) -> int:
    return sum([board[cell] for cell in line])


def figure(board: Board, value: int, cell: Cell, axis: Axis) -> int:
    """Return H or V of a tile that is to be put on an empty cell."""
    before, after = axis
    return value + sum_of(board, _run(board, cell, before) + _run(board, cell, after))


def fits(board: Board, value: int, cell: Cell) -> bool:
    """Whether a tile can lie on a cell at all."""
    if cell not in ALL_CELLS or cell in board:
        return False
    if not board:
        return cell == START
    return any(neighbour in board for neighbour in NEIGHBOURS[cell]) and all(
        figure(board, value, cell, axis) <= HIGHEST_SUM for axis in AXES
    )


def scores_at_once(board: Board, value: int, cell: Cell) -> bool:
    """Whether a fitting tile makes a 10, 11 or 12."""
    return any(figure(board, value, cell, axis) in POINTS for axis in AXES)


def fitting_cells(board: Board) -> Iterator[Cell]:
    """Yield the empty cells on which a tile can lie at all, if its value allows it.

    A cell beside several tiles comes several times, those beside the latest tiles come first.
    """
    if not board:
        yield START
    for tile in reversed(board):
        for cell in NEIGHBOURS[tile]:
            if cell not in board:
                yield cell


def fits_somewhere(board: Board, values: Iterable[int]) -> bool:
    # The least of several values fits wherever any of them fits.
    value = min(values, default=None)
    if value is None:
        return False
    return any(fits(board, value, cell) for cell in fitting_cells(board))


def completions(board: Board, cell: Cell, values: Iterable[int]) -> Iterator[tuple[int, Cell]]:
    """Yield the placements after which a line of a cell and the new tile is a 10, 11 or 12.

    The cell holds a tile. A new tile gets into one of its two lines only at an end of that line.
    """
    for axis in AXES:
        line = line_through(board, cell, axis)
        for end in (next_cell(line[0], axis[0]), next_cell(line[-1], axis[1])):
            for value in values:
                if fits(board, value, end) and figure(board, value, end, axis) in POINTS:
                    yield value, end


def is_completed_by_next(board: Board, value: int, cell: Cell, rest: Iterable[int]) -> bool:
    """Whether a fitting tile is "completed by the next tile", one of the rest of the hand."""
    if cell not in LIGHT or scores_at_once(board, value, cell):
        return False
    after = {**board, cell: value}
    return next(completions(after, cell, rest), None) is not None


# --- Section 7: positions ------------------------------------------------------------------------


@dataclass(eq=False)
class Position:
    """What a position stores.

    Attributes:
        board: The tiles by cell.
        seat: The seat to move, None when the game is over.
        hands: The values in each hand, ascending.
        placed: The cells filled in the current turn, in order.
        pending: The cell that the next tile must complete, or None.
        sheets: The score sheet of each seat.
        rng: The source of chance.
    """

    board: Board
    seat: int | None
    hands: list[list[int]]
    placed: list[Cell]
    pending: Cell | None
    sheets: list[Sheet]
    rng: random.Random

    def bag(self) -> dict[int, int]:
        """How many tiles of each value are in the bag: all that lie nowhere else (section 7)."""
        used = Counter(self.board.values())
        for hand in self.hands:
            used.update(hand)
        return {value: TILES[value] - used[value] for value in VALUES}
