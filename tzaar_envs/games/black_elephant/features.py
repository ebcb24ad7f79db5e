"""The observation of Black Elephant: the planes that the game's record names, in its order."""

from tzaar_envs.core.arrays import Observation, Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.black_elephant.board import (
    BOARD,
    BURNT,
    BURNT_LEFT,
    CAPTIVES,
    CELLS,
    DISTANCE,
    ELEPHANT,
    FIRST_RANK_PATH,
    FREE,
    HELD,
    HOME,
    IDLE,
    IS_GOAL,
    LOGS_LEFT,
    OWN_PATH,
    PASSES,
    PLACE,
    PLIES,
    SIZE,
    SOUTH_AREA,
    WAITING,
    WEST_AREA,
    WEST_SEAT,
)
from tzaar_envs.games.black_elephant.rules import danger_cost, facing_of, has_log, owner_of, points

# Where two or more planes follow each other, own come before enemy.
ELEPHANTS_FACING = 0  # four own, four enemy
LOG_PLANE = 8
BURNT_PLANE = 9
FREE_PLANE = 10
GOAL_PLANE = 11
DISTANCE_PLANE = 13
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


@compiled
def observe(state: Words, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    planes = out.reshape(-1, CELLS)
    planes[:AREA_PLANE] = 0
    board = state[BOARD]
    for cell in range(CELLS):
        field = board[cell]
        if field >= ELEPHANT:
            enemy = owner_of(field) != seat
            planes[ELEPHANTS_FACING + 4 * enemy + facing_of(field), cell] = 1
        planes[LOG_PLANE, cell] = has_log(field)
        planes[BURNT_PLANE, cell] = field == BURNT
        planes[FREE_PLANE, cell] = field == FREE
    for other in range(2):
        player = seat if other == 0 else 1 - seat
        for cell in range(CELLS):
            planes[GOAL_PLANE + other, cell] = IS_GOAL[player, cell]
            planes[DISTANCE_PLANE + other, cell] = DISTANCE[player, cell]
            cost = danger_cost(state, player, cell)
            planes[DANGER_PLANE, cell] = cost == 0
            planes[THREAT_PLANE + other, cell] = cost <= state[HELD + player]
        for watcher in range(2):
            path = state[OWN_PATH + 2 * player + watcher]
            write_watched(state, path, planes[WATCHED_PLANE + 2 * other + watcher])
        planes[AREA_PLANE + 2 * other] = state[WAITING + 2 * player + WEST_AREA]
        planes[AREA_PLANE + 2 * other + 1] = state[WAITING + 2 * player + SOUTH_AREA]
        planes[HELD_PLANE + other] = state[HELD + player]
        planes[BURNT_LEFT_PLANE + other] = state[BURNT_LEFT + player]
        planes[HOME_PLANE + other] = state[HOME + player]
        planes[CAPTIVES_PLANE + other] = state[CAPTIVES + player]
        planes[POINTS_PLANE + other] = points(state, player)
    planes[LOGS_LEFT_PLANE] = state[LOGS_LEFT]
    planes[TO_MOVE] = state[STATUS] == RUNNING and state[SEAT] == seat
    planes[STARTER] = seat == WEST_SEAT
    planes[PASSES_PLANE] = state[PASSES]
    planes[IDLE_PLANE] = state[IDLE]
    planes[PLIES_DIV_4] = state[PLIES] // 4
    planes[PLIES_MOD_4] = state[PLIES] % 4


@compiled
def write_watched(state: Words, path: int, plane: Observation) -> None:
    """Write 1 on the line that the watcher of a path watches."""
    place = state[PLACE + path]
    if path < FIRST_RANK_PATH:
        plane[place::SIZE] = 1
    else:
        plane[place * SIZE : (place + 1) * SIZE] = 1
