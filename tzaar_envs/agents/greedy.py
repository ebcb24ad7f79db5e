"""The action values of `greedy`: the game's evaluation function one ply later."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT, apply_of, determinize_of, evaluate_of, legal_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable

DRAWS = 8  # outcomes of an action that involves chance, whose evaluations are averaged


@compiled
def _action_values(
    functions: FunctionTable,
    states: NDArray[np.int64],
    scratch: StateArray,
    actions: StateArray,
    rng: RngState,
    values: NDArray[np.float64],
) -> None:
    apply = apply_of(functions)
    evaluate = evaluate_of(functions)
    values[:] = -np.inf
    for game in range(states.shape[0]):
        state = states[game]
        determinize_of(functions)(state, state[SEAT], rng)
        for index in range(legal_of(functions)(state, actions)):
            action = actions[index]
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


def action_values(game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
    """Return float64 `(len(states), num_actions)`: the evaluation after each action.

    The evaluation is for the player to move, -1 to 1, and minus infinity for illegal actions. Where
    an action involves chance, it is the mean of `DRAWS` outcomes. What the player cannot see is
    drawn again before, so the values do not depend on it.

    Args:
        game: the game.
        states: positions, int64 `(n, state_size)`.
        rng: for hidden information, and for chance events of the actions.
    """
    rules = game.rules
    values = np.empty((len(states), game.num_actions), np.float64)
    _action_values(
        rules.functions,
        states.copy(),
        np.empty(rules.state_size, np.int64),
        np.empty(game.num_actions, np.int64),
        rng,
        values,
    )
    return values
