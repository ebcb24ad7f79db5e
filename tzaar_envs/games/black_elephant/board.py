"""The 7 x 7 board and the state array of Black Elephant.

See docs/rules/black_elephant.md, sections 1 and 7.3.

Cells are numbered by ranks from the bottom, A1 = 0. West enters on file A and wants to reach G1-G6,
South enters on rank 1 and wants to reach A7-F7; nobody may enter G7:

    7 | 42 43 44 45 46 47 ##
    6 | 35 36 37 38 39 40 41
    5 | 28 29 30 31 32 33 34
    4 | 21 22 23 24 25 26 27
    3 | 14 15 16 17 18 19 20
    2 |  7  8  9 10 11 12 13
    1 |  0  1  2  3  4  5  6
        A  B  C  D  E  F  G
"""

import itertools

import numpy as np

from tzaar_envs.core.kernel import HEADER
from tzaar_envs.games.black_elephant import PATHS

SIZE = 7
CELLS = SIZE * SIZE
BLACK_FIELD = CELLS - 1  # G7

ELEPHANTS = 10  # of each seat
LOGS = CELLS - 1
BURNT_LOGS = 3  # of each seat
SEVENTH = 7  # the elephant that frees a captive as it comes home

WEST_SEAT = 0
SOUTH_SEAT = 1

NORTH, EAST, SOUTH, WEST = range(4)

WEST_AREA, SOUTH_AREA = range(2)
ENTRY_FACING = np.array([EAST, NORTH])

# A set of cells is an integer with the bit `1 << cell` for each member.
RANK_1 = (1 << SIZE) - 1
FILE_A = sum(1 << cell for cell in range(0, CELLS, SIZE))
FILE_G = FILE_A << (SIZE - 1)
NOT_BLACK = (1 << BLACK_FIELD) - 1  # all but G7, the last cell

ENTRY_CELLS = np.array([FILE_A, RANK_1])  # of each area
GOALS = np.array([FILE_G, RANK_1 << (CELLS - SIZE)]) & NOT_BLACK  # of each seat
# For each facing: the cells from which one step forward leads into a start area.
EXIT_CELLS = np.array([0, 0, RANK_1, FILE_A])

# Paths of the watchers. The first two watch files, the others ranks.
PATH_N, PATH_S, PATH_W, PATH_E = (PATHS.index(name) for name in "NSWE")
FIRST_RANK_PATH = 2
FARTHEST = 2 * (SIZE - 1)  # steps that two watchers can go together

# The destinations of MOVE as (files, ranks) from the start. The first four are the steps in the
# order of the facings; the next eight are two steps away, the others three.
OFFSETS = (
    *((0, 1), (1, 0), (0, -1), (-1, 0)),
    *((0, 2), (1, 1), (2, 0), (1, -1), (0, -2), (-1, -1), (-2, 0), (-1, 1)),
    *((0, 3), (1, 2), (2, 1), (3, 0), (2, -1), (1, -2)),
    *((0, -3), (-1, -2), (-2, -1), (-3, 0), (-2, 1), (-1, 2)),
)


def _targets() -> np.ndarray:
    """Return `(CELLS, len(OFFSETS))`: the cell of each destination, -1 beyond the edge."""
    table = np.full((CELLS, len(OFFSETS)), -1)
    for cell in range(CELLS):
        rank, file = divmod(cell, SIZE)
        for plane, (files, ranks) in enumerate(OFFSETS):
            if 0 <= file + files < SIZE and 0 <= rank + ranks < SIZE:
                table[cell, plane] = cell + ranks * SIZE + files
    return table


def _reach() -> np.ndarray:
    """Return `(2, 2, CELLS, FARTHEST + 1)`: the fields that two watchers can make danger fields.

    The indices are whether the file watcher moves, whether the rank watcher moves, the field on
    which their lines cross, and the number of steps that they may take together.
    """
    table = np.zeros((2, 2, CELLS, FARTHEST + 1), np.int64)
    for cell, other in itertools.product(range(CELLS), repeat=2):
        files = abs(cell % SIZE - other % SIZE)
        ranks = abs(cell // SIZE - other // SIZE)
        for file_moves, rank_moves in itertools.product(range(2), repeat=2):
            if (file_moves or files == 0) and (rank_moves or ranks == 0):
                table[file_moves, rank_moves, cell, files + ranks :] |= 1 << other
    return table


def _lines() -> tuple[tuple[int, int], ...]:
    """Return the lines of three cells: a pair of numbers for each of the four directions.

    The first is the step to the next cell, the second the set of the lowest cells of all lines.
    """
    lines = []
    for files, ranks in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        lowest = 0
        for cell in range(CELLS):
            rank, file = divmod(cell, SIZE)
            if 0 <= file + 2 * files < SIZE and rank + 2 * ranks < SIZE:
                lowest |= 1 << cell
        lines.append((ranks * SIZE + files, lowest))
    return tuple(lines)


TARGET = _targets()
# `(CELLS, CELLS)`: the MOVE from a start to a destination, -1 where it is none.
MOVE_ACTION = np.full((CELLS, CELLS), -1, np.int16)
_starts, _planes = np.nonzero(TARGET >= 0)
MOVE_ACTION[_starts, TARGET[_starts, _planes]] = _planes * CELLS + _starts
REACH = _reach()
LINES = _lines()
# Where a seat's elephant faces the goal of the other seat.
FOREIGN_GOAL = np.array([NORTH, EAST])
# `(2, CELLS)`: how many lines a cell is away from each seat's goal line.
DISTANCE = SIZE - 1 - np.stack([np.arange(CELLS) % SIZE, np.arange(CELLS) // SIZE])

# The state array. Numbers of a seat are at `word + seat`.
IDLE = HEADER  # actions since the last progress
PASSES = HEADER + 1  # in a row
PLIES = HEADER + 2
HELD = HEADER + 3
BURNT_LEFT = HEADER + 5
HOME = HEADER + 7
CAPTIVES = HEADER + 9
WAITING = HEADER + 11  # + 2 * seat + area
OWN_PATH = HEADER + 15  # + 2 * seat + 0 or 1: the paths of the seat's first and second watcher
PLACE = HEADER + 19  # + path: the place of its watcher, a file or a rank
# Sets of cells. Nothing in the state can be derived from the rest of it.
LOG_CELLS = HEADER + 23  # with a beige log, also under an elephant
BURNT_CELLS = HEADER + 24
ELEPHANT_CELLS = HEADER + 25  # + seat
FACING_CELLS = HEADER + 27  # + 0 or 1: with an elephant that has this bit in its facing
STATE_SIZE = HEADER + 29

# The action planes.
EXIT_PLANE = len(OFFSETS)
JUMP_PLANE = EXIT_PLANE + 1
ENTER_PLANE = JUMP_PLANE + 4
WATCH_PLANE = ENTER_PLANE + 2
BURN_PLANE = WATCH_PLANE + 1
PASS_ACTION = (BURN_PLANE + 1) * CELLS

MAX_IDLE = 60
MAX_PASSES = 2
MAX_PLIES = 500
