"""The layout of a game: its players, observation planes and action numbering."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Plane:
    """One plane of an observation (or one number of a flat one), or several of a kind.

    Attributes:
        name: unique within the game.
        description: one phrase, from the observer's view.
        high: the greatest value; the least is 0.
        count: the number of consecutive planes (or numbers).
    """

    name: str
    description: str
    high: int = 1
    count: int = 1


@dataclass(frozen=True)
class ActionBlock:
    """Consecutive actions of one kind.

    Attributes:
        name: unique within the game.
        description: how an action follows from its index within the block.
        planes: the number of actions or, with `on_board`, of planes of actions.
        on_board: each plane has one action for each cell of the board, in the order of the cells.
    """

    name: str
    description: str
    planes: int
    on_board: bool = True


@dataclass(frozen=True)
class Layout:
    """The players, observation planes and action numbering of a game with given options.

    Attributes:
        seat_names: what the rules call the players, in turn order.
        board_shape: rows and columns of an observation plane; empty for a flat observation.
        planes: the observation's planes (or numbers) in order.
        actions: the action numbering: the blocks follow each other from 0.
        max_plies: no game is longer.
    """

    seat_names: tuple[str, ...]
    board_shape: tuple[int, ...]
    planes: tuple[Plane, ...]
    actions: tuple[ActionBlock, ...]
    max_plies: int

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """The shape of an observation: planes first, or a flat vector without a board."""
        return (sum(plane.count for plane in self.planes), *self.board_shape)

    @property
    def plane_highs(self) -> tuple[int, ...]:
        """The greatest value of every single plane (or number) of an observation."""
        return tuple(plane.high for plane in self.planes for _ in range(plane.count))

    def numbered_planes(self) -> Iterator[tuple[str, Plane]]:
        """Yield the planes with their numbers as text: `7`, or `7-12` if there are several."""
        first = 0
        for plane in self.planes:
            last = first + plane.count - 1
            yield f"{first}-{last}" if plane.count > 1 else str(first), plane
            first = last + 1

    def block_size(self, block: ActionBlock) -> int:
        """Return the number of actions in a block."""
        return block.planes * math.prod(self.board_shape) if block.on_board else block.planes

    @property
    def num_actions(self) -> int:
        """The number of actions, legal or not."""
        return sum(self.block_size(block) for block in self.actions)
