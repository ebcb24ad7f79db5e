"""The evaluation function of Turm & Wächter."""

from tzaar_envs.core.arrays import Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.turm_und_waechter.board import (
    BLUE_CASTLE,
    GUARD,
    MAX_RANGE,
    NOBODY,
    RED,
    RED_CASTLE,
    SETS,
    SIZE,
    STEP,
    STONES,
    WINNER,
)
from tzaar_envs.games.turm_und_waechter.rules import figures_of, lowest, shifted, starts

# In units of 1 / 200, so that equally good positions have exactly equal values.
UNITS = 200
WIN_AT_ONCE = 180
STONE = 12
HANGING_STONE = 8
GUARD_STEP = 3


@compiled
def evaluate(state: Words, seat: int) -> float:
    """Estimate the return of a seat.

    A finished game counts its result. Else 0.9 for the side to move if it can win with its next
    move; otherwise the sum of 0.06 for each stone more than the enemy has, 0.04 for each stone of
    the tallest tower that the side to move can take, and 0.015 for each step that the own guard is
    nearer to its goal than the enemy's guard.
    """
    if state[STATUS] != RUNNING:
        if state[WINNER] == NOBODY:
            return 0.0
        return 1.0 if state[WINNER] == seat else -1.0
    prey = tallest_prey(state)
    if prey == GUARD:
        value = WIN_AT_ONCE
    else:
        value = HANGING_STONE * prey
        value += material(state, state[SEAT]) - material(state, 1 - state[SEAT])
    return (value if seat == state[SEAT] else -value) / UNITS


@compiled
def material(state: Words, seat: int) -> int:
    """Return the value of a seat's stones, less that of the steps its guard has to go."""
    own = figures_of(seat)
    value = -GUARD_STEP * steps_to_goal(lowest(state[own]), seat)
    for level in range(own + 1, own + SETS):
        cells = state[level]
        while cells:
            value += STONE
            cells &= cells - 1
    return value


@compiled
def tallest_prey(state: Words) -> int:
    """Return how tall a tower the side to move can take, or `GUARD` if it can win with a move."""
    own = figures_of(state[SEAT])
    enemy = figures_of(1 - state[SEAT])
    goal = BLUE_CASTLE if state[SEAT] == RED else RED_CASTLE
    prey = 0
    for direction in range(4):
        cells = 0
        for stones in range(1, MAX_RANGE + 1):
            cells = starts(state, direction, stones, cells)
            targets = shifted(cells, stones * STEP[direction])
            if targets & state[enemy]:
                return GUARD
            if stones == 1 and shifted(cells & state[own], STEP[direction]) >> goal & 1:
                return GUARD
            while prey < STONES and targets & state[enemy + prey + 1]:
                prey += 1
            if not cells:
                break
    return prey


@compiled
def steps_to_goal(cell: int, seat: int) -> int:
    """Return the steps of a guard from a cell to the castle that it wants to reach."""
    goal = BLUE_CASTLE if seat == RED else RED_CASTLE
    return abs(cell // SIZE - goal // SIZE) + abs(cell % SIZE - goal % SIZE)
