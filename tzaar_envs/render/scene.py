"""A scene: what a picture of a position shows, apart from colours, size and format.

A game describes a position by a function `scene(state, view)`, and where its actions lead by a
function `trace(state, action)`. Everything else, such as arrows, SVG, pixels, windows and boards of
text, works on scenes of any game.

Coordinates are those of the board: x to the right, y downwards. `fill` and `stroke` are colour
roles of a `Theme`, such as `"ink"`; empty draws nothing. Angles are in degrees, clockwise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from tzaar_envs.render.glyphs import CAP_HEIGHT, DESCENT, text_width

if TYPE_CHECKING:
    from tzaar_envs.jit.arrays import StateArray

Point: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom."""

_NUMBER = re.compile(r"-?[0-9]*\.?[0-9]+")


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle around (x, y)."""

    x: float
    y: float
    r: float
    fill: str = ""
    stroke: str = ""
    width: float = 1.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle from its upper left corner (x, y), with corners rounded by `r`."""

    x: float
    y: float
    w: float
    h: float
    fill: str = ""
    stroke: str = ""
    width: float = 1.0
    r: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Polygon:
    """A polygon through the points; an open line if it is not `closed`."""

    points: tuple[Point, ...]
    fill: str = ""
    stroke: str = ""
    width: float = 1.0
    opacity: float = 1.0
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Path:
    """A path with the absolute commands M, L, C, Q and Z of SVG."""

    d: str
    fill: str = ""
    stroke: str = ""
    width: float = 1.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text.

    Attributes:
        x: Its left end, middle or right end, as `anchor` says.
        y: The middle of its capitals.
        text: The text.
        size: The height of its capitals.
        fill: Its colour.
        anchor: `"start"`, `"middle"` or `"end"`.
        bold: Whether its strokes are thick.
        opacity: 0 to 1.
        room: The greatest width; a longer text gets smaller. 0: any width.
    """

    x: float
    y: float
    text: str
    size: float
    fill: str = "ink"
    anchor: str = "middle"
    bold: bool = False
    opacity: float = 1.0
    room: float = 0.0

    @property
    def drawn_size(self) -> float:
        """The height of its capitals, made smaller if there is no room."""
        width = text_width(self.text, self.size)
        return self.size * self.room / width if 0 < self.room < width else self.size

    @property
    def left(self) -> float:
        """Its left end."""
        width = text_width(self.text, self.drawn_size)
        return self.x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor]


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that belong together, moved and turned as a whole.

    Attributes:
        items: The shapes, the first one lowest.
        id: The name of the place that it is, if an action can begin or end there: `"A5"`.
        label: The name that screen readers announce: `"A5: white Tzaar, height 2"`.
        shift: The position of the point (0, 0) of its shapes.
        turn: The angle by which it is turned around that point.
        opacity: 0 to 1.
        text: The text that a board of text shows in place of the texts of its shapes; None: these.
        ink: The colour role of `text`.
    """

    items: tuple[Item, ...]
    id: str = ""
    label: str = ""
    shift: Point = (0.0, 0.0)
    turn: float = 0.0
    opacity: float = 1.0
    text: str | None = None
    ink: str = "ink"

    def moved(self, point: Point) -> Point:
        """Return the place of a point of its shapes, seen from outside."""
        sine, cosine = math.sin(math.radians(self.turn)), math.cos(math.radians(self.turn))
        x, y = point
        return (
            self.shift[0] + x * cosine - y * sine,
            self.shift[1] + x * sine + y * cosine,
        )


Item: TypeAlias = Circle | Rect | Polygon | Path | Text | Group


def line(points: Iterable[Point], stroke: str, width: float, opacity: float = 1.0) -> Polygon:
    """Return an open line through the points."""
    return Polygon(tuple(points), stroke=stroke, width=width, opacity=opacity, closed=False)


