"""The four symmetries of Turm & Wächter.

Files can be mirrored. Ranks can be mirrored if Red and Blue exchange all figures, castles and the
move; as observations have planes of the observer and of the enemy, both players then see the
mirrored board.
"""

import numpy as np

from tzaar_envs.core.layout import Layout
from tzaar_envs.core.symmetry import Symmetry, plane_table
from tzaar_envs.games.turm_und_waechter.board import (
    CELLS,
    EAST,
    MAX_RANGE,
    NORTH,
    SIZE,
    SOUTH,
    WEST,
)

NAMES = {
    (False, False): "identity",
    (True, False): "files",
    (False, True): "ranks",
    (True, True): "half_turn",
}


def symmetries(layout: Layout) -> tuple[Symmetry, ...]:
    """Return all four."""
    return tuple(_symmetry(layout, *mirrored) for mirrored in NAMES)


def _symmetry(layout: Layout, files: bool, ranks: bool) -> Symmetry:
    cells = np.arange(CELLS).reshape(SIZE, SIZE)
    directions = np.array([NORTH, EAST, SOUTH, WEST])
    if files:
        cells = cells[:, ::-1]
        directions[[EAST, WEST]] = directions[[WEST, EAST]]
    if ranks:
        cells = cells[::-1]
        directions[[NORTH, SOUTH]] = directions[[SOUTH, NORTH]]
    moves = plane_table(directions, np.arange(MAX_RANGE))  # a plane for each number of stones
    return Symmetry(
        name=NAMES[files, ranks],
        layout=layout,
        observation=plane_table(np.arange(layout.observation_shape[0]), cells.ravel()),
        actions=plane_table(moves, cells.ravel()),
        swaps_seats=ranks,
    )
