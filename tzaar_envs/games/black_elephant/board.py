"""The 7 x 7 board and the state array of Black Elephant (rules sections 3, 9, 10).

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
ENTRY_CELLS = np.array([np.arange(SIZE) * SIZE, np.arange(SIZE)])

# What a cell holds. An elephant is ELEPHANT + 8 * seat + 2 * facing, and 1 more on a beige log.
FREE = 0
LOG = 1
BURNT = 2
BLACK = 4
ELEPHANT = 8

# Paths of the watchers. The first two watch files, the others ranks.
PATH_N, PATH_S, PATH_W, PATH_E = (PATHS.index(name) for name in "NSWE")
FIRST_RANK_PATH = 2

# The destinations of MOVE as (files, ranks) from the start. The first four are the steps in the
# order of the facings; the next eight are two steps away, the others three.
OFFSETS = (
    *((0, 1), (1, 0), (0, -1), (-1, 0)),
    *((0, 2), (1, 1), (2, 0), (1, -1), (0, -2), (-1, -1), (-2, 0), (-1, 1)),
    *((0, 3), (1, 2), (2, 1), (3, 0), (2, -1), (1, -2)),
    *((0, -3), (-1, -2), (-2, -1), (-3, 0), (-2, 1), (-1, 2)),
)
STEPS = 4  # destinations one step away
SHORT_MOVES = 12  # destinations one or two steps away


def _targets() -> np.ndarray:
    """Return `(CELLS, len(OFFSETS))`: the cell of each destination, -1 beyond the edge."""
    table = np.full((CELLS, len(OFFSETS)), -1)
    for cell in range(CELLS):
        rank, file = divmod(cell, SIZE)
        for plane, (files, ranks) in enumerate(OFFSETS):
            if 0 <= file + files < SIZE and 0 <= rank + ranks < SIZE:
                table[cell, plane] = cell + ranks * SIZE + files
    return table


def _via() -> np.ndarray:
    """Return `(len(OFFSETS),)`: as bits, the destinations from which one more step leads there.

    Only those one step nearer to the start count: what can be reached in up to three steps can be
    reached by a shortest path, since a detour to a cell as near as that takes two steps more.
    """
    table = np.zeros(len(OFFSETS), np.int64)
    for plane, (files, ranks) in enumerate(OFFSETS):
        for before, (files_before, ranks_before) in enumerate(OFFSETS[:SHORT_MOVES]):
            nearer = abs(files_before) + abs(ranks_before) < abs(files) + abs(ranks)
            if nearer and (files - files_before, ranks - ranks_before) in OFFSETS[:STEPS]:
                table[plane] |= 1 << before
    table[:STEPS] = START_BIT
    return table


def _lines() -> np.ndarray:
    """Return `(CELLS, 12, 2)`: the pairs of cells that make a line of three with each cell.

    Places that are left over name G7, where no burnt log can lie.
    """
    pairs: list[list[tuple[int, int]]] = [[] for _ in range(CELLS)]
    for middle in range(CELLS):
        rank, file = divmod(middle, SIZE)
        for files, ranks in ((1, 0), (0, 1), (1, 1), (1, -1)):
            if all(
                0 <= at - d < SIZE and 0 <= at + d < SIZE
                for at, d in ((file, files), (rank, ranks))
            ):
                step = ranks * SIZE + files
                pairs[middle].append((middle - step, middle + step))
                pairs[middle - step].append((middle, middle + step))
                pairs[middle + step].append((middle, middle - step))
    table = np.full((CELLS, max(map(len, pairs)), 2), BLACK_FIELD)
    for cell, found in enumerate(pairs):
        table[cell, : len(found)] = np.reshape(found, (-1, 2))
    return table


def _goals() -> np.ndarray:
    """Return bool `(2, CELLS)`: the goal fields of each seat."""
    table = np.zeros((2, CELLS), bool)
    table[WEST_SEAT, SIZE - 1 : BLACK_FIELD : SIZE] = True
    table[SOUTH_SEAT, CELLS - SIZE : BLACK_FIELD] = True
    return table


START_BIT = 1 << len(OFFSETS)
TARGET = _targets()
VIA = _via()
LINES = _lines()
IS_GOAL = _goals()
# Where a seat's elephant faces the goal of the other seat.
FOREIGN_GOAL = np.array([NORTH, EAST])
# `(2, CELLS)`: how many lines a cell is away from each seat's goal line.
DISTANCE = SIZE - 1 - np.stack([np.arange(CELLS) % SIZE, np.arange(CELLS) // SIZE])

# The state array. What belongs to a seat is at `word + seat`.
IDLE = HEADER  # actions since the last progress
PASSES = HEADER + 1  # in a row
PLIES = HEADER + 2
LOGS_LEFT = HEADER + 3  # on the board
HELD = HEADER + 4
BURNT_LEFT = HEADER + 6
HOME = HEADER + 8
CAPTIVES = HEADER + 10
IN_PLAY = HEADER + 12  # elephants on the board and in start areas
WAITING = HEADER + 14  # + 2 * seat + area
OWN_PATH = HEADER + 18  # + 2 * seat + 0 or 1: the paths of the seat's first and second watcher
PLACE = HEADER + 22  # + path: where its watcher stands, a file or a rank
BOARD = slice(HEADER + 26, HEADER + 26 + CELLS)
STATE_SIZE = BOARD.stop

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