def box_of(item: Item) -> Box:
    """Return a rectangle around a shape, its stroke and control points included."""
    match item:
        case Group():
            left, top, right, bottom = _around(
                corner for box in map(box_of, item.items) for corner in (box[:2], box[2:])
            )
            corners = ((left, top), (right, top), (right, bottom), (left, bottom))
            return _around(map(item.moved, corners))
        case Text():
            size = item.drawn_size
            below = size * DESCENT / CAP_HEIGHT if set(item.text) & set("gjpqy,;Q_()[]|@") else 0
            right = item.left + text_width(item.text, size)
            points: Iterable[Point] = (
                (item.left, item.y - size / 2),
                (right, item.y + size / 2 + below),
            )
            return _around(points, edge=size * 0.09)
        case Circle():
            points = ((item.x - item.r, item.y - item.r), (item.x + item.r, item.y + item.r))
        case Rect():
            points = ((item.x, item.y), (item.x + item.w, item.y + item.h))
        case Polygon():
            points = item.points
        case Path():
            numbers = [float(number) for number in _NUMBER.findall(item.d)]
            points = zip(numbers[::2], numbers[1::2], strict=True)
    return _around(points, edge=item.width / 2 if item.stroke else 0)


def _around(points: Iterable[Point], edge: float = 0.0) -> Box:
    """Return the smallest rectangle around points and an edge; around (0, 0) for none."""
    xs, ys = zip(*points, strict=True) if (points := list(points)) else ((0.0,), (0.0,))
    return min(xs) - edge, min(ys) - edge, max(xs) + edge, max(ys) + edge


EVERYTHING = -1
"""In place of a viewer: nothing is hidden."""


@dataclass(frozen=True, slots=True)
class View:
    """The view to draw, with the last action.

    Attributes:
        viewer: The player, or `EVERYTHING`.
        before: The position before the last action; None if there is no last action to show.
        last: The last action.
    """

    viewer: int = EVERYTHING
    before: StateArray | None = None
    last: int = -1


@dataclass(frozen=True, slots=True)
class Stop:
    """A place that an action begins at, ends at or concerns.

    Attributes:
        id: The id of the group in the scene that is this place.
        x: Its middle.
        y: Its middle.
        r: Half its width.
        square: Whether it is a rectangle rather than a circle.
        h: Half its height; 0: as half its width.
    """

    id: str
    x: float
    y: float
    r: float
    square: bool = False
    h: float = 0.0


