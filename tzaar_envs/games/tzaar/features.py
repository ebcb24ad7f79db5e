"""The observation of Tzaar: the planes that the game's record names, in its order."""

import numpy as np

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.games.tzaar.board import (
    ACTION_1,
    ACTION_2,
    CELL_OF_POINT,
    CELLS,
    HEIGHT,
    KIND,
    OPENING,
    PHASE,
    POINTS,
    RESERVE,
    SETUP,
    SETUP_TOURNAMENT,
)
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

ON_BOARD = 0
TYPE = 1  # three planes of own stacks, three of the enemy's
HEIGHTS = 7  # own, enemy
AT_LEAST = 9  # own heights 2, 3, 4, 5, then the enemy's
TALLEST = 5
TO_ACT = 17
IN_OPENING = 18
IN_ACTION_1 = 19
IN_ACTION_2 = 20
IN_RESERVE = 21  # own three types, then the enemy's

IS_POINT = np.zeros(CELLS, np.int8)
IS_POINT[CELL_OF_POINT] = 1


@compiled
def observe(state: StateArray, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    for index in range(CELLS):
        out[index] = IS_POINT[index]
    for index in range(CELLS, TO_ACT * CELLS):
        out[index] = 0
    colour = 1 - 2 * seat
    for point in range(POINTS):
        cell = CELL_OF_POINT[point]
        kind = state[KIND.start + point] * colour
        height = state[HEIGHT.start + point]
        enemy = kind < 0
        # Of an empty point this writes again that it is a point of height 0, which costs less than
        # a branch.
        out[(3 - kind if enemy else kind) * CELLS + cell] = 1
        out[(HEIGHTS + enemy) * CELLS + cell] = height
        if height > 1:
            first = AT_LEAST + (TALLEST - 1) * enemy
            for step in range(min(height, TALLEST) - 1):
                out[(first + step) * CELLS + cell] = 1
    fill(out, TO_ACT, state[SEAT] == seat)
    fill(out, IN_OPENING, state[PHASE] == OPENING)
    fill(out, IN_ACTION_1, state[PHASE] == ACTION_1)
    fill(out, IN_ACTION_2, state[PHASE] == ACTION_2)
    if state[SETUP] == SETUP_TOURNAMENT:
        for piece in range(3):
            fill(out, IN_RESERVE + piece, state[RESERVE.start + 3 * seat + piece])
            fill(out, IN_RESERVE + 3 + piece, state[RESERVE.start + 3 * (1 - seat) + piece])


@compiled
def fill(out: Observation, plane: int, value: int) -> None:
    """Write the same number everywhere on a plane."""
    out[plane * CELLS : (plane + 1) * CELLS] = value
