"""Parts of pictures that several games have."""

from __future__ import annotations

from tzaar_envs.render.scene import Stop
from tzaar_envs.render.shapes import Circle, Group, Item, Path, Rect, Text

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


def ellipse(x: float, y: float, rx: float, ry: float) -> str:
    """Return an ellipse as the `d` of a path."""
    a, b = rx * _CURVE, ry * _CURVE
    left, near_left, middle, near_right, right = (
        f"{at:.2f}".rstrip("0").rstrip(".") for at in (x - rx, x - a, x, x + a, x + rx)
    )
    top, near_top, level, near_bottom, bottom = (
        f"{at:.2f}".rstrip("0").rstrip(".") for at in (y - ry, y - b, y, y + b, y + ry)
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
    return Group((box, words), id=stop.id, label=text)


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
