"""The picture of Turm & Wächter."""

from __future__ import annotations

import functools

from tzaar_envs.core.kernel import NOBODY, RUNNING, SEAT, STATUS
from tzaar_envs.core.toolkit import Cell
from tzaar_envs.games.turm_und_waechter import board as b
from tzaar_envs.games.turm_und_waechter.notation import FILES, NAMES, figure_name
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render import scene as s

CELL = 70.0
LEFT, TOP = 40.0, 22.0
WIDTH = LEFT + b.SIZE * CELL + 22
HEIGHT = TOP + b.SIZE * CELL + 72
LAYER = 4.6  # the height of a stone
RX, RY = 25.0, 13.5  # of a stone, seen from above at an angle

SIDES = (s.Side("Red", "red"), s.Side("Blue", "blue"))
LEGEND = (
    "r2 two red stones  RG red guard  b2 BG the blue",
    "[ ] castle: D7 is Red's, D1 Blue's  . empty",
)
EMPTY: tuple[s.Item, ...] = (s.Rect(-CELL / 2, -CELL / 2, CELL, CELL, "field", opacity=0.0),)
CASTLES = {b.RED_CASTLE: b.RED, b.BLUE_CASTLE: b.BLUE}


def _middle(cell: Cell) -> s.Point:
    """Return the middle of a field."""
    rank, file = divmod(cell, b.SIZE)
    return LEFT + CELL * (file + 0.5), TOP + CELL * (b.SIZE - rank - 0.5)


@functools.cache
def _ground() -> tuple[s.Item, ...]:
    board = b.SIZE * CELL
    items: list[s.Item] = [
        s.Rect(LEFT - 6, TOP - 6, board + 12, board + 12, "board_deep", r=6),
        s.Rect(LEFT, TOP, board, board, "field"),
    ]
    for cell in range(b.CELLS):
        if cell % 2:
            x, y = _middle(cell)
            items.append(s.Rect(x - CELL / 2, y - CELL / 2, CELL, CELL, "field_alt"))
    for cell, seat in CASTLES.items():
        items.append(s.Group(_castle(seat), shift=_middle(cell)))
    for index in range(b.SIZE):
        x, y = _middle(index * b.SIZE + index)
        items.append(s.Text(x, TOP + board + 22, FILES[index], 13, fill="faint"))
        items.append(s.Text(LEFT - 20, y, str(index + 1), 13, fill="faint"))
    return tuple(items)


def _castle(seat: int) -> tuple[s.Item, ...]:
    """Return a castle around (0, 0): a field with battlements, the wall on the board's edge."""
    colour = SIDES[seat].fill
    half = CELL / 2
    wall = half - 4 if seat == b.BLUE else -half + 4
    outward = 1 if seat == b.BLUE else -1
    points = [(-half, wall + outward * 4), (-half, wall - outward * 8)]
    for tooth in range(5):
        x = -half + CELL / 9 * 2 * tooth
        inner, outer = wall - outward * 8, wall - outward * 1
        points += [(x, inner), (x + CELL / 9, inner)]
        points += [(x + CELL / 9, outer), (x + CELL / 9 * 2, outer)] if tooth < 4 else []
    points.append((half, wall + outward * 4))
    return (
        s.Rect(-half, -half, CELL, CELL, colour, opacity=0.22),
        s.Polygon(tuple(points), colour, opacity=0.75),
        s.Rect(-half + 1.5, -half + 1.5, CELL - 3, CELL - 3, stroke=colour, width=3),
    )


