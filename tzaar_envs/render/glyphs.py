"""Letters as strokes, so that text needs no fonts and its width is known.

A glyph is a few strokes of constant width with round ends, on a grid where capitals are 10 high
and 0 is the baseline; y grows downwards. Strokes are separated by `;`, and each is a list of points
`x,y` and arcs `cx,cy,rx,ry,from,to`. Angles are in degrees: 0 is right of the centre, 90 above it.
A stroke goes straight from one element to the next; one that ends with `z` is closed.
"""

import functools
import math
import unicodedata
from collections.abc import Iterator
from typing import TypeAlias

CAP_HEIGHT = 10.0
DESCENT = 3.0
GAP = 2.9  # from one glyph to the next, stroke width included
SPACE = 4.4
THIN, BOLD = 1.25, 1.75  # stroke widths

Segment: TypeAlias = tuple[str, tuple[float, ...]]
"""A command of an SVG path, `M`, `L`, `C` or `Z`, with its absolute coordinates."""

_STROKES = {
    "0": "3.1,-5,3.1,5,0,360z",
    "1": "0.2,-8 2.6,-10 2.6,0",
    "2": "3,-7.1,2.8,2.9,160,-40 0.1,0 6,0",
    "3": "2.8,-7.5,2.5,2.5,150,-90;2.8,-2.6,2.9,2.6,90,-155",
    "4": "4.6,0 4.6,-10 0,-2.9 6.2,-2.9",
    "5": "5.4,-10 0.9,-10 0.4,-5.6 2.9,-3.1,3,3.1,125,-150",
    "6": "4.9,-10 0.6,-4.6;3,-3,3,3,0,360z",
    "7": "0,-10 5.8,-10 2,0",
    "8": "3,-7.5,2.5,2.5,0,360z;3,-2.6,3,2.6,0,360z",
    "9": "1.1,0 5.4,-5.4;3,-7,3,3,0,360z",
    "A": "0,0 3.5,-10 7,0;1.1,-3.2 5.9,-3.2",
    "B": "0,0 0,-10 3.2,-7.6,2.4,2.4,90,-90 0,-5.2;0,-5.2 3.4,-2.6,2.7,2.6,90,-90 0,0",
    "C": "4.2,-5,4.2,5,55,305",
    "D": "0,0 0,-10 2.4,-5,4.2,5,90,-90 z",
    "E": "5.4,-10 0,-10 0,0 5.4,0;0,-5.2 4.6,-5.2",
    "F": "5.4,-10 0,-10 0,0;0,-5 4.4,-5",
    "G": "4.2,-5,4.2,5,55,315 7.3,-4.4 4.6,-4.4",
    "H": "0,-10 0,0;6.4,-10 6.4,0;0,-5.1 6.4,-5.1",
    "I": "0.1,-10 0.1,0",
    "J": "4.4,-10 2.2,-2.4,2.2,2.4,0,-165",
    "K": "0,-10 0,0;5.8,-10 0,-4;2.1,-6.2 6,0",
    "L": "0,-10 0,0 5,0",
    "M": "0,0 0,-10 4,-3.4 8,-10 8,0",
    "N": "0,0 0,-10 6.6,0 6.6,-10",
    "O": "4.1,-5,4.1,5,0,360z",
    "P": "0,0 0,-10 3.3,-7.2,2.7,2.8,90,-90 0,-4.4",
    "Q": "4.1,-5,4.1,5,0,360z;5.2,-2.6 8,0.6",
    "R": "0,0 0,-10 3.2,-7.3,2.6,2.7,90,-90 0,-4.6;3,-4.6 6,0",
    "S": "3,-7.5,2.7,2.5,40,270 3,-2.6,2.9,2.6,90,-145",
    "T": "0,-10 6.8,-10;3.4,-10 3.4,0",
    "U": "0,-10 3.2,-3.2,3.2,3.2,180,360 6.4,-10",
    "V": "0,-10 3.5,0 7,-10",
    "W": "0,-10 2.5,0 5,-8.4 7.5,0 10,-10",
    "X": "0,-10 6.4,0;6.4,-10 0,0",
    "Y": "0,-10 3.3,-4.8 6.6,-10;3.3,-4.8 3.3,0",
    "Z": "0,-10 6.2,-10 0,0 6.2,0",
    "a": "2.7,-3.4,2.7,3.4,0,360z;5.4,-6.8 5.4,0",
    "b": "0,-10 0,0;2.7,-3.4,2.7,3.4,0,360z",
    "c": "2.8,-3.4,2.8,3.4,50,310",
    "d": "5.4,-10 5.4,0;2.7,-3.4,2.7,3.4,0,360z",
    "e": "0,-3.4 5.6,-3.4 2.8,-3.4,2.8,3.4,0,315",
    "f": "2.9,-8,1.7,2,60,180 1.2,0;0,-6.6 3.3,-6.6",
    "g": "2.7,-3.4,2.7,3.4,0,360z;5.4,-6.8 2.7,0.4,2.7,2.6,0,-150",
    "h": "0,-10 0,0;0,0 2.5,-4.3,2.5,2.5,180,0 5,0",
    "i": "0,-6.8 0,0;0,-9.5 0,-9.6",
    "j": "1.4,-6.8 -0.2,1.4,1.6,1.6,0,-90;1.4,-9.5 1.4,-9.6",
    "k": "0,-10 0,0;4.4,-6.8 0,-2.6;1.6,-4.1 4.7,0",
    "l": "0,-10 1.5,-1.5,1.5,1.5,180,265",
    "m": "0,-6.8 0,0;0,0 2.1,-4.7,2.1,2.1,180,0 4.2,0;4.2,0 6.3,-4.7,2.1,2.1,180,0 8.4,0",
    "n": "0,-6.8 0,0;0,0 2.5,-4.3,2.5,2.5,180,0 5,0",
    "o": "2.8,-3.4,2.8,3.4,0,360z",
    "p": "0,-6.8 0,3;2.7,-3.4,2.7,3.4,0,360z",
    "q": "5.4,-6.8 5.4,3;2.7,-3.4,2.7,3.4,0,360z",
    "r": "0,-6.8 0,0;0,0 2.4,-4.4,2.4,2.4,180,50",
    "s": "2.2,-5,2,1.8,35,270 2.2,-1.6,2.1,1.6,90,-150",
    "t": "1.2,-9 2.9,-1.8,1.7,1.8,180,290;0,-6.6 3.4,-6.6",
    "u": "0,-6.8 2.5,-2.5,2.5,2.5,180,360 5,-6.8;5,-6.8 5,0",
    "v": "0,-6.8 2.6,0 5.2,-6.8",
    "w": "0,-6.8 2,0 4,-5.6 6,0 8,-6.8",
    "x": "0,-6.8 4.8,0;4.8,-6.8 0,0",
    "y": "0,-6.8 2.7,-0.4;5.3,-6.8 1.6,3 0.4,3",
    "z": "0,-6.8 4.6,-6.8 0,0 4.6,0",
    "ß": "0,0 2.5,-7.6,2.5,2.4,180,-60 2.4,-5.3;2.4,-5.3 2.6,-2.6,2.7,2.6,90,-120",
    ".": "0.2,0 0.2,-0.1",
    ",": "0.6,-0.2 0,1.9",
    ":": "0.2,0 0.2,-0.1;0.2,-5.4 0.2,-5.5",
    ";": "0.6,-0.2 0,1.9;0.6,-5.4 0.6,-5.5",
    "-": "0,-3.8 3.4,-3.8",
    "\N{EN DASH}": "0,-3.8 5.4,-3.8",
    "+": "0,-4.2 5.6,-4.2;2.8,-7 2.8,-1.4",
    "\N{MULTIPLICATION SIGN}": "0,-6.2 4.4,-1.8;4.4,-6.2 0,-1.8",
    "*": "2,-9.6 2,-5.6;0.3,-8.6 3.7,-6.6;3.7,-8.6 0.3,-6.6",
    "=": "0,-5.6 5.2,-5.6;0,-2.8 5.2,-2.8",
    "<": "4.6,-7 0,-4 4.6,-1",
    ">": "0,-7 4.6,-4 0,-1",
    "/": "0,1 4,-10.6",
    "|": "0,2 0,-10.6",
    "_": "0,1.6 5.6,1.6",
    "^": "0,-6.6 2.3,-10 4.6,-6.6",
    "%": "1.6,-8,1.6,2,0,360z;6.4,-2,1.6,2,0,360z;6.6,-10 1.4,0",
    "#": "1,0 2.6,-10;4.2,0 5.8,-10;0.4,-6.8 6.6,-6.8;0,-3.2 6.2,-3.2",
    "&": "6.6,0 1.4,-6.6 2.6,-8,1.9,2,200,-30 1.2,-4.9 2.5,-2.6,2.5,2.6,130,-60 6.6,-4.6",
    "@": "4.4,-4.4,1.9,2.2,0,360z;6.3,-6.4 6.3,-3.4 7.3,-3.6,1,1.4,180,360 4.3,-4.4,4.2,4.6,5,300",
    "(": "3.6,-4.4,3.4,7,130,230",
    ")": "-1.4,-4.4,3.4,7,50,-50",
    "[": "2.2,-11 0,-11 0,2 2.2,2",
    "]": "0,-11 2.2,-11 2.2,2 0,2",
    "!": "0.2,-10 0.2,-3.4;0.2,0 0.2,-0.1",
    "?": "2.6,-7.4,2.5,2.6,170,-60 2.7,-3.2;2.7,0 2.7,-0.1",
    "'": "0.2,-10 0.2,-7.6",
    '"': "0.2,-10 0.2,-7.6;2.6,-10 2.6,-7.6",
    "·": "0.2,-4 0.2,-4.1",
    "…": "0.2,0 0.2,-0.1;3.2,0 3.2,-0.1;6.2,0 6.2,-0.1",
    "→": "0,-4.2 8,-4.2;5,-7.2 8,-4.2 5,-1.2",
    "✓": "0,-4.4 2.6,-1 7.4,-8.6",
}
_UNKNOWN = "0,-9 4.6,-9 4.6,0 0,0z"
_DOTS = {"ä": (1.2, 4.2, -9.4), "ö": (1.4, 4.2, -9.4), "ü": (1.1, 3.9, -9.4)}
_CAPITAL_DOTS = {"Ä": (2, 5, -12.6), "Ö": (2.6, 5.6, -12.6), "Ü": (1.9, 4.5, -12.6)}


