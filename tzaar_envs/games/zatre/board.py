"""The board, the sheets and the state array of Zatre (docs/rules/zatre.md, section 1).

Cells are numbered on the 15 x 15 frame, `cell = 15 * row + column` from the top left. The board has
193 cells; the other places of the frame are absent. One of those, the corner 0, represents all
places beyond an edge: it is always empty, and no tile ever fits there.
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

# The upper half of the board and the middle row: `.` absent, `d` dark, `L` light, `S` start. Below
# that the same upside down.
_UPPER_ROWS = (
    "....ddL.Ldd....",
    ".LdddddddddddL.",
    ".dLdddddddddLd.",
    ".ddLdddddddLdd.",
    "ddddLdddddLdddd",
    "dddddLdddLddddd",
    "LdddddLdLdddddL",
    ".ddddddSdddddd.",
)
_FRAME = np.array([list(row) for row in _UPPER_ROWS + _UPPER_ROWS[-2::-1]])
IS_CELL = _FRAME.ravel() != "."
IS_LIGHT = _FRAME.ravel() == "L"


def _neighbours() -> np.ndarray:
    """Return `(CELLS, 4)`: the next cell in each direction, `OUTSIDE` where there is none."""
    table = np.full((CELLS, len(_STEPS)), OUTSIDE)
    is_cell = np.pad(IS_CELL.reshape(SIZE, SIZE), 1)
    for cell in np.flatnonzero(IS_CELL):
        row, column = divmod(int(cell), SIZE)
        for direction, (down, right) in enumerate(_STEPS):
            if is_cell[1 + row + down, 1 + column + right]:
                table[cell, direction] = SIZE * (row + down) + column + right
    return table


NEIGHBOUR = _neighbours()

# A set of cells is four words of 60 bits: `cell = SET_BITS * word + bit`, four rows to a word.
SET_BITS = 4 * SIZE
SET_WORDS = -(-CELLS // SET_BITS)
LIGHT_SET = np.zeros(SET_WORDS, np.int64)
for _cell in np.flatnonzero(IS_LIGHT):
    LIGHT_SET[_cell // SET_BITS] |= 1 << _cell % SET_BITS

# The word of a filled cell is the value of its tile. That of an empty cell has, in the bits above,
# its *links*: for each direction the next empty cell (`OUTSIDE` if the tiles reach the edge), and
# the sum of the tiles before it. A line has a sum of at most 12, so both of its ends can be found
# and updated without a walk over its tiles.
VALUE_MASK = 7
SUM_SHIFT, SUM_BITS = 4, 4
END_SHIFT, END_BITS = SUM_SHIFT + 4 * SUM_BITS, 8
EMPTY_BOARD = (NEIGHBOUR << END_SHIFT + END_BITS * np.arange(len(_STEPS))).sum(axis=1)

# A hand is one word: its lowest byte is the number of tiles, byte n that of tiles of value n.
HAND_BITS = 8
HAND_MASK = (1 << HAND_BITS) - 1

# The columns of a sheet. An entry is a number of lines; POINTS are the points for one line.
CROSS, TEN, ELEVEN, TWELVE = range(4)
SHEET_COLUMNS = 4
POINTS = np.array([0, 1, 2, 4])
MAX_LINES = TILES  # in one entry: a tile is in two lines, a line has at least two tiles
# A column gets at most one entry for each of the 121 tiles. A position given as text need not be
# reachable, so its columns may have a few more entries than tiles were laid in earlier turns.
SPARE_ROWS = 40
ROWS = TILES + SPARE_ROWS

# The entries of columns 10, 11 and 12 of a sheet are packed, three rows to a word.
ENTRY_BITS = 7
ENTRY_MASK = (1 << ENTRY_BITS) - 1
ROW_BITS = (SHEET_COLUMNS - 1) * ENTRY_BITS
ROWS_PACKED = 3
SHEET_WORDS = -(-ROWS // ROWS_PACKED)

# The cells that were filled in a turn are packed, seven to a word, so that no word is negative.
CELLS_PACKED = 7
CELL_BITS = 8
CELL_MASK = (1 << CELL_BITS) - 1
PLACED_WORDS = -(-TILES // CELLS_PACKED)

# The state array. `derive` in the rules derives the words marked with * from the others.
PLAYERS = HEADER
PENDING = HEADER + 1  # the pending cell, or NO_CELL
PLACED_COUNT = HEADER + 2
BAG = slice(HEADER + 3, HEADER + 3 + VALUES + 1)  # * by value
HANDS = slice(BAG.stop, BAG.stop + MAX_SEATS)
BOARD = slice(HANDS.stop, HANDS.stop + CELLS)  # values, and links *
FILLED = slice(BOARD.stop, BOARD.stop + SET_WORDS)  # * the set of the filled cells
# * The *load* of an empty cell is the greater of two sums: of the tiles beside it in its row, and
# in its column. A value fits iff the load is not 0 and load + value is at most 12, and scores at
# once iff that is at least 10. For 1, 2, ... 12 there is the set of the cells with a load from 1 to
# that number, where greater loads count as 12: first all their first words, then all second ones.
LOADED = slice(FILLED.stop, FILLED.stop + SET_WORDS * HIGHEST_SUM)
TOTALS = slice(LOADED.stop, LOADED.stop + MAX_SEATS)  # *
COUNTS = slice(TOTALS.stop, TOTALS.stop + MAX_SEATS * SHEET_COLUMNS)  # 4 * seat + column
PLACED = slice(COUNTS.stop, COUNTS.stop + PLACED_WORDS)  # cells filled in this turn, in order
SHEETS = slice(PLACED.stop, PLACED.stop + MAX_SEATS * SHEET_WORDS)
STATE_SIZE = SHEETS.stop

NO_CELL = -1
NO_LOAD = HIGHEST_SUM + 1  # of a filled cell
# Of the start cell of the empty board: every value fits there, and none scores.
START_LOAD = 1
