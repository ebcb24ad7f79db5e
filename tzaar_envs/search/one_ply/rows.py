"""One ply for many positions in one compiled call: the values of all actions, the best action.

Compiled code calls only what is in its own folder and those around it (see `jit.compile`), so what
agents and training need of one ply is here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import SEAT, apply_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import below, next_word
from tzaar_envs.search.leaf_network import LeafNetwork
from tzaar_envs.search.one_ply.outlook import Outlook, look_ahead


@compiled
def values_of_rows(
    functions: FunctionTable,
    network: LeafNetwork,
    states: NDArray[np.int64],
    hidden: bool,
    plies: int,
    draws: int,
    outlook: Outlook,
    rng: RngState,
    values: NDArray[np.float64],
) -> None:
    """Write the values of legal actions for the seat to act, float64 `(n, num_actions)`.

    Other arguments as of `look_ahead`; the values of illegal actions are left as they are.
    """
    for row in range(states.shape[0]):
        state = states[row]
        count = look_ahead(functions, network, state, hidden, plies, draws, outlook, rng)
        for index in range(count):
            values[row, outlook.actions[index]] = outlook.values[index, state[SEAT]]


@compiled(nogil=True)
def play_rows(
    functions: FunctionTable,
    network: LeafNetwork,
    outlook: Outlook,
    states: NDArray[np.int64],
    randomness: float,
    rng: RngState,
    actions: StateArray,
    values: NDArray[np.float64],
    at_random: NDArray[np.bool_],
) -> None:
    """Play the best action in each position, or a random one; nothing is hidden or by chance.

    Args:
        functions: of the game.
        network: values the positions.
        outlook: working memory.
        states: int64 `(n, state_size)`; become the positions after the actions.
        randomness: probability of a random action.
        rng: for random actions.
        actions: int64 `(n,)`, what was played.
        values: float64 `(n,)`, of the best action, for the seat that acted.
        at_random: bool `(n,)`, whether the action was a random one.
    """
    for row in range(states.shape[0]):
        seat = states[row, SEAT]
        count = look_ahead(functions, network, states[row], False, 1, 1, outlook, rng)
        best = np.argmax(outlook.values[:count, seat])
        values[row] = outlook.values[best, seat]
        at_random[row] = next_word(rng) < randomness * 2.0**32
        actions[row] = outlook.actions[below(rng, count) if at_random[row] else best]
        apply_of(functions)(states[row], actions[row], rng)
