"""The shapes of networks as plain values that a file can hold, and how positions are turned.

A shape says everything that is needed to build a network. A residual network looks at every cell of
the board, a sparse one only at what is there. The shape of a sparse one follows from the layout of
a game and from random games, so a game's author writes nothing for it: a plane that always has one
value everywhere is one input; a plane that never changes is none.

With two players, a symmetry that swaps their seats shows player 1 a position as player 0 would see
it: the network learns once what it would otherwise learn for each side. Games whose board looks the
same from both seats need none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import Symmetry
from tzaar_envs.networks.sparse.lines import MOST_CELLS, Lines, find_lines

MAX_LEVELS = 24
"""The greatest value of a plane whose values may have rows of their own."""

UNITS_PER_CHANNEL = 8
"""Units of a layer for flat observations, for each channel of `NetworkShape.width`."""

LARGEST_WEIGHT = 10_000
"""The greatest absolute weight of a network that has not diverged."""

_LARGEST_SIZE = 2**20  # of an observation; a file that asks for more is not one of ours
_GAMES = 24  # random games that show which entries never change
_POSITIONS = 3000  # of them, at most

_Size = Annotated[int, msgspec.Meta(ge=1, le=1024)]
_High = Annotated[int, msgspec.Meta(ge=1, lt=2**31)]
_Planes = Annotated[int, msgspec.Meta(ge=1, lt=2**20)]

Marker: TypeAlias = tuple[
    Annotated[int, msgspec.Meta(ge=0)], Annotated[int, msgspec.Meta(ge=-128, le=127)]
]
"""An index of a flattened observation, and the value there if the observer is player 1."""

Reading: TypeAlias = Literal["cells", "uniform", "constant"]
"""How a plane is read: every cell, the first cell for all of them, or not at all."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The part that the shapes of both kinds of networks share.

    Attributes:
        board_shape: Rows and columns of a plane; empty for a flat observation.
        width: Units of the first layer of a sparse network, channels of a residual one; a flat
            residual one has `UNITS_PER_CHANNEL` times as many units.
        marker: An index of a flattened observation and the value that it has if the observer is
            player 1, who then sees the position turned as if it were player 0 (`turned_entries`
            and `turned_actions` of the network say how); None: no position is turned.
    """

    board_shape: Annotated[tuple[_Size, ...], msgspec.Meta(max_length=2)]
    width: _Size
    marker: Marker | None = None

    def __post_init__(self) -> None:
        if self.size > _LARGEST_SIZE:
            raise ValueError(f"{self.size} numbers are too many: use at most {_LARGEST_SIZE}")
        if self.marker is not None and self.marker[0] >= self.size:
            raise ValueError(f"marker={self.marker} is not allowed: use an index below {self.size}")

    @property
    def cells(self) -> int:
        """The number of cells of a plane."""
        return math.prod(self.board_shape)

    @property
    def size(self) -> int:
        """The number of entries of a flattened observation."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class NetworkShape(Shape):
    """Everything needed to build a residual network; see also `Shape`.

    Attributes:
        plane_highs: The greatest value of each observation plane or number, 1 or more.
        action_planes: For each block of actions its number of planes, and whether they cover the
            board (one action per cell) or are single actions.
        blocks: Residual blocks of the trunk.
    """

    plane_highs: Annotated[tuple[_High, ...], msgspec.Meta(min_length=1, max_length=2**16)]
    action_planes: Annotated[tuple[tuple[_Planes, bool], ...], msgspec.Meta(max_length=1024)]
    blocks: Annotated[int, msgspec.Meta(ge=0, le=1024)]

    @classmethod
    def for_game(cls, game: Game, width: int, blocks: int, *, turned: bool = False) -> NetworkShape:
        """Return the shape for a game's observations and actions.

        Args:
            game: The game.
            width: See the class.
            blocks: See the class.
            turned: Show player 1 the position as player 0 would see it, if the game has a symmetry
                for that.
        """
        layout = game.layout
        return cls(
            plane_highs=layout.plane_highs,
            board_shape=layout.board_shape,
            action_planes=tuple((block.planes, block.on_board) for block in layout.actions),
            width=width,
            blocks=blocks,
            marker=find_marker(game, *random_observations(game)) if turned else None,
        )

    @property
    def is_flat(self) -> bool:
        """Whether observations are vectors."""
        return not self.board_shape

    @property
    def size(self) -> int:
        """The number of entries of a flattened observation."""
        return len(self.plane_highs) * self.cells

    @property
    def actions(self) -> int:
        """The number of actions."""
        return sum(
            planes * (self.cells if on_board else 1) for planes, on_board in self.action_planes
        )

    @property
    def feature_shape(self) -> tuple[int, ...]:
        """The shape of the trunk's output for one observation."""
        if self.is_flat:
            return (self.width * UNITS_PER_CHANNEL,)
        return (self.width, *self.board_shape)

    def fits(self, game: Game) -> bool:
        """Whether it is a shape for a game's observations and actions."""
        if self.marker is not None and turning_symmetry(game) is None:
            return False
        return replace(self, marker=None) == self.for_game(game, self.width, self.blocks)


