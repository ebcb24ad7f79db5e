"""The picture of Zatre."""

from __future__ import annotations

import functools

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.toolkit import Cell
from tzaar_envs.games.zatre import board as b
from tzaar_envs.games.zatre import rules
from tzaar_envs.games.zatre.notation import NAMES, hand_name, placed_cells
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render import scene as s

CELL = 36.0
LEFT, TOP = 34.0, 30.0
FRAME = b.SIZE * CELL
WIDTH = LEFT + FRAME + 14
STATUS_Y = TOP + FRAME + 24
HANDS_TOP = STATUS_Y + 20
HAND_HEIGHT = 40.0
TILE = 32.0
MOST_TILES = 6  # of a hand that are drawn one by one
ROW = 20.0  # the height of a row of a sheet
HEAD, TITLES = 30.0, 24.0  # the heights of the lines above the rows
ROW_NUMBERS = 64.0  # the width of the columns with row and bonus
ROW_X, BONUS_X = LEFT - 8, LEFT + 26

SIDES = tuple(
    s.Side(f"Player {seat}", fill) for seat, fill in enumerate(("red", "blue", "green", "purple"))
)
LEGEND = (
    ". dark cell  , light cell  + start cell",
    "(4) laid in this turn  [4] to be completed",
    "+ bonus of a row  = value of the row",
)
TIMES_2 = "\N{MULTIPLICATION SIGN}2"
COLUMN_TITLES = (TIMES_2, "10", "11", "12", "=")
COLUMN_SHARES = (0.18, 0.2, 0.2, 0.2, 0.22)


def rows_shown(players: int) -> int:
    """Return the number of rows of a sheet to draw; few games of good players have more."""
    return 17 if players == 2 else 12


def _sheet_height(players: int) -> float:
    return HEAD + TITLES + ROW * rows_shown(players)


