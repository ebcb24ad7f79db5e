"""The observation of Turm & Wächter: the planes that the game's record names, in its order."""

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.games.turm_und_waechter.board import (
    BLUE_CASTLE,
    CELLS,
    OCCURRENCES,
    PLIES,
    RED,
    RED_CASTLE,
    STONES,
)
from tzaar_envs.games.turm_und_waechter.rules import figures_of, lowest
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

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
def observe(state: StateArray, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    out[:] = 0
    mark(out, OWN_GUARD, state[figures_of(seat)])
    mark(out, ENEMY_GUARD, state[figures_of(1 - seat)])
    mark_towers(out, OWN_TOWER, state, seat)
    mark_towers(out, ENEMY_TOWER, state, 1 - seat)
    mark(out, OWN_CASTLE, 1 << (RED_CASTLE if seat == RED else BLUE_CASTLE))
    mark(out, ENEMY_CASTLE, 1 << (BLUE_CASTLE if seat == RED else RED_CASTLE))
    fill(out, TO_MOVE, state[SEAT] == seat)
    fill(out, PLANE_OCCURRENCES, state[OCCURRENCES] - 1)
    fill(out, PLIES_DIV_4, state[PLIES] // 4)
    fill(out, PLIES_MOD_4, state[PLIES] % 4)


@compiled
def mark_towers(out: Observation, first_plane: int, state: StateArray, seat: int) -> None:
    """Mark a seat's towers, those of each height in a plane of their own."""
    taller = 0
    for height in range(STONES, 0, -1):
        cells = state[figures_of(seat) + height]
        mark(out, first_plane + height - 1, cells ^ taller)
        taller = cells


@compiled
def mark(out: Observation, plane: int, cells: int) -> None:
    """Write 1 on the cells of a set."""
    while cells:
        out[plane * CELLS + lowest(cells)] = 1
        cells &= cells - 1


@compiled
def fill(out: Observation, plane: int, value: int) -> None:
    """Write a number on all cells."""
    for index in range(plane * CELLS, (plane + 1) * CELLS):
        out[index] = value
