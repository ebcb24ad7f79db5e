"""The 7 x 7 board and the state array of Turm & Wächter (rules sections 2, 3, 8).

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

SIZE = 7
CELLS = SIZE * SIZE
STONES = 7  # of each side
MAX_RANGE = SIZE - 1

RED = 0
BLUE = 1

# A cell holds 0, or +figure for Red and -figure for Blue: a tower counts its stones.
EMPTY = 0
GUARD = 8

NORTH, EAST, SOUTH, WEST = range(4)
STEP = np.array([SIZE, 1, -SIZE, -1])

RED_CASTLE = 45  # D7
BLUE_CASTLE = 3  # D1


def _distance_to_edge() -> np.ndarray:
    """Return `(CELLS, 4)`, the number of cells between a cell and the edge in each direction."""
    rank, file = np.divmod(np.arange(CELLS), SIZE)
    return np.stack([SIZE - 1 - rank, SIZE - 1 - file, rank, file], axis=1)


TO_EDGE = _distance_to_edge()

# The state array: counters, the cells, and the keys of all positions since the last capture.
PLIES = HEADER
OCCURRENCES = HEADER + 1
WINNER = HEADER + 2  # seat, or NOBODY
HISTORY_LENGTH = HEADER + 3
BOARD = slice(HEADER + 4, HEADER + 4 + CELLS)
# 500 plies, the start position, and one more for a start that has occurred twice already.
HISTORY = slice(BOARD.stop, BOARD.stop + 502)
STATE_SIZE = HISTORY.stop

NOBODY = -1

MAX_PLIES = 500
DRAW_OCCURRENCES = 3

START = np.zeros(CELLS, np.int64)
START[[42, 43, 47, 48, 37, 39, 31]] = 1
START[RED_CASTLE] = GUARD
START[[0, 1, 5, 6, 9, 11, 17]] = -1
START[BLUE_CASTLE] = -GUARD

# Zobrist keys (1970) of each figure on each cell, index figure + GUARD, and of Blue to move.
# 64 random bits each: that two of the 500 positions of a game share a key by chance has odds of
# less than one in 10**13.
_bits = np.random.Generator(np.random.PCG64(20000801))
FIGURE_KEY = _bits.integers(-(2**63), 2**63, size=(2 * GUARD + 1, CELLS), dtype=np.int64)
FIGURE_KEY[EMPTY + GUARD] = 0
BLUE_TO_MOVE_KEY = int(_bits.integers(-(2**63), 2**63, dtype=np.int64))
