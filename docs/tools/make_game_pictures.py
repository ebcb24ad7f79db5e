"""Draw a position of every game, and what a player observes there.

`python docs/tools/make_game_pictures.py` writes `docs/games/pictures/<game>.svg` and
`<game>_planes.svg` for the pages of the games. A test compares them with what the script would
write.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tzaar_envs import list_games, load_game
from tzaar_envs.core.layout import Plane
from tzaar_envs.core.state import State
from tzaar_envs.render.scene import Group, Item, Rect, Scene, Text
from tzaar_envs.render.scene import Path as Outline
from tzaar_envs.render.svg import AUTO, to_svg

PICTURES = Path(__file__).parents[1] / "games" / "pictures"
PLIES = {
    "black_elephant": 60,
    "turm_und_waechter": 30,
    "twenty_one": 33,
    "tzaar": 24,
    "zatre": 24,
}

_SIDE = 124.0  # of a panel
_GAP = 12.0
_TITLE = 20.0
_COLUMNS = 6
_LEAST_CELL = 12.0  # in which a number has room
_FLAT_WIDTH = 6  # numbers in a row, of observations without a board


def position(name: str) -> State:
    """Return a position from the course of a game, always the same one."""
    state = load_game(name).new_state(seed=5)
    for ply in range(PLIES[name]):
        legal = state.legal_actions()
        state.apply(int(legal[7 * ply % legal.size]))
    return state


def planes_scene(state: State) -> Scene:
    """Return small pictures of all planes that the player to move observes."""
    panels = [*_panels(state)]
    items: list[Item] = []
    y = _GAP
    for first in range(0, len(panels), _COLUMNS):
        row = panels[first : first + _COLUMNS]
        for column, (title, values, high) in enumerate(row):
            x = _GAP + (_SIDE + _GAP) * column
            items.append(Text(x, y + 7, title, 10, "ink", "start", room=_SIDE))
            items.append(Group(_panel(values, high), label=title, shift=(x, y + _TITLE)))
        y += _TITLE + max(_height(values) for _, values, _ in row) + _GAP
    width = _GAP + (_SIDE + _GAP) * min(_COLUMNS, len(panels))
    title = f"The observation planes of {state.game.spec.title}"
    return Scene(width, y, title, pieces=tuple(items))


def _panels(state: State) -> Iterator[tuple[str, NDArray[np.int8], int]]:
    """Yield for each panel its title, its values with -1 for none, and their greatest value."""
    observation = state.observation(state.current_player)
    first = 0
    for numbers, plane in state.game.layout.numbered_planes():
        values = observation[first : first + plane.count]
        if observation.ndim == 1:
            yield f"{numbers} {plane.name}", _folded(values), plane.high
        else:
            yield from _of_kind(plane, first, values)
        first += plane.count


def _of_kind(
    plane: Plane, first: int, values: NDArray[np.int8]
) -> Iterator[tuple[str, NDArray[np.int8], int]]:
    for number, each in enumerate(values):
        which = f" {number + 1}" if plane.count > 1 else ""
        yield f"{first + number} {plane.name}{which}", each, plane.high


def _folded(values: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return numbers in rows of at most `_FLAT_WIDTH`."""
    rows = -(-values.size // _FLAT_WIDTH)
    width = min(values.size, _FLAT_WIDTH)
    folded = np.full(rows * width, -1, np.int8)
    folded[: values.size] = values
    return folded.reshape(rows, width)


def _cell(values: NDArray[np.int8]) -> float:
    return _SIDE / max(values.shape[1], _FLAT_WIDTH)


def _height(values: NDArray[np.int8]) -> float:
    return _cell(values) * values.shape[0]


def _panel(values: NDArray[np.int8], high: int) -> tuple[Item, ...]:
    """Return one plane around its upper left corner; the deeper a cell, the greater its value."""
    cell = _cell(values)
    width, height = cell * values.shape[1], _height(values)
    items: list[Item] = [Rect(0, 0, width, height, "panel")]
    uniform = values.size > 1 and int(values.min()) == int(values.max()) > 0 and high > 1
    greatest = max(1, int(values.max()))
    for value in sorted({*values.ravel().tolist()} - {0, -1}):
        d = "".join(
            f"M{left * cell:.1f} {y * cell:.1f}L{right * cell:.1f} {y * cell:.1f}"
            f"L{right * cell:.1f} {(y + 1) * cell:.1f}L{left * cell:.1f} {(y + 1) * cell:.1f}Z"
            for y, left, right in _runs(values == value)
        )
        items.append(Outline(d, "accent", opacity=0.25 + 0.6 * value / greatest))
    items.append(_grid(values.shape[1], values.shape[0], cell))
    if uniform:
        number = str(int(values.max()))
        items.append(Rect(width / 2 - 24, height / 2 - 18, 48, 36, "page", r=6))
        items.append(Text(width / 2, height / 2, number, 20, "ink", bold=True, room=42))
    elif high > 1 and cell >= _LEAST_CELL:
        for y, x in np.argwhere(values > 0).tolist():
            at = (x + 0.5) * cell, (y + 0.5) * cell
            items.append(Text(*at, str(values[y, x]), 7.5, "ink", bold=True, room=cell - 3))
    return tuple(items)


def _runs(cells: NDArray[np.bool_]) -> Iterator[tuple[int, int, int]]:
    """Yield the runs of cells in a row: the row, the first column, and the one after the last."""
    for y, row in enumerate(cells):
        edges = np.diff(np.concatenate([[0], row, [0]])).nonzero()[0].tolist()
        yield from ((y, left, right) for left, right in zip(edges[::2], edges[1::2], strict=True))


@functools.cache
def _grid(columns: int, rows: int, cell: float) -> Group:
    width, height = columns * cell, rows * cell
    lines = [f"M{x * cell:.1f} 0L{x * cell:.1f} {height:.1f}" for x in range(columns + 1)]
    lines += [f"M0 {y * cell:.1f}L{width:.1f} {y * cell:.1f}" for y in range(rows + 1)]
    return Group((Outline("".join(lines), stroke="panel_line", width=0.8),))


def drawings(name: str) -> dict[Path, str]:
    """Return the pictures of a game as SVG, by their files."""
    state = position(name)
    return {
        PICTURES / f"{name}.svg": state.svg(width=840),
        PICTURES / f"{name}_planes.svg": to_svg(planes_scene(state), AUTO),
    }


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for game_name in list_games():
        for path, svg in drawings(game_name).items():
            path.write_text(svg, encoding="utf-8")
            print(f"wrote {path}")
