"""The evaluation function of Turm & Wächter: a weighted sum of features, tuned from games.

| feature         | for each side; the value is that of the side to move less the other's       |
|-----------------|-----------------------------------------------------------------------------|
| `towers`        | towers                                                                      |
| `second_stones` | towers of height 2 or more                                                  |
| `third_stones`  | towers of height 3 or more                                                  |
| `higher_stones` | stones above the third of a tower                                           |
| `guard_close`   | 1 / (steps from the guard to the castle that it wants to reach)             |
| `attackers`     | towers within 2 steps of the enemy guard                                    |
| `prey`          | height of the tallest tower that the side can take; 0 if it is not to move  |
| `free_run`      | 1 / (moves until its guard, two or three steps from the castle, is there    |
|                 | after the other side's next move), if no enemy could take it on some way    |

The weights are in `weights.json`, tuned by self-play (see docs/research/baselines.md).
"""

import math

import numpy as np

from tzaar_envs.core.kernel import NOBODY, RUNNING, SEAT, STATUS
from tzaar_envs.core.toolkit import Bitboard, load_weights, lowest_bit, popcount
from tzaar_envs.games.turm_und_waechter import board as b
from tzaar_envs.games.turm_und_waechter.rules import figures_of, shifted
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

WEIGHTS = load_weights(__file__)

WIN_AT_ONCE = 0.9
WIN_BY_RUN = 0.85  # the guard reaches the castle with the next move but one, whatever happens
LIMIT = 0.8  # of the estimate when nobody is about to win

_ranks, _files = np.divmod(np.arange(b.CELLS), b.SIZE)
# By two cells, the steps from one to the other.
_steps = abs(_ranks[:, None] - _ranks) + abs(_files[:, None] - _files)
NEIGHBOURS = np.array([b.set_of(steps == 1) for steps in _steps])
AROUND = np.array([b.set_of(steps <= 2) for steps in _steps])
# By seat and cell, steps from there to the castle that the seat's guard wants to reach.
TO_GOAL = _steps[[b.BLUE_CASTLE, b.RED_CASTLE]]
CLOSE = 1 / np.maximum(1, TO_GOAL)
FARTHEST_RUN = 3  # steps
RUN = np.array([0.0, 1.0, 1 / 2, 1 / 3])  # the feature by `moves_of_run`


@compiled
def evaluate(state: StateArray, seat: int) -> float:
    """Estimate the return of a seat.

    In a finished game it is the result. Otherwise it is 0.9 for the side to move if it can take the
    guard or enter the castle with its next move; 0.85 for the side whose guard then reaches the
    castle with its next move but one, or with its next move if it is not to move, and cannot be
    stopped; else `0.8 * tanh` of the weighted sum of the features.
    """
    if state[STATUS] != RUNNING:
        if state[b.WINNER] == NOBODY:
            return 0.0
        return 1.0 if state[b.WINNER] == seat else -1.0
    prey = tallest_prey(state)
    value = WIN_AT_ONCE
    if prey != b.GUARD:
        mover = state[SEAT]
        own_run = moves_of_run(state, mover)
        other_run = moves_of_run(state, 1 - mover)
        if other_run == 1:
            value = -WIN_BY_RUN
        elif own_run == 1:
            value = WIN_BY_RUN
        else:
            lead = standing(state, b.RED) - standing(state, b.BLUE)
            total = lead if mover == b.RED else -lead
            total += WEIGHTS.prey * prey
            total += WEIGHTS.free_run * (RUN[own_run] - RUN[other_run])
            value = LIMIT * (1 - 2 / (1 + math.exp(2 * total)))  # tanh, in two thirds of its time
    return value if seat == state[SEAT] else -value


@compiled
def standing(state: StateArray, seat: int) -> float:
    """Return the weighted sum of one side's features but `prey` and `free_run`."""
    own = figures_of(seat)
    towers = state[own + 1]
    enemy_guard = lowest_bit(state[figures_of(1 - seat)])
    higher_stones = 0
    for level in range(own + 4, own + b.SETS):
        higher_stones += popcount(state[level])
    return (
        WEIGHTS.towers * popcount(towers)
        + WEIGHTS.second_stones * popcount(state[own + 2])
        + WEIGHTS.third_stones * popcount(state[own + 3])
        + WEIGHTS.higher_stones * higher_stones
        + WEIGHTS.guard_close * CLOSE[seat, lowest_bit(state[own])]
        + WEIGHTS.attackers * popcount(towers & AROUND[enemy_guard])
    )


