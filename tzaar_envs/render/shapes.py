"""The shapes that pictures consist of, in board coordinates: x to the right, y downwards.

`fill` and `stroke` are colour roles of a `Theme`, such as `"ink"`; empty draws nothing. Lengths are
in units of the board, angles in degrees, clockwise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from tzaar_envs.render.glyphs import CAP_HEIGHT, DESCENT, text_width

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

    @property
    def box(self) -> Box:
        """The smallest rectangle around it, stroke included."""
        r = self.r + (self.width / 2 if self.stroke else 0)
        return self.x - r, self.y - r, self.x + r, self.y + r


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

    @property
    def box(self) -> Box:
        """The smallest rectangle around it, stroke included."""
        edge = self.width / 2 if self.stroke else 0
        return self.x - edge, self.y - edge, self.x + self.w + edge, self.y + self.h + edge


@dataclass(frozen=True, slots=True)
class Polygon:
    """A polygon through the points; an open line if it is not `closed`."""

    points: tuple[Point, ...]
    fill: str = ""
    stroke: str = ""
    width: float = 1.0
    opacity: float = 1.0
    closed: bool = True

    @property
    def box(self) -> Box:
        """The smallest rectangle around it, stroke included."""
        edge = self.width / 2 if self.stroke else 0
        return grown(around(self.points), edge)


@dataclass(frozen=True, slots=True)
class Path:
    """A path with the absolute commands M, L, C, Q and Z of SVG."""

    d: str
    fill: str = ""
    stroke: str = ""
    width: float = 1.0
    opacity: float = 1.0

    @property
    def box(self) -> Box:
        """A rectangle around its points, control points and stroke included."""
        numbers = [float(number) for number in _NUMBER.findall(self.d)]
        edge = self.width / 2 if self.stroke else 0
        return grown(around(zip(numbers[::2], numbers[1::2], strict=True)), edge)


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text.

    Attributes:
        x: its left end, middle or right end, as `anchor` says.
        y: the middle of its capitals.
        text: what it says.
        size: the height of its capitals.
        fill: its colour.
        anchor: `"start"`, `"middle"` or `"end"`.
        bold: whether its strokes are thick.
        opacity: 0 to 1.
        room: the greatest width; a longer text gets smaller. 0: any width.
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
    def box(self) -> Box:
        """The rectangle from the top of the capitals to the baseline, or to its descenders."""
        size = self.drawn_size
        width = text_width(self.text, size)
        left = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        below = size * DESCENT / CAP_HEIGHT if set(self.text) & set("gjpqy,;Q_()[]|@") else 0
        edge = size * 0.09
        return (
            left - edge,
            self.y - size / 2 - edge,
            left + width + edge,
            self.y + size / 2 + below + edge,
        )


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that belong together, moved and turned as a whole.

    Attributes:
        items: the shapes, the first one lowest.
        id: the name of the place that it is, if an action can begin or end there: `"A5"`.
        label: what it is, for people who cannot see it: `"A5: white Tzaar, height 2"`.
        shift: where the point (0, 0) of its shapes is.
        turn: the angle by which it is turned around that point.
        opacity: 0 to 1.
    """

    items: tuple[Item, ...]
    id: str = ""
    label: str = ""
    shift: Point = (0.0, 0.0)
    turn: float = 0.0
    opacity: float = 1.0

    @property
    def box(self) -> Box:
        """A rectangle around all its shapes."""
        left, top, right, bottom = joined(item.box for item in self.items)
        corners = ((left, top), (right, top), (right, bottom), (left, bottom))
        return around(self.moved(corner) for corner in corners)

    def moved(self, point: Point) -> Point:
        """Return where a point of its shapes is, seen from outside."""
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


def around(points: Iterable[Point]) -> Box:
    """Return the smallest rectangle around points; zeros for none."""
    xs, ys = zip(*points, strict=True) if (points := list(points)) else ((0.0,), (0.0,))
    return min(xs), min(ys), max(xs), max(ys)


def grown(box: Box, by: float) -> Box:
    """Return a rectangle with an edge added on all sides."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def joined(boxes: Iterable[Box]) -> Box:
    """Return the smallest rectangle around others; zeros for none."""
    corners = [corner for box in boxes for corner in (box[:2], box[2:])]
    return around(corners)
