"""The picture of Tzaar."""

from __future__ import annotations

import functools

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.tzaar import TYPES
from tzaar_envs.games.tzaar import board as b
from tzaar_envs.games.tzaar.notation import LETTERS, stack_name
from tzaar_envs.games.tzaar.rules import first_stack
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render import scene as s

WIDTH, HEIGHT_ = 560.0, 620.0
SPACING = 60.0  # between neighbours
FILE_WIDTH = SPACING * 3**0.5 / 2
CENTRE = (WIDTH / 2, 296.0)
RADIUS = 25.0  # of a piece
EDGE = 287.0  # from the centre to a corner of the board
LAYER = 3.5  # by which the pieces of a stack are above each other
MOST_LAYERS = 5

PASS = s.Stop("pass", WIDTH - 40, HEIGHT_ - 80, 24)

SIDES = (s.Side("White", "white"), s.Side("Black", "black"))
EMPTY: tuple[s.Item, ...] = (s.Circle(0, 0, RADIUS, fill="board", opacity=0.0),)
MARKS = ("rust", "gold")  # on white and on black pieces
NAMES = tuple(kind.capitalize() for kind in TYPES)
LEGEND = (
    "Z Tzaar  R Tzarra  T Tott  Z2 a stack, 2 high",
    "White Z R T  Black z r t  . empty",
)
TASKS = ("place a piece", "capture", "capture", "capture, stack or pass")


def _middle(file: float, rank: float) -> s.Point:
    """Return the coordinates of a point; file and rank are counted from the hole."""
    return (
        round(CENTRE[0] + FILE_WIDTH * file, 1),
        round(CENTRE[1] - SPACING * (rank - file / 2), 1),
    )


MIDDLES = [_middle(i - b.HOLE[0], j - b.HOLE[1]) for i, j in b.COORDINATES]
_CORNERS = tuple(
    (CENTRE[0] + EDGE * np.sin(angle), CENTRE[1] - EDGE * np.cos(angle))
    for angle in np.arange(6) * np.pi / 3
)


@functools.cache
def _ground() -> tuple[s.Item, ...]:
    """Return the board: its lines, which end at the hole, and the names of the files' ends."""
    items: list[s.Item] = [s.Polygon(_CORNERS, fill="board", stroke="board_deep", width=3)]
    for point in range(b.POINTS):
        for axis in range(b.AXES):
            if b.NEIGHBOUR[point, axis + 3] < 0:
                end = point
                while b.NEIGHBOUR[end, axis] >= 0:
                    end = int(b.NEIGHBOUR[end, axis])
                if end != point:
                    items.append(s.line((MIDDLES[point], MIDDLES[end]), "line", 2))
    hole = tuple(_middle(file / 1.6, rank / 1.6) for file, rank in b.DIRECTIONS)
    items.append(s.Polygon(hole, fill="hole", stroke="board_deep", width=2.5))
    names: list[s.Item] = []
    for point, name in enumerate(b.POINT_NAMES):
        x, y = MIDDLES[point]
        for direction, down in ((0, -34), (3, 34)):
            if b.NEIGHBOUR[point, direction] < 0 and abs(y + down - CENTRE[1]) > SPACING * 2:
                names.append(s.Text(x, y + down, name, 11.5, fill="faint"))
    return (*items, s.Group(tuple(names), text=""))


@functools.cache
def _stack(kind: int, height: int) -> tuple[s.Item, ...]:
    """Return a stack around (0, 0): its layers, the marks of its type and, above 1, its height."""
    side = int(kind < 0)
    fill, mark = SIDES[side].fill, MARKS[side]
    layers = min(height, MOST_LAYERS) - 1
    items: list[s.Item] = [
        s.Circle(0, LAYER * (layers / 2 - layer), RADIUS, fill, f"{fill}_deep", 1.5)
        for layer in range(layers + 1)
    ]
    y = -LAYER * layers / 2
    if abs(kind) in (b.TZAAR, b.TZARRA):
        items.append(s.Circle(0, y, 19, stroke=mark, width=3))
    if abs(kind) == b.TZAAR:
        items.append(s.Circle(0, y, 14, fill=mark))
    if height > 1:
        ink = f"{SIDES[1 - side].fill}_ink" if abs(kind) == b.TZAAR else f"{fill}_ink"
        items.append(s.Text(0, y, str(height), 14, fill=ink, bold=True, room=23))
    return tuple(items)


