"""Scenes as text for a terminal."""

from __future__ import annotations

import math

from tzaar_envs.render.scene import Scene, Text, texts_of

_SAME_ROW = 10.0  # lengths of the board by which texts in a row of characters may differ
_CODES = {
    "faint": "2", "stone": "2", "burnt": "31", "danger": "31", "red": "31", "green": "32",
    "legal": "32", "log": "32", "yellow": "33", "gold": "33", "last": "33", "blue": "94",
    "purple": "35", "black": "36", "white": "97",
}  # fmt: skip
"""The codes of a terminal for colour roles; other roles are not coloured."""


def to_text(scene: Scene, colour: bool = False) -> str:
    """Return the board as text to play from, then the legend.

    The texts of ground and pieces stand where they stand in the picture, a character for each
    `scene.character`, or further to the right if there is no room.

    Args:
        scene: The scene.
        colour: Whether to use ANSI colours.
    """
    rows: list[list[tuple[int, Text]]] = []
    bottom = -math.inf
    for text in sorted(
        texts_of(scene.ground + scene.pieces, for_text=True), key=lambda text: text.y
    ):
        if text.y > bottom:
            bottom = text.y + _SAME_ROW
            rows.append([])
        before = len(text.text) * {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor]
        rows[-1].append((math.floor(text.x / scene.character - before + 0.501), text))
    margin = min((start for row in rows for start, _ in row), default=0)
    lines = [_line(sorted(row, key=lambda entry: entry[0]), margin, colour) for row in rows]
    legend = [_painted(Text(0, 0, line, 1, "faint"), colour) for line in scene.legend]
    return "\n".join([*lines, *[""] * bool(legend), *legend])


def _line(row: list[tuple[int, Text]], margin: int, colour: bool) -> str:
    line, end, last = "", margin, " "
    for start, text in row:
        start = max(start, end + (last.isalnum() and text.text[0].isalnum()))
        line += " " * (start - end) + _painted(text, colour)
        end, last = start + len(text.text), text.text[-1]
    return line.rstrip()


def _painted(text: Text, colour: bool) -> str:
    code = _CODES.get(text.fill.partition("_")[0])
    if not colour or code is None:
        return text.text
    return f"\033[{'1;' * text.bold}{code}m{text.text}\033[0m"