@functools.cache
def glyph(character: str) -> tuple[tuple[Segment, ...], float]:
    """Return the strokes of a character on the grid, and its width without the gap.

    A letter with an unknown accent is drawn without it, any other unknown character as a box.
    """
    if character == " ":
        return (), SPACE - GAP
    strokes = _strokes_of(character)
    segments = tuple(_segments(strokes))
    xs = [x for _, points in segments for x in points[::2]]
    left = min(xs)
    moved = tuple(
        (command, tuple(n - left if i % 2 == 0 else n for i, n in enumerate(points)))
        for command, points in segments
    )
    return moved, max(xs) - left


def _strokes_of(character: str) -> str:
    if character in _STROKES:
        return _STROKES[character]
    base = unicodedata.normalize("NFD", character)[0]
    strokes = _STROKES.get(base, _UNKNOWN)
    dots = _DOTS.get(character) or _CAPITAL_DOTS.get(character)
    if dots:
        first, second, y = dots
        strokes += f";{first},{y} {first},{y - 0.1};{second},{y} {second},{y - 0.1}"
    return strokes


def _segments(strokes: str) -> Iterator[Segment]:
    for stroke in strokes.split(";"):
        command = "M"
        for element in stroke.removesuffix("z").split():
            numbers = [float(number) for number in element.split(",")]
            if len(numbers) == 2:
                yield command, tuple(numbers)
            else:
                yield from _arc(command, *numbers)
            command = "L"
        if stroke.endswith("z"):
            yield "Z", ()


