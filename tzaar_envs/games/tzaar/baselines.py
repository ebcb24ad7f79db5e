"""The evaluation function of Tzaar: a weighted sum of features, tuned from games.

| feature      | for each colour; the value is that of the one to act less the other's |
|--------------|-----------------------------------------------------------------------|
| `captures`   | ln(1 + captures that the colour would have as action 1)               |
| `tzaars`     | ln(stacks with a Tzaar on top)                                        |
| `tzarras`    | ln(stacks with a Tzarra on top)                                       |
| `totts`      | ln(stacks with a Tott on top)                                         |
| `last_one`   | types of which one stack is left                                      |
| `covered`    | covered pieces                                                        |

The weights are in `weights.json`, tuned by self-play (see docs/research/baselines.md).
"""

import math

import numpy as np

from tzaar_envs.core.kernel import NOBODY, RUNNING, SEAT, STATUS
from tzaar_envs.core.toolkit import load_weights, lowest_bit, popcount
from tzaar_envs.games.tzaar import board as b
from tzaar_envs.games.tzaar.rules import first_stack
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

WEIGHTS = load_weights(__file__)
TYPE_WEIGHTS = np.array([WEIGHTS.tzaars, WEIGHTS.tzarras, WEIGHTS.totts])

WIN_IN_THIS_TURN = 0.9
LIMIT = 0.8  # of the estimate when nobody is about to win

# Logarithms of all numbers of stacks of a type, and of 1 + all numbers of captures: at most one for
# each axis and point, both ways.
LOGARITHM = np.log(np.maximum(np.arange(2 * b.AXES * b.POINTS + 2), 1))


@compiled
def evaluate(state: StateArray, seat: int) -> float:
    """Estimate the return of a seat.

    In a finished game it is the result, in the placement phase 0. Otherwise it is 0.9 for the seat
    to act if all stacks of one enemy type, no more than the captures left in its turn, can be
    captured now, else `0.8 * tanh` of the weighted sum of the features.
    """
    if state[STATUS] != RUNNING:
        if state[b.WINNER] == NOBODY:
            return 0.0
        return 1.0 if state[b.WINNER] == seat else -1.0
    if state[b.PHASE] == b.PLACE:
        return 0.0
    actor = state[SEAT]
    value = WIN_IN_THIS_TURN
    if not wins_in_this_turn(state):
        value = LIMIT * math.tanh(standing(state, actor) - standing(state, 1 - actor))
    return value if seat == actor else -value


@compiled
def standing(state: StateArray, seat: int) -> float:
    """Return the weighted sum of a colour's features."""
    own = state[b.STACKS.start + seat]
    captures = 0
    for direction in range(2 * b.AXES):
        captures += popcount(state[b.CAPTURES.start + direction] & own)
    value = WEIGHTS.captures * LOGARITHM[1 + captures]
    for piece in range(3):
        stacks = state[b.TOPS.start + 3 * seat + piece]
        value += TYPE_WEIGHTS[piece] * LOGARITHM[stacks]
        if stacks == 1:
            value += WEIGHTS.last_one
    covered = -popcount(own)
    while own != 0:
        bit = own & -own
        own ^= bit
        covered += state[b.HEIGHT.start + lowest_bit(bit)]
    return value + WEIGHTS.covered * covered


@compiled
def wins_in_this_turn(state: StateArray) -> bool:
    """Return whether the seat to act attacks all stacks of an enemy type that it can still capture.

    An estimate: one stack may be the only attacker of two, and a first capture may open the way to
    a second.
    """
    victim = 1 - state[SEAT]
    captures_left = 2 if state[b.PHASE] == b.ACTION_1 else 1
    for piece in range(3):
        stacks = state[b.TOPS.start + 3 * victim + piece]
        if stacks <= captures_left:
            kind = (piece + 1) * (1 - 2 * victim)
            if count_attacked(state, kind) == stacks:
                return True
    return False


@compiled
def count_attacked(state: StateArray, kind: int) -> int:
    """Return the number of stacks of a kind that the seat to act could capture."""
    attacked = 0
    left = state[b.STACKS.start + 1 - state[SEAT]]
    while left != 0:
        bit = left & -left
        left ^= bit
        point = lowest_bit(bit)
        if state[b.KIND.start + point] == kind:
            attacked += is_attacked(state, point)
    return attacked


@compiled
def is_attacked(state: StateArray, point: int) -> bool:
    """Whether an enemy stack could capture the stack on a point."""
    kind = state[b.KIND.start + point]
    height = state[b.HEIGHT.start + point]
    for direction in range(2 * b.AXES):
        other = first_stack(state, point, direction)
        is_enemy = other >= 0 and state[b.KIND.start + other] * kind < 0
        if is_enemy and state[b.HEIGHT.start + other] >= height:
            return True
    return False
