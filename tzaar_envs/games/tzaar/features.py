"""The observation of Tzaar: the planes of its spec."""

import numpy as np

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.layout import plane_numbers
from tzaar_envs.core.toolkit import fill_plane
from tzaar_envs.games.tzaar import PLANES, RESERVE_PLANES
from tzaar_envs.games.tzaar import board as b
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

PLANE = plane_numbers(PLANES + RESERVE_PLANES)
TALLEST = 5  # height with a plane of its own

IS_POINT = np.zeros(b.CELLS, np.int8)
IS_POINT[b.CELL_OF_POINT] = 1


@compiled
def observe(state: StateArray, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    for index in range(b.CELLS):
        out[index] = IS_POINT[index]
    for index in range(b.CELLS, PLANE.to_act * b.CELLS):
        out[index] = 0
    colour = 1 - 2 * seat
    for point in range(b.POINTS):
        cell = b.CELL_OF_POINT[point]
        kind = state[b.KIND.start + point] * colour
        height = state[b.HEIGHT.start + point]
        enemy = kind < 0
        # For an empty point this writes once more that it is a point and has height 0, which costs
        # less than a branch.
        out[(3 - kind if enemy else kind) * b.CELLS + cell] = 1
        out[(PLANE.own_height + enemy) * b.CELLS + cell] = height
        if height > 1:
            first = PLANE.own_height_2 + (TALLEST - 1) * enemy
            for step in range(min(height, TALLEST) - 1):
                out[(first + step) * b.CELLS + cell] = 1
    fill_plane(out, PLANE.to_act, b.CELLS, state[SEAT] == seat)
    fill_plane(out, PLANE.opening, b.CELLS, state[b.PHASE] == b.OPENING)
    fill_plane(out, PLANE.action_1, b.CELLS, state[b.PHASE] == b.ACTION_1)
    fill_plane(out, PLANE.action_2, b.CELLS, state[b.PHASE] == b.ACTION_2)
    if state[b.SETUP] == b.SETUP_TOURNAMENT:
        own, enemy = b.RESERVE.start + 3 * seat, b.RESERVE.start + 3 * (1 - seat)
        for piece in range(3):
            fill_plane(out, PLANE.own_reserve_tzaar + piece, b.CELLS, state[own + piece])
            fill_plane(out, PLANE.enemy_reserve_tzaar + piece, b.CELLS, state[enemy + piece])
