"""Lines of sight as inputs of a sparse network: which piece sees which one, and how far away.

A piece sees the next one in a direction if all cells between them are empty. The input does not say
where on the board that is, so what is learnt in one place holds everywhere.

Random games show which planes are pieces: those that never share a cell with another one, change in
the course of a game, and cover less than half of the board. Directions are those which every
symmetry of the game turns into another one; so a board of hexagons has three.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.symmetry import Symmetry

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Rows and columns from one cell to the next, for each direction."""

_MOST_KINDS = 62  # of pieces: bits of a word
_MOST_ROWS = 50_000  # of a new network
_HIGHEST_SHARE = 0.5  # of cells with a piece of one kind

_Plane = Annotated[int, msgspec.Meta(ge=0)]
_Direction = Annotated[int, msgspec.Meta(ge=0, lt=len(STEPS))]


@dataclass(frozen=True)
class Lines:
    """Which lines of sight are inputs.

    Attributes:
        pieces: planes of the observation, one for each kind of piece; on a cell with several, the
            first one counts.
        directions: numbers of the `STEPS`.
    """

    pieces: Annotated[tuple[_Plane, ...], msgspec.Meta(min_length=1, max_length=_MOST_KINDS)]
    directions: Annotated[tuple[_Direction, ...], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        for name in ("pieces", "directions"):
            numbers = getattr(self, name)
            if list(numbers) != sorted(set(numbers)):
                raise ValueError(f"{name}={numbers} is not allowed: use ascending numbers")

    def rows(self, board_shape: tuple[int, ...]) -> int:
        """Return the number of rows: kinds of both pieces, direction, distance, in this order."""
        return len(self.pieces) ** 2 * len(self.directions) * reach_of(board_shape)


def reach_of(board_shape: tuple[int, ...]) -> int:
    """Return the greatest distance between two cells of a line."""
    return max(board_shape) - 1


def neighbours(lines: Lines, board_shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the next cell in each direction, then in the opposite ones; -1 at the edge.

    int64 `(2 * directions, cells)`.
    """
    row, column = np.divmod(np.arange(np.prod(board_shape)), board_shape[1])
    steps = np.array([STEPS[each] for each in lines.directions])
    found = []
    for step in (*steps, *-steps):
        to_row, to_column = row + step[0], column + step[1]
        is_on_board = (to_row >= 0) & (to_row < board_shape[0])
        is_on_board &= (to_column >= 0) & (to_column < board_shape[1])
        found.append(np.where(is_on_board, to_row * board_shape[1] + to_column, -1))
    return np.stack(found)


def find_lines(
    game: Game, seen: NDArray[np.int8], seats: NDArray[np.int64], planes: NDArray[np.int64]
) -> Lines | None:
    """Return the lines of a game; None if it has no board, or no pieces.

    Args:
        game: the game.
        seen: int8 `(n, planes, cells)`, observations.
        seats: int64 `(n,)`, who sees them.
        planes: those that may be pieces: 0 or 1 on each cell.
    """
    board_shape = game.layout.board_shape
    if len(board_shape) != 2 or max(board_shape) < 2:
        return None
    taken = np.zeros((len(seen), seen.shape[2]), np.bool_)
    pieces = []
    for plane in planes.tolist():
        cells = seen[:, plane] != 0
        changes = any(np.ptp(seen[seats == seat, plane], axis=0).any() for seat in set(seats))
        if changes and 0 < cells.mean() < _HIGHEST_SHARE and not (cells & taken).any():
            taken |= cells
            pieces.append(plane)
    if not 1 <= len(pieces) <= _MOST_KINDS:
        return None
    turned = [_turned(each, tuple(pieces), board_shape) for each in game.symmetries]
    if any(each is None for each in turned):
        return None
    directions = _closed([each[1] for each in turned if each is not None])
    if not directions:
        return None
    lines = Lines(tuple(pieces), directions)
    return lines if lines.rows(board_shape) <= _MOST_ROWS else None


def _closed(maps: Sequence[Mapping[int, tuple[int, bool]]]) -> tuple[int, ...]:
    """Return the directions that stay among themselves, whatever turns them."""
    kept = set(range(len(STEPS)))
    for _ in STEPS:
        kept = {each for each in kept if all(turn.get(each, (-1,))[0] in kept for turn in maps)}
    return tuple(sorted(kept))


def image_of_rows(
    symmetry: Symmetry, lines: Lines, board_shape: tuple[int, ...]
) -> NDArray[np.int64] | None:
    """Return the row that takes the place of each row of the lines; None without an image."""
    turned = _turned(symmetry, lines.pieces, board_shape)
    if turned is None or not set(lines.directions) <= turned[1].keys():
        return None
    kinds, directions = turned
    count, reach = len(lines.pieces), reach_of(board_shape)
    sizes = count, count, len(lines.directions), reach
    one, other, direction, distance = np.unravel_index(np.arange(np.prod(sizes)), sizes)
    images = [directions[each] for each in lines.directions]
    if not {to for to, _ in images} <= set(lines.directions):
        return None
    place = np.array([lines.directions.index(to) for to, _ in images])[direction]
    is_reversed = np.array([is_reversed for _, is_reversed in images])[direction]
    one, other = kinds[one], kinds[other]
    first, second = np.where(is_reversed, other, one), np.where(is_reversed, one, other)
    return np.ravel_multi_index((first, second, place, distance), sizes)


def _turned(
    symmetry: Symmetry, pieces: tuple[int, ...], board_shape: tuple[int, ...]
) -> tuple[NDArray[np.int64], dict[int, tuple[int, bool]]] | None:
    """Return what becomes of kinds of pieces and of directions; None if pieces do not stay such.

    A direction becomes another one, or its opposite. Cells beyond the edge of a board that is no
    rectangle do not count: they are fewer.
    """
    cells = int(np.prod(board_shape))
    image_of = np.argsort(symmetry.observation)
    kinds, cell_images = [], []
    for plane in pieces:
        planes, images = np.divmod(image_of[plane * cells : (plane + 1) * cells], cells)
        if (planes != planes[0]).any() or planes[0] not in pieces:
            return None
        kinds.append(pieces.index(int(planes[0])))
        cell_images.append(images)
    if any((images != cell_images[0]).any() for images in cell_images):
        return None
    where = np.stack(np.divmod(cell_images[0], board_shape[1]), axis=1)
    every = Lines(pieces, tuple(range(len(STEPS))))
    directions = {}
    for direction, following in enumerate(neighbours(every, board_shape)[: len(STEPS)]):
        inside = np.flatnonzero(following >= 0)
        vectors, counts = np.unique(
            where[following[inside]] - where[inside], axis=0, return_counts=True
        )
        down, right = vectors[counts.argmax()].tolist()
        for other, step in enumerate(STEPS):
            if step in ((down, right), (-down, -right)):
                directions[direction] = other, step != (down, right)
    return np.array(kinds), directions
