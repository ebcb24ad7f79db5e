"""Sparse networks: their shapes, which say what of an observation is an input, and PyTorch's part.

A shape follows from the layout of a game and from random games, so a game's author writes nothing
for it. A plane that always has one value everywhere is one input; a plane that never changes is
none.

`B` is the batch, `N` the size of a flattened observation, `I` the inputs, `A` the actions, `V` the
values: one for two players, one for each of more players.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tzaar_envs.core.game import Game
from tzaar_envs.networks.sparse.lines import STEPS, Lines, find_lines, reach_of
from tzaar_envs.networks.turning import (
    Marker,
    TurningNetwork,
    check_marker,
    find_marker,
    random_observations,
    turning_symmetry,
)

MOST_LEVELS = 24
"""The greatest value of a plane whose values may have rows of their own."""

_LARGEST_SIZE = 2**20  # of an observation; a file that asks for more is not one of ours

Reading: TypeAlias = Literal["cells", "uniform", "constant"]
"""How a plane is read: every cell, the first cell for all of them, or not at all."""

_Size = Annotated[int, msgspec.Meta(ge=1, le=1024)]


@dataclass(frozen=True)
class InputPlane:
    """How a plane of an observation, or a number of a flat one, becomes inputs.

    Attributes:
        reading: which cells are read.
        levels: each value from 1 to `levels` has a row of its own, a greater one that of `levels`.
            0: there is one row, which is multiplied by the value.
        scale: factor of that value; 1 / a typical value.
    """

    reading: Reading
    levels: Annotated[int, msgspec.Meta(ge=0, le=MOST_LEVELS)]
    scale: Annotated[float, msgspec.Meta(gt=0, le=1)]


@dataclass(frozen=True)
class SparseShape:
    """Everything needed to build a sparse network, as plain values that a file can hold.

    Attributes:
        board_shape: rows and columns of a plane; empty for a flat observation.
        planes: the reading of each plane, or number.
        players: the number of players.
        actions: the number of actions.
        marker: an index of a flattened observation and the value that it has if the observer is
            player 1, who then sees the position turned as if it were player 0 (`turned_entries`
            and `turned_actions` of the network say how); None: no position is turned.
        active: the mean number of inputs that are not zero in positions of random games.
        width: units of the first layer.
        hidden: units of the second layer.
        lines: the lines of sight that are inputs; None: there are none.
        kind: tells the shapes of networks apart.
    """

    board_shape: Annotated[tuple[_Size, ...], msgspec.Meta(max_length=2)]
    planes: Annotated[tuple[InputPlane, ...], msgspec.Meta(min_length=1, max_length=2**16)]
    players: Annotated[int, msgspec.Meta(ge=1, le=64)]
    actions: Annotated[int, msgspec.Meta(ge=1, le=2**20)]
    marker: Marker | None
    active: Annotated[float, msgspec.Meta(ge=0)]
    width: _Size
    hidden: _Size
    lines: Lines | None = None
    kind: Literal["sparse"] = "sparse"

    def __post_init__(self) -> None:
        if self.size > _LARGEST_SIZE:
            raise ValueError(f"{self.size} numbers are too many: use at most {_LARGEST_SIZE}")
        check_marker(self.marker, self.size)
        lines = self.lines
        if lines is None:
            return
        if len(self.board_shape) != 2:
            raise ValueError(f"board_shape={self.board_shape} has no lines")
        read = {number for number, plane in enumerate(self.planes) if plane.reading == "cells"}
        if not read.issuperset(planes := lines.pieces + lines.marks):
            raise ValueError(f"pieces and marks {planes} are not all planes that are read")
        if lines.rows(self.board_shape) > _LARGEST_SIZE:
            raise ValueError(f"pieces={lines.pieces} on {self.board_shape} make too many rows")

    @classmethod
    def for_game(
        cls, game: Game, width: int = 64, hidden: int = 32, lines: bool = False, levels: int = 8
    ) -> SparseShape:
        """Return the shape for a game's observations and actions.

        Args:
            game: the game.
            width: units of the first layer.
            hidden: units of the second layer.
            lines: whether lines of sight are inputs, if the game has pieces on a board.
            levels: the greatest value of a plane whose values have rows of their own, at most
                `MOST_LEVELS`; those of other planes multiply one row.

        Raises:
            ValueError: another number of levels.
        """
        if not 0 <= levels <= MOST_LEVELS:
            raise ValueError(f"levels={levels} is not allowed: use 0 to {MOST_LEVELS}")
        seen, seats = random_observations(game)
        by_plane = seen.reshape(len(seen), len(game.layout.plane_highs), -1)
        planes = tuple(
            _input_plane(by_plane[:, index], high, levels)
            for index, high in enumerate(game.layout.plane_highs)
        )
        flags = [(plane.reading, plane.levels) == ("cells", 1) for plane in planes]
        shape = cls(
            board_shape=game.layout.board_shape,
            planes=planes,
            players=game.num_players,
            actions=game.num_actions,
            marker=find_marker(game, seen, seats),
            active=0.0,
            width=width,
            hidden=hidden,
            lines=find_lines(game, by_plane, seats, np.flatnonzero(flags)) if lines else None,
        )
        read = [entry for entry, _, _ in shape.entries()]
        active = float(np.count_nonzero(seen[:, read], axis=1).mean())
        return replace(shape, active=round(active, 1))

    @property
    def cells(self) -> int:
        """The number of cells of a plane."""
        return math.prod(self.board_shape)

    @property
    def size(self) -> int:
        """The number of entries of a flattened observation."""
        return len(self.planes) * self.cells

    @property
    def rows(self) -> int:
        """The number of rows of the first layer: those of the entries, then those of the lines."""
        lines = 0 if self.lines is None else self.lines.rows(self.board_shape)
        return self.rows_of_entries + lines

    @property
    def rows_of_entries(self) -> int:
        """The number of rows for numbers of the observation."""
        return sum(self._cells_read(plane) * max(1, plane.levels) for plane in self.planes)

    @property
    def most_inputs(self) -> int:
        """The greatest number of inputs that are not zero at the same time."""
        lines = 0 if self.lines is None else len(self.lines.directions) * self.cells
        return sum(map(self._cells_read, self.planes)) + lines

    @property
    def outputs(self) -> int:
        """The number of values: one for two players, whose returns are opposite."""
        return 1 if self.players == 2 else self.players

    def entries(self) -> Iterator[tuple[int, int, InputPlane]]:
        """Yield the indices of a flattened observation that are read, each with its first row."""
        row, cells = 0, self.cells
        for number, plane in enumerate(self.planes):
            for cell in range(self._cells_read(plane)):
                yield number * cells + cell, row, plane
                row += max(1, plane.levels)

    def _cells_read(self, plane: InputPlane) -> int:
        """Return how many cells of a plane are read."""
        return {"cells": self.cells, "uniform": 1, "constant": 0}[plane.reading]


def _input_plane(seen: NDArray[np.int8], high: int, levels: int) -> InputPlane:
    """Return how to read a plane of which these examples, int8 `(n, cells)`, are known."""
    reading: Reading = "cells"
    if seen.any() and seen.shape[1] > 1:
        if (seen == seen[0]).all():
            reading = "constant"
        elif (seen == seen[:, :1]).all():
            reading = "uniform"
    if high <= levels:
        return InputPlane(reading, high, 1.0)
    typical = float(seen[seen > 0].mean()) if seen.any() else float(high)
    return InputPlane(reading, 0, round(1 / max(1.0, typical), 4))


class SparseNetwork(TurningNetwork):
    """Maps observations to logits of the actions and values of the players.

    Attributes:
        shape: its shape.
        table: the first layer, `(I, width)`: a row for each input.
        input_scale: float32 `(I,)`, the factor of each input.

    Args:
        shape: see `SparseShape`.
        game: the game, for how it is turned; None if a file says it.
    """

    input_scale: Tensor
    _entry_of_input: Tensor
    _level_of_input: Tensor
    _levels_of_input: Tensor

    def __init__(self, shape: SparseShape, game: Game | None = None) -> None:
        super().__init__(shape.marker, shape.size, shape.actions, game)
        self.shape = shape
        self.table = nn.Parameter(torch.empty(shape.rows, shape.width))
        self.bias = nn.Parameter(torch.zeros(shape.width))
        self.hidden = nn.Linear(shape.width, shape.hidden)
        self.value_head = nn.Linear(shape.hidden, shape.outputs)
        self.policy_head = nn.Linear(shape.width, shape.actions)
        inputs = [
            (entry, level, plane.levels, plane.scale)
            for entry, _, plane in shape.entries()
            for level in (range(1, plane.levels + 1) if plane.levels else (0,))
        ]
        entry, level, levels, scale = np.array(inputs, np.float64).reshape(-1, 4).T
        # They follow from the shape, so a file need not hold them.
        for name, values, dtype in (
            ("_entry_of_input", entry, torch.int64),
            ("_level_of_input", level, torch.float32),
            ("_levels_of_input", levels, torch.float32),
            ("input_scale", np.append(scale, np.ones(shape.rows - len(scale))), torch.float32),
        ):
            self.register_buffer(name, torch.tensor(values, dtype=dtype), persistent=False)
        # The meta device, where files are loaded, has no numbers to draw, and imports PyTorch's
        # compiler to find out, which takes over a second.
        if not self.table.is_meta:
            # The sum of the rows of a usual position has a variance of 1.
            nn.init.normal_(self.table, std=1 / math.sqrt(max(1.0, shape.active)))
        for layer, gain in ((self.hidden, 1.4), (self.value_head, 0.1), (self.policy_head, 0.01)):
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)

    def fits(self, game: Game) -> bool:
        """Whether it has the shape of a game's observations and actions."""
        shape, layout = self.shape, game.layout
        return (
            shape.board_shape == layout.board_shape
            and len(shape.planes) == len(layout.plane_highs)
            and (shape.players, shape.actions) == (game.num_players, game.num_actions)
            and (shape.marker is None or turning_symmetry(game) is not None)
        )

    def inputs(self, seen: Tensor) -> Tensor:
        """Map flattened observations, `(B, N)`, to inputs, `(B, I)`."""
        values = seen[:, self._entry_of_input].float()
        at_level = torch.minimum(values, self._levels_of_input) == self._level_of_input
        scale = self.input_scale[: len(self._entry_of_input)]
        inputs = torch.where(self._levels_of_input == 0, values * scale, at_level)
        if self.shape.lines is None:
            return inputs
        return torch.cat([inputs, self._lines(seen, self.shape.lines)], dim=1)

    def _lines(self, seen: Tensor, lines: Lines) -> Tensor:
        """Map flattened observations, `(B, N)`, to the number of lines of each row, `(B, rows)`."""
        rows, columns = self.shape.board_shape
        planes = seen.reshape(-1, len(self.shape.planes), rows, columns) != 0
        sorts = planes[:, list(lines.pieces)]
        marks = planes[:, list(lines.marks)].int().sum(dim=1).clamp(max=lines.most_marks)
        # 1 + the kind of the piece on a cell, 0 if it is empty.
        kind = sorts.int().argmax(dim=1) * (lines.most_marks + 1) + marks
        pieces = torch.where(sorts.any(dim=1), kind + 1, 0)
        reach, kinds = reach_of(self.shape.board_shape), lines.kinds
        padded = nn.functional.pad(pieces, (reach, reach, 0, reach))
        number = len(self.input_scale) - len(self._entry_of_input)
        found = []
        for place, direction in enumerate(lines.directions):
            down, right = STEPS[direction]
            is_open = pieces > 0
            for distance in range(1, reach + 1):
                top, left = distance * down, reach + distance * right
                other = padded[:, top : top + rows, left : left + columns]
                row = ((pieces - 1) * kinds + other - 1) * len(lines.directions) + place
                row = row * reach + distance - 1
                found.append(torch.where(is_open & (other > 0), row, number).flatten(1))
                is_open = is_open & (other == 0)
        every = torch.cat(found, dim=1).long()
        # Not len(seen), which torch.export takes for a constant.
        counts = torch.zeros(seen.shape[0], number + 1)
        return counts.scatter_add(1, every, torch.ones_like(every, dtype=torch.float32))[:, :number]

    def first_layer(self, seen: Tensor) -> Tensor:
        """Map flattened observations, `(B, N)`, to the units of the first layer, `(B, width)`."""
        return torch.relu(self.inputs(seen) @ self.table + self.bias)

    def values(self, units: Tensor) -> Tensor:
        """Map the units of the first layer to the expected returns, `(B, V)`.

        They begin with the observer; for two players it is the only one.
        """
        values = torch.tanh(self.value_head(torch.relu(self.hidden(units))))
        if self.shape.outputs > 1:
            values = values - values.mean(dim=1, keepdim=True)  # returns add up to 0
        return values

    def evaluate(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Map flattened observations, `(B, N)`, to logits `(B, A)` and values `(B, 1)`."""
        units = self.first_layer(seen)
        return self.policy_head(units), self.values(units)[:, :1]
