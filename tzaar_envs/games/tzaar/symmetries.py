"""The twelve symmetries of the board of Tzaar: six turns, each also of the mirrored board.

The rules are the same in all directions, so all twelve hold in every set-up. (The fixed set-up is
not symmetrical, so the images of its positions do not occur in its games; they are valid
nevertheless.) Exchanging the colours is not another symmetry: no plane shows the observer's colour.
"""

import itertools

import numpy as np

from tzaar_envs.core.layout import Layout, Symmetry, joined, plane_table, turn_name
from tzaar_envs.games.tzaar import board as b


def symmetries(layout: Layout) -> tuple[Symmetry, ...]:
    """Return all twelve; `turn_60` turns the board clockwise, after `mirror` if both are named."""
    found = []
    for mirrored, turns in itertools.product((False, True), range(len(b.DIRECTIONS))):
        cells = np.arange(b.CELLS)  # those that are not points are always empty, and stay
        for cell in b.CELL_OF_POINT:
            j, i = divmod(int(cell), b.GRID)
            x, y = _source(i - b.HOLE[0], j - b.HOLE[1], turns, mirrored)
            cells[cell] = b.GRID * (y + b.HOLE[1]) + x + b.HOLE[0]
        sources = [b.DIRECTIONS.index(_source(x, y, turns, mirrored)) for x, y in b.DIRECTIONS]
        # The planes of moves are directions, those of placements are types of pieces.
        actions = {
            "move": plane_table(np.array(sources), cells),
            "pass": np.arange(1),
            "place": plane_table(np.arange(3), cells),
        }
        found.append(
            Symmetry(
                name=turn_name(mirrored, 60 * turns),
                layout=layout,
                observation=plane_table(np.arange(layout.observation_shape[0]), cells),
                actions=joined(*(actions[block.name] for block in layout.actions)),
            )
        )
    return tuple(found)


def _source(x: int, y: int, turns: int, mirrored: bool) -> tuple[int, int]:
    """Return the source of (x, y), relative to the hole: the image is mirrored, then turned."""
    for _ in range(turns):
        x, y = x - y, x  # 60 degrees back
    return (y, x) if mirrored else (x, y)
