"""The picture of Black Elephant."""

from __future__ import annotations

import functools

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.toolkit import Cell
from tzaar_envs.games.black_elephant import FACINGS, PATHS, PLACES, rules
from tzaar_envs.games.black_elephant import board as b
from tzaar_envs.games.black_elephant.notation import ELEPHANTS, NAMES, field_name
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render import scene as s

CELL = 64.0
BOARD = b.SIZE * CELL
AREA = 92.0  # the depth of a start area
TRACK = 46.0  # the width of a watcher's path
FRAME = TRACK - 3
LEFT, TOP = 14 + AREA + TRACK, 12 + TRACK
RIGHT, BOTTOM = LEFT + BOARD, TOP + BOARD
WIDTH = RIGHT + TRACK + 14
PANEL = BOTTOM + TRACK + AREA + 10
HEIGHT = PANEL + 152
LINE_Y = (PANEL + 50, PANEL + 94)  # the middle of each player's line
POINTS_X, COLUMN_X = 172.0, tuple(262.0 + 108 * column for column in range(4))

SIDES = (s.Side("West", "yellow"), s.Side("South", "blue"))
LEGEND = (
    "0> 1^ elephants with facing  * on a log  = log",
    "x burnt log  [ ] danger field  10+0 elephants of",
    "West and South in an area  D:0 West's watcher on D",
    "West (0) wants to reach G1-G6, South (1) A7-F7.",
)
# What a board of text shows for the content of a field, and its ink.
SIGNS = {".": (" . ", "faint"), "l": (" = ", "log"), "x": (" x ", "burnt"), "#": ("###", "faint")}
SIGNS |= {
    name: (f"{owner}{'^>v<'[facing]}{name[2:] or ' '}", SIDES[owner].fill)
    for name, (owner, facing) in ELEPHANTS.items()
}
AREA_NAMES = ("West", "South")
COUNTED = ("logs", "home", "captives", "to burn")  # what a player's points come from


_half = CELL / 2 - 3
_stripes = "".join(
    f"M{max(-_half, at - _half):g} {min(_half, at + _half):g}"
    f"L{min(_half, at + _half):g} {max(-_half, at - _half):g}"
    for at in (-42, -21, 0, 21, 42)
)
DANGER_FIELD: tuple[s.Item, ...] = (
    s.Rect(-_half, -_half, 2 * _half, 2 * _half, "danger", opacity=0.16),
    s.Path(_stripes, stroke="danger", width=2, opacity=0.45),
    s.Rect(-_half, -_half, 2 * _half, 2 * _half, stroke="danger", width=3.5, r=3),
)


def _middle(cell: Cell) -> s.Point:
    """Return the middle of a field."""
    rank, file = divmod(cell, b.SIZE)
    return LEFT + CELL * (file + 0.5), TOP + CELL * (b.SIZE - rank - 0.5)


def _on_path(path: int, place: int) -> s.Point:
    """Return the point where a watcher stands."""
    if path < b.FIRST_RANK_PATH:
        x = LEFT + CELL * (place + 0.5)
        return (x, TOP - TRACK / 2) if path == b.PATH_N else (x, BOTTOM + TRACK / 2)
    y = TOP + CELL * (b.SIZE - place - 0.5)
    return (LEFT - TRACK / 2, y) if path == b.PATH_W else (RIGHT + TRACK / 2, y)


@functools.cache
def _ground() -> tuple[s.Item, ...]:
    items: list[s.Item] = [
        s.Rect(14, TOP, AREA - 6, BOARD, "yellow", r=10, opacity=0.22),
        s.Rect(LEFT, BOTTOM + TRACK + 6, BOARD, AREA - 6, "blue", r=10, opacity=0.22),
        s.Rect(LEFT - FRAME, TOP - FRAME, BOARD + 2 * FRAME, BOARD + 2 * FRAME, "board", r=14),
        s.Rect(LEFT, TOP, BOARD, BOARD, "field"),
    ]
    # A goal field has a band along the edge of the board.
    for seat, side in enumerate(SIDES):
        for cell in range(b.CELLS):
            if rules.contains(int(b.GOALS[seat]), cell):
                x, y = (middle - CELL / 2 for middle in _middle(cell))
                items.append(s.Rect(x, y, CELL, CELL, side.fill, opacity=0.18))
                if seat == b.WEST_SEAT:
                    items.append(s.Rect(x + CELL - 7, y, 7, CELL, side.fill))
                else:
                    items.append(s.Rect(x, y, CELL, 7, side.fill))
    for index in range(b.SIZE + 1):
        x, y = LEFT + CELL * index, TOP + CELL * index
        items.append(s.line(((x, TOP), (x, BOTTOM)), "line", 1.5))
        items.append(s.line(((LEFT, y), (RIGHT, y)), "line", 1.5))
    x, y = _middle(b.BLACK_FIELD)
    items.append(s.Rect(x - CELL / 2, y - CELL / 2, CELL, CELL, "burnt"))
    items.append(s.cross(x, y, 12, "burnt_end", 4))
    for name, at in zip(("points", *COUNTED), (POINTS_X, *COLUMN_X), strict=True):
        items.append(s.Text(at, PANEL + 14, name, 15, "faint"))
    return tuple(items)


