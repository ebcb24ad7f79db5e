"""The picture of Zatre."""

from __future__ import annotations

import functools

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.zatre.board import (
    BOARD,
    CELLS,
    COLUMNS,
    COUNTS,
    CROSS,
    HANDS,
    IS_CELL,
    IS_LIGHT,
    MAX_SEATS,
    NO_CELL,
    PENDING,
    PLAYERS,
    POINTS,
    SHEET_COLUMNS,
    SIZE,
    START,
    TEN,
    TOTALS,
    TWELVE,
    VALUE_MASK,
)
from tzaar_envs.games.zatre.notation import NAMES, hand_name, placed_cells
from tzaar_envs.games.zatre.rules import bag_size, bonus, hand_size, lines_in, row_value, scores
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render.parts import cross
from tzaar_envs.render.scene import EVERYTHING, Scene, Side, Stop, Trace, View
from tzaar_envs.render.shapes import Circle, Group, Item, Point, Rect, Text, line

CELL = 36.0
LEFT, TOP = 34.0, 30.0
FRAME = SIZE * CELL
WIDTH = LEFT + FRAME + 14
STATUS_Y = TOP + FRAME + 22
HANDS_TOP = STATUS_Y + 22
HAND_HEIGHT = 40.0
TILE = 32.0
MOST_TILES = 6  # of a hand that are drawn one by one
ROW = 17.0  # the height of a row of a sheet
ROWS_SHOWN = 16
ROW_NUMBERS = 52.0  # the width of the columns with row and bonus

SIDES = tuple(
    Side(f"Player {seat}", fill)
    for seat, fill in zip(range(MAX_SEATS), ("red", "blue", "green", "purple"), strict=True)
)
TIMES_2 = "\N{MULTIPLICATION SIGN}2"
COLUMN_TITLES = (TIMES_2, "10", "11", "12", "=")
COLUMN_SHARES = (0.17, 0.2, 0.2, 0.2, 0.23)


def height(players: int) -> float:
    """Return the height of the picture."""
    return _sheets_top(players) + 46 + ROW * (ROWS_SHOWN + 1) + 22


