"""The 7 x 7 board and the state array of Turm & Wächter.

See docs/rules/turm_und_waechter.md, sections 1, 2 and 7.3.

Cells are numbered by ranks from the bottom, A1 = 0:

    7 | 42 43 44 45 46 47 48
    6 | 35 36 37 38 39 40 41
    5 | 28 29 30 31 32 33 34
    4 | 21 22 23 24 25 26 27
    3 | 14 15 16 17 18 19 20
    2 |  7  8  9 10 11 12 13
    1 |  0  1  2  3  4  5  6
        A  B  C  D  E  F  G
"""

import numpy as np

from tzaar_envs.core.kernel import HEADER
from tzaar_envs.core.toolkit import Bitboard
from tzaar_envs.jit.arrays import StateArray

SIZE = 7
CELLS = SIZE * SIZE
STONES = 7  # of each side
MAX_RANGE = SIZE - 1

RED = 0
BLUE = 1

# In figures by cell, +figure is Red's and -figure Blue's: a tower counts its stones.
EMPTY = 0
GUARD = 8

NORTH, EAST, SOUTH, WEST = range(4)
STEP = np.array([SIZE, 1, -SIZE, -1])

RED_CASTLE = 45  # D7
BLUE_CASTLE = 3  # D1


def set_of(members: np.ndarray) -> Bitboard:
    """Return bool `(CELLS,)` as a set: one word with the bit `1 << cell` for each member."""
    return sum(1 << int(cell) for cell in members.nonzero()[0])


def _starts_on_board() -> np.ndarray:
    """Return `(4, SIZE)`: by direction and distance, the cells whose target is on the board."""
    rank, file = np.divmod(np.arange(CELLS), SIZE)
    to_edge = [SIZE - 1 - rank, SIZE - 1 - file, rank, file]
    return np.array([[set_of(cells >= n) for n in range(SIZE)] for cells in to_edge])


ON_BOARD = _starts_on_board()

# The state array: counters, figures, and the keys of all positions since the last capture. For each
# seat there are 8 sets of cells: that of its guard and, for each height 1 to 7, those of its towers
# that have at least that height. So a move of n stones moves n bits.
PLIES = HEADER
OCCURRENCES = HEADER + 1
WINNER = HEADER + 2  # seat, or `kernel.NOBODY`
HISTORY_LENGTH = HEADER + 3
SETS = 1 + STONES
FIGURES = slice(HEADER + 4, HEADER + 4 + 2 * SETS)
RED_FIGURES = FIGURES.start
BLUE_FIGURES = RED_FIGURES + SETS
# 500 plies, the start position, and one more for a start that has occurred twice already.
HISTORY = slice(FIGURES.stop, FIGURES.stop + 502)
STATE_SIZE = HISTORY.stop
KEY_SIZE = HISTORY.start  # `OCCURRENCES` is before it
LOG_LENGTH = HISTORY_LENGTH

MAX_PLIES = 500
DRAW_OCCURRENCES = 3


def figures_of_board(board: StateArray) -> StateArray:
    """Return the words of `FIGURES` for the figures by cell."""
    sets = []
    for own in (board, -board):
        sets.append(set_of(own == GUARD))
        sets += [set_of((height <= own) & (own < GUARD)) for height in range(1, STONES + 1)]
    return np.array(sets)


def board_of(state: StateArray) -> StateArray:
    """Return the figures by cell, int64 `(CELLS,)`."""
    held = state[FIGURES].reshape(2, SETS, 1) >> np.arange(CELLS) & 1
    figures = held[:, 0] * GUARD + held[:, 1:].sum(axis=1)
    board: StateArray = figures[RED] - figures[BLUE]
    return board


_start = np.zeros(CELLS, np.int64)
_start[[42, 43, 47, 48, 37, 39, 31]] = 1
_start[RED_CASTLE] = GUARD
_start[[0, 1, 5, 6, 9, 11, 17]] = -1
_start[BLUE_CASTLE] = -GUARD
START = figures_of_board(_start)

# Zobrist keys (1970) of each bit of `FIGURES`, and of Blue to move, 64 random bits each. The
# probability that two of the 500 positions of a game share a key is below 10**-13.
_bits = np.random.Generator(np.random.PCG64(20000801))
BIT_KEY = _bits.integers(-(2**63), 2**63, size=(2 * SETS, CELLS), dtype=np.int64)
BLUE_TO_MOVE_KEY = int(_bits.integers(-(2**63), 2**63, dtype=np.int64))
