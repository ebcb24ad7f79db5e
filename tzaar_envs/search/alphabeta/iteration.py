"""One iteration of alpha-beta: principal variation search to a fixed depth.

Principal variation search (Marsland and Campbell, 1982) expects the first action of a node to be
the best one and gives all others a null window, which is enough to show that they are no better.

The path from the root is kept in an array, not on the call stack. So a search can stop after any
number of nodes and continue later, which is how a time limit is kept: compiled code has no clock.
"""

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.borrow import borrowed
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.alphabeta.hashing import key_of
from tzaar_envs.search.alphabeta.node import (
    child_value,
    needs_full_window,
    open_child,
    play_next,
    set_window,
    store_node,
    update,
)
from tzaar_envs.search.alphabeta.stack import (
    ACTIONS,
    ALPHA,
    BEST,
    BETA,
    COUNT,
    KEY,
    LEAVES,
    NODES,
    PLY,
    REMAINING,
    SCORES,
    STATE,
    TRIED,
    Stack,
)
from tzaar_envs.search.alphabeta.transposition import Table
from tzaar_envs.search.alphabeta.values import INFINITY, leaf_value
from tzaar_envs.search.leaf_network import LeafNetwork


@compiled
def begin(
    stack: Stack,
    history: NDArray[np.int64],
    factors: NDArray[np.int64],
    counters: StateArray,
    depth: int,
) -> None:
    """Begin an iteration; the root's actions are already in the order in which to try them."""
    set_window(stack, 0, depth, -INFINITY, INFINITY)
    for index in range(stack[0, COUNT]):
        stack[0, stack[0, SCORES] + index] = 0
    stack[0, KEY] = key_of(stack[0, STATE : stack[0, ACTIONS]], factors)
    history[:] >>= 1
    counters[PLY] = 0
    counters[LEAVES] = 0


@compiled
def advance(
    functions: FunctionTable,
    network: LeafNetwork,
    stack: Stack,
    table: Table,
    history: NDArray[np.int64],
    factors: NDArray[np.int64],
    counters: StateArray,
    rng: RngState,
    nodes: int,
) -> bool:
    """Continue an iteration for about this many nodes; return whether it is finished."""
    functions, stack, table, history = (
        borrowed(functions),
        borrowed(stack),
        borrowed(table),
        borrowed(history),
    )
    network = borrowed(network)
    factors, counters, rng = borrowed(factors), borrowed(counters), borrowed(rng)
    ply = counters[PLY]
    limit = counters[NODES] + nodes
    while counters[NODES] < limit:
        if stack[ply, TRIED] < stack[ply, COUNT] and stack[ply, BEST] < stack[ply, BETA]:
            over = play_next(functions, stack, counters, rng, ply)
            if over or stack[ply, REMAINING] == 1:
                counters[LEAVES] += not over
                update(stack, ply, leaf_value(functions, network, stack, ply))
                continue
            beta = stack[ply, BETA] if stack[ply, TRIED] == 1 else stack[ply, ALPHA] + 1
            has_value = open_child(functions, stack, table, history, factors, counters, ply, beta)
        else:
            store_node(stack, table, history, counters, ply)
            if ply == 0:
                return True
            ply -= 1
            has_value = True
        if has_value and needs_full_window(stack, ply):
            beta = stack[ply, BETA]
            has_value = open_child(functions, stack, table, history, factors, counters, ply, beta)
        if has_value:
            update(stack, ply, child_value(stack, ply))
        else:
            ply += 1
    counters[PLY] = ply
    return False
