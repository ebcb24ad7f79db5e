"""`greedy`: one ply over the game's evaluation function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import types
from numpy.typing import NDArray

from tzaar_envs.core.arrays import Mask, Randomness, Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import APPLY, EVALUATE, LEGAL, SEAT, CompiledFunction
from tzaar_envs.core.state import State

DRAWS = 8  # of what chance brings with an action, whose evaluations are averaged

_ACTION_VALUES = types.void(
    types.FunctionType(LEGAL),
    types.FunctionType(APPLY),
    types.FunctionType(EVALUATE),
    types.int64[:, ::1],
    types.int64[::1],
    types.int8[::1],
    types.uint64[::1],
    types.float64[:, ::1],
)


@compiled(signature=_ACTION_VALUES)
def _action_values(
    legal: CompiledFunction,
    apply: CompiledFunction,
    evaluate: CompiledFunction,
    states: NDArray[np.int64],
    scratch: Words,
    mask: Mask,
    rng: Randomness,
    values: NDArray[np.float64],
) -> None:
    values[:] = -np.inf
    for game in range(states.shape[0]):
        state = states[game]
        legal(state, mask)
        for action in range(mask.size):
            if mask[action]:
                before = rng[0]
                scratch[:] = state
                apply(scratch, action, rng)
                value = evaluate(scratch, state[SEAT])
                if rng[0] != before:
                    for _ in range(DRAWS - 1):
                        scratch[:] = state
                        apply(scratch, action, rng)
                        value += evaluate(scratch, state[SEAT])
                    value /= DRAWS
                values[game, action] = value


def action_values(states: Sequence[State], rng: Randomness) -> NDArray[np.float64]:
    """Return float64 `(len(states), num_actions)`: the evaluation after each action.

    It is that of the player to move, -1 .. 1; minus infinity where the action is not legal. Where
    chance comes with an action, it is the mean of `DRAWS` draws. What the player cannot see is
    drawn anew before, so the values do not depend on it.

    Args:
        states: at least one, all of the same game.
        rng: for hidden information and for chance events of the actions that are looked at.
    """
    game = states[0].game
    code = game.implementation
    words = np.stack([state.words for state in states])
    for position in words:
        code.determinize(position, position[SEAT], rng)
    values = np.empty((len(states), game.num_actions), np.float64)
    _action_values(
        code.legal,
        code.apply,
        code.evaluate,
        words,
        np.empty(code.state_size, np.int64),
        np.empty(game.num_actions, np.int8),
        rng,
        values,
    )
    return values
