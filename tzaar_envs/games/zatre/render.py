"""The board of Zatre for a terminal."""

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.zatre import board as b
from tzaar_envs.games.zatre import rules
from tzaar_envs.games.zatre.notation import COLUMN_NAMES, NAMES, hand_name, placed_cells
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render.ansi import SeatNames, paint

SEATS = SeatNames(
    [f"Player {seat}" for seat in range(b.MAX_SEATS)],
    ("bold red", "bold blue", "bold green", "bold magenta"),
)

# Rows and bonuses are drawn once, on the left; four sheets beside them fit into 80 columns.
_MARGIN = 6
_SHEET_WIDTH = 18
_LEGEND = (
    ". dark cell  , light cell  + start cell",
    "(4) laid in this turn  [4] to be completed",
    "x2 10 11 12 columns  + bonus  = value of the row",
)


def draw(state: StateArray, viewer: int, colour: bool) -> str:
    """Return board, hands, sheets and a legend.

    Tiles of the current turn are in parentheses, that on the pending cell in brackets.
    """
    lines = [*_board(state, colour), "", *_hands(state, viewer, colour), ""]
    lines += [*_sheets(state, colour), ""]
    lines += [*(paint(line, "dim", colour) for line in _LEGEND), *_status(state, colour)]
    return "\n".join(line.rstrip() for line in lines)


def _board(state: StateArray, colour: bool) -> list[str]:
    placed = placed_cells(state)
    head = "    " + "".join(f" {column} " for column in b.COLUMNS)
    lines = [head]
    for row in range(b.SIZE):
        cells = [
            _cell(state, cell, placed, colour) for cell in range(b.SIZE * row, b.SIZE * (row + 1))
        ]
        lines.append(f"{row + 1:>3} {''.join(cells)}")
    return [*lines, head]


def _cell(state: StateArray, cell: int, placed: list[int], colour: bool) -> str:
    if not b.IS_CELL[cell]:
        return "   "
    value = int(rules.value_on(state, cell))
    if value == 0:
        if cell == b.START:
            return paint(" + ", "bold red", colour)
        return paint(" , ", "bold", colour) if b.IS_LIGHT[cell] else paint(" . ", "dim", colour)
    if cell == state[b.PENDING]:
        return paint(f"[{value}]", "bold yellow", colour)
    if cell in placed:
        return paint(f"({value})", "bold yellow", colour)
    return paint(f" {value} ", "bold cyan" if b.IS_LIGHT[cell] else "cyan", colour)


def _hands(state: StateArray, viewer: int, colour: bool) -> list[str]:
    lines = []
    for seat in range(state[b.PLAYERS]):
        size = int(rules.hand_size(state[b.HANDS][seat]))
        # At the end of the game the hands are counted, and so public.
        is_shown = viewer in (-1, seat) or state[STATUS] != RUNNING
        tiles = hand_name(state, seat) if is_shown else "?" * size or "-"
        lines.append(f"{SEATS.paint(seat, colour)} holds {tiles}")
    return [*lines, f"{rules.bag_size(state)} tiles in the bag"]


def _sheets(state: StateArray, colour: bool) -> list[str]:
    """Return the sheets side by side, with the row's bonus under `+` and its value under `=`."""
    seats = range(state[b.PLAYERS])
    counts = state[b.COUNTS].reshape(-1, b.SHEET_COLUMNS)[: len(seats)]
    gaps = [" " * (_SHEET_WIDTH - len(SEATS.names[seat])) for seat in seats]
    head = "".join(f"{name:>3}" for name in COLUMN_NAMES) + f"{'=':>4}"
    lines = [
        " " * _MARGIN + "".join(gaps[seat] + SEATS.paint(seat, colour) for seat in seats),
        "row  +" + head.rjust(_SHEET_WIDTH) * len(seats),
    ]
    # One row more than is in use shows the bonus that comes next.
    for row in range(min(int(counts.max()) + 1, b.ROWS)):
        boxes = [_sheet_row(state, seat, row).rjust(_SHEET_WIDTH) for seat in seats]
        lines.append(f"{row + 1:>3}{rules.bonus(row):>3}" + "".join(boxes))
    totals = [str(state[b.TOTALS][seat]).rjust(_SHEET_WIDTH) for seat in seats]
    return [*lines, "total".ljust(_MARGIN) + "".join(totals)]


def _sheet_row(state: StateArray, seat: int, row: int) -> str:
    crosses = state[b.COUNTS][b.SHEET_COLUMNS * seat + b.CROSS]
    boxes = ["x" if row < crosses else "."]
    for column in range(b.TEN, b.TWELVE + 1):
        lines = int(rules.lines_in(state, seat, column, row))
        boxes.append(str(b.POINTS[column] * lines) if lines else ".")
    return "".join(f"{box:>3}" for box in boxes) + f"{rules.row_value(state, seat, row):>4}"


def _status(state: StateArray, colour: bool) -> list[str]:
    if state[STATUS] != RUNNING:
        points = np.zeros(state[b.PLAYERS])
        rules.scores(state, points)
        winners = [seat for seat, score in enumerate(points) if score == points.max()]
        names = ", ".join(SEATS.paint(seat, colour) for seat in winners)
        listing = " : ".join(f"{score:.0f}" for score in points)
        return [f"Final scores {listing}", f"Won by {names}"]
    text = f"{SEATS.paint(int(state[SEAT]), colour)} to lay a tile"
    if state[b.PENDING] != b.NO_CELL:
        text += f" that completes {NAMES.name(int(state[b.PENDING]))}"
    return [text, "This is the last turn"] if rules.bag_size(state) == 0 else [text]