@dataclass(frozen=True, slots=True)
class Trace:
    """The places of an action.

    The ids of its stops, in order, are what a player points at in order to choose the action.

    Attributes:
        stops: The places of the action; none if it has none on the board.
        arrow: Whether it is a move from the first stop to the last, rather than a set of places.
        mark: The mark on the last stop, such as the number of a tile.
        shown: The number of last stops that pictures mark; 0: all.
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
        width: The right edge; the left one is 0.
        height: The lower edge; the upper one is 0.
        title: The position in a sentence, for people who cannot see it.
        sides: The players.
        ground: The board.
        under: Marks between board and pieces.
        pieces: The pieces, and everything else that changes.
        over: Marks above the pieces.
        character: The width of a character in a board of text, see `render.text`.
        legend: Lines below that, which say what its signs mean.
    """

    width: float
    height: float
    title: str
    sides: tuple[Side, ...] = ()
    ground: tuple[Item, ...] = ()
    under: tuple[Item, ...] = ()
    pieces: tuple[Item, ...] = ()
    over: tuple[Item, ...] = ()
    character: float = 8.0
    legend: tuple[str, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """All shapes, the first one lowest."""
        return self.ground + self.under + self.pieces + self.over

    def texts(self) -> Iterator[Text]:
        """Yield all texts where they appear."""
        return texts_of(self.items)


def flipped(scene: Scene) -> Scene:
    """Return a scene as whoever sits opposite sees it; texts and pieces stay upright."""

    def turned(x: float, y: float) -> Point:
        return scene.width - x, scene.height - y

    def flip(item: Item) -> Item:
        match item:
            case Group(shift=(0.0, 0.0), turn=0.0):
                return replace(item, items=tuple(map(flip, item.items)))
            case Group():
                return replace(item, shift=turned(*item.shift))
            case Rect():
                x, y = turned(item.x + item.w, item.y + item.h)
                return replace(item, x=x, y=y)
            case Text():
                x, y = turned(item.x, item.y)
                anchor = {"start": "end", "end": "start"}.get(item.anchor, item.anchor)
                return replace(item, x=x, y=y, anchor=anchor)
            case Circle():
                x, y = turned(item.x, item.y)
                return replace(item, x=x, y=y)
            case Polygon():
                return replace(item, points=tuple(turned(*point) for point in item.points))
            case Path():
                return Group((item,), shift=(scene.width, scene.height), turn=180.0)

    ground, pieces = tuple(map(flip, scene.ground)), tuple(map(flip, scene.pieces))
    under, over = tuple(map(flip, scene.under)), tuple(map(flip, scene.over))
    return replace(scene, ground=ground, under=under, pieces=pieces, over=over)


def texts_of(items: Iterable[Item], for_text: bool = False) -> Iterator[Text]:
    """Yield the texts among shapes, those in groups that are turned or moved where they appear.

    Args:
        items: The shapes.
        for_text: Whether a group's text for boards of text stands in place of those among its
            shapes.
    """
    for item in items:
        if isinstance(item, Text):
            yield item
        elif isinstance(item, Group):
            inner = texts_of(item.items, for_text)
            if for_text and item.text is not None:
                inner = iter([Text(0, 0, item.text, 1, item.ink, bold=True)] * bool(item.text))
            for text in inner:
                x, y = item.moved((text.x, text.y))
                yield replace(text, x=x, y=y)


# Parts of pictures that several games have.

_CURVE = 0.5523  # how far the handles of a cubic quarter circle are from its ends

# Where the pips of a die are, in quarters of its width from its middle.
_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def number(value: float) -> str:
    """Return a number with at most two decimals, without zeros at its end."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def ellipse(x: float, y: float, rx: float, ry: float) -> str:
    """Return an ellipse as the `d` of a path."""
    a, b = rx * _CURVE, ry * _CURVE
    left, near_left, middle, near_right, right = (
        number(at) for at in (x - rx, x - a, x, x + a, x + rx)
    )
    top, near_top, level, near_bottom, bottom = (
        number(at) for at in (y - ry, y - b, y, y + b, y + ry)
    )
    return (
        f"M{left} {level}C{left} {near_top} {near_left} {top} {middle} {top}"
        f"C{near_right} {top} {right} {near_top} {right} {level}"
        f"C{right} {near_bottom} {near_right} {bottom} {middle} {bottom}"
        f"C{near_left} {bottom} {left} {near_bottom} {left} {level}Z"
    )


def button(stop: Stop, text: str) -> Group:
    """Return a place without a piece that a player points at, such as one to pass."""
    height = 2 * (stop.h or stop.r)
    box = Rect(
        *(stop.x - stop.r, stop.y - height / 2, 2 * stop.r, height),
        fill="panel",
        stroke="panel_line",
        width=1.5,
        r=min(8.0, height / 2),
    )
    words = Text(stop.x, stop.y, text, height * 0.4, room=2 * stop.r - 16)
    return Group((box, words), id=stop.id, label=text, text="")


def die(value: int, colour: str, width: float) -> tuple[Item, ...]:
    """Return a die around (0, 0)."""
    half = width / 2
    items: list[Item] = [
        Rect(-half, -half, width, width, colour, f"{colour}_deep", 2, r=width * 0.2)
    ]
    for right, down in _PIPS[value]:
        x, y = right * width * 0.26, down * width * 0.26
        items.append(Circle(x, y, width * 0.095, fill=f"{colour}_ink"))
    return tuple(items)


def cross(x: float, y: float, half: float, stroke: str, width: float) -> Path:
    """Return two crossing strokes."""
    d = (
        f"M{x - half:g} {y - half:g}L{x + half:g} {y + half:g}"
        f"M{x + half:g} {y - half:g}L{x - half:g} {y + half:g}"
    )
    return Path(d, stroke=stroke, width=width)