@functools.cache
def _elephant(fill: str, facing: int, scale: float = 1.0) -> s.Group:
    """Return an elephant from above, around (0, 0)."""

    def oval(x: float, y: float, rx: float, ry: float) -> str:
        return s.ellipse(x * scale, y * scale, rx * scale, ry * scale)

    def curve(*numbers: float) -> str:
        x0, y0, *rest = (round(number * scale, 2) for number in numbers)
        return f"M{x0} {y0}C" + " ".join(map(str, rest))

    deep = f"{fill}_deep"
    thin, thick = 1.6 * scale, 5 * scale
    items: tuple[s.Item, ...] = (
        s.Path(curve(0, 22, 1, 26, 4, 26, 3, 29), stroke=deep, width=2 * scale),
        s.Path(curve(0, -17, 0, -24, 3, -24, 2, -29), stroke=deep, width=thick + 2 * scale),
        s.Path(curve(0, -17, 0, -24, 3, -24, 2, -29), stroke=fill, width=thick - scale),
        s.Path(curve(-5, -18, -8, -22, -7, -24, -5, -27), stroke="white", width=2.4 * scale),
        s.Path(curve(5, -18, 8, -22, 9, -24, 7, -27), stroke="white", width=2.4 * scale),
        s.Path(oval(0, 7, 13, 16), fill, deep, thin),
        s.Path(oval(-12, -9, 7, 8), fill, deep, thin),
        s.Path(oval(12, -9, 7, 8), fill, deep, thin),
        s.Path(oval(0, -11, 9, 10), fill, deep, thin),
        s.Circle(-4 * scale, -15 * scale, 1.5 * scale, "black_deep"),
        s.Circle(4 * scale, -15 * scale, 1.5 * scale, "black_deep"),
    )
    return s.Group(items, turn=90.0 * facing)


@functools.cache
def _log(fill: str, length: float = 46.0, thickness: float = 15.0) -> tuple[s.Item, ...]:
    """Return a log around (0, 0), turned a little."""
    half, r = length / 2, thickness / 2
    items = (
        s.Rect(-half, -r, length, thickness, fill, f"{fill}_deep", 1.5, r=r),
        s.Path(s.ellipse(half - r, 0, r * 0.72, r - 1.5), f"{fill}_end", f"{fill}_deep", 1),
        s.line(((-half + r, -r * 0.3), (half - 3.2 * r, -r * 0.3)), f"{fill}_deep", 1, 0.7),
        s.line(((-half + 1.6 * r, r * 0.4), (half - 3.6 * r, r * 0.4)), f"{fill}_deep", 1, 0.7),
    )
    return (s.Group(items, turn=-18),)


@functools.cache
def _field(name: str, content: str) -> s.Group:
    """Return a field with its content in notation."""
    things: list[s.Item] = [s.Rect(-CELL / 2, -CELL / 2, CELL, CELL, "field", opacity=0.0)]
    words = []
    if content == "l" or content.endswith("*"):
        things += _log("log", 46.0 if content == "l" else 56.0)
        words.append("log")
    if content == "x":
        things += _log("burnt", 50.0, 18.0)
        words.append("burnt log")
    if content in ELEPHANTS:
        owner, facing = ELEPHANTS[content]
        things.append(_elephant(SIDES[owner].fill, facing))
        words.insert(0, f"elephant of {SIDES[owner].name} facing {FACINGS[facing]}")
    label = f"{name}: {' on a '.join(words) or 'empty'}"
    return s.Group(tuple(things), id=name, label=label)


