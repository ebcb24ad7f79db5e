"""The hexagonal board and the state array of Tzaar (docs/rules/tzaar.md, sections 1 and 7.3).

Points are numbered file by file from A1, each file from the bottom, without the hole E5:
A1 = 0 ... A5 = 4, B1 = 5 ... I5 = 59. A point also has a cell on the skewed 9 x 9 grid of section
3, `cell = 9 * j + i`, which numbers actions and observation planes.

A set of points is an integer with the bit `1 << point` for each of them. Its lowest bit is
`s & -s`.
"""

import numpy as np

from tzaar_envs.core.kernel import HEADER

FILES = "ABCDEFGHI"
GRID = 9
CELLS = GRID * GRID
POINTS = 60
HOLE = (4, 4)

WHITE = 0
BLACK = 1

# A stack's kind is its top piece: +kind for White, -kind for Black; 0 is an empty point.
TZAAR = 1
TZARRA = 2
TOTT = 3
PIECES = np.array([6, 9, 15])  # of each colour: Tzaars, Tzarras, Totts

# (di, dj) of N, NE, SE, S, SW, NW. The first three lead to points of higher numbers; they are the
# axes of the board, and direction `axis + 3` is the way back.
AXES = 3
DIRECTIONS = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))


def _is_point(i: int, j: int) -> bool:
    return 0 <= i < GRID and 0 <= j < GRID and abs(i - j) <= 4 and (i, j) != HOLE


COORDINATES = [(i, j) for i in range(GRID) for j in range(GRID) if _is_point(i, j)]


POINT_NAMES = [f"{FILES[i]}{j + 1 - max(0, i - 4)}" for i, j in COORDINATES]
CELL_OF_POINT = np.array([j * GRID + i for i, j in COORDINATES])
POINT_OF_CELL = np.full(CELLS, -1)
POINT_OF_CELL[CELL_OF_POINT] = np.arange(POINTS)


def _neighbours() -> np.ndarray:
    """Return `(POINTS, 6)`: the next point in each direction, -1 at the edge and at the hole."""
    table = np.full((POINTS, len(DIRECTIONS)), -1)
    for point, (i, j) in enumerate(COORDINATES):
        for direction, (di, dj) in enumerate(DIRECTIONS):
            if _is_point(i + di, j + dj):
                table[point, direction] = COORDINATES.index((i + di, j + dj))
    return table


NEIGHBOUR = _neighbours()


def _rays() -> np.ndarray:
    """Return `(POINTS, AXES)`: the set of all points ahead of a point, up to edge or hole."""
    table = np.zeros((POINTS, AXES), np.int64)
    for point in range(POINTS):
        for axis in range(AXES):
            ahead = NEIGHBOUR[point, axis]
            while ahead >= 0:
                table[point, axis] |= 1 << ahead
                ahead = NEIGHBOUR[ahead, axis]
    return table


RAYS = _rays()

# The state array. `TOPS` and `RESERVE` count by colour and type: 3 * seat + kind - 1.
#
# All words after the heights are derived from the board and updated by every action. `STACKS`, by
# seat, are the sets of occupied points. `TURNED` is that of both colours on the board turned by
# half a turn, where the lowest bit of a ray is the first stack looking backwards. `CAPTURES` and
# `STACKINGS`, by direction, are the sets of points whose stack, of either colour, could capture the
# first stack in that direction, or be put onto it because it has the same colour.
PHASE = HEADER
SETUP = HEADER + 1
WINNER = HEADER + 2  # seat, or `kernel.NOBODY`
TOPS = slice(HEADER + 3, HEADER + 9)
RESERVE = slice(TOPS.stop, TOPS.stop + 6)
KIND = slice(RESERVE.stop, RESERVE.stop + POINTS)
HEIGHT = slice(KIND.stop, KIND.stop + POINTS)
STACKS = slice(HEIGHT.stop, HEIGHT.stop + 2)
TURNED = STACKS.stop
CAPTURES = slice(TURNED + 1, TURNED + 1 + len(DIRECTIONS))
STACKINGS = slice(CAPTURES.stop, CAPTURES.stop + len(DIRECTIONS))
STATE_SIZE = STACKINGS.stop
KEY_SIZE = STACKS.start  # all that follows is derived

PLACE, OPENING, ACTION_1, ACTION_2 = range(4)
SETUP_RANDOM, SETUP_FIXED, SETUP_TOURNAMENT = range(3)

PASS_ACTION = 6 * CELLS
PLACE_ACTION = PASS_ACTION + 1

_FIXED = {
    +TZAAR: "C5 D3 D6 E3 G4 G5",
    +TZARRA: "B5 C2 C6 D2 D7 E2 H3 H4 H5",
    +TOTT: "A5 B1 B6 C1 C7 D1 D5 D8 E1 E4 F5 I2 I3 I4 I5",
    -TZAAR: "C3 C4 E7 F3 F6 G3",
    -TZARRA: "B2 B3 B4 E8 F2 F7 G2 G6 H2",
    -TOTT: "A1 A2 A3 A4 D4 E6 E9 F1 F4 F8 G1 G7 H1 H6 I1",
}
FIXED_KINDS = np.zeros(POINTS, np.int64)
for _kind, _points in _FIXED.items():
    FIXED_KINDS[[POINT_NAMES.index(name) for name in _points.split()]] = _kind
