"""The evaluation function of Turm & Wächter."""

from tzaar_envs.core.arrays import Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.turm_und_waechter.board import (
    BLUE_CASTLE,
    BOARD,
    CELLS,
    EMPTY,
    GUARD,
    NOBODY,
    RED,
    RED_CASTLE,
    SIZE,
    STEP,
    WINNER,
)
from tzaar_envs.games.turm_und_waechter.rules import can_land, reach

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
    board = state[BOARD]
    side = 1 - 2 * state[SEAT]
    prey = tallest_prey(board, side)
    if prey == GUARD:
        value = WIN_AT_ONCE
    else:
        value = HANGING_STONE * prey
        for cell in range(CELLS):
            figure = board[cell] * side
            if figure == GUARD:
                value -= GUARD_STEP * steps_to_goal(cell, state[SEAT])
            elif figure == -GUARD:
                value += GUARD_STEP * steps_to_goal(cell, 1 - state[SEAT])
            else:
                value += STONE * figure
    return (value if seat == state[SEAT] else -value) / UNITS


@compiled
def tallest_prey(board: Words, side: int) -> int:
    """Return the height of the tallest tower that a side can take, or `GUARD` if it can win."""
    goal = BLUE_CASTLE if side > 0 else RED_CASTLE
    prey = 0
    for cell in range(CELLS):
        figure = board[cell] * side
        if figure <= 0:
            continue
        for direction in range(4):
            furthest = reach(board, cell, direction, side)
            if furthest == 0:
                continue
            target = cell + furthest * STEP[direction]
            resident = board[target] * side
            if can_land(figure, furthest, resident):
                if figure == GUARD and target == goal:
                    return GUARD
                if resident < EMPTY:
                    prey = max(prey, -resident)
    return prey


@compiled
def steps_to_goal(cell: int, seat: int) -> int:
    """Return the steps of a guard from a cell to the castle that it wants to reach."""
    goal = BLUE_CASTLE if seat == RED else RED_CASTLE
    return abs(cell // SIZE - goal // SIZE) + abs(cell % SIZE - goal % SIZE)
