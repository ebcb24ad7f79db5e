"""The observation of Black Elephant: the planes of its spec."""

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.layout import plane_numbers
from tzaar_envs.core.toolkit import fill_plane, popcount
from tzaar_envs.games.black_elephant import PLANES, rules
from tzaar_envs.games.black_elephant import board as b
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

PLANE = plane_numbers(PLANES)

# `(2, 4 * CELLS)`: for each seat, the four planes from `own_goal` on, flattened.
_goals = b.GOALS[:, np.newaxis] >> np.arange(b.CELLS) & 1
GOAL_LINES = np.array(
    [
        [_goals[seat], _goals[1 - seat], b.DISTANCE[seat], b.DISTANCE[1 - seat]]
        for seat in (b.WEST_SEAT, b.SOUTH_SEAT)
    ],
    np.int8,
).reshape(2, 4 * b.CELLS)


@compiled
def observe(state: StateArray, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    write_board(state, out)
    write_watchers(state, seat, out)
    for index in range(GOAL_LINES.shape[1]):
        out[PLANE.own_goal * b.CELLS + index] = GOAL_LINES[seat, index]
    for enemy in range(2):
        player = 1 - seat if enemy else seat
        first_area = b.WAITING + 2 * player
        elephants = PLANE.enemy_north if enemy else PLANE.own_north
        areas = PLANE.enemy_area_west if enemy else PLANE.own_area_west
        write_elephants(state, player, out[elephants * b.CELLS :])
        fill_plane(out, areas, b.CELLS, state[first_area + b.WEST_AREA])
        fill_plane(out, areas + 1, b.CELLS, state[first_area + b.SOUTH_AREA])
        # The enemy's plane follows the observer's.
        fill_plane(out, PLANE.own_held + enemy, b.CELLS, state[b.HELD + player])
        fill_plane(out, PLANE.own_burnt + enemy, b.CELLS, state[b.BURNT_LEFT + player])
        fill_plane(out, PLANE.own_home + enemy, b.CELLS, state[b.HOME + player])
        fill_plane(out, PLANE.own_captives + enemy, b.CELLS, state[b.CAPTIVES + player])
        fill_plane(out, PLANE.own_points + enemy, b.CELLS, rules.points(state, player))
    fill_plane(out, PLANE.logs_left, b.CELLS, popcount(state[b.LOG_CELLS]))
    fill_plane(out, PLANE.to_move, b.CELLS, int(state[STATUS] == RUNNING and state[SEAT] == seat))
    fill_plane(out, PLANE.starter, b.CELLS, int(seat == b.WEST_SEAT))
    fill_plane(out, PLANE.passes, b.CELLS, state[b.PASSES])
    fill_plane(out, PLANE.idle, b.CELLS, state[b.IDLE])
    fill_plane(out, PLANE.plies_div_4, b.CELLS, state[b.PLIES] // 4)
    fill_plane(out, PLANE.plies_mod_4, b.CELLS, state[b.PLIES] % 4)


# Each loop writes several planes, since a shorter one is unrolled instead of vectorized. The planes
# must be constants: a loop whose indices might be negative is not vectorized either.


@compiled
def write_board(state: StateArray, out: Observation) -> None:
    """Write logs, burnt logs and free fields."""
    logs = state[b.LOG_CELLS]
    burnt = state[b.BURNT_CELLS]
    free = rules.free_cells(state)
    for cell in range(b.CELLS):
        out[PLANE.logs * b.CELLS + cell] = rules.contains(logs, cell)
        out[PLANE.burnt * b.CELLS + cell] = rules.contains(burnt, cell)
        out[PLANE.free * b.CELLS + cell] = rules.contains(free, cell)


@compiled
def write_elephants(state: StateArray, player: int, planes: Observation) -> None:
    """Write the four planes of a player's elephants, in the order of the facings."""
    elephants = state[b.ELEPHANT_CELLS + player]
    north = elephants & rules.facing_cells(state, b.NORTH)
    east = elephants & rules.facing_cells(state, b.EAST)
    south = elephants & rules.facing_cells(state, b.SOUTH)
    west = elephants & rules.facing_cells(state, b.WEST)
    for cell in range(b.CELLS):
        planes[b.NORTH * b.CELLS + cell] = rules.contains(north, cell)
        planes[b.EAST * b.CELLS + cell] = rules.contains(east, cell)
        planes[b.SOUTH * b.CELLS + cell] = rules.contains(south, cell)
        planes[b.WEST * b.CELLS + cell] = rules.contains(west, cell)


@compiled
def write_watchers(state: StateArray, seat: int, out: Observation) -> None:
    """Write the watched fields, the danger fields, and those under threat."""
    own_first = rules.watched_cells(state, state[b.OWN_PATH + 2 * seat])
    own_second = rules.watched_cells(state, state[b.OWN_PATH + 2 * seat + 1])
    enemy_first = rules.watched_cells(state, state[b.OWN_PATH + 2 * (1 - seat)])
    enemy_second = rules.watched_cells(state, state[b.OWN_PATH + 2 * (1 - seat) + 1])
    danger = rules.danger_cells(state)
    own_threat = rules.threatened_cells(state, seat)
    enemy_threat = rules.threatened_cells(state, 1 - seat)
    for cell in range(b.CELLS):
        out[PLANE.own_watch_1 * b.CELLS + cell] = rules.contains(own_first, cell)
        out[PLANE.own_watch_2 * b.CELLS + cell] = rules.contains(own_second, cell)
        out[PLANE.enemy_watch_1 * b.CELLS + cell] = rules.contains(enemy_first, cell)
        out[PLANE.enemy_watch_2 * b.CELLS + cell] = rules.contains(enemy_second, cell)
        out[PLANE.danger * b.CELLS + cell] = rules.contains(danger, cell)
        out[PLANE.own_threat * b.CELLS + cell] = rules.contains(own_threat, cell)
        out[PLANE.enemy_threat * b.CELLS + cell] = rules.contains(enemy_threat, cell)