def _arc(
    command: str, cx: float, cy: float, rx: float, ry: float, start: float, end: float
) -> Iterator[Segment]:
    """Yield an elliptical arc as cubic curves of at most a quarter each, and the way to it."""
    parts = max(1, math.ceil(abs(end - start) / 90))
    step = math.radians(end - start) / parts
    handle = 4 / 3 * math.tan(step / 4)  # of the standard approximation of a circle
    angle = math.radians(start)
    yield command, (cx + rx * math.cos(angle), cy - ry * math.sin(angle))
    for _ in range(parts):
        after = angle + step
        yield (
            "C",
            (
                cx + rx * (math.cos(angle) - handle * math.sin(angle)),
                cy - ry * (math.sin(angle) + handle * math.cos(angle)),
                cx + rx * (math.cos(after) + handle * math.sin(after)),
                cy - ry * (math.sin(after) - handle * math.cos(after)),
                cx + rx * math.cos(after),
                cy - ry * math.sin(after),
            ),
        )
        angle = after


@functools.lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Return the width of a text whose capitals have a height of `size`."""
    if not text:
        return 0.0
    return (sum(glyph(character)[1] + GAP for character in text) - GAP) * size / CAP_HEIGHT


@functools.lru_cache(maxsize=4096)
def text_path(text: str, x: float, baseline: float, size: float) -> str:
    """Return the strokes of a text as the `d` of an SVG path, from its left end."""
    scale = size / CAP_HEIGHT
    parts: list[str] = []
    at = x
    for character in text:
        segments, width = glyph(character)
        for command, points in segments:
            numbers = (
                f"{(at if i % 2 == 0 else baseline) + scale * n:.1f}".removesuffix(".0")
                for i, n in enumerate(points)
            )
            parts.append(command + " ".join(numbers))
        at += (width + GAP) * scale
    return "".join(parts)
