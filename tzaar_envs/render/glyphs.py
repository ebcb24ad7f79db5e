"""Letters as strokes, so that text needs no fonts and its width is known.

`glyphs.txt` has them, one on each line: the character, a space, and its strokes.

A glyph is a few strokes of constant width with round ends, on a grid where capitals are 10 high
and 0 is the baseline; y grows downwards. Strokes are separated by `;`, and each is a list of points
`x,y` and arcs `cx,cy,rx,ry,from,to`. Angles are in degrees: 0 is right of the centre, 90 above it.
A stroke goes straight from one element to the next; one that ends with `z` is closed.
"""

import functools
import math
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

CAP_HEIGHT = 10.0
DESCENT = 3.0
GAP = 2.9  # from one glyph to the next, stroke width included
SPACE = 4.4
THIN, BOLD = 1.25, 1.75  # stroke widths

Segment: TypeAlias = tuple[str, tuple[float, ...]]
"""A command of an SVG path, `M`, `L`, `C` or `Z`, with its absolute coordinates."""

_FILE = Path(__file__).with_name("glyphs.txt")
_STROKES = {line[0]: line[2:] for line in _FILE.read_text(encoding="utf-8").splitlines()}
_UNKNOWN = "0,-9 4.6,-9 4.6,0 0,0z"


@functools.cache
def glyph(character: str) -> tuple[tuple[Segment, ...], float]:
    """Return the strokes of a character on the grid, and its width without the gap.

    A letter with an unknown accent is drawn without it, any other unknown character as a box.
    """
    if character == " ":
        return (), SPACE - GAP
    base = unicodedata.normalize("NFD", character)[0]
    strokes = _STROKES.get(character) or _STROKES.get(base, _UNKNOWN)
    segments = tuple(_segments(strokes))
    xs = [x for _, points in segments for x in points[::2]]
    left = min(xs)
    moved = tuple(
        (command, tuple(n - left if i % 2 == 0 else n for i, n in enumerate(points)))
        for command, points in segments
    )
    return moved, max(xs) - left


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
