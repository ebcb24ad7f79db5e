"""The board, the sheets and the state array of Zatre (rules sections 2, 3, 4).

Cells have the numbers of the 15 x 15 frame, `cell = 15 * row + column` from the top left. The frame
has 193 cells; its other places are absent. One of those, the corner 0, stands for everything beyond
an edge: it is always empty, and nothing ever fits there.

          A  B  C  D  E  F  G  H  I  J  K  L  M  N  O
     1    .  .  .  .  d  d  L  .  L  d  d  .  .  .  .
     2    .  L  d  d  d  d  d  d  d  d  d  d  d  L  .
     3    .  d  L  d  d  d  d  d  d  d  d  d  L  d  .
     4    .  d  d  L  d  d  d  d  d  d  d  L  d  d  .
     5    d  d  d  d  L  d  d  d  d  d  L  d  d  d  d
     6    d  d  d  d  d  L  d  d  d  L  d  d  d  d  d
     7    L  d  d  d  d  d  L  d  L  d  d  d  d  d  L
     8    .  d  d  d  d  d  d  S  d  d  d  d  d  d  .

and below that the same upside down: `.` absent, `d` dark, `L` light, `S` start.
"""

import numpy as np

from tzaar_envs.core.kernel import HEADER

SIZE = 15
CELLS = SIZE * SIZE
COLUMNS = "ABCDEFGHIJKLMNO"
OUTSIDE = 0  # the neighbour of a cell at the edge
START = 7 * SIZE + 7

VALUES = 6
MAX_SEATS = 4
LOWEST_SCORE = 10  # of the sums that score
HIGHEST_SUM = 12

# Indexed by the value; index 0 is unused here and wherever tiles are counted by value.
TILES_OF_VALUE = np.array([0, 21, 20, 20, 20, 20, 20])
TILES = int(TILES_OF_VALUE.sum())

# A direction and the opposite one differ in bit 1, those at right angles in bit 0.
NORTH, EAST, SOUTH, WEST = range(4)
_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))

_WING = (4, 5, 6, 8, 9, 10)  # where cells lie outside the 13 x 13 square


def _is_cell(row: int, column: int) -> bool:
    if 1 <= row <= 13 and 1 <= column <= 13:
        return True
    return (row in (0, 14) and column in _WING) or (column in (0, 14) and row in _WING)


def _is_light(row: int, column: int) -> bool:
    if not _is_cell(row, column):
        return False
    if 1 <= row <= 13 and 1 <= column <= 13:
        return (row == column or row + column == 14) and (row, column) != (7, 7)
    return row in (6, 8) or column in (6, 8)


_FRAME = [(row, column) for row in range(SIZE) for column in range(SIZE)]
IS_CELL = np.array([_is_cell(*place) for place in _FRAME])
IS_LIGHT = np.array([_is_light(*place) for place in _FRAME])


def _neighbours() -> np.ndarray:
    """Return `(CELLS, 4)`: the next cell in each direction, `OUTSIDE` where there is none."""
    table = np.full((CELLS, len(_STEPS)), OUTSIDE)
    for cell, (row, column) in enumerate(_FRAME):
        for direction, (down, right) in enumerate(_STEPS):
            if _is_cell(row, column) and _is_cell(row + down, column + right):
                table[cell, direction] = SIZE * (row + down) + column + right
    return table


NEIGHBOUR = _neighbours()

# The columns of a sheet. An entry counts lines; POINTS is the worth of one.
CROSS, TEN, ELEVEN, TWELVE = range(4)
SHEET_COLUMNS = 4
POINTS = np.array([0, 1, 2, 4])
MAX_LINES = TILES  # in one entry: a tile is in two lines, a line has at least two tiles
# A column gets at most one entry for each of the 121 tiles. A position given as text need not be
# reachable, so its columns may have some more entries than tiles were laid in earlier turns.
SPARE_ROWS = 40
ROWS = TILES + SPARE_ROWS

# Small numbers, 0 .. 255, are packed into the words of some parts of the state array, seven to a
# word, so that no word is negative.
PACKED = 7
PACKED_BITS = 8
ENTRY_WORDS = ROWS // PACKED  # of a sheet's column
PLACED_WORDS = -(-TILES // PACKED)

# The state array. Tiles are counted by value, 7 words each, those in hands from 7 * seat on.
PLAYERS = HEADER
PENDING = HEADER + 1  # the pending cell, or NO_CELL
PLACED_COUNT = HEADER + 2
BAG = slice(HEADER + 3, HEADER + 3 + VALUES + 1)
HANDS = slice(BAG.stop, BAG.stop + MAX_SEATS * (VALUES + 1))
# Of each empty cell, the greater one of the sums of the tiles beside it in its row and in its
# column; 0 if there are none, and for a filled cell. A value fits iff the load is not 0 and their
# sum is at most 12, and scores at once iff that is at least 10. Loads never decrease.
LOAD = slice(HANDS.stop, HANDS.stop + CELLS)
OPEN = slice(LOAD.stop, LOAD.stop + HIGHEST_SUM)  # how many cells have the load, up to 11
BOARD = slice(OPEN.stop, OPEN.stop + CELLS)  # the value of the tile, or 0
TOTALS = slice(BOARD.stop, BOARD.stop + MAX_SEATS)
COUNTS = slice(TOTALS.stop, TOTALS.stop + MAX_SEATS * SHEET_COLUMNS)  # 4 * seat + column
PLACED = slice(COUNTS.stop, COUNTS.stop + PLACED_WORDS)  # cells filled in this turn, in order
# The columns 10, 11, 12 of seat 0, then of seat 1, ...
ENTRIES = slice(PLACED.stop, PLACED.stop + MAX_SEATS * (SHEET_COLUMNS - 1) * ENTRY_WORDS)
STATE_SIZE = ENTRIES.stop

NO_CELL = -1
# Of the start cell of the empty board, so that every value fits there and none scores.
START_LOAD = 1