@dataclass(frozen=True)
class InputPlane:
    """How a plane of an observation, or a number of a flat one, becomes inputs.

    Attributes:
        reading: The cells that are read.
        levels: Each value from 1 to `levels` has a row of its own, a greater one that of `levels`.
            0: there is one row, which is multiplied by the value.
        scale: Factor of that value; 1 / a typical value.
    """

    reading: Reading
    levels: Annotated[int, msgspec.Meta(ge=0, le=MAX_LEVELS)]
    scale: Annotated[float, msgspec.Meta(gt=0, le=1)]


@dataclass(frozen=True, kw_only=True)
class SparseShape(Shape):
    """Everything needed to build a sparse network; see also `Shape`.

    Attributes:
        planes: The reading of each plane, or number.
        players: The number of players.
        actions: The number of actions.
        active: The mean number of inputs that are not zero in positions of random games.
        hidden: Units of the second layer.
        lines: The lines of sight that are inputs; None: there are none.
        kind: Tells the shapes of networks apart.
    """

    planes: Annotated[tuple[InputPlane, ...], msgspec.Meta(min_length=1, max_length=2**16)]
    players: Annotated[int, msgspec.Meta(ge=1, le=64)]
    actions: Annotated[int, msgspec.Meta(ge=1, le=2**20)]
    active: Annotated[float, msgspec.Meta(ge=0)]
    hidden: _Size
    lines: Lines | None = None
    kind: Literal["sparse"] = "sparse"

    def __post_init__(self) -> None:
        super().__post_init__()
        lines = self.lines
        if lines is None:
            return
        if len(self.board_shape) != 2:
            raise ValueError(f"board_shape={self.board_shape} has no lines")
        read = {number for number, plane in enumerate(self.planes) if plane.reading == "cells"}
        if not read.issuperset(planes := lines.pieces + lines.marks):
            raise ValueError(f"pieces and marks {planes} are not all planes that are read")
        if not 0 < lines.rows(self.board_shape) <= _LARGEST_SIZE:
            raise ValueError(f"{lines} on {self.board_shape} has no rows, or too many")

    @classmethod
    def for_game(
        cls,
        game: Game,
        width: int = 64,
        hidden: int = 32,
        lines: bool = False,
        levels: int = 8,
        pattern: int = 0,
    ) -> SparseShape:
        """Return the shape for a game's observations and actions.

        Args:
            game: The game.
            width: Units of the first layer.
            hidden: Units of the second layer.
            lines: Whether lines of sight are inputs, if the game has pieces on a board.
            levels: The greatest value of a plane whose values have rows of their own, at most
                `MAX_LEVELS`; those of other planes multiply one row.
            pattern: Cells of the patterns that are inputs in place of lines of sight; 0: none are.

        Raises:
            ValueError: Another number of levels, or of cells.
        """
        if not 0 <= levels <= MAX_LEVELS:
            raise ValueError(f"levels={levels} is not allowed: use 0 to {MAX_LEVELS}")
        if pattern == 1 or not 0 <= pattern <= MOST_CELLS:
            raise ValueError(f"pattern={pattern} is not allowed: use 0, or 2 to {MOST_CELLS}")
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
            lines=find_lines(game, by_plane, seats, np.flatnonzero(flags), pattern)
            if lines or pattern
            else None,
        )
        read = [entry for entry, _, _ in shape.entries()]
        active = float(np.count_nonzero(seen[:, read], axis=1).mean())
        return replace(shape, active=round(active, 1))

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

    @property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the network's parameters by name, in the order of `layout`'s places."""
        return {
            "table": (self.rows, self.width),
            "bias": (self.width,),
            "hidden.weight": (self.hidden, self.width),
            "hidden.bias": (self.hidden,),
            "value_head.weight": (self.outputs, self.hidden),
            "value_head.bias": (self.outputs,),
            "policy_head.weight": (self.actions, self.width),
            "policy_head.bias": (self.actions,),
        }

    @property
    def input_scale(self) -> NDArray[np.float32]:
        """The factor of each input, float32 `(rows,)`."""
        scale = np.ones(self.rows, np.float32)
        for _, row, plane in self.entries():
            scale[row : row + max(1, plane.levels)] = plane.scale
        return scale

    def entries(self) -> Iterator[tuple[int, int, InputPlane]]:
        """Yield the indices of a flattened observation that are read, each with its first row."""
        row, cells = 0, self.cells
        for number, plane in enumerate(self.planes):
            for cell in range(self._cells_read(plane)):
                yield number * cells + cell, row, plane
                row += max(1, plane.levels)

    def _cells_read(self, plane: InputPlane) -> int:
        """Return the number of cells of a plane that are read."""
        return {"cells": self.cells, "uniform": 1, "constant": 0}[plane.reading]

    def fits(self, game: Game) -> bool:
        """Whether it is a shape for a game's observations and actions."""
        return (
            self.board_shape == game.layout.board_shape
            and len(self.planes) == len(game.layout.plane_highs)
            and (self.players, self.actions) == (game.num_players, game.num_actions)
            and (self.marker is None or turning_symmetry(game) is not None)
        )


