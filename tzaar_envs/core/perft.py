"""Perft: the number of action sequences of a given length, the standard test of move generators."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import APPLY, LEGAL, CompiledFunction
from tzaar_envs.core.state import State

_COUNT = types.int64(
    types.FunctionType(LEGAL),
    types.FunctionType(APPLY),
    types.int64[:, ::1],
    types.int8[:, ::1],
    types.uint64[:, ::1],
    types.int64,
)


@compiled(signature=_COUNT)
def _count(
    legal: CompiledFunction,
    apply: CompiledFunction,
    states: NDArray[np.int64],
    masks: NDArray[np.int8],
    rngs: NDArray[np.uint64],
    depth: int,
) -> int:
    # Row k holds the position k plies above the leaves; the last ply is counted, not played.
    count: int = legal(states[depth], masks[depth])
    if depth == 1:
        return count
    total = 0
    for action in range(masks.shape[1]):
        if masks[depth, action]:
            states[depth - 1] = states[depth]
            rngs[depth - 1] = rngs[depth]
            apply(states[depth - 1], action, rngs[depth - 1])
            total += _count(legal, apply, states, masks, rngs, depth - 1)
    return total


def perft(state: State, depth: int) -> int:
    """Return the number of sequences of exactly `depth` legal actions from a position.

    A finished game has none. Chance events are drawn from a copy of the state's generator, so the
    number depends on its seed in games where chance comes between actions.

    Raises:
        ValueError: `depth` is negative.
    """
    if depth < 0:
        raise ValueError(f"depth={depth!r} is not allowed: use 0 or more")
    if depth == 0:
        return 1
    code = state.game.implementation
    states = np.zeros((depth + 1, code.state_size), np.int64)
    states[depth] = state.words
    masks = np.empty((depth + 1, state.game.num_actions), np.int8)
    rngs = np.zeros((depth + 1, 1), np.uint64)
    rngs[depth] = state.generator
    return int(_count(code.legal, code.apply, states, masks, rngs, depth))
