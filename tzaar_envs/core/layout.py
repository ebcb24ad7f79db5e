"""The layout of a game: its players, observation planes, action numbering, and symmetries.

A position and its image under a symmetry, for instance on the mirrored board, have the same future.
A player's observation of the image is a permutation of that of the position, and so are the legal
actions. So anything learnt or searched for a position also holds for its images.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.validation import integers_of

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True)
class Plane:
    """One plane of an observation (or one number of a flat one), or several of a kind.

    Attributes:
        name: Unique within the game.
        description: One phrase, from the observer's view.
        high: The greatest value; the least is 0.
        count: The number of consecutive planes (or numbers).
    """

    name: str
    description: str
    high: int = 1
    count: int = 1


@dataclass(frozen=True)
class ActionBlock:
    """Consecutive actions of one kind.

    Attributes:
        name: Unique within the game.
        description: The meaning of an action's index within the block.
        planes: The number of actions or, with `on_board`, of planes of actions.
        on_board: Each plane has one action for each cell of the board, in the order of the cells.
    """

    name: str
    description: str
    planes: int
    on_board: bool = True


@dataclass(frozen=True)
class Layout:
    """The players, observation planes and action numbering of a game with given options.

    Attributes:
        seat_names: Names of the players in the rules, in turn order.
        board_shape: Rows and columns of an observation plane; empty for a flat observation.
        planes: The observation's planes (or numbers) in order.
        actions: The action numbering: the blocks follow each other from 0.
        max_plies: No game is longer.
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

    def numbered_blocks(self) -> Iterator[tuple[range, ActionBlock]]:
        """Yield the blocks of actions with the numbers of their actions."""
        first = 0
        for block in self.actions:
            numbers = range(first, first + self.block_size(block))
            yield numbers, block
            first = numbers.stop

    @property
    def num_actions(self) -> int:
        """The number of actions, legal or not."""
        return sum(self.block_size(block) for block in self.actions)


def plane_numbers(planes: Iterable[Plane], prefix: str = "") -> Any:
    """Return a named tuple: for each plane's name the number of its first plane.

    Compiled code reads the fields of such a tuple, held in a module constant, as constants.

    Args:
        planes: Consecutive planes (or numbers) of an observation, the first of which gets 0.
        prefix: Prefix of the names that the tuple's fields leave out.
    """
    firsts = {}
    first = 0
    for plane in planes:
        firsts[plane.name.removeprefix(prefix)] = first
        first += plane.count
    return namedtuple("PlaneNumbers", firsts)(**firsts)


@dataclass(frozen=True, eq=False)
class Symmetry:
    """One symmetry of a game.

    Attributes:
        name: Unique within the game; `"identity"` changes nothing.
        layout: The layout that the tables are for.
        observation: int64, one entry for every number of a flattened observation: number `i` of the
            image's observation is number `observation[i]` of the position's.
        actions: int64 `(num_actions,)`, likewise: action `a` of the image is action `actions[a]` of
            the position.
        swaps_seats: The two players have changed places in the image: its player 0 sees what player
            1 sees of the position. The player to move has the same value in both.

    Raises:
        ValueError: A table is not a row of integers.
    """

    name: str
    layout: Layout
    observation: NDArray[np.int64]
    actions: NDArray[np.int64]
    swaps_seats: bool = False
    _images: NDArray[np.int64] = field(init=False, repr=False)  # the inverse of `actions`

    def __post_init__(self) -> None:
        for name in ("observation", "actions"):
            table = _table(name, getattr(self, name))
            table.setflags(write=False)
            object.__setattr__(self, name, table)
        object.__setattr__(self, "_images", np.argsort(self.actions))

    def apply_to_observations(self, observations: NDArray[Number]) -> NDArray[Number]:
        """Return the observations of the images.

        Args:
            observations: `(..., *observation_shape)`, or flattened, `(..., observation_size)`.

        Returns:
            A new array of the same shape and dtype.

        Raises:
            ValueError: Another shape.
        """
        observations = np.asarray(observations)
        shape = self.layout.observation_shape
        given = observations.shape
        if given[-1:] != self.observation.shape and given[-len(shape) :] != shape:
            raise ValueError(
                f"observations of shape {given} do not end in {shape} or {self.observation.shape}"
            )
        rows = observations.reshape(-1, self.observation.size)
        return rows.take(self.observation, axis=1).reshape(given)

    def apply_to_actions(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return masks, policies or other values of actions for the images.

        Args:
            values: `(..., num_actions)`.

        Returns:
            A new array of the same shape and dtype.

        Raises:
            ValueError: Another shape.
        """
        values = np.asarray(values)
        if values.shape[-1:] != self.actions.shape:
            raise ValueError(
                f"values of shape {values.shape} do not end in {self.actions.shape}, one for each "
                "action"
            )
        return values.take(self.actions, axis=-1)

    def images_of(self, actions: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the actions of the images that correspond to actions of the positions.

        Args:
            actions: Integers of any shape, each from 0 to `num_actions - 1`.

        Raises:
            IndexError: An action that does not exist.
        """
        actions = np.asarray(actions)
        if actions.size and not 0 <= actions.min() <= actions.max() < self.actions.size:
            wrong = actions.min() if actions.min() < 0 else actions.max()
            raise IndexError(f"action {wrong} is out of range: use 0 to {self.actions.size - 1}")
        return self._images[actions]


def identity(layout: Layout) -> Symmetry:
    """Return the symmetry that changes nothing; every game has it."""
    size = math.prod(layout.observation_shape)
    return Symmetry("identity", layout, np.arange(size), np.arange(layout.num_actions))


def turn_name(mirrored: bool, degrees: int) -> str:
    """Return the name of a turn of the board, after its reflection if `mirrored`."""
    parts = ["mirror"] * mirrored + [f"turn_{degrees}"] * (degrees > 0)
    return "_".join(parts) or "identity"


def plane_table(planes: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the table of planes over a board, flattened.

    Args:
        planes: Plane that each plane is taken from.
        cells: Cell that each cell is taken from; the same on all these planes.

    Raises:
        ValueError: One of them is not a row of integers.
    """
    planes, cells = _table("planes", planes), _table("cells", cells)
    return (planes[:, np.newaxis] * cells.size + cells).ravel()


def joined(*tables: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the table of consecutive parts, each of which has a table of its own.

    Raises:
        ValueError: One of them is not a row of integers.
    """
    checked = [_table(f"table {number}", table) for number, table in enumerate(tables)]
    starts = np.cumsum([0, *(table.size for table in checked)])
    parts = [start + table for start, table in zip(starts, checked, strict=False)]
    return np.concatenate(parts)


def _table(name: str, given: NDArray[np.int64]) -> NDArray[np.int64]:
    return integers_of(name, given, np.size(given))