@compiled
def tallest_prey(state: StateArray) -> int:
    """Return the height of the tallest tower that the mover can take, `GUARD` if it can win."""
    # With a constant seat the compiled code takes three quarters of the time.
    return prey_of(state, b.RED) if state[SEAT] == b.RED else prey_of(state, b.BLUE)


@compiled
def prey_of(state: StateArray, seat: int) -> int:
    """Return `tallest_prey` of a seat, as if it were to move."""
    own = figures_of(seat)
    enemy = figures_of(1 - seat)
    if can_enter_castle(state, seat):
        return b.GUARD
    enemies = state[enemy] | state[enemy + 1]
    empty = ~(enemies | state[own] | state[own + 1])
    prey = 0
    for direction in range(4):
        step = b.STEP[direction]
        on_board = b.ON_BOARD[direction, 1]
        # From the enemies back, field by field: the cells that are so many stones away from one.
        cells = shifted(enemies, -step) & on_board
        prey |= shifted(cells & state[own], step)
        for stones in range(1, b.MAX_RANGE + 1):
            prey |= shifted(cells & state[own + stones], stones * step) & ~state[enemy + stones + 1]
            cells = shifted(cells & empty, -step) & on_board
    if prey & state[enemy]:
        return b.GUARD
    height = 0
    for level in range(enemy + 1, enemy + b.SETS):
        height += prey & state[level] != 0
    return height


@compiled
def moves_of_run(state: StateArray, seat: int) -> int:
    """Return the moves that a guard needs to reach the castle if nobody can take it on the way.

    They are counted after the next move of the other side: of the side to move, its own next move
    is not among them. So with 1 the run cannot be stopped, unless the other side wins first.

    Returns:
        1 to 3; 0 if the guard is more than 3 steps away, is to move and can win at once, or can be
        taken on every way.
    """
    own = figures_of(seat)
    guard = state[own]
    goal = b.BLUE_CASTLE if seat == b.RED else b.RED_CASTLE
    steps = TO_GOAL[seat, lowest_bit(guard)]
    waits = seat != state[SEAT]
    if steps > FARTHEST_RUN or state[own + 1] >> goal & 1:
        return 0
    if steps > 1:
        passable = ~(state[own + 1] | reach(state, 1 - seat))
        before_goal = NEIGHBOURS[goal] & passable
        if steps > 2:
            before_goal = around(before_goal) & passable
        if not before_goal & NEIGHBOURS[lowest_bit(guard)]:
            return 0
    moves = steps - 1 + waits
    if moves == 1 and not waits and can_enter_castle(state, 1 - seat):
        return 0
    return moves


@compiled
def around(cells: Bitboard) -> Bitboard:
    """Return the cells beside those of a set."""
    result = 0
    for direction in range(4):
        result |= shifted(cells & b.ON_BOARD[direction, 1], b.STEP[direction])
    return result


@compiled
def can_enter_castle(state: StateArray, seat: int) -> bool:
    """Return whether a seat's guard is beside the castle that it wants to reach, and can enter."""
    own = figures_of(seat)
    goal = b.BLUE_CASTLE if seat == b.RED else b.RED_CASTLE
    return state[own] & NEIGHBOURS[goal] != 0 and not state[own + 1] >> goal & 1


@compiled
def reach(state: StateArray, seat: int) -> Bitboard:
    """Return the cells on which a seat could take a guard, if the guard's own cell were empty."""
    own = figures_of(seat)
    enemy = figures_of(1 - seat)
    empty = ~(state[own] | state[own + 1] | state[enemy + 1])
    reached = NEIGHBOURS[lowest_bit(state[own])]
    for direction in range(4):
        step = b.STEP[direction]
        cells = ~0
        for stones in range(1, b.MAX_RANGE + 1):
            start = state[own + stones] & b.ON_BOARD[direction, stones]
            cells = shifted(start, stones * step) & shifted(cells, step)
            reached |= cells
            cells &= empty
    return reached
