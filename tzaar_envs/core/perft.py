"""Perft: the number of action sequences of a given length, a standard test of move generators."""

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.border import integer
from tzaar_envs.core.kernel import apply_of, legal_of
from tzaar_envs.core.state import State
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable

# Compiled code returns after so many positions, since only Python notices Ctrl-C.
_SLICE = 1 << 14


@compiled
def _count(
    functions: FunctionTable,
    states: NDArray[np.int64],
    actions: NDArray[np.int64],
    rngs: NDArray[np.uint64],
    counts: NDArray[np.int64],
    tried: NDArray[np.int64],
    row: int,
    total: NDArray[np.int64],
) -> int:
    """Continue to count; return the row to continue with, 0 when all sequences are counted.

    Row k of the arrays is for the position k plies above the leaves: the position itself, its
    actions, its generator, how many actions it has, and how many of them have been played. The last
    ply is counted, not played.
    """
    legal = legal_of(functions)
    apply = apply_of(functions)
    for _ in range(_SLICE):
        while tried[row] == counts[row]:
            row += 1
            if row == tried.size:
                return 0
        child = row - 1
        states[child] = states[row]
        rngs[child] = rngs[row]
        apply(states[child], actions[row, tried[row]], rngs[child])
        tried[row] += 1
        count = legal(states[child], actions[child])
        if child == 1:
            total[0] += count
        else:
            counts[child] = count
            tried[child] = 0
            row = child
    return row


def perft(state: State, depth: int) -> int:
    """Return the number of sequences of exactly `depth` legal actions from a position.

    A finished game has none. Chance events are drawn from a copy of the state's generator, so in
    games with chance between actions the number depends on its seed.

    Raises:
        TypeError: `depth` is not an integer.
        ValueError: `depth` is negative.
    """
    depth = integer("depth", depth)
    if depth < 0:
        raise ValueError(f"depth={depth!r} is not allowed: use 0 or more")
    if depth > state.game.max_plies:
        return 0
    first_actions = state.legal_actions()
    if depth < 2:
        return first_actions.size if depth else 1
    rules = state.game.rules
    states = np.zeros((depth + 1, rules.state_size), np.int64)
    states[depth] = state.words
    actions = np.empty((depth + 1, state.game.num_actions), np.int64)
    actions[depth, : first_actions.size] = first_actions
    rngs = np.zeros((depth + 1, 1), np.uint64)
    rngs[depth] = state.generator
    counts, tried, total = np.zeros((3, depth + 1), np.int64)
    counts[depth] = first_actions.size
    row = depth
    while row:
        row = _count(rules.functions, states, actions, rngs, counts, tried, row, total)
    return int(total[0])
