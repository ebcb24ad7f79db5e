"""Perft: the number of action sequences of a given length, a standard test of move generators."""

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import apply_of, legal_of
from tzaar_envs.core.state import State
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable


@compiled
def _count(
    functions: FunctionTable,
    states: NDArray[np.int64],
    actions: NDArray[np.int64],
    rngs: NDArray[np.uint64],
    depth: int,
) -> int:
    # Row k holds the position k plies above the leaves. The last ply is counted, not played.
    count: int = legal_of(functions)(states[depth], actions[depth])
    if depth == 1:
        return count
    total = 0
    for index in range(count):
        states[depth - 1] = states[depth]
        rngs[depth - 1] = rngs[depth]
        apply_of(functions)(states[depth - 1], actions[depth, index], rngs[depth - 1])
        total += _count(functions, states, actions, rngs, depth - 1)
    return total


def perft(state: State, depth: int) -> int:
    """Return the number of sequences of exactly `depth` legal actions from a position.

    A finished game has none. Chance events are drawn from a copy of the state's generator, so in
    games with chance between actions the number depends on its seed.

    Raises:
        ValueError: `depth` is negative.
    """
    if depth < 0:
        raise ValueError(f"depth={depth!r} is not allowed: use 0 or more")
    if depth == 0:
        return 1
    rules = state.game.rules
    states = np.zeros((depth + 1, rules.state_size), np.int64)
    states[depth] = state.words
    actions = np.empty((depth + 1, state.game.num_actions), np.int64)
    rngs = np.zeros((depth + 1, 1), np.uint64)
    rngs[depth] = state.generator
    return int(_count(rules.functions, states, actions, rngs, depth))