def _sheets_top(players: int) -> float:
    return HANDS_TOP + HAND_HEIGHT * ((players + 1) // 2) + 12


def _middle(cell: Cell) -> s.Point:
    row, column = divmod(cell, b.SIZE)
    return LEFT + CELL * (column + 0.5), TOP + CELL * (row + 0.5)


@functools.cache
def _ground(players: int) -> tuple[s.Item, ...]:
    items: list[s.Item] = []
    cells = [cell for cell in range(b.CELLS) if b.IS_CELL[cell]]
    starts = [cell for cell in cells if cell % b.SIZE == 0 or not b.IS_CELL[cell - 1]]
    ends = [cell for cell in cells if cell % b.SIZE == b.SIZE - 1 or not b.IS_CELL[cell + 1]]
    for grow, fill in ((5.0, "board_deep"), (2.0, "board")):
        items.append(_blocks(starts, ends, CELL / 2, fill, 2 * grow))
    light = [cell for cell in cells if b.IS_LIGHT[cell]]
    for group, fill in ((cells, "stone"), (light, "white"), ([b.START], "red")):
        items.append(_blocks(group, group, CELL / 2 - 3, fill, 4.0))
    for index in range(b.SIZE):
        x, y = _middle(index * (b.SIZE + 1))
        items.append(s.Text(x, TOP - 16, b.COLUMNS[index], 12, fill="faint"))
        items.append(s.Text(LEFT - 19, y, str(index + 1), 12, fill="faint"))
    items += _empty_sheets(players)
    return tuple(items)


def _blocks(starts: list[int], ends: list[int], half: float, fill: str, edge: float) -> s.Path:
    """Return blocks of cells in a row, with an edge of the same colour that rounds their corners.

    Args:
        starts: The first cell of each block.
        ends: The last one.
        half: Half the height of a block without its edge.
        fill: The colour.
        edge: The width of the edge.
    """
    d = ""
    for start, end in zip(starts, ends, strict=True):
        left, top = (middle - half for middle in _middle(start))
        right, bottom = (middle + half for middle in _middle(end))
        d += f"M{left:g} {top:g}L{right:g} {top:g}L{right:g} {bottom:g}L{left:g} {bottom:g}Z"
    return s.Path(d, fill, fill, edge)


def _sheet_columns(players: int, seat: int) -> list[tuple[float, float]]:
    """Return left edge and width of each column of a sheet."""
    width = (WIDTH - 14 - LEFT - ROW_NUMBERS + 20) / players
    left = LEFT - 20 + ROW_NUMBERS + width * seat
    columns = []
    for share in COLUMN_SHARES:
        columns.append((left + 3, share * (width - 6)))
        left += share * (width - 6)
    return columns


def _empty_sheets(players: int) -> list[s.Item]:
    top = _sheets_top(players)
    items: list[s.Item] = [
        s.Text(ROW_X, top + HEAD + TITLES / 2, "row", 12, fill="faint"),
        s.Text(BONUS_X, top + HEAD + TITLES / 2, "+", 12, fill="faint"),
    ]
    for seat in range(players):
        columns = _sheet_columns(players, seat)
        left, right = columns[0][0], sum(columns[-1])
        box = s.Rect(left, top, right - left, _sheet_height(players), "panel", "panel_line", 1.2)
        items.append(box)
        items.append(s.Rect(left, top, right - left, HEAD, SIDES[seat].fill))
        ink = f"{SIDES[seat].fill}_ink"
        name = SIDES[seat].name if players < b.MAX_SEATS else f"P{seat}"
        items.append(s.Text(left + 8, top + HEAD / 2, name, 13, ink, "start", bold=True))
        for (x, width), title in zip(columns, COLUMN_TITLES, strict=True):
            at = x + width / 2, top + HEAD + TITLES / 2
            items.append(s.Text(*at, title, 12, fill="faint"))
        lines = [
            f"M{x:g} {top + HEAD:g}L{x:g} {top + _sheet_height(players):g}" for x, _ in columns[1:]
        ]
        for row in range(rows_shown(players)):
            y = _row_y(players, row) - ROW / 2
            lines.append(f"M{left:g} {y:g}L{right:g} {y:g}")
        items.append(s.Path("".join(lines), stroke="panel_line", width=1))
    return items


@functools.cache
def _tile(value: int, outline: str = "tile_deep", width: float = 1.4) -> tuple[s.Item, ...]:
    """Return a tile around (0, 0)."""
    half = TILE / 2
    shadow = s.Rect(-half, -half + 2, TILE, TILE, "tile_deep", r=4)
    face = s.Rect(-half, -half, TILE, TILE - 1, "tile", outline, width, r=4)
    return (shadow, face, s.Text(0, -0.5, str(value), 17, "tile_ink", bold=True))


def _row_y(players: int, index: int) -> float:
    """Return the middle of a row of the sheets."""
    return _sheets_top(players) + HEAD + TITLES + ROW * (index + 0.5)


@functools.cache
def _back(width: float = TILE) -> tuple[s.Item, ...]:
    """Return the back of a tile around (0, 0)."""
    half, inset = width / 2, width * 0.19
    inner = width - 2 * inset
    return (
        s.Rect(-half, -half + 2, width, width, "back_deep", r=4),
        s.Rect(-half, -half, width, width - 1, "back", "back_deep", 1.4, r=4),
        s.Rect(-half + inset, -half + inset, inner, inner - 1, stroke="back_deep", width=1.6, r=2),
        s.cross(0, -0.5, width / 8, "back_deep", 1.6),
    )


def scene(state: StateArray, view: s.View) -> s.Scene:
    """Return board, hands and sheets; hands that the viewer cannot see are face down."""
    players = int(state[b.PLAYERS])
    placed, pending = placed_cells(state), int(state[b.PENDING])
    pieces: list[s.Item] = []
    for cell, value in enumerate((state[b.BOARD] & b.VALUE_MASK).tolist()):
        if not b.IS_CELL[cell]:
            continue
        name = NAMES.name(cell)
        items = _empty(bool(b.IS_LIGHT[cell]))
        text, ink = (",", "ink") if b.IS_LIGHT[cell] else (".", "faint")
        label = f"{name}: empty{', light' if b.IS_LIGHT[cell] else ''}"
        if value:
            outline = "danger" if cell == pending else "last" if cell in placed else "tile_deep"
            items = _tile(value, outline, 3.2 if cell in placed else 1.4)
            label = f"{name}: {value}" + (", laid in this turn" if cell in placed else "")
            text, ink = str(value), "black"
            if cell in placed:
                text, ink = f"[{value}]" if cell == pending else f"({value})", "last"
        elif cell == b.START:
            text, ink = "+", "red"
        shift = _middle(cell)
        pieces.append(s.Group(items, id=name, label=label, shift=shift, text=f"{text:^3}", ink=ink))
    status = _status(state)
    pieces.append(s.Text(LEFT, STATUS_Y, status, 15, anchor="start", bold=True, room=FRAME - 90))
    bag = int(rules.bag_size(state))
    count = s.Text(18, 0, str(bag), 15, anchor="start")
    label, text = f"{bag} tiles in the bag", f"bag {bag}" if bag else ""
    shift = (LEFT + FRAME - 48, STATUS_Y)
    pieces.append(s.Group((*_back(24), count), label=label, shift=shift, text=text))
    for seat in range(players):
        pieces += _hand(state, seat, view.viewer)
    pieces += _sheets(state)
    bottom = _sheets_top(players) + _sheet_height(players) + 14
    return s.Scene(
        *(WIDTH, bottom, f"Zatre. {status}.", SIDES[:players], _ground(players)),
        pieces=tuple(pieces),
        character=CELL / (players + 1),
        legend=LEGEND,
    )


@functools.cache
def _empty(light: bool) -> tuple[s.Item, ...]:
    """Return an empty cell around (0, 0), whose ground is on the board."""
    whole = s.Rect(-CELL / 2, -CELL / 2, CELL, CELL, "field", opacity=0.0)
    return (whole, s.Text(0, 0, TIMES_2, 12, "white_deep")) if light else (whole,)


def _hand_left(seat: int) -> tuple[float, float]:
    row, column = divmod(seat, 2)
    return LEFT + column * (FRAME / 2 + 6), HANDS_TOP + HAND_HEIGHT * row


def _hand(state: StateArray, seat: int, viewer: int) -> list[s.Item]:
    """Return the tiles of a hand, face down if the viewer cannot see them."""
    left, top = _hand_left(seat)
    size = int(rules.hand_size(state[b.HANDS][seat]))
    # At the end of the game the hands are counted, and so public.
    shown = viewer in (s.EVERYTHING, seat) or state[STATUS] != RUNNING
    tiles = _tiles_drawn(state, seat) if shown else "?" * min(size, MOST_TILES)
    y = top + HAND_HEIGHT / 2
    fill = SIDES[seat].fill
    active = state[STATUS] == RUNNING and state[SEAT] == seat
    edge = ("last", 4.0) if active else (f"{fill}_deep", 1.2)
    disc = (s.Circle(0, 0, 12, fill, *edge), s.Text(0, 0, str(seat), 13, f"{fill}_ink", bold=True))
    items: list[s.Item] = [s.Group(disc, shift=(left + 12, y), text=f"P{seat}:", ink=fill)]
    for index, value in enumerate(tiles):
        at = _tile_x(left, index), y
        if shown:
            owner = seat == state[SEAT]
            place = f"tile {value}" if owner else ""
            items.append(s.Group(_tile(int(value)), id=place, label=f"tile {value}", shift=at))
        else:
            items.append(s.Group(_back(), label="a tile, face down", shift=at, text="?"))
    if size > MOST_TILES:
        more = f"+{size - MOST_TILES}"
        items.append(s.Text(_tile_x(left, MOST_TILES) - 14, y, more, 13, anchor="start"))
    return items


def _tiles_drawn(state: StateArray, seat: int) -> str:
    """Return the tiles of a hand that are drawn: of a large one, first one of each value."""
    tiles = hand_name(state, seat).replace("-", "")
    values = "".join(sorted({*tiles}))
    others = [value for place, value in enumerate(tiles) if value in tiles[:place]]
    return "".join(sorted([*values, *others][:MOST_TILES]))


def _tile_x(left: float, index: int) -> float:
    """Return the middle of a tile in a hand."""
    return left + 46 + (TILE + 3) * index


def _sheets(state: StateArray) -> list[s.Item]:
    """Return the entries; if there are more rows than fit, the last ones."""
    players = int(state[b.PLAYERS])
    counts = state[b.COUNTS].reshape(-1, b.SHEET_COLUMNS)[:players]
    shown = rows_shown(players)
    first = max(0, int(counts.max()) + 1 - shown)
    top = _sheets_top(players)
    items: list[s.Item] = []
    for index in range(shown):
        y, row = _row_y(players, index), first + index
        numbers = (
            s.Text(ROW_X, y, str(row + 1), 12, "faint"),
            s.Text(BONUS_X, y, str(int(rules.bonus(row))), 12, "faint"),
        )
        # A board of text shows one row more than is in use: the bonus that comes next.
        items.append(s.Group(numbers, text=None if row <= counts.max() else ""))
    for seat in range(players):
        columns = _sheet_columns(players, seat)
        for index in range(min(shown, int(counts[seat].max()) - first)):
            y = _row_y(players, index)
            items += _sheet_row(state, seat, first + index, columns, y)
        total, ink = str(int(state[b.TOTALS][seat])), f"{SIDES[seat].fill}_ink"
        at = sum(columns[-1]) - 7, top + HEAD / 2
        items.append(s.Text(*at, total, 17, ink, anchor="end", bold=True))
    return items


def _sheet_row(
    state: StateArray, seat: int, row: int, columns: list[tuple[float, float]], y: float
) -> list[s.Item]:
    items: list[s.Item] = []
    if row < state[b.COUNTS][b.SHEET_COLUMNS * seat + b.CROSS]:
        x, width = columns[0]
        mark = s.cross(0, 0, 5.5, "danger", 2.6)
        items.append(s.Group((mark,), shift=(x + width / 2, y), text="x", ink="danger"))
    for column in range(b.TEN, b.TWELVE + 1):
        if lines := int(rules.lines_in(state, seat, column, row)):
            x, width = columns[column]
            entry = str(int(b.POINTS[column]) * lines)
            items.append(s.Text(x + width / 2, y, entry, 13, room=width - 3))
    if value := int(rules.row_value(state, seat, row)):
        x, width = columns[-1]
        items.append(s.Text(x + width / 2, y, str(value), 13, bold=True, room=width - 2))
    return items


def _status(state: StateArray) -> str:
    players = int(state[b.PLAYERS])
    if state[STATUS] != RUNNING:
        points = np.zeros(players)
        rules.scores(state, points)
        winners = [SIDES[seat].name for seat in range(players) if points[seat] == points.max()]
        return f"{' and '.join(winners)} won, {' : '.join(f'{value:.0f}' for value in points)}"
    name, pending = SIDES[state[SEAT]].name, int(state[b.PENDING])
    text = f"{name} to lay a tile"
    if pending != b.NO_CELL:
        text = f"{name} to complete the line of {NAMES.name(pending)}"
    return text + (", last turn" if rules.bag_size(state) == 0 else "")


def trace(state: StateArray, action: int) -> s.Trace:
    """Return the tile in the hand and the cell where it goes."""
    value, cell = divmod(action, b.CELLS)
    left, top = _hand_left(int(state[SEAT]))
    index = max(_tiles_drawn(state, int(state[SEAT])).find(str(value + 1)), 0)
    tile = s.Stop(
        *(f"tile {value + 1}", _tile_x(left, index), top + HAND_HEIGHT / 2, TILE / 2),
        square=True,
    )
    target = s.Stop(NAMES.name(cell), *_middle(cell), CELL / 2, square=True)
    return s.Trace((tile, target), mark=str(value + 1), shown=1)
