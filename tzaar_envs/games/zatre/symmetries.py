"""The eight symmetries of Zatre: four turns of the square board, each also of the mirrored one."""

import itertools

import numpy as np

from tzaar_envs.core.layout import Layout, Symmetry, joined, plane_table, turn_name
from tzaar_envs.games.zatre import board as b


def symmetries(layout: Layout) -> tuple[Symmetry, ...]:
    """Return all eight; `turn_90` turns the board clockwise, after `mirror` (its columns)."""
    found = []
    names = [plane.name for plane in layout.planes for _ in range(plane.count)]
    sheets = np.arange(b.CELLS * names.count("sheet"))  # the last planes: boxes, not cells
    for mirrored, turns in itertools.product((False, True), range(4)):
        board = np.arange(b.CELLS).reshape(b.SIZE, b.SIZE)
        cells = np.rot90(board[:, ::-1] if mirrored else board, -turns).ravel()
        planes = np.arange(len(names) - names.count("sheet"))
        if turns % 2:  # rows become columns
            along = [names.index("across"), names.index("down")]
            planes[along] = planes[along[::-1]]
        found.append(
            Symmetry(
                name=turn_name(mirrored, 90 * turns),
                layout=layout,
                observation=joined(plane_table(planes, cells), sheets),
                actions=plane_table(np.arange(b.VALUES), cells),
            )
        )
    return tuple(found)
