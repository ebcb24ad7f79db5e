"""The observation of Tzaar: the planes that the game's record names, in its order."""

from tzaar_envs.core.arrays import Observation, Words
from tzaar_envs.core.compile import compiled
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


@compiled
def observe(state: Words, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    planes = out.reshape(-1, CELLS)
    planes[:TO_ACT] = 0
    kind = state[KIND]
    height = state[HEIGHT]
    colour = 1 - 2 * seat
    for point in range(POINTS):
        cell = CELL_OF_POINT[point]
        planes[ON_BOARD, cell] = 1
        if kind[point] != 0:
            enemy = kind[point] * colour < 0
            planes[TYPE + 3 * enemy + abs(kind[point]) - 1, cell] = 1
            planes[HEIGHTS + enemy, cell] = height[point]
            for least in range(2, min(height[point], TALLEST) + 1):
                planes[AT_LEAST + (TALLEST - 1) * enemy + least - 2, cell] = 1
    planes[TO_ACT] = state[SEAT] == seat
    planes[IN_OPENING] = state[PHASE] == OPENING
    planes[IN_ACTION_1] = state[PHASE] == ACTION_1
    planes[IN_ACTION_2] = state[PHASE] == ACTION_2
    if state[SETUP] == SETUP_TOURNAMENT:
        for piece in range(3):
            planes[IN_RESERVE + piece] = state[RESERVE][3 * seat + piece]
            planes[IN_RESERVE + 3 + piece] = state[RESERVE][3 * (1 - seat) + piece]