def scene(state: StateArray, view: s.View) -> s.Scene:
    """Return board, watchers, start areas and what the players hold."""
    pieces: list[s.Item] = [*_danger(state)]
    danger = rules.danger_cells(state)
    for cell, name in enumerate(NAMES):
        content = field_name(state, cell)
        text, ink = SIGNS[content]
        if rules.contains(danger, cell):
            text = f"[{text}]"
        field = _field(name, content)
        pieces.append(s.Group((field,), shift=_middle(cell), text=text, ink=ink))
    pieces += _paths(state)
    pieces += _areas(state)
    for seat in (b.WEST_SEAT, b.SOUTH_SEAT):
        pieces += _possessions(state, seat)
    status = _status(state)
    pieces.append(s.Text(WIDTH / 2, HEIGHT - 20, status, 16, bold=True, room=WIDTH - 40))
    return s.Scene(
        *(WIDTH, HEIGHT, f"Black Elephant. {status}.", SIDES, _ground()),
        pieces=tuple(pieces),
        character=CELL / 5,
        legend=LEGEND,
    )


def _danger(state: StateArray) -> list[s.Item]:
    """Return the watched files and ranks, and the danger fields where they cross."""
    items: list[s.Item] = []
    for path in range(len(PATHS)):
        watched = int(rules.watched_cells(state, path))
        first = (watched & -watched).bit_length() - 1
        x, y = _middle(first)
        if path < b.FIRST_RANK_PATH:
            items.append(s.Rect(x - CELL / 2 + 3, TOP, CELL - 6, BOARD, "danger", opacity=0.07))
        else:
            items.append(s.Rect(LEFT, y - CELL / 2 + 3, BOARD, CELL - 6, "danger", opacity=0.07))
    for cell in range(b.CELLS):
        if rules.contains(rules.danger_cells(state), cell):
            items.append(s.Group(DANGER_FIELD, shift=_middle(cell)))
    return items


