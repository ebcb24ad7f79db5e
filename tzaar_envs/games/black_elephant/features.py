"""The observation of Black Elephant: the planes of its spec."""

import numpy as np

from tzaar_envs.core.bits import popcount
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.numbering import plane_numbers
from tzaar_envs.core.planes import fill_plane
from tzaar_envs.games.black_elephant import PLANES
from tzaar_envs.games.black_elephant.board import (
    BURNT_CELLS,
    BURNT_LEFT,
    CAPTIVES,
    CELLS,
    DISTANCE,
    EAST,
    ELEPHANT_CELLS,
    GOALS,
    HELD,
    HOME,
    IDLE,
    LOG_CELLS,
    NORTH,
    OWN_PATH,
    PASSES,
    PLIES,
    SOUTH,
    SOUTH_AREA,
    SOUTH_SEAT,
    WAITING,
    WEST,
    WEST_AREA,
    WEST_SEAT,
)
from tzaar_envs.games.black_elephant.rules import (
    contains,
    danger_cells,
    facing_cells,
    free_cells,
    points,
    threatened_cells,
    watched_cells,
)
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

PLANE = plane_numbers(PLANES)

# `(2, 4 * CELLS)`: for each seat, the four planes from `own_goal` on, flattened.
_goals = GOALS[:, np.newaxis] >> np.arange(CELLS) & 1
GOAL_LINES = np.array(
    [
        [_goals[seat], _goals[1 - seat], DISTANCE[seat], DISTANCE[1 - seat]]
        for seat in (WEST_SEAT, SOUTH_SEAT)
    ],
    np.int8,
).reshape(2, 4 * CELLS)


@compiled
def observe(state: StateArray, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    write_board(state, out)
    write_watchers(state, seat, out)
    for index in range(GOAL_LINES.shape[1]):
        out[PLANE.own_goal * CELLS + index] = GOAL_LINES[seat, index]
    for enemy in range(2):
        player = 1 - seat if enemy else seat
        first_area = WAITING + 2 * player
        elephants = PLANE.enemy_north if enemy else PLANE.own_north
        areas = PLANE.enemy_area_west if enemy else PLANE.own_area_west
        write_elephants(state, player, out[elephants * CELLS :])
        fill_plane(out, areas, CELLS, state[first_area + WEST_AREA])
        fill_plane(out, areas + 1, CELLS, state[first_area + SOUTH_AREA])
        # The enemy's plane follows the observer's.
        fill_plane(out, PLANE.own_held + enemy, CELLS, state[HELD + player])
        fill_plane(out, PLANE.own_burnt + enemy, CELLS, state[BURNT_LEFT + player])
        fill_plane(out, PLANE.own_home + enemy, CELLS, state[HOME + player])
        fill_plane(out, PLANE.own_captives + enemy, CELLS, state[CAPTIVES + player])
        fill_plane(out, PLANE.own_points + enemy, CELLS, points(state, player))
    fill_plane(out, PLANE.logs_left, CELLS, popcount(state[LOG_CELLS]))
    fill_plane(out, PLANE.to_move, CELLS, int(state[STATUS] == RUNNING and state[SEAT] == seat))
    fill_plane(out, PLANE.starter, CELLS, int(seat == WEST_SEAT))
    fill_plane(out, PLANE.passes, CELLS, state[PASSES])
    fill_plane(out, PLANE.idle, CELLS, state[IDLE])
    fill_plane(out, PLANE.plies_div_4, CELLS, state[PLIES] // 4)
    fill_plane(out, PLANE.plies_mod_4, CELLS, state[PLIES] % 4)


# Each loop writes several planes, since a shorter one is unrolled instead of vectorized. The planes
# must be constants: a loop whose indices might be negative is not vectorized either.


@compiled
def write_board(state: StateArray, out: Observation) -> None:
    """Write logs, burnt logs and free fields."""
    logs = state[LOG_CELLS]
    burnt = state[BURNT_CELLS]
    free = free_cells(state)
    for cell in range(CELLS):
        out[PLANE.logs * CELLS + cell] = contains(logs, cell)
        out[PLANE.burnt * CELLS + cell] = contains(burnt, cell)
        out[PLANE.free * CELLS + cell] = contains(free, cell)


@compiled
def write_elephants(state: StateArray, player: int, planes: Observation) -> None:
    """Write the four planes of a player's elephants, in the order of the facings."""
    elephants = state[ELEPHANT_CELLS + player]
    north = elephants & facing_cells(state, NORTH)
    east = elephants & facing_cells(state, EAST)
    south = elephants & facing_cells(state, SOUTH)
    west = elephants & facing_cells(state, WEST)
    for cell in range(CELLS):
        planes[NORTH * CELLS + cell] = contains(north, cell)
        planes[EAST * CELLS + cell] = contains(east, cell)
        planes[SOUTH * CELLS + cell] = contains(south, cell)
        planes[WEST * CELLS + cell] = contains(west, cell)


@compiled
def write_watchers(state: StateArray, seat: int, out: Observation) -> None:
    """Write the watched fields, the danger fields, and those under threat."""
    own_first = watched_cells(state, state[OWN_PATH + 2 * seat])
    own_second = watched_cells(state, state[OWN_PATH + 2 * seat + 1])
    enemy_first = watched_cells(state, state[OWN_PATH + 2 * (1 - seat)])
    enemy_second = watched_cells(state, state[OWN_PATH + 2 * (1 - seat) + 1])
    danger = danger_cells(state)
    own_threat = threatened_cells(state, seat)
    enemy_threat = threatened_cells(state, 1 - seat)
    for cell in range(CELLS):
        out[PLANE.own_watch_1 * CELLS + cell] = contains(own_first, cell)
        out[PLANE.own_watch_2 * CELLS + cell] = contains(own_second, cell)
        out[PLANE.enemy_watch_1 * CELLS + cell] = contains(enemy_first, cell)
        out[PLANE.enemy_watch_2 * CELLS + cell] = contains(enemy_second, cell)
        out[PLANE.danger * CELLS + cell] = contains(danger, cell)
        out[PLANE.own_threat * CELLS + cell] = contains(own_threat, cell)
        out[PLANE.enemy_threat * CELLS + cell] = contains(enemy_threat, cell)
