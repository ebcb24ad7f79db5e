"""The observation of Turm & Wächter: the planes of its spec."""

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.layout import plane_numbers
from tzaar_envs.core.toolkit import Bitboard, fill_plane, lowest_bit
from tzaar_envs.games.turm_und_waechter import PLANES
from tzaar_envs.games.turm_und_waechter import board as b
from tzaar_envs.games.turm_und_waechter.rules import figures_of
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

PLANE = plane_numbers(PLANES)


@compiled
def observe(state: StateArray, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    out[:] = 0
    mark(out, PLANE.own_guard, state[figures_of(seat)])
    mark(out, PLANE.enemy_guard, state[figures_of(1 - seat)])
    mark_towers(out, PLANE.own_tower_1, state, seat)
    mark_towers(out, PLANE.enemy_tower_1, state, 1 - seat)
    mark(out, PLANE.own_castle, 1 << (b.RED_CASTLE if seat == b.RED else b.BLUE_CASTLE))
    mark(out, PLANE.enemy_castle, 1 << (b.BLUE_CASTLE if seat == b.RED else b.RED_CASTLE))
    fill_plane(out, PLANE.to_move, b.CELLS, state[SEAT] == seat)
    fill_plane(out, PLANE.occurrences, b.CELLS, state[b.OCCURRENCES] - 1)
    fill_plane(out, PLANE.plies_div_4, b.CELLS, state[b.PLIES] // 4)
    fill_plane(out, PLANE.plies_mod_4, b.CELLS, state[b.PLIES] % 4)


@compiled
def mark_towers(out: Observation, first_plane: int, state: StateArray, seat: int) -> None:
    """Mark a seat's towers, each height in a plane of its own."""
    taller = 0
    for height in range(b.STONES, 0, -1):
        cells = state[figures_of(seat) + height]
        mark(out, first_plane + height - 1, cells ^ taller)
        taller = cells


@compiled
def mark(out: Observation, plane: int, cells: Bitboard) -> None:
    """Write 1 on the cells of a set."""
    while cells:
        out[plane * b.CELLS + lowest_bit(cells)] = 1
        cells &= cells - 1