def _sheets_top(players: int) -> float:
    return HANDS_TOP + HAND_HEIGHT * ((players + 1) // 2) + 12


def _place(cell: int) -> Point:
    row, column = divmod(cell, SIZE)
    return LEFT + CELL * (column + 0.5), TOP + CELL * (row + 0.5)


@functools.cache
def _ground(players: int) -> tuple[Item, ...]:
    items: list[Item] = []
    for grow, fill in ((5, "board_deep"), (2, "board")):
        for cell in range(CELLS):
            if IS_CELL[cell]:
                x, y = _place(cell)
                half = CELL / 2 + grow
                items.append(Rect(x - half, y - half, 2 * half, 2 * half, fill, r=grow))
    for cell in range(CELLS):
        if IS_CELL[cell]:
            x, y = _place(cell)
            half = CELL / 2 - 1
            fill = "stone" if not IS_LIGHT[cell] else "white"
            if cell == START:
                fill = "red"
            items.append(Rect(x - half, y - half, 2 * half, 2 * half, fill, r=3))
    for index in range(SIZE):
        x, y = _place(index * (SIZE + 1))
        items.append(Text(x, TOP - 16, COLUMNS[index], 9, fill="faint"))
        items.append(Text(LEFT - 18, y, str(index + 1), 9, fill="faint"))
    items += _empty_sheets(players)
    return tuple(items)


def _sheet_columns(players: int, seat: int) -> list[tuple[float, float]]:
    """Return left edge and width of each column of a sheet."""
    width = (WIDTH - 14 - LEFT - ROW_NUMBERS + 20) / players
    left = LEFT - 20 + ROW_NUMBERS + width * seat
    columns = []
    for share in COLUMN_SHARES:
        columns.append((left + 3, share * (width - 6)))
        left += share * (width - 6)
    return columns


def _empty_sheets(players: int) -> list[Item]:
    top = _sheets_top(players)
    items: list[Item] = [
        Text(LEFT - 6, top + 32, "row", 7, fill="faint"),
        Text(LEFT + 18, top + 32, "+", 8, fill="faint"),
    ]
    for seat in range(players):
        columns = _sheet_columns(players, seat)
        left, right = columns[0][0], sum(columns[-1])
        box = Rect(left, top, right - left, 46 + ROW * (ROWS_SHOWN + 1), "panel", "panel_line", 1.2)
        items.append(box)
        items.append(Rect(left, top, right - left, 20, SIDES[seat].fill))
        ink = f"{SIDES[seat].fill}_ink"
        room = right - left - 10
        items.append(
            Text((left + right) / 2, top + 10, SIDES[seat].name, 9, ink, bold=True, room=room)
        )
        for (x, width), title in zip(columns, COLUMN_TITLES, strict=True):
            items.append(Text(x + width / 2, top + 32, title, 8, fill="faint", room=width - 4))
            items.append(line(((x, top + 22), (x, top + 44 + ROW * ROWS_SHOWN)), "panel_line", 1))
        for row in range(ROWS_SHOWN + 1):
            y = top + 44 + ROW * row
            items.append(line(((left, y), (right, y)), "panel_line", 1))
    return items


@functools.cache
def _tile(value: int, outline: str = "tile_deep", width: float = 1.4) -> tuple[Item, ...]:
    """Return a tile around (0, 0)."""
    half = TILE / 2
    shadow = Rect(-half, -half + 2, TILE, TILE, "tile_deep", r=4)
    face = Rect(-half, -half, TILE, TILE - 1, "tile", outline, width, r=4)
    return (shadow, face, Text(0, -0.5, str(value), 17, "tile_ink", bold=True))


@functools.cache
def _back() -> tuple[Item, ...]:
    """Return the back of a tile around (0, 0)."""
    half = TILE / 2
    return (
        Rect(-half, -half + 2, TILE, TILE, "back_deep", r=4),
        Rect(-half, -half, TILE, TILE - 1, "back", "back_deep", 1.4, r=4),
        Rect(-half + 6, -half + 6, TILE - 12, TILE - 13, stroke="back_deep", width=1.6, r=2),
        cross(0, -0.5, 4, "back_deep", 1.6),
    )


def scene(state: StateArray, view: View) -> Scene:
    """Return board, hands and sheets; hands that the viewer cannot see are face down."""
    players = int(state[PLAYERS])
    placed, pending = placed_cells(state), int(state[PENDING])
    pieces: list[Item] = []
    for cell, value in enumerate((state[BOARD] & VALUE_MASK).tolist()):
        if not IS_CELL[cell]:
            continue
        name = NAMES.name(cell)
        items = _empty(bool(IS_LIGHT[cell]))
        label = f"{name}: empty{', light' if IS_LIGHT[cell] else ''}"
        if value:
            outline = "danger" if cell == pending else "last" if cell in placed else "tile_deep"
            items = _tile(value, outline, 3.2 if cell in placed else 1.4)
            label = f"{name}: {value}" + (", laid in this turn" if cell in placed else "")
        pieces.append(Group(items, id=name, label=label, shift=_place(cell)))
    status = _status(state)
    pieces.append(Text(LEFT, STATUS_Y, status, 11, anchor="start", bold=True, room=FRAME - 120))
    bag = f"{bag_size(state)} tiles in the bag"
    pieces.append(Text(LEFT + FRAME, STATUS_Y, bag, 8, "faint", anchor="end"))
    for seat in range(players):
        pieces += _hand(state, seat, view.viewer)
    pieces += _sheets(state)
    title = f"Zatre. {status}."
    return Scene(
        *(WIDTH, height(players), title, SIDES[:players], _ground(players)), pieces=tuple(pieces)
    )


@functools.cache
def _empty(light: bool) -> tuple[Item, ...]:
    """Return an empty cell around (0, 0), whose ground is on the board."""
    whole = Rect(-CELL / 2, -CELL / 2, CELL, CELL, "field", opacity=0.0)
    return (whole, Text(0, 0, TIMES_2, 8, "white_deep")) if light else (whole,)


def _hand_left(seat: int) -> tuple[float, float]:
    row, column = divmod(seat, 2)
    return LEFT + column * (FRAME / 2 + 6), HANDS_TOP + HAND_HEIGHT * row


def _hand(state: StateArray, seat: int, viewer: int) -> list[Item]:
    """Return the tiles of a hand, face down if the viewer cannot see them."""
    left, top = _hand_left(seat)
    size = int(hand_size(state[HANDS][seat]))
    # At the end of the game the hands are counted, and so public.
    shown = viewer in (EVERYTHING, seat) or state[STATUS] != RUNNING
    tiles = hand_name(state, seat).replace("-", "") if shown else "?" * size
    y = top + HAND_HEIGHT / 2
    fill = SIDES[seat].fill
    active = state[STATUS] == RUNNING and state[SEAT] == seat
    items: list[Item] = [
        Circle(left + 9, y, 8, fill, "last" if active else f"{fill}_deep", 3 if active else 1.2),
        Text(left + 9, y, str(seat), 8, f"{fill}_ink", bold=True),
    ]
    for index, value in enumerate(tiles[:MOST_TILES]):
        at = (left + 40 + (TILE + 3) * index, y)
        if shown:
            owner = seat == state[SEAT]
            place = f"tile {value}" if owner else ""
            items.append(Group(_tile(int(value)), id=place, label=f"tile {value}", shift=at))
        else:
            items.append(Group(_back(), label="a tile, face down", shift=at))
    if size > MOST_TILES:
        more = f"+{size - MOST_TILES}"
        items.append(Text(left + 40 + (TILE + 3) * MOST_TILES - 10, y, more, 9, anchor="start"))
    return items


def _sheets(state: StateArray) -> list[Item]:
    """Return the entries; if there are more rows than fit, the last ones."""
    players = int(state[PLAYERS])
    counts = state[COUNTS].reshape(-1, SHEET_COLUMNS)[:players]
    first = max(0, int(counts.max()) + 1 - ROWS_SHOWN)
    top = _sheets_top(players)
    items: list[Item] = []
    for index in range(ROWS_SHOWN):
        y = top + 44 + ROW * (index + 0.5)
        row = first + index
        items.append(Text(LEFT - 6, y, str(row + 1), 7.5, "faint"))
        items.append(Text(LEFT + 18, y, str(int(bonus(row))), 7.5, "faint"))
    for seat in range(players):
        columns = _sheet_columns(players, seat)
        for index in range(min(ROWS_SHOWN, int(counts[seat].max()) - first)):
            y = top + 44 + ROW * (index + 0.5)
            items += _sheet_row(state, seat, first + index, columns, y)
        x, width = columns[0][0], sum(columns[-1]) - columns[0][0]
        y = top + 44 + ROW * (ROWS_SHOWN + 0.5)
        total = str(int(state[TOTALS][seat]))
        items.append(Text(x + 8, y + 1, "total", 8, "faint", anchor="start", room=width * 0.5))
        items.append(Text(x + width - 6, y + 1, total, 10, anchor="end", bold=True))
    return items


def _sheet_row(
    state: StateArray, seat: int, row: int, columns: list[tuple[float, float]], y: float
) -> list[Item]:
    items: list[Item] = []
    if row < state[COUNTS][SHEET_COLUMNS * seat + CROSS]:
        x, width = columns[0]
        items.append(cross(x + width / 2, y, 3.8, "danger", 1.8))
    for column in range(TEN, TWELVE + 1):
        if lines := int(lines_in(state, seat, column, row)):
            x, width = columns[column]
            entry = str(int(POINTS[column]) * lines)
            items.append(Text(x + width / 2, y, entry, 8, room=width - 3))
    if value := int(row_value(state, seat, row)):
        x, width = columns[-1]
        items.append(Text(x + width / 2, y, str(value), 8, bold=True, room=width - 3))
    return items


def _status(state: StateArray) -> str:
    players = int(state[PLAYERS])
    if state[STATUS] != RUNNING:
        points = np.zeros(players)
        scores(state, points)
        winners = [SIDES[seat].name for seat in range(players) if points[seat] == points.max()]
        return f"{' and '.join(winners)} won, {' : '.join(f'{value:.0f}' for value in points)}"
    text = f"{SIDES[state[SEAT]].name} to lay a tile"
    if state[PENDING] != NO_CELL:
        text += f" that completes {NAMES.name(int(state[PENDING]))}"
    return text + (", last turn" if bag_size(state) == 0 else "")


def trace(state: StateArray, action: int) -> Trace:
    """Return the tile in the hand and the cell where it goes."""
    value, cell = divmod(action, CELLS)
    left, top = _hand_left(int(state[SEAT]))
    values = hand_name(state, int(state[SEAT]))
    index = min(max(values.find(str(value + 1)), 0), MOST_TILES - 1)
    tile = Stop(
        *(f"tile {value + 1}", left + 40 + (TILE + 3) * index, top + HAND_HEIGHT / 2, TILE / 2),
        square=True,
    )
    target = Stop(NAMES.name(cell), *_place(cell), CELL / 2, square=True)
    return Trace((tile, target), mark=str(value + 1), shown=1)