def scene(state: StateArray, view: s.View) -> s.Scene:
    """Return the board with all stacks, and what each colour has of the three types."""
    pieces: list[s.Item] = []
    kinds, heights = state[b.KIND].tolist(), state[b.HEIGHT].tolist()
    for name, middle, kind, height in zip(b.POINT_NAMES, MIDDLES, kinds, heights, strict=True):
        label, items, ink = f"{name}: empty", EMPTY, "faint"
        if kind:
            side = SIDES[kind < 0]
            what = f"{side.name} {NAMES[abs(kind) - 1]}"
            label, items = f"{name}: {what}, height {height}", _stack(kind, height)
            ink = side.fill
        text = f"{name} {stack_name(kind, height):<3}"
        pieces.append(s.Group(items, id=name, label=label, shift=middle, text=text, ink=ink))
    for seat in (b.WHITE, b.BLACK):
        pieces += _counts(state, seat)
    status = _status(state)
    pieces.append(s.Text(WIDTH / 2, HEIGHT_ - 18, status, 15, bold=True, room=WIDTH - 40))
    if state[STATUS] == RUNNING and state[b.PHASE] == b.ACTION_2:
        x, y = PASS.x, PASS.y
        disc = s.Circle(x, y, 24, fill="panel", stroke="panel_line", width=1.5)
        word = s.Text(x, y, "pass", 13, room=40)
        pieces.append(s.Group((disc, word), id="pass", label="pass"))
    return s.Scene(
        *(WIDTH, HEIGHT_, f"Tzaar. {status}.", SIDES, _ground()),
        pieces=tuple(pieces),
        character=FILE_WIDTH / 5,
        legend=LEGEND,
    )


def _counts(state: StateArray, seat: int) -> list[s.Item]:
    """Return the number of stacks of each type of a colour, or of pieces still to be placed."""
    placing = state[b.PHASE] == b.PLACE
    counts = state[b.RESERVE if placing else b.TOPS].reshape(2, 3)[seat].tolist()
    top = seat == b.BLACK
    items: list[s.Item] = []
    for index, count in enumerate(counts):
        x, y = 24.0 + 40 * index, 28.0 if top else 556.0
        letter, fill = LETTERS[index], SIDES[seat].fill
        text = letter if seat == b.WHITE else letter.lower()
        items.append(s.Group(_small_piece(seat, index), shift=(x, y), text=text, ink=fill))
        ink = "danger" if count == 0 and not placing else "ink"
        items.append(s.Text(x, y + 28, str(count), 14, ink, bold=True))
    return items


@functools.cache
def _small_piece(seat: int, index: int) -> tuple[s.Item, ...]:
    fill, mark = SIDES[seat].fill, MARKS[seat]
    items: list[s.Item] = [s.Circle(0, 0, 15, fill, f"{fill}_deep", 1.2)]
    if index < b.TZARRA:
        items.append(s.Circle(0, 0, 11.4, stroke=mark, width=2))
    if index < b.TZAAR:
        items.append(s.Circle(0, 0, 8, fill=mark))
    return tuple(items)


def _status(state: StateArray) -> str:
    if state[STATUS] != RUNNING:
        return f"{SIDES[state[b.WINNER]].name} has won"
    return f"{SIDES[state[SEAT]].name} to {TASKS[state[b.PHASE]]}"


def trace(state: StateArray, action: int) -> s.Trace:
    """Return the stack and its target, the point of a placement, or the field that passes."""
    if action == b.PASS_ACTION:
        return s.Trace((PASS,))
    if action >= b.PLACE_ACTION:
        piece, cell = divmod(action - b.PLACE_ACTION, b.CELLS)
        return s.Trace((_stop(int(b.POINT_OF_CELL[cell])),), mark=NAMES[piece])
    direction, cell = divmod(action, b.CELLS)
    start = int(b.POINT_OF_CELL[cell])
    return s.Trace((_stop(start), _stop(int(first_stack(state, start, direction)))), arrow=True)


def _stop(point: int) -> s.Stop:
    return s.Stop(b.POINT_NAMES[point], *MIDDLES[point], RADIUS)
