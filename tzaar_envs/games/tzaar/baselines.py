"""The evaluation function of Tzaar."""

import math

import numpy as np

from tzaar_envs.core.arrays import Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.tzaar.board import (
    ACTION_1,
    HEIGHT,
    KIND,
    NOBODY,
    PHASE,
    PLACE,
    POINTS,
    TOPS,
    WINNER,
)
from tzaar_envs.games.tzaar.rules import first_stack, top_index

WIN_IN_THIS_TURN = 0.9
LIMIT = 0.8  # of the estimate when nobody is about to win
SCARCITY = 0.5
GROWTH = 0.1
MOBILITY = 0.3


@compiled
def evaluate(state: Words, seat: int) -> float:
    """Estimate the return of a seat.

    A finished game counts its result, the placement phase 0. Else 0.9 for the seat to act if it can
    capture all stacks of one enemy type with the captures that its turn still allows; otherwise
    `0.8 * tanh(own - enemy)`, where a colour's points are the sum of 0.5 ln(stacks) over the three
    types, 0.1 for each covered piece, and 0.3 ln(1 + captures that it would have as action 1).
    """
    if state[STATUS] != RUNNING:
        if state[WINNER] == NOBODY:
            return 0.0
        return 1.0 if state[WINNER] == seat else -1.0
    if state[PHASE] == PLACE:
        return 0.0
    kind = state[KIND]
    height = state[HEIGHT]
    tops = state[TOPS]
    attacked = np.zeros(6, np.int64)  # stacks that can be captured, counted like the tops
    captures = np.zeros(2)  # of White, of Black
    covered = np.zeros(2)
    for point in range(POINTS):
        if kind[point] == 0:
            continue
        owner = 0 if kind[point] > 0 else 1
        covered[owner] += height[point] - 1
        attackers = count_attackers(state, point)
        captures[1 - owner] += attackers
        attacked[top_index(kind[point])] += attackers > 0
    points = np.zeros(2)
    for colour in range(2):
        points[colour] = GROWTH * covered[colour] + MOBILITY * math.log(1.0 + captures[colour])
        for piece in range(3):
            points[colour] += SCARCITY * math.log(tops[3 * colour + piece])

    actor = state[SEAT]
    captures_left = 2 if state[PHASE] == ACTION_1 else 1
    value = LIMIT * math.tanh(points[actor] - points[1 - actor])
    for piece in range(3):
        victims = 3 * (1 - actor) + piece
        if tops[victims] <= captures_left and attacked[victims] == tops[victims]:
            value = WIN_IN_THIS_TURN
    return value if seat == actor else -value


@compiled
def count_attackers(state: Words, point: int) -> int:
    """Return how many enemy stacks could capture the stack on a point."""
    kind = state[KIND.start + point]
    height = state[HEIGHT.start + point]
    attackers = 0
    for direction in range(6):
        other = first_stack(state, point, direction)
        if other >= 0 and state[KIND.start + other] * kind < 0:
            attackers += state[HEIGHT.start + other] >= height
    return attackers
