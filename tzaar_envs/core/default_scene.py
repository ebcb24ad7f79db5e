"""The picture of a game that does not define its own, made from its fields and its layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.layout import Layout
from tzaar_envs.core.notation import Field, column_names
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.function_table import CompiledFunction
from tzaar_envs.render import scene as s

_WIDTH = 480.0
_MARGIN = 36.0
_LARGEST_CELL = 64.0
_BUTTON = 44.0
_BUTTONS_OF_A_ROW = 8
_MAX_BUTTONS = 24  # more actions outside the board are not shown
_FILLS = ("red", "blue", "green", "purple", "yellow", "black")


class DefaultScene:
    """Scenes that show each field of a state: boards as cells, everything else as text.

    On a board the first symbol means an empty cell; the others are discs, in the colours of the
    players in turn order. Actions with a cell lead there, and up to 24 others have a button below.

    Args:
        layout: The layout of the game.
        fields: The fields that tell a position from others.
        returns: The game's `returns`.
    """

    def __init__(self, layout: Layout, fields: Sequence[Field], returns: CompiledFunction) -> None:
        self._layout = layout
        self._fields = tuple(fields)
        self._returns = returns
        self._names = layout.seat_names
        self._sides = tuple(
            s.Side(name, _FILLS[seat % len(_FILLS)]) for seat, name in enumerate(self._names)
        )
        self._tops: list[float] = []
        y = _MARGIN
        for field in self._fields:
            self._tops.append(y)
            rows = field.size // field.columns if field.columns else 0
            y += (_cell(field) * rows or 4.0) + _MARGIN
        self._boards = [index for index, field in enumerate(self._fields) if field.columns]
        self._buttons: dict[int, s.Stop] = {}
        for index, (action, name) in enumerate(self._outside_actions()):
            row, column = divmod(index, _BUTTONS_OF_A_ROW)
            x = _MARGIN + 51.5 * (column + 0.5)
            self._buttons[action] = s.Stop(name, x, y + _BUTTON * (row + 0.5), 24, True, 17)
        rows = -(-len(self._buttons) // _BUTTONS_OF_A_ROW)
        self._status_y = y + _BUTTON * rows + 20

    def _outside_actions(self) -> list[tuple[int, str]]:
        """Return number and name of each action without a cell, if they are few."""
        found = [
            (number, f"{block.name} {plane}" if block.planes > 1 else block.name)
            for numbers, block in self._layout.numbered_blocks()
            for plane, number in enumerate(numbers if not block.on_board else ())
        ]
        return found if len(found) <= _MAX_BUTTONS else []

    def _stop(self, index: int, at: int) -> s.Stop:
        """Return a cell of a board."""
        field = self._fields[index]
        cell = _cell(field)
        row, column = divmod(at, field.columns)
        x = _WIDTH / 2 + cell * (column + 0.5 - field.columns / 2)
        name = f"{column_names(field.columns)[column]}{row + 1}"
        return s.Stop(name, x, self._tops[index] + cell * (row + 0.5), cell / 2, square=True)

    def scene(self, state: StateArray, view: s.View) -> s.Scene:
        """Return every field, and who is to act or what the players have got."""
        ground: list[s.Item] = []
        pieces: list[s.Item] = []
        for index, field in enumerate(self._fields):
            if field.columns:
                ground += self._board(index)
                pieces += self._stones(index, state)
            else:
                text = f"{field.name}: {field.format(state)}"
                pieces.append(
                    s.Text(_WIDTH / 2, self._tops[index], text, 11, room=_WIDTH - 2 * _MARGIN)
                )
        pieces += [s.button(stop, stop.id) for stop in self._buttons.values()]
        status = self._status(state)
        pieces.append(s.Text(_WIDTH / 2, self._status_y, status, 12, bold=True, room=_WIDTH - 20))
        # A board of text has two characters for a cell with a symbol, four for one with a number.
        boards = [self._fields[index] for index in self._boards]
        character = min((_cell(f) / (2 if f.symbols else 4) for f in boards), default=8.0)
        return s.Scene(
            *(_WIDTH, self._status_y + 26, f"{status}.", self._sides, tuple(ground)),
            pieces=tuple(pieces),
            character=character,
        )

    def _board(self, index: int) -> Iterator[s.Item]:
        """Yield the cells of a board, with the names of columns and rows."""
        field, cell = self._fields[index], _cell(self._fields[index])
        first, last = self._stop(index, 0), self._stop(index, field.size - 1)
        left, top = first.x - cell / 2, first.y - cell / 2
        width, height = last.x - left + cell / 2, last.y - top + cell / 2
        yield s.Rect(left - 4, top - 4, width + 8, height + 8, "board_deep", r=6)
        size = min(10.0, cell * 0.3)
        for at in range(field.size):
            stop = self._stop(index, at)
            corner = stop.x - cell / 2 + 1, stop.y - cell / 2 + 1
            yield s.Rect(*corner, cell - 2, cell - 2, "field", r=3)
            if at < field.columns:
                yield s.Text(stop.x, top - 15, stop.id.removesuffix("1"), size, "faint")
            if at % field.columns == 0:
                yield s.Text(left - 15, stop.y, stop.id[1:], size, "faint", room=20)

    def _stones(self, index: int, state: StateArray) -> Iterator[s.Item]:
        field, cell = self._fields[index], _cell(self._fields[index])
        texts = [text for row in field.rows(state) for text in row]
        for at, (text, value) in enumerate(zip(texts, state[field.words].tolist(), strict=True)):
            stop = self._stop(index, at)
            items: list[s.Item] = [s.Rect(-cell / 2, -cell / 2, cell, cell, "field", opacity=0.0)]
            if value and field.symbols:
                fill = _FILLS[(value - 1) % len(_FILLS)]
                items.append(s.Circle(0, 0, cell * 0.4, fill, f"{fill}_deep", 1.5))
                items.append(s.Text(0, 0, text, cell * 0.28, f"{fill}_ink", bold=True))
            elif not field.symbols and value:
                items.append(s.Text(0, 0, text, cell * 0.28, room=cell - 6))
            label = f"{stop.id}: {text if value else 'empty'}"
            yield s.Group(tuple(items), stop.id, label, (stop.x, stop.y), text=text)

    def _status(self, state: StateArray) -> str:
        if state[STATUS] == RUNNING:
            return f"{self._names[state[SEAT]]} to act"
        returns = np.zeros(len(self._names))
        self._returns(state, returns)
        pairs = zip(self._names, returns, strict=True)
        return f"The game is over: {', '.join(f'{name} {value:+g}' for name, value in pairs)}"

    def trace(self, state: StateArray, action: int) -> s.Trace:
        """Return the cell of an action, or its button."""
        if action in self._buttons:
            return s.Trace((self._buttons[action],))
        for numbers, block in self._layout.numbered_blocks():
            if action in numbers and block.on_board and self._boards:
                cells, field = len(numbers) // block.planes, self._fields[self._boards[0]]
                if (field.size, field.columns) == (cells, self._layout.board_shape[-1]):
                    return s.Trace((self._stop(self._boards[0], (action - numbers[0]) % cells),))
        return s.Trace()


def _cell(field: Field) -> float:
    """Return the width of a board's cells."""
    return min(_LARGEST_CELL, (_WIDTH - 2 * _MARGIN) / max(1, field.columns))
