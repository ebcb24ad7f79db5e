"""The picture of a game that does not define its own, made from its fields and its layout."""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.layout import Layout
from tzaar_envs.core.notation import Field
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.function_table import CompiledFunction
from tzaar_envs.render.scene import (
    Circle,
    Group,
    Item,
    Point,
    Rect,
    Scene,
    Side,
    Stop,
    Text,
    Trace,
    View,
    button,
)

_WIDTH = 480.0
_MARGIN = 36.0
_LARGEST_CELL = 64.0
_BUTTON = 44.0
_BUTTONS_OF_A_ROW = 8
_MOST_BUTTONS = 24  # more actions outside the board are not shown
_FILLS = ("red", "blue", "green", "purple", "yellow", "black")


class DefaultScene:
    """Scenes that show each field of a state: boards as cells, everything else as text.

    On a board the first symbol means an empty cell; the others are discs, in the colours of the
    players in turn order. Actions with a cell lead there, and up to 24 others have a button below.

    Args:
        layout: the layout of the game.
        fields: the fields that tell a position from others.
        returns: the game's `returns`.
    """

    def __init__(
        self,
        layout: Layout,
        fields: Sequence[Field],
        returns: CompiledFunction,
    ) -> None:
        self._names = layout.seat_names
        self._sides = tuple(
            Side(name, _FILLS[seat % len(_FILLS)]) for seat, name in enumerate(self._names)
        )
        self._fields = tuple(fields)
        self._returns = returns
        self._tops: list[float] = []
        y = _MARGIN
        for field in self._fields:
            self._tops.append(y)
            y += self._height(field) + _MARGIN
        self._layout = layout
        self._buttons: dict[int, Stop] = {}
        for index, (action, name) in enumerate(self._outside_actions()):
            row, column = divmod(index, _BUTTONS_OF_A_ROW)
            x = _MARGIN + 51.5 * (column + 0.5)
            stop = Stop(name, x, y + _BUTTON * (row + 0.5), 24, True, 17)
            self._buttons[action] = stop
        rows = -(-len(self._buttons) // _BUTTONS_OF_A_ROW)
        self._status_y = y + _BUTTON * rows + 20
        self._bottom = self._status_y + 26

    def _cell(self, field: Field) -> float:
        return min(_LARGEST_CELL, (_WIDTH - 2 * _MARGIN) / field.columns)

    def _height(self, field: Field) -> float:
        return self._cell(field) * (field.size // field.columns) if field.columns else 4.0

    def _corner(self, index: int) -> Point:
        field = self._fields[index]
        return (_WIDTH - self._cell(field) * field.columns) / 2, self._tops[index]

    def _outside_actions(self) -> Iterator[tuple[int, str]]:
        """Yield number and name of each action without a cell, if they are few."""
        first = 0
        found: list[tuple[int, str]] = []
        for block in self._layout.actions:
            size = self._layout.block_size(block)
            if not block.on_board:
                found += [
                    (first + plane, f"{block.name} {plane}" if block.planes > 1 else block.name)
                    for plane in range(block.planes)
                ]
            first += size
        yield from found if len(found) <= _MOST_BUTTONS else ()

    def scene(self, state: StateArray, view: View) -> Scene:
        """Return every field, and who is to act or what the players have got."""
        ground: list[Item] = []
        pieces: list[Item] = []
        for index, field in enumerate(self._fields):
            if field.columns:
                ground += self._board(index)
                pieces += self._stones(index, state)
            else:
                text = f"{field.name}: {field.format(state)}"
                pieces.append(
                    Text(_WIDTH / 2, self._tops[index], text, 11, room=_WIDTH - 2 * _MARGIN)
                )
        for stop in self._buttons.values():
            pieces.append(button(stop, stop.id))
        status = self._status(state)
        pieces.append(Text(_WIDTH / 2, self._status_y, status, 12, bold=True, room=_WIDTH - 20))
        return Scene(
            *(_WIDTH, self._bottom, f"{status}.", self._sides, tuple(ground)),
            pieces=tuple(pieces),
        )

    def _board(self, index: int) -> Iterator[Item]:
        """Yield the cells of a board, with the names of columns and rows."""
        field, cell = self._fields[index], self._cell(self._fields[index])
        left, top = self._corner(index)
        rows = field.size // field.columns
        yield Rect(
            *(left - 4, top - 4, cell * field.columns + 8, cell * rows + 8), "board_deep", r=6
        )
        for at in range(field.size):
            row, column = divmod(at, field.columns)
            x, y = left + cell * column, top + cell * row
            yield Rect(x + 1, y + 1, cell - 2, cell - 2, "field", r=3)
        size = min(10.0, cell * 0.3)
        for column in range(field.columns):
            name = string.ascii_uppercase[column % 26]
            yield Text(left + cell * (column + 0.5), top - 15, name, size, "faint")
        for row in range(rows):
            yield Text(left - 15, top + cell * (row + 0.5), str(row + 1), size, "faint", room=20)

    def _stones(self, index: int, state: StateArray) -> Iterator[Item]:
        field, cell = self._fields[index], self._cell(self._fields[index])
        left, top = self._corner(index)
        texts = [text for row in field.rows(state) for text in row]
        values = state[field.words].tolist()
        for at, (text, value) in enumerate(zip(texts, values, strict=True)):
            row, column = divmod(at, field.columns)
            x, y = left + cell * (column + 0.5), top + cell * (row + 0.5)
            name = f"{string.ascii_uppercase[column % 26]}{row + 1}"
            items: list[Item] = [Rect(x - cell / 2, y - cell / 2, cell, cell, "field", opacity=0.0)]
            if value and field.symbols:
                fill = _FILLS[(value - 1) % len(_FILLS)]
                items.append(Circle(x, y, cell * 0.4, fill, f"{fill}_deep", 1.5))
                items.append(Text(x, y, text, cell * 0.28, f"{fill}_ink", bold=True))
            elif not field.symbols and value:
                items.append(Text(x, y, text, cell * 0.28, room=cell - 6))
            label = f"{name}: {text if value else 'empty'}"
            yield Group(tuple(items), id=name, label=label)

    def _status(self, state: StateArray) -> str:
        if state[STATUS] == RUNNING:
            return f"{self._names[state[SEAT]]} to act"
        returns = np.zeros(len(self._names))
        self._returns(state, returns)
        pairs = zip(self._names, returns, strict=True)
        return f"The game is over: {', '.join(f'{name} {value:+g}' for name, value in pairs)}"

    def trace(self, state: StateArray, action: int) -> Trace:
        """Return the cell of an action, or its button."""
        if action in self._buttons:
            return Trace((self._buttons[action],))
        boards = [index for index, field in enumerate(self._fields) if field.columns]
        shape = self._layout.board_shape
        first = 0
        for block in self._layout.actions:
            size = self._layout.block_size(block)
            if first <= action < first + size and block.on_board and boards:
                cells = size // block.planes
                field, (left, top) = self._fields[boards[0]], self._corner(boards[0])
                if field.size != cells or field.columns != shape[-1]:
                    return Trace()
                row, column = divmod((action - first) % cells, field.columns)
                cell = self._cell(field)
                x, y = left + cell * (column + 0.5), top + cell * (row + 0.5)
                name = f"{string.ascii_uppercase[column % 26]}{row + 1}"
                return Trace((Stop(name, x, y, cell / 2, square=True),))
            first += size
        return Trace()
