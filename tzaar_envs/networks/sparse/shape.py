"""The shape of a sparse network: which numbers of an observation are inputs, and how.

It follows from the layout of a game and from random games, so a game's author writes nothing for
it. A plane that always has one value everywhere is one input; a plane that never changes is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.networks.sparse.lines import LONGEST_SIDE, Lines, find_lines
from tzaar_envs.networks.turning import Marker, marker_in, random_observations, turning_symmetry

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
        planes: how each plane, or number, is read.
        players: in the game.
        actions: of the game.
        marker: an index of a flattened observation and the value that it has if the observer is
            player 1, who then sees the position turned as if it were player 0 (`turned_entries`
            and `turned_actions` of the network say how); None: no position is turned.
        active: how many inputs are not zero in a position of a random game, on average.
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
        if len(self.board_shape) == 1:
            raise ValueError(f"board_shape={self.board_shape} is not allowed: use 0 or 2 sizes")
        if self.size > _LARGEST_SIZE:
            raise ValueError(f"{self.size} numbers are too many: use at most {_LARGEST_SIZE}")
        if self.marker is not None and not 0 <= self.marker[0] < self.size:
            raise ValueError(f"marker={self.marker} is not allowed: use an index below {self.size}")
        if self.lines is not None:
            self._check_lines(self.lines)

    def _check_lines(self, lines: Lines) -> None:
        if not self.board_shape or not 2 <= max(self.board_shape) <= LONGEST_SIDE:
            raise ValueError(f"board_shape={self.board_shape} has no lines")
        for name in ("pieces", "marks"):
            planes = getattr(lines, name)
            if any(
                plane >= len(self.planes) or self.planes[plane].reading != "cells"
                for plane in planes
            ):
                raise ValueError(f"{name}={planes} are not all planes that are read")
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
        shape = cls(
            board_shape=game.layout.board_shape,
            planes=planes,
            players=game.num_players,
            actions=game.num_actions,
            marker=None if turning_symmetry(game) is None else marker_in(seen, seats),
            active=0.0,
            width=width,
            hidden=hidden,
            lines=find_lines(game, by_plane, seats, _possible_pieces(planes)) if lines else None,
        )
        read = [entry for entry, _ in shape.entries()]
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

    def entries(self) -> Iterator[tuple[int, InputPlane]]:
        """Yield the indices of a flattened observation that are read, with their planes."""
        cells = self.cells
        for number, plane in enumerate(self.planes):
            for cell in range(self._cells_read(plane)):
                yield number * cells + cell, plane

    def _cells_read(self, plane: InputPlane) -> int:
        """Return how many cells of a plane are read."""
        return {"cells": self.cells, "uniform": 1, "constant": 0}[plane.reading]

    def fits(self, game: Game) -> bool:
        """Whether this is a shape for the observations and actions of a game."""
        layout = game.layout
        return (
            self.board_shape == layout.board_shape
            and len(self.planes) == len(layout.plane_highs)
            and (self.players, self.actions) == (game.num_players, game.num_actions)
            and (self.marker is None or turning_symmetry(game) is not None)
        )


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


def _possible_pieces(planes: Sequence[InputPlane]) -> NDArray[np.int64]:
    """Return the planes that are 0 or 1 on each cell."""
    return np.flatnonzero([(plane.reading, plane.levels) == ("cells", 1) for plane in planes])
