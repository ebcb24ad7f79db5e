"""Draw `docs/architecture.svg` from the imports: `python docs/tools/make_architecture_picture.py`.

A box is a room of the suite, with the number of its lines. An arrow leads from a room to one that
it imports; arrows that follow from others are left out. Rooms only import rooms in lower rows.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TypeAlias

from rooms import FRONT, ROOMS, direct, levels, line_counts, room_imports

PICTURE = Path(__file__).parents[1] / "architecture.svg"

Node: TypeAlias = tuple[str, str, int]
"""A room `(room, "", row)`, or where an arrow `(from, to, row)` passes a row between the two."""

_WIDTH, _HEIGHT = 200, 66  # of a box
_PASSAGE = 12  # width that an arrow takes in a row that it passes
_GAP, _ROW_GAP = 24, 46  # between neighbours, between rows
_MARGIN = 12
_SWEEPS = 24  # over the rows, to put nodes above those that they lead to

# Boxes have their own background, and the arrows show on light and dark pages.
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" \
viewBox="0 0 {width} {height}" font-family="sans-serif" role="img" aria-label="{label}">
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" \
orient="auto"><path d="M0 0L8 4L0 8z" fill="#8b949e"/></marker></defs>"""
_ARROW = """<path d="{path}" fill="none" stroke="#8b949e" stroke-width="1.4" \
marker-end="url(#head)"/>"""
_BOX = """<g id="{room}"><rect x="{x}" y="{y}" width="{width}" height="{height}" rx="7" \
fill="#ddf4ff" stroke="#54aeff"/>
<text x="{left}" y="{base}" font-size="14" font-weight="bold" fill="#0a3069">{title}</text>
<text x="{right}" y="{base}" font-size="11" text-anchor="end" fill="#57606a">{lines:,} lines</text>
{summary}</g>"""
_SUMMARY = '<text x="{x}" y="{y}" font-size="11.5" fill="#24292f">{text}</text>'


def routes() -> list[list[Node]]:
    """Return for every arrow the nodes that it passes, row by row, both rooms included."""
    level = levels(room_imports())
    row = {room: max(level.values()) - level[room] for room in level}
    return [
        [
            (room, "", row[room]),
            *((room, other, between) for between in range(row[room] + 1, row[other])),
            (other, "", row[other]),
        ]
        for room, imports in sorted(direct(room_imports()).items())
        for other in sorted(imports)
    ]


def arranged(arrows: list[list[Node]]) -> dict[Node, float]:
    """Return the horizontal centre of every node, such that few arrows cross."""
    neighbours: dict[Node, list[Node]] = {}
    for upper, lower in itertools.chain.from_iterable(map(itertools.pairwise, arrows)):
        neighbours.setdefault(upper, []).append(lower)
        neighbours.setdefault(lower, []).append(upper)
    order = {room: number for number, room in enumerate(ROOMS)}
    nodes = sorted(neighbours, key=lambda node: (node[2], order[node[0]], node[1]))
    rows = [list(row) for _, row in itertools.groupby(nodes, key=lambda node: node[2])]
    centres = _centres(rows)
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 else reversed(rows):
            row.sort(
                key=lambda node: (
                    sum(centres[other] for other in neighbours[node]) / len(neighbours[node])
                )
            )
            centres |= _centres([row])
    return centres


def _centres(rows: list[list[Node]]) -> dict[Node, float]:
    """Return the centre of every node, each row centred around 0."""
    found = {}
    for row in rows:
        widths = [_PASSAGE if other else _WIDTH for _, other, _ in row]
        left = -(sum(widths) + _GAP * (len(row) - 1)) / 2
        for node, width in zip(row, widths, strict=True):
            found[node] = left + width / 2
            left += width + _GAP
    return found


def picture(lines: Mapping[str, int]) -> str:
    """Return the picture as SVG, with these numbers of lines."""
    arrows = routes()
    centres = arranged(arrows)
    width = 2 * round(max(abs(centre) for centre in centres.values()) + _WIDTH / 2 + _MARGIN)
    bottom = max(row for _, _, row in centres)
    height = _top(bottom) + _HEIGHT + _MARGIN
    x = {node: round(centre + width / 2) for node, centre in centres.items()}
    parts = [_HEAD.format(width=width, height=height, label="rooms of tzaar_envs, their imports")]
    parts += [_ARROW.format(path=_path(arrow, x)) for arrow in arrows]
    rooms = sorted((node for node in x if not node[1]), key=lambda node: (node[2], x[node]))
    parts += [_box(room, x[room, "", row], _top(row), lines[room]) for room, _, row in rooms]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _top(row: int) -> int:
    return _MARGIN + row * (_HEIGHT + _ROW_GAP)


def _path(arrow: list[Node], x: Mapping[Node, int]) -> str:
    """Return an arrow as an SVG path: curved between rows, straight through the rows it passes."""
    path = f"M{x[arrow[0]]} {_top(arrow[0][2]) + _HEIGHT}"
    for upper, lower in itertools.pairwise(arrow):
        begin, end = _top(upper[2]) + _HEIGHT, _top(lower[2])
        middle = (begin + end) // 2
        path += f"C{x[upper]} {middle} {x[lower]} {middle} {x[lower]} {end}"
        if lower[1]:
            path += f"V{end + _HEIGHT}"
    return path


def _box(room: str, centre: int, y: int, lines: int) -> str:
    left = centre - _WIDTH // 2
    summary = (
        _SUMMARY.format(x=left + 10, y=y + 40 + 15 * number, text=escape(text))
        for number, text in enumerate(textwrap.wrap(ROOMS[room].summary, 28))
    )
    return _BOX.format(
        room=room,
        x=left,
        y=y,
        width=_WIDTH,
        height=_HEIGHT,
        left=left + 10,
        right=left + _WIDTH - 10,
        base=y + 21,
        title="tzaar_envs" if room == FRONT else room.replace(".", "/"),
        lines=lines,
        summary="".join(summary),
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(line_counts()), encoding="utf-8")
    print(f"wrote {PICTURE}")
