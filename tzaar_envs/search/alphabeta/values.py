"""Values of alpha-beta, as integers.

`UNIT` is 1.0 of an evaluation; a forced win in `n` plies from the root is `WIN - n`, so that sooner
wins are better, and later losses.
"""

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, evaluate_of
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.alphabeta.stack import ACTIONS, PV_LENGTH, STATE, TRIED, Stack
from tzaar_envs.search.leaf_network import LeafNetwork, hold_of, value_of

UNIT = 1_000_000
WIN = 2_000_000
INFINITY = 4_000_000


@compiled
def leaf_value(functions: FunctionTable, network: LeafNetwork, stack: Stack, ply: int) -> int:
    """Return the value of a child that is not searched, for the seat that acted.

    It is that of the network if there is one, otherwise of the game's evaluation function.
    """
    child = stack[ply + 1, STATE : stack[ply, ACTIONS]]
    stack[ply + 1, PV_LENGTH] = 0
    seat = stack[ply, STATE + SEAT]
    if network.memory.size > 0 and child[STATUS] == RUNNING:
        if stack[ply, TRIED] == 2:  # the first child did not end the search of this node
            parent = stack[ply, STATE : stack[ply, ACTIONS]]
            hold_of(network.functions)(network.memory, functions, parent, child[SEAT])
        value = value_of(network.functions)(network.memory, functions, child)
        if child[SEAT] != seat:
            value = -value
    else:
        value = evaluate_of(functions)(child, seat)
    if child[STATUS] != RUNNING and value == 1.0:
        return WIN - ply - 1
    if child[STATUS] != RUNNING and value == -1.0:
        return ply + 1 - WIN
    return np.int64(np.rint(value * UNIT))  # type: ignore[return-value]


@compiled
def to_table(value: int, ply: int) -> int:
    """Count the plies to a forced end from the node, as the table does, not from the root."""
    if value > UNIT:
        return value + ply
    if value < -UNIT:
        return value - ply
    return value


@compiled
def from_table(value: int, ply: int) -> int:
    """Count the plies to a forced end from the root, not from the node as the table does."""
    if value > UNIT:
        return value - ply
    if value < -UNIT:
        return value + ply
    return value


def evaluation(value: int) -> float:
    """Return a value as an evaluation, -1 to 1; exactly 1 or -1 only if the end is forced."""
    if abs(value) > UNIT:
        return 1.0 if value > 0 else -1.0
    return value / UNIT
