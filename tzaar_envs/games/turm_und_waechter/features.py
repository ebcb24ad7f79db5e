"""The observation of Turm & Wächter: the planes that the game's record names, in its order."""

from tzaar_envs.core.arrays import Observation, Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.games.turm_und_waechter.board import (
    BLUE_CASTLE,
    BOARD,
    CELLS,
    GUARD,
    OCCURRENCES,
    PLIES,
    RED,
    RED_CASTLE,
    STONES,
)

OWN_GUARD = 0
ENEMY_GUARD = 1
OWN_TOWER = 2  # and the next six planes
ENEMY_TOWER = OWN_TOWER + STONES
OWN_CASTLE = ENEMY_TOWER + STONES
ENEMY_CASTLE = OWN_CASTLE + 1
TO_MOVE = OWN_CASTLE + 2
PLANE_OCCURRENCES = OWN_CASTLE + 3
PLIES_DIV_4 = OWN_CASTLE + 4
PLIES_MOD_4 = OWN_CASTLE + 5


@compiled
def observe(state: Words, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    planes = out.reshape(-1, CELLS)
    planes[:TO_MOVE] = 0
    board = state[BOARD]
    side = 1 - 2 * seat
    for cell in range(CELLS):
        figure = board[cell] * side
        if figure == GUARD:
            planes[OWN_GUARD, cell] = 1
        elif figure == -GUARD:
            planes[ENEMY_GUARD, cell] = 1
        elif figure > 0:
            planes[OWN_TOWER + figure - 1, cell] = 1
        elif figure < 0:
            planes[ENEMY_TOWER - figure - 1, cell] = 1
    planes[OWN_CASTLE, RED_CASTLE if seat == RED else BLUE_CASTLE] = 1
    planes[ENEMY_CASTLE, BLUE_CASTLE if seat == RED else RED_CASTLE] = 1
    planes[TO_MOVE] = state[SEAT] == seat
    planes[PLANE_OCCURRENCES] = state[OCCURRENCES] - 1
    planes[PLIES_DIV_4] = state[PLIES] // 4
    planes[PLIES_MOD_4] = state[PLIES] % 4
