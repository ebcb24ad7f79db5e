"""Lines of a board as inputs of a sparse network: which piece sees which one, or patterns of cells.

A piece sees the next one in a direction if all cells between them are empty. The input does not say
where on the board that is, so what is learnt in one place holds everywhere.

Random games show which planes are pieces: those that never share a cell with another one, change in
the course of a game, and cover less than half of the board. Planes whose ones lie only on pieces
are marks, and pieces with different numbers of marks are of different kinds: so stacks are told
apart by their heights, if there is a plane for each height that they reach. Marks do not count
where they would make too many inputs. Directions are those which every symmetry of the game turns
into another one; so a board of hexagons has three.

In place of these lines, patterns can be inputs: what lies on some cells in a row, together, one
input for each place and content (n-tuple networks: Lucas, "Learning to play Othello with n-tuple
systems", 2008; Thill et al., "Reinforcement learning with n-tuples on the game Connect-4", 2012).
They suit games in which rows of pieces count, and need no sight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import Symmetry

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Rows and columns from one cell to the next, for each direction."""

MOST_CELLS = 8
"""The greatest number of cells of a pattern."""

_MOST_PLANES = 31  # of pieces, and of marks: those of a cell are bits of a word
_MOST_ROWS = 50_000  # of a new network
_HIGHEST_SHARE = 0.5  # of cells with a piece of one kind

_Plane = Annotated[int, msgspec.Meta(ge=0)]
_Direction = Annotated[int, msgspec.Meta(ge=0, lt=len(STEPS))]


