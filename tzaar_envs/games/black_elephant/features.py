"""The observation of Black Elephant: the planes that the game's record names, in its order."""

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
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
    size_of,
    threatened_cells,
    watched_cells,
)
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

# Where two or more planes follow each other, own come before enemy.
ELEPHANTS_FACING = 0  # four own, four enemy
LOG_PLANE = 8
BURNT_PLANE = 9
FREE_PLANE = 10
GOAL_PLANE = 11  # and two planes of distances after them
WATCHED_PLANE = 15  # own first and second watcher, then the enemy's
DANGER_PLANE = 19
THREAT_PLANE = 20
AREA_PLANE = 22  # own West and South, then the enemy's
HELD_PLANE = 26
BURNT_LEFT_PLANE = 28
HOME_PLANE = 30
CAPTIVES_PLANE = 32
POINTS_PLANE = 34
LOGS_LEFT_PLANE = 36
TO_MOVE = 37
STARTER = 38
PASSES_PLANE = 39
IDLE_PLANE = 40
PLIES_DIV_4 = 41
PLIES_MOD_4 = 42

# `(2, 4 * CELLS)`: the four planes from GOAL_PLANE on, flattened, as each seat observes them.
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
        out[GOAL_PLANE * CELLS + index] = GOAL_LINES[seat, index]
    for other in range(2):
        player = seat if other == 0 else 1 - seat
        write_elephants(state, player, out[(ELEPHANTS_FACING + 4 * other) * CELLS :])
        fill(out, AREA_PLANE + 2 * other, state[WAITING + 2 * player + WEST_AREA])
        fill(out, AREA_PLANE + 2 * other + 1, state[WAITING + 2 * player + SOUTH_AREA])
        fill(out, HELD_PLANE + other, state[HELD + player])
        fill(out, BURNT_LEFT_PLANE + other, state[BURNT_LEFT + player])
        fill(out, HOME_PLANE + other, state[HOME + player])
        fill(out, CAPTIVES_PLANE + other, state[CAPTIVES + player])
        fill(out, POINTS_PLANE + other, points(state, player))
    fill(out, LOGS_LEFT_PLANE, size_of(state[LOG_CELLS]))
    fill(out, TO_MOVE, int(state[STATUS] == RUNNING and state[SEAT] == seat))
    fill(out, STARTER, int(seat == WEST_SEAT))
    fill(out, PASSES_PLANE, state[PASSES])
    fill(out, IDLE_PLANE, state[IDLE])
    fill(out, PLIES_DIV_4, state[PLIES] // 4)
    fill(out, PLIES_MOD_4, state[PLIES] % 4)


# Each loop writes several planes, since a shorter one is unrolled instead of vectorized. The planes
# are constants there: a loop is not vectorized either if its indices might be negative.


@compiled
def write_board(state: StateArray, out: Observation) -> None:
    """Write logs, burnt logs and free fields."""
    logs = state[LOG_CELLS]
    burnt = state[BURNT_CELLS]
    free = free_cells(state)
    for cell in range(CELLS):
        out[LOG_PLANE * CELLS + cell] = contains(logs, cell)
        out[BURNT_PLANE * CELLS + cell] = contains(burnt, cell)
        out[FREE_PLANE * CELLS + cell] = contains(free, cell)


@compiled
def write_elephants(state: StateArray, player: int, planes: Observation) -> None:
    """Write the four planes, in the order of the facings, of a player's elephants."""
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
    """Write what the watchers watch, the danger fields, and those under threat."""
    own_first = watched_cells(state, state[OWN_PATH + 2 * seat])
    own_second = watched_cells(state, state[OWN_PATH + 2 * seat + 1])
    enemy_first = watched_cells(state, state[OWN_PATH + 2 * (1 - seat)])
    enemy_second = watched_cells(state, state[OWN_PATH + 2 * (1 - seat) + 1])
    danger = danger_cells(state)
    own_threat = threatened_cells(state, seat)
    enemy_threat = threatened_cells(state, 1 - seat)
    for cell in range(CELLS):
        out[WATCHED_PLANE * CELLS + cell] = contains(own_first, cell)
        out[(WATCHED_PLANE + 1) * CELLS + cell] = contains(own_second, cell)
        out[(WATCHED_PLANE + 2) * CELLS + cell] = contains(enemy_first, cell)
        out[(WATCHED_PLANE + 3) * CELLS + cell] = contains(enemy_second, cell)
        out[DANGER_PLANE * CELLS + cell] = contains(danger, cell)
        out[THREAT_PLANE * CELLS + cell] = contains(own_threat, cell)
        out[(THREAT_PLANE + 1) * CELLS + cell] = contains(enemy_threat, cell)


@compiled
def fill(out: Observation, plane: int, value: int) -> None:
    """Write a plane with the same value everywhere."""
    first = plane * CELLS
    for cell in range(CELLS):
        out[first + cell] = value
