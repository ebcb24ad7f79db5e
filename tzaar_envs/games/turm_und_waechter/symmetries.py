"""The four symmetries of Turm & Wächter.

Files can be mirrored. Ranks can be mirrored if Red and Blue exchange all figures, castles and the
move; as observations have planes of the observer and of the enemy, both players then see the
mirrored board.
"""

import numpy as np

from tzaar_envs.core.layout import Layout, Symmetry, plane_table
from tzaar_envs.games.turm_und_waechter import board as b

NAMES = {
    (False, False): "identity",
    (True, False): "files",
    (False, True): "ranks",
    (True, True): "half_turn",
}


def symmetries(layout: Layout) -> tuple[Symmetry, ...]:
    """Return all four."""
    found = []
    for (files, ranks), name in NAMES.items():
        cells = np.arange(b.CELLS).reshape(b.SIZE, b.SIZE)
        directions = np.array([b.NORTH, b.EAST, b.SOUTH, b.WEST])
        if files:
            cells = cells[:, ::-1]
            directions[[b.EAST, b.WEST]] = directions[[b.WEST, b.EAST]]
        if ranks:
            cells = cells[::-1]
            directions[[b.NORTH, b.SOUTH]] = directions[[b.SOUTH, b.NORTH]]
        moves = plane_table(directions, np.arange(b.MAX_RANGE))  # a plane for each number of stones
        found.append(
            Symmetry(
                name=name,
                layout=layout,
                observation=plane_table(np.arange(layout.observation_shape[0]), cells.ravel()),
                actions=plane_table(moves, cells.ravel()),
                swaps_seats=ranks,
            )
        )
    return tuple(found)