@dataclass(frozen=True)
class Lines:
    """Which lines of sight are inputs.

    Attributes:
        pieces: Planes of the observation, one for each sort of piece; on a cell with several, the
            first one counts.
        directions: Numbers of the `STEPS`.
        marks: Planes of the observation with marks of pieces.
        most_marks: The greatest number of marks of a piece that count.
        pattern: 0: lines of sight are inputs; otherwise so are, in their place, the pieces on so
            many cells in a row, together, in every place of the board.
    """

    pieces: Annotated[tuple[_Plane, ...], msgspec.Meta(min_length=1, max_length=_MOST_PLANES)]
    directions: Annotated[tuple[_Direction, ...], msgspec.Meta(min_length=1, max_length=len(STEPS))]
    marks: Annotated[tuple[_Plane, ...], msgspec.Meta(max_length=_MOST_PLANES)] = ()
    most_marks: Annotated[int, msgspec.Meta(ge=0, le=_MOST_PLANES)] = 0
    pattern: Annotated[int, msgspec.Meta(ge=0, le=MOST_CELLS)] = 0

    @property
    def kinds(self) -> int:
        """The number of kinds of pieces: for each sort, 0 to `most_marks` marks."""
        return len(self.pieces) * (self.most_marks + 1)

    def rows(self, board_shape: tuple[int, ...]) -> int:
        """Return the number of rows.

        Lines of sight: kinds of both pieces, direction, distance, in this order. Patterns: place,
        and a number whose digits are what is on each cell: 0 for nothing, or 1 + a kind.
        """
        if self.pattern:
            (rows, columns), last = board_shape, self.pattern - 1
            places = 0
            for down, right in map(STEPS.__getitem__, self.directions):
                places += max(0, rows - last * down) * max(0, columns - last * abs(right))
            return places * self.contents
        return self.kinds**2 * len(self.directions) * reach_of(board_shape)

    @property
    def contents(self) -> int:
        """The number of ways in which the cells of a pattern may be occupied."""
        return (1 + self.kinds) ** self.pattern

    def places(self, board_shape: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        """Return the index of the direction, and the cells, of each place that a pattern has."""
        (rows, columns), last = board_shape, self.pattern - 1
        found = []
        for index, direction in enumerate(self.directions):
            down, right = STEPS[direction]
            step = down * columns + right
            for row in range(rows - down * last):
                for column in range(max(0, -right * last), columns - max(0, right * last)):
                    first = row * columns + column
                    found.append((index, tuple(first + step * n for n in range(self.pattern))))
        return found


def reach_of(board_shape: tuple[int, ...]) -> int:
    """Return the greatest distance between two cells of a line."""
    return max(board_shape) - 1


def find_lines(
    game: Game,
    seen: NDArray[np.int8],
    seats: NDArray[np.int64],
    planes: NDArray[np.int64],
    pattern: int = 0,
) -> Lines | None:
    """Return the lines of a game; None if it has no board, or no pieces.

    Args:
        game: The game.
        seen: int8 `(n, planes, cells)`, observations.
        seats: int64 `(n,)`, who sees them.
        planes: Those that may be pieces: 0 or 1 on each cell.
        pattern: See `Lines`.
    """
    board_shape = game.layout.board_shape
    if len(board_shape) != 2 or max(board_shape) < 2:
        return None
    taken = np.zeros((len(seen), seen.shape[2]), np.bool_)
    pieces, others = [], []
    for plane in planes.tolist():
        cells = seen[:, plane] != 0
        if not any(np.ptp(seen[seats == seat, plane], axis=0).any() for seat in set(seats)):
            continue
        if cells.mean() < _HIGHEST_SHARE and not (cells & taken).any():
            taken |= cells
            pieces.append(plane)
        else:
            others.append(plane)
    directions = _directions(game, pieces) if 1 <= len(pieces) <= _MOST_PLANES else ()
    if not directions:
        return None
    marks = [plane for plane in others if not (seen[:, plane].astype(np.bool_) & ~taken).any()]
    choices = [Lines(tuple(pieces), directions, pattern=pattern)]
    if 1 <= len(marks) <= _MOST_PLANES and _directions(game, pieces, marks):
        most = int((seen[:, marks] != 0).sum(axis=1).max())
        choices.insert(0, Lines(tuple(pieces), directions, tuple(marks), most, pattern))
    fitting = (lines for lines in choices if 0 < lines.rows(board_shape) <= _MOST_ROWS)
    return next(fitting, None)


def _directions(game: Game, pieces: Sequence[int], marks: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the directions of a board; none if a symmetry turns pieces or marks into others."""
    kept = set(range(len(STEPS)))
    for symmetry in game.symmetries:
        turned = _turned(symmetry, (*pieces,), (*marks,), game.layout.board_shape)
        # Symmetries are a group, so what all of them turn stays among itself.
        kept &= set() if turned is None else turned[1].keys()
    return tuple(sorted(kept))


def image_of_rows(
    symmetry: Symmetry, lines: Lines, board_shape: tuple[int, ...]
) -> NDArray[np.int64] | None:
    """Return the row that takes the place of each row of the lines; None without an image."""
    turned = _turned(symmetry, lines.pieces, lines.marks, board_shape)
    if turned is None:
        return None
    sorts, directions, cells = turned
    images = [directions.get(direction, (-1, False)) for direction in lines.directions]
    if not {to for to, _ in images} <= set(lines.directions):
        return None
    count, reach = lines.kinds, reach_of(board_shape)
    sort, marks = np.divmod(np.arange(count), lines.most_marks + 1)
    kinds = sorts[sort] * (lines.most_marks + 1) + marks
    if lines.pattern:
        return _image_of_patterns(lines, board_shape, kinds, cells)
    sizes = count, count, len(lines.directions), reach
    one, other, direction, distance = np.unravel_index(np.arange(np.prod(sizes)), sizes)
    place = np.array([lines.directions.index(to) for to, _ in images])[direction]
    is_reversed = np.array([is_reversed for _, is_reversed in images])[direction]
    one, other = kinds[one], kinds[other]
    first, second = np.where(is_reversed, other, one), np.where(is_reversed, one, other)
    return np.ravel_multi_index((first, second, place, distance), sizes)


def _image_of_patterns(
    lines: Lines,
    board_shape: tuple[int, ...],
    kinds: NDArray[np.int64],
    image_of_cell: NDArray[np.int64],
) -> NDArray[np.int64] | None:
    """Return the row that takes the place of each row of patterns; None without an image."""
    places = [cells for _, cells in lines.places(board_shape)]
    number = {cells: index for index, cells in enumerate(places)}
    contents = np.array(list(np.ndindex(*[1 + lines.kinds] * lines.pattern)))
    contents = np.append(0, 1 + kinds)[contents]
    weights = (1 + lines.kinds) ** np.arange(lines.pattern)[::-1]
    images = []
    for cells in places:
        turned = tuple(image_of_cell[list(cells)].tolist())
        is_reversed = turned not in number
        image = number.get(turned[::-1] if is_reversed else turned)
        if image is None:
            return None
        images.append(image * lines.contents + contents @ weights[:: -1 if is_reversed else 1])
    return np.concatenate(images)


def _turned(
    symmetry: Symmetry,
    pieces: tuple[int, ...],
    marks: tuple[int, ...],
    board_shape: tuple[int, ...],
) -> tuple[NDArray[np.int64], dict[int, tuple[int, bool]], NDArray[np.int64]] | None:
    """Return the images of sorts of pieces, directions and cells; None if they do not stay such.

    A direction becomes another one, or its opposite. Cells beyond the edge of a board that is no
    rectangle do not count: they are fewer.
    """
    cells = int(np.prod(board_shape))
    image_of = np.argsort(symmetry.observation)
    sorts, cell_images = [], []
    for plane in (*pieces, *marks):
        allowed = pieces if plane in pieces else marks
        planes, images = np.divmod(image_of[plane * cells : (plane + 1) * cells], cells)
        if (planes != planes[0]).any() or planes[0] not in allowed:
            return None
        sorts.append(allowed.index(int(planes[0])))
        cell_images.append(images)
    if any((images != cell_images[0]).any() for images in cell_images):
        return None
    where = np.stack(np.divmod(cell_images[0].reshape(board_shape), board_shape[1]), axis=2)
    directions = {}
    for direction, (down, right) in enumerate(STEPS):
        there = where[down:, max(0, right) : board_shape[1] + min(0, right)]
        here = where[: board_shape[0] - down, max(0, -right) : board_shape[1] - max(0, right)]
        vectors, counts = np.unique((there - here).reshape(-1, 2), axis=0, return_counts=True)
        down, right = vectors[counts.argmax()].tolist()
        for other, step in enumerate(STEPS):
            if step in ((down, right), (-down, -right)):
                directions[direction] = other, step != (down, right)
    return np.array(sorts[: len(pieces)]), directions, cell_images[0]