@functools.cache
def _tower(seat: int, height: int) -> tuple[s.Item, ...]:
    """Return a tower around (0, 0), with its height on the topmost stone."""
    colour = SIDES[seat].fill
    deep, ink = f"{colour}_deep", f"{colour}_ink"
    base = LAYER * height / 2
    top = base - LAYER * height
    side = (
        f"M{-RX:g} {top:g}L{-RX:g} {base:g}C{-RX:g} {base + RY * 1.33:g} {RX:g} "
        f"{base + RY * 1.33:g} {RX:g} {base:g}L{RX:g} {top:g}Z"
    )
    items: list[s.Item] = [s.Path(side, colour, deep, 2)]
    for stone in range(1, height):
        y = base - LAYER * stone
        curve = f"M{-RX:g} {y:g}C{-RX:g} {y + RY * 1.33:g} {RX:g} {y + RY * 1.33:g} {RX:g} {y:g}"
        items.append(s.Path(curve, stroke=deep, width=1.4))
    items.append(s.Path(s.ellipse(0, top, RX, RY), colour, deep, 2))
    if seat == b.BLUE:  # a second mark beside the colour
        items.append(s.Path(s.ellipse(0, top, RX - 4, RY - 3), stroke=ink, width=1, opacity=0.7))
    items.append(s.Text(0, top, str(height), 14, fill=ink, bold=True))
    return tuple(items)


@functools.cache
def _guard(seat: int) -> tuple[s.Item, ...]:
    """Return a guard around (0, 0), with helmet and spear."""
    colour = SIDES[seat].fill
    deep, ink = f"{colour}_deep", f"{colour}_ink"
    return (
        s.line(((21, 28), (21, -24)), deep, 3),
        s.Polygon(((17, -20), (21, -31), (25, -20)), ink, deep, 1.5),
        s.Path("M-19 28C-19 6 -12 -1 0 -1C12 -1 19 6 19 28Z", colour, deep, 2),
        s.Circle(0, -12, 11, "sand", deep, 2),
        s.Path("M-12 -12C-13 -29 13 -29 12 -12Z", colour, deep, 2),
        s.Path("M-9 8L9 8L9 15C9 20 5 23 0 25C-5 23 -9 20 -9 15Z", ink, deep, 1.5),
    )


def scene(state: StateArray, view: s.View) -> s.Scene:
    """Return the board with towers, guards and castles."""
    pieces: list[s.Item] = []
    for cell, figure in enumerate(b.board_of(state).tolist()):
        name = NAMES.name(cell)
        seat = int(figure < 0)
        items = EMPTY
        label, text, ink = f"{name}: empty", ".", "faint"
        if abs(figure) == b.GUARD:
            items, label = _guard(seat), f"{name}: guard of {SIDES[seat].name}"
        elif figure != b.EMPTY:
            items = _tower(seat, abs(figure))
            label = f"{name}: tower of {SIDES[seat].name}, height {abs(figure)}"
        if figure != b.EMPTY:
            text, ink = figure_name(figure), SIDES[seat].fill
        if cell in CASTLES:
            label += f", castle of {SIDES[CASTLES[cell]].name}"
        text = f"[{text:>2}]" if cell in CASTLES else f" {text:>2} "
        shift = _middle(cell)
        pieces.append(s.Group(items, id=name, label=label, shift=shift, text=text, ink=ink))
    status = _status(state)
    pieces.append(s.Text(WIDTH / 2, HEIGHT - 22, status, 15, bold=True, room=WIDTH - 40))
    return s.Scene(
        *(WIDTH, HEIGHT, f"Turm & Wächter. {status}.", SIDES, _ground()),
        pieces=tuple(pieces),
        character=CELL / 4,
        legend=LEGEND,
    )


def _status(state: StateArray) -> str:
    plies = f"move {state[b.PLIES] + 1}"
    if state[STATUS] == RUNNING:
        again = f", position seen {state[b.OCCURRENCES]} times" if state[b.OCCURRENCES] > 1 else ""
        return f"{SIDES[state[SEAT]].name} to move, {plies}{again}"
    if state[b.WINNER] == NOBODY:
        return f"Draw after {state[b.PLIES]} moves"
    return f"{SIDES[state[b.WINNER]].name} has won after {state[b.PLIES]} moves"


def trace(state: StateArray, action: int) -> s.Trace:
    """Return start and target of a move; the distance tells how many stones move."""
    plane, start = divmod(action, b.CELLS)
    direction, stones = divmod(plane, b.MAX_RANGE)
    target = start + (stones + 1) * int(b.STEP[direction])
    return s.Trace((_stop(start), _stop(target)), arrow=True)


def _stop(cell: Cell) -> s.Stop:
    return s.Stop(NAMES.name(cell), *_middle(cell), CELL / 2, square=True)
