"""The evaluation function of Black Elephant."""

import math

import numpy as np

from tzaar_envs.core.arrays import Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.black_elephant.board import (
    BURNT_LEFT,
    DISTANCE,
    ELEPHANT_CELLS,
    HELD,
    LOG_CELLS,
    SIZE,
    TARGET,
)
from tzaar_envs.games.black_elephant.rules import (
    contains,
    danger_cost,
    elephant_cells,
    facing_at,
    first_of,
    points,
    returns,
)

# In units of 1 / 10 point, so that equally good positions have exactly equal values.
POINT = 10
CROSSED_LINE = 3
LOG_AHEAD = 3
BURNT_LOG = 3
CAPTIVE = 2 * POINT

EXPOSURE = 0.8
SCALE = 10.0 * POINT


@compiled
def evaluate(state: Words, seat: int) -> float:
    """Estimate the return of a seat.

    A finished game counts its result. Else it is `tanh((own - enemy) / 10)`, where a player has
    his points, and 0.3 for each line that an elephant on the board has left behind on the way to
    its goal line, for each elephant on the board with a beige log straight ahead, and for each
    burnt log left. The player who is not to move loses 0.8 times the greatest gain of one capture
    by WATCH: 2 and what the elephant counts here, less the logs that the mover would pay.

    With it, `greedy` won all of 1000 games (99.6 to 100 %) against random play, two players.
    """
    if state[STATUS] != RUNNING:
        results = np.empty(2)
        returns(state, results)
        return results[seat]
    mover = state[SEAT]
    own = material(state, mover)
    enemy = material(state, 1 - mover)
    exposed = 0
    elephants = elephant_cells(state)
    while elephants:
        cell = first_of(elephants)
        elephants &= elephants - 1
        owner = contains(state[ELEPHANT_CELLS + 1], cell)
        worth = elephant_worth(state, owner, cell)
        if owner == mover:
            own += worth
        else:
            enemy += worth
            cost = danger_cost(state, mover, cell)
            if cost <= state[HELD + mover]:
                exposed = max(exposed, CAPTIVE + worth - POINT * cost)
    value = math.tanh((own - enemy + EXPOSURE * exposed) / SCALE)
    return value if seat == mover else -value


@compiled
def material(state: Words, seat: int) -> int:
    """Return what a seat has beside its elephants on the board."""
    return POINT * points(state, seat) + BURNT_LOG * state[BURNT_LEFT + seat]


@compiled
def elephant_worth(state: Words, owner: int, cell: int) -> int:
    """Return what the elephant on a cell counts."""
    worth = CROSSED_LINE * (SIZE - 1 - DISTANCE[owner, cell])
    ahead = TARGET[cell, facing_at(state, cell)]
    if ahead >= 0 and contains(state[LOG_CELLS] & ~elephant_cells(state), ahead):
        worth += LOG_AHEAD
    return worth
