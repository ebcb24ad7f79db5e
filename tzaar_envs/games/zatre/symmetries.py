"""The eight symmetries of Zatre: four turns of the square board, each also of the mirrored one."""

import numpy as np

from tzaar_envs.core.layout import Layout, Symmetry, joined, plane_table
from tzaar_envs.games.zatre import board as b

TURNS = 4


def symmetries(layout: Layout) -> tuple[Symmetry, ...]:
    """Return all eight; `turn_90` turns the board clockwise, after `mirror` (its columns)."""
    return tuple(
        _symmetry(layout, turns, mirrored) for mirrored in (False, True) for turns in range(TURNS)
    )


def _symmetry(layout: Layout, turns: int, mirrored: bool) -> Symmetry:
    board = np.arange(b.CELLS).reshape(b.SIZE, b.SIZE)
    cells = np.rot90(board[:, ::-1] if mirrored else board, -turns).ravel()
    names = [plane.name for plane in layout.planes for _ in range(plane.count)]
    planes = np.arange(len(names) - names.count("sheet"))
    if turns % 2:  # rows become columns
        along = [names.index("across"), names.index("down")]
        planes[along] = planes[along[::-1]]
    sheets = np.arange(b.CELLS * names.count("sheet"))  # the last planes: boxes, not cells
    parts = ["mirror"] * mirrored + [f"turn_{90 * turns}"] * (turns > 0)
    return Symmetry(
        name="_".join(parts) or "identity",
        layout=layout,
        observation=joined(plane_table(planes, cells), sheets),
        actions=plane_table(np.arange(b.VALUES), cells),
    )