def _input_plane(seen: NDArray[np.int8], high: int, levels: int) -> InputPlane:
    """Return the reading of a plane of which these examples, int8 `(n, cells)`, are known."""
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


AnyShape: TypeAlias = NetworkShape | SparseShape


@dataclass(frozen=True)
class StoredNetwork:
    """A network as a file holds it; neither making nor reading one needs PyTorch.

    Attributes:
        shape: Its shape.
        arrays: Its parameters by name, and, with a marker, how positions are turned.
    """

    shape: AnyShape
    arrays: Mapping[str, NDArray[Any]]


def check_weights(arrays: Mapping[str, NDArray[Any]], name: str) -> None:
    """Refuse weights that are not numbers, or too large for sums of them to be finite.

    Args:
        arrays: The arrays of a network from a file.
        name: Whose they are, for the message.

    Raises:
        ValueError: There are such weights: the training of the network has diverged.
    """
    for part, weights in arrays.items():
        # Written so that NaN does not pass.
        if weights.dtype.kind == "f" and not (np.abs(weights) <= LARGEST_WEIGHT).all():
            raise ValueError(
                f"{name} has diverged: {part} is not from -{LARGEST_WEIGHT:,} to {LARGEST_WEIGHT:,}"
            )


def shape_of(values: Mapping[str, Any]) -> AnyShape:
    """Return the shape that `dataclasses.asdict` has turned into plain values.

    Raises:
        ValueError: There is no such shape; says why.
    """
    kind = values.get("kind", "residual")
    if kind not in ("residual", "sparse"):
        raise ValueError(f"its network is of the unknown kind {kind!r}")
    shape: type[AnyShape] = SparseShape if kind == "sparse" else NetworkShape
    return msgspec.convert(values, shape)


# --- Turned positions -----------------------------------------------------------------------------


def turning_symmetry(game: Game) -> Symmetry | None:
    """Return the symmetry by which player 1 sees a position as player 0 would; None without one."""
    if game.num_players != 2:
        return None
    return next((symmetry for symmetry in game.symmetries if symmetry.swaps_seats), None)


def random_observations(game: Game) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Return flattened observations of all players in random games, and who sees them."""
    rng = np.random.Generator(np.random.PCG64(0))
    seen, seats = [], []
    for number in range(_GAMES):
        state = game.new_state((0, number))
        while not state.is_terminal:
            state.apply(int(rng.choice(state.legal_actions())))
            for player in range(game.num_players):
                seen.append(state.observation(player).ravel())
                seats.append(player)
    observations, observers = np.stack(seen), np.array(seats)
    if len(observations) > _POSITIONS:
        chosen = rng.choice(len(observations), _POSITIONS, replace=False)
        observations, observers = observations[chosen], observers[chosen]
    return observations, observers


def find_marker(
    game: Game, seen: NDArray[np.int8], seats: NDArray[np.int64]
) -> tuple[int, int] | None:
    """Return an entry that tells the two observers apart, and its value for player 1.

    None if there is none, or no symmetry that swaps the two. The arguments after the game are those
    that `random_observations` returns.
    """
    if turning_symmetry(game) is None:
        return None
    first, second = seen[seats == 0], seen[seats == 1]
    constant = (first == first[0]).all(axis=0) & (second == second[0]).all(axis=0)
    entries = (constant & (first[0] != second[0])).nonzero()[0]
    return (int(entries[0]), int(second[0, entries[0]])) if len(entries) else None