def _paths(state: StateArray) -> list[s.Item]:
    """Return the four paths, each with its watcher on a disc in the colour of its owner."""
    items: list[s.Item] = []
    owners = {int(state[b.OWN_PATH + watcher]): watcher // 2 for watcher in range(4)}
    for path, letter in enumerate(PATHS):
        for place, name in enumerate(PLACES[letter]):
            x, y = _on_path(path, place)
            things: list[s.Item] = [s.Text(0, 0, name, 14, fill="faint")]
            label, text, ink = f"place {name} on path {letter}", name, "faint"
            if state[b.PLACE + path] == place:
                owner = SIDES[owners[path]]
                inward = {b.PATH_N: b.SOUTH, b.PATH_S: b.NORTH, b.PATH_W: 1, b.PATH_E: 3}[path]
                things = [
                    s.Circle(0, 0, 20.5, owner.fill, f"{owner.fill}_deep", 1.5),
                    _elephant("black", inward, 0.66),
                ]
                label = f"watcher {letter} of {owner.name} on {name}"
                text, ink = f"{name}:{owners[path]}", owner.fill
            place_id = f"watch {letter}{name}"
            items.append(s.Group(tuple(things), place_id, label, (x, y), text=text, ink=ink))
    return items


def _areas(state: StateArray) -> list[s.Item]:
    """Return the elephants that wait in the start areas."""
    items: list[s.Item] = []
    depth = AREA - 6
    for area, name in enumerate(AREA_NAMES):
        counts = [int(state[b.WAITING + 2 * seat + area]) for seat in (0, 1)]
        rows = max(b.ELEPHANTS, sum(counts)) / 2  # of two elephants
        middle, box = (14 + depth / 2, TOP + BOARD / 2), (depth, BOARD)
        if area != b.WEST_AREA:
            middle, box = (LEFT + BOARD / 2, BOTTOM + TRACK + 6 + depth / 2), (BOARD, depth)
        things: list[s.Item] = [s.Rect(-box[0] / 2, -box[1] / 2, *box, "field", r=10, opacity=0.0)]
        for index, seat in enumerate([0] * counts[0] + [1] * counts[1]):
            row, column = divmod(index, 2)
            along = BOARD / rows * (row + 0.5) - BOARD / 2
            across = 23.0 + 40 * column - depth / 2
            elephant = _elephant(SIDES[seat].fill, 1 - area, 0.62)
            shift = (across, along) if area == b.WEST_AREA else (along, across)
            things.append(s.Group((elephant,), shift=shift))
        label = f"{name} area: {counts[0]} elephants of West, {counts[1]} of South"
        text = f"{counts[0]}+{counts[1]}"
        items.append(s.Group(tuple(things), f"area {AREA_NAMES[area]}", label, middle, text=text))
    return items


def _possessions(state: StateArray, seat: int) -> list[s.Item]:
    """Return a line with a player's points and what they are made of."""
    points = np.empty(2)
    rules.scores(state, points)
    y = LINE_Y[seat]
    fill = SIDES[seat].fill
    counted: tuple[tuple[s.Item, int], ...] = (
        (s.Group(_log("log", 38, 13)), int(state[b.HELD + seat])),
        (_elephant(fill, 1, 0.6), int(state[b.HOME + seat])),
        (_elephant(SIDES[1 - seat].fill, 1, 0.6), int(state[b.CAPTIVES + seat])),
        (s.Group(_log("burnt", 38, 14)), int(state[b.BURNT_LEFT + seat])),
    )
    items: list[s.Item] = [
        s.Rect(14, y - 19, WIDTH - 28, 38, "panel", "panel_line", 1.5, r=10),
        s.Circle(34, y, 10, fill, f"{fill}_deep", 1.5),
        s.Text(54, y, SIDES[seat].name, 16, anchor="start", bold=True),
        s.Text(POINTS_X, y, str(int(points[seat])), 20, bold=True),
    ]
    for name, x, (icon, count) in zip(COUNTED, COLUMN_X, counted, strict=True):
        things = (
            s.Rect(x - 50, y - 17, 100, 34, "panel"),
            s.Group((icon,), shift=(x - 22, y)),
            s.Text(x + 8, y, str(count), 18, anchor="start", bold=True),
        )
        place = f"burnt {seat}" if name == COUNTED[-1] else ""
        items.append(s.Group(things, id=place, label=f"{SIDES[seat].name}: {count} {name}"))
    return items


def _status(state: StateArray) -> str:
    played = f"action {state[b.PLIES] + 1}"
    if state[b.PASSES] > 0:
        played += ", after a pass"
    if state[b.IDLE] > 20:
        played += f", {state[b.IDLE]} without progress"
    if state[STATUS] == RUNNING:
        return f"{SIDES[state[SEAT]].name} to move, {played}"
    points = np.empty(2)
    rules.scores(state, points)
    winner = SIDES[int(points.argmax())].name
    return f"{winner} has won, {int(points.max())} : {int(points.min())}"


def trace(state: StateArray, action: int) -> s.Trace:
    """Return the places that an action involves."""
    if action == b.PASS_ACTION:
        return s.Trace()
    plane, cell = divmod(action, b.CELLS)
    here = _stop(cell)
    seat = int(state[SEAT])
    if plane < b.EXIT_PLANE:
        return s.Trace((here, _stop(int(b.TARGET[cell, plane]))), arrow=True)
    if plane < b.JUMP_PLANE:
        area = rules.area_ahead(rules.facing_at(state, cell))
        return s.Trace((here, _area_stop(area, cell)), arrow=True)
    if plane < b.ENTER_PLANE:
        facing = rules.facing_at(state, cell)
        target = int(b.TARGET[b.TARGET[cell, facing], facing])
        turned = FACINGS[plane - b.JUMP_PLANE][0].upper()
        return s.Trace((here, _stop(target)), arrow=True, mark=turned)
    if plane < b.WATCH_PLANE:
        return s.Trace((_area_stop(plane - b.ENTER_PLANE, cell), here), arrow=True)
    if plane < b.BURN_PLANE:
        first, second = state[b.OWN_PATH + 2 * seat : b.OWN_PATH + 2 * seat + 2].tolist()
        return s.Trace((_path_stop(first, cell % b.SIZE), _path_stop(second, cell // b.SIZE)))
    return s.Trace((s.Stop(f"burnt {seat}", COLUMN_X[3] - 22, LINE_Y[seat], 24), here), shown=1)


def _stop(cell: Cell) -> s.Stop:
    return s.Stop(NAMES.name(cell), *_middle(cell), CELL / 2, square=True)


def _path_stop(path: int, place: int) -> s.Stop:
    letter = PATHS[path]
    return s.Stop(f"watch {letter}{PLACES[letter][place]}", *_on_path(path, place), 21)


def _area_stop(area: int, cell: Cell) -> s.Stop:
    """Return the place of a start area beside a field."""
    x, y = _middle(cell)
    at = (14 + AREA / 2, y) if area == b.WEST_AREA else (x, BOTTOM + TRACK + AREA / 2)
    return s.Stop(f"area {AREA_NAMES[area]}", *at, 24)
