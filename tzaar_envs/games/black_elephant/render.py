"""The board of Black Elephant for a terminal."""

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.black_elephant import PATHS, PLACES
from tzaar_envs.games.black_elephant import board as b
from tzaar_envs.games.black_elephant.notation import FACINGS, FILES, field_name, own_paths
from tzaar_envs.games.black_elephant.rules import contains, danger_cells, scores
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render.ansi import SeatNames, paint

SEATS = SeatNames(("West (0)", "South (1)"), ("bold yellow", "bold cyan"))
ARROWS = "^>v<"  # in the order of the facings

_SIGNS = {
    ".": (" . ", "dim"),
    "l": (" = ", "green"),
    "x": (" x ", "bold red"),
    "#": ("###", "dim"),
}
_LEGEND = (
    "0> 1^ elephants with facing  * on a log  = log",
    "x burnt log  [ ] danger field  N0 W0 watchers",
    "West (0) wants to reach G1-G6, South (1) A7-F7.",
)
_TITLES = ("points", "logs", "captives", "home", "burnt logs", "in West", "in South")
_TITLE_WIDTH = 10
_COLUMN_WIDTH = 11


def draw(state: StateArray, viewer: int, colour: bool) -> str:
    """Return the board with coordinates and watchers, a legend, and a table of both seats."""
    files = " " * 7 + "".join(f"  {file}  " for file in FILES)
    lines = [_file_watcher(state, b.PATH_N, colour), files]
    for rank in reversed(range(b.SIZE)):
        cells = []
        for file in range(b.SIZE):
            cell = rank * b.SIZE + file
            text = _field(field_name(state, cell), colour)
            danger = contains(danger_cells(state), cell)
            cells.append(f"[{text}]" if danger else f" {text} ")
        west = _rank_watcher(state, b.PATH_W, rank, colour)
        east = _rank_watcher(state, b.PATH_E, rank, colour)
        lines.append(f"{west}  {rank + 1}  {''.join(cells)}  {rank + 1}  {east}")
    legend = [paint(line, "dim", colour) for line in _LEGEND]
    lines += [files, _file_watcher(state, b.PATH_S, colour), "", *legend, ""]
    lines += [*_possessions(state, colour), "", *_status(state, colour)]
    return "\n".join(line.rstrip() for line in lines)


def _field(name: str, colour: bool) -> str:
    """Return the drawing of a field that has this name in the notation."""
    if name in _SIGNS:
        text, style = _SIGNS[name]
        return paint(text, style, colour)
    arrow = ARROWS[FACINGS.index(name[1])]
    text = f"{name[0]}{arrow}{'*' if name.endswith('*') else ' '}"
    return SEATS.paint(int(name[0]), colour, text)


def _watcher(state: StateArray, path: int, colour: bool) -> str:
    """Return the letter of a watcher's path with the seat that owns it, for instance `W0`."""
    owner = 0 if PATHS[path] in own_paths(state, 0) else 1
    return SEATS.paint(owner, colour, f"{PATHS[path]}{owner}")


def _file_watcher(state: StateArray, path: int, colour: bool) -> str:
    return " " * (8 + 5 * int(state[b.PLACE + path])) + _watcher(state, path, colour)


def _rank_watcher(state: StateArray, path: int, rank: int, colour: bool) -> str:
    return _watcher(state, path, colour) if state[b.PLACE + path] == rank else "  "


def _possessions(state: StateArray, colour: bool) -> list[str]:
    """Return a table with a column for each seat; its watchers are in the order of `watch`."""
    points = np.empty(2)
    scores(state, points)
    columns = []
    for seat in range(2):
        first_area = b.WAITING + 2 * seat
        numbers = [int(points[seat])]
        numbers += [int(state[word + seat]) for word in (b.HELD, b.CAPTIVES, b.HOME, b.BURNT_LEFT)]
        numbers += [int(state[first_area + area]) for area in (b.WEST_AREA, b.SOUTH_AREA)]
        watchers = " ".join(
            path + PLACES[path][state[b.PLACE + PATHS.index(path)]]
            for path in own_paths(state, seat)
        )
        columns.append([*map(str, numbers), watchers])
    heads = [
        " " * (_COLUMN_WIDTH - len(name)) + SEATS.paint(seat, colour)
        for seat, name in enumerate(SEATS.names)
    ]
    lines = [" " * _TITLE_WIDTH + "".join(heads)]
    for title, west, south in zip((*_TITLES, "watchers"), *columns, strict=True):
        lines.append(f"{title:{_TITLE_WIDTH}}{west:>{_COLUMN_WIDTH}}{south:>{_COLUMN_WIDTH}}")
    return lines


def _status(state: StateArray, colour: bool) -> list[str]:
    played = f"{state[b.PLIES]} actions, {state[b.IDLE]} since the last progress"
    if state[b.PASSES] > 0:
        played += ", just a pass"
    if state[STATUS] == RUNNING:
        return [f"{SEATS.paint(int(state[SEAT]), colour)} to move", played]
    points = np.empty(2)
    scores(state, points)
    winner = int(points.argmax())
    return [f"{SEATS.paint(winner, colour)} has won", played]
