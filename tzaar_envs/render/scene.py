"""A scene: what a picture of a position shows, apart from colours, size and format.

A game describes a position by a function `scene(state, view)`, and where its actions lead by a
function `trace(state, action)`. Everything else, such as arrows, SVG, pixels and windows, works on
scenes of any game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tzaar_envs.render.shapes import Group, Item, Text

if TYPE_CHECKING:
    from tzaar_envs.jit.arrays import StateArray

EVERYTHING = -1
"""In place of a viewer: nothing is hidden."""


@dataclass(frozen=True, slots=True)
class View:
    """Whose view is drawn, and which action came last.

    Attributes:
        viewer: the player, or `EVERYTHING`.
        before: the position before the last action; None if there is no last action to show.
        last: the last action.
    """

    viewer: int = EVERYTHING
    before: StateArray | None = None
    last: int = -1


@dataclass(frozen=True, slots=True)
class Stop:
    """A place that an action begins at, ends at or concerns.

    Attributes:
        id: the id of the group in the scene that is this place.
        x: its middle.
        y: its middle.
        r: half its width.
        square: whether it is a rectangle rather than a circle.
        h: half its height; 0: as half its width.
    """

    id: str
    x: float
    y: float
    r: float
    square: bool = False
    h: float = 0.0


@dataclass(frozen=True, slots=True)
class Trace:
    """Where an action leads.

    The ids of its stops, in order, are what a player points at in order to choose the action.

    Attributes:
        stops: the places of the action; none if it has none on the board.
        arrow: whether it is a move from the first stop to the last, rather than a set of places.
        mark: what appears on the last stop, such as the number of a tile.
        shown: how many of the last stops are marked in pictures; 0: all.
    """

    stops: tuple[Stop, ...] = ()
    arrow: bool = False
    mark: str = ""
    shown: int = 0

    @property
    def marked(self) -> tuple[Stop, ...]:
        """The stops that are marked in pictures."""
        return self.stops[-self.shown :] if self.shown else self.stops


@dataclass(frozen=True, slots=True)
class Side:
    """A player in a picture: a name, and the colour role of the player's pieces."""

    name: str
    fill: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture without colours, in layers from the lowest to the highest.

    The size depends on the game and its options alone, so that all pictures of a game have one.

    Attributes:
        width: the right edge; the left one is 0.
        height: the lower edge; the upper one is 0.
        title: the position in a sentence, for people who cannot see it.
        sides: the players.
        ground: the board.
        under: marks between board and pieces.
        pieces: the pieces, and everything else that changes.
        over: marks above the pieces.
    """

    width: float
    height: float
    title: str
    sides: tuple[Side, ...] = ()
    ground: tuple[Item, ...] = ()
    under: tuple[Item, ...] = ()
    pieces: tuple[Item, ...] = ()
    over: tuple[Item, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """All shapes, the first one lowest."""
        return self.ground + self.under + self.pieces + self.over

    def texts(self) -> Iterator[Text]:
        """Yield all texts; those in groups that are turned or moved where they appear."""
        for item in self.items:
            yield from _texts(item)


def _texts(item: Item) -> Iterator[Text]:
    if isinstance(item, Text):
        yield item
    elif isinstance(item, Group):
        for inner in item.items:
            for text in _texts(inner):
                x, y = item.moved((text.x, text.y))
                yield Text(x, y, text.text, text.size, anchor=text.anchor, room=text.room)
