"""Tzaar's pieces, points, set-ups and phases, and what its reference stores of a position."""

from dataclasses import dataclass
from typing import NamedTuple

# --- Section 1.1: components ---------------------------------------------------------------------

WHITE = 0
BLACK = 1
COLOUR_NAMES = ("White", "Black")

TZAAR = "Z"
TZARRA = "R"
TOTT = "T"
TYPES = (TZAAR, TZARRA, TOTT)
PIECES = {TZAAR: 6, TZARRA: 9, TOTT: 15}
PIECES_PER_COLOUR = sum(PIECES.values())


class Stack(NamedTuple):
    """One or more pieces of one colour; covered pieces are not tracked, only how many there are."""

    owner: int
    type: str
    height: int


# --- Section 1.2: board and coordinates ----------------------------------------------------------

FILES = "ABCDEFGHI"
CENTRE = 4
HOLE = (CENTRE, CENTRE)
DIRECTIONS = ((0, +1), (+1, +1), (+1, 0), (0, -1), (-1, -1), (-1, 0))  # N, NE, SE, S, SW, NW


def _is_point(i: int, j: int) -> bool:
    return 0 <= i <= 8 and 0 <= j <= 8 and abs(i - j) <= 4 and (i, j) != HOLE


def _point_name(i: int, j: int) -> str:
    # Files F to I start ever higher on the skewed grid, but their ranks still count from 1.
    return FILES[i] + str(j + 1 - max(0, i - CENTRE))


# In the order of the notation: file by file, in a file from rank 1 upwards.
GRID = {_point_name(i, j): (i, j) for i in range(9) for j in range(9) if _is_point(i, j)}
POINTS = tuple(GRID)
POINTS_OF_FILE = {file: [point for point in POINTS if point[0] == file] for file in FILES}


def _line(point: str, direction: int) -> list[str]:
    """Return the points of a line from a point, nearest first, up to the edge or the hole."""
    di, dj = DIRECTIONS[direction]
    i, j = GRID[point]
    line = []
    while _is_point(i + di, j + dj):
        i, j = i + di, j + dj
        line.append(_point_name(i, j))
    return line


LINES = {
    (point, direction): _line(point, direction)
    for point in POINTS
    for direction in range(len(DIRECTIONS))
}


# --- Section 2: set-up ---------------------------------------------------------------------------

RANDOM = "random"
FIXED = "fixed"
TOURNAMENT = "tournament"
SETUPS = (RANDOM, FIXED, TOURNAMENT)

FIXED_POINTS = {
    (WHITE, TZAAR): "C5 D3 D6 E3 G4 G5",
    (WHITE, TZARRA): "B5 C2 C6 D2 D7 E2 H3 H4 H5",
    (WHITE, TOTT): "A5 B1 B6 C1 C7 D1 D5 D8 E1 E4 F5 I2 I3 I4 I5",
    (BLACK, TZAAR): "C3 C4 E7 F3 F6 G3",
    (BLACK, TZARRA): "B2 B3 B4 E8 F2 F7 G2 G6 H2",
    (BLACK, TOTT): "A1 A2 A3 A4 D4 E6 E9 F1 F4 F8 G1 G7 H1 H6 I1",
}

# --- Sections 3 and 7: the phases of the game ----------------------------------------------------

PLACE = "place"
OPEN = "open"
ACTION_1 = "1"
ACTION_2 = "2"
PHASES = (PLACE, OPEN, ACTION_1, ACTION_2)
# --- Section 7: positions ------------------------------------------------------------------------


@dataclass(eq=False)
class Position:
    """The fields of the notation.

    Attributes:
        setup: Which of the three set-ups the game uses.
        board: The stacks by point; an empty point has no entry.
        side: The side to act as the notation has it, also when the game is over.
        phase: One of ``place``, ``open``, ``1`` and ``2``.
        reserve: Per colour the pieces not yet placed, by type; all 0 outside ``place``.
    """

    setup: str
    board: dict[str, Stack]
    side: int
    phase: str
    reserve: tuple[dict[str, int], dict[str, int]]


def lacks_a_type(board: dict[str, Stack], owner: int) -> bool:
    visible = {stack.type for stack in board.values() if stack.owner == owner}
    return visible != set(TYPES)


def empty_reserve() -> tuple[dict[str, int], dict[str, int]]:
    return dict.fromkeys(TYPES, 0), dict.fromkeys(TYPES, 0)


def check_setup(setup: str) -> None:
    if setup not in SETUPS:
        raise ValueError(f"setup: {setup!r} is none of {', '.join(SETUPS)}")
