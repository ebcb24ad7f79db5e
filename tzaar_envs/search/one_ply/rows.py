"""One ply for many positions in one compiled call: the values of all actions, the best action.

Compiled code calls only what is in its own folder and those around it (see `jit.compile`), so what
agents and training need of one ply is here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import SEAT
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
def choose_rows(
    functions: FunctionTable,
    network: LeafNetwork,
    states: NDArray[np.int64],
    hidden: bool,
    draws: int,
    randomness: float,
    outlook: Outlook,
    rng: RngState,
    actions: StateArray,
    values: NDArray[np.float64],
    at_random: NDArray[np.bool_],
) -> None:
    """Write the best action of each position, or a random one with probability `randomness`.

    `actions`, int64 `(n,)`, gets the actions; `values`, float64 `(n, num_players)`, those after the
    best ones; `at_random`, bool `(n,)`, which ones are random. Other arguments as of `look_ahead`.
    """
    for row in range(states.shape[0]):
        count = look_ahead(functions, network, states[row], hidden, 1, draws, outlook, rng)
        best = np.argmax(outlook.values[:count, states[row, SEAT]])
        values[row] = outlook.values[best]
        at_random[row] = next_word(rng) < randomness * 2.0**32
        actions[row] = outlook.actions[below(rng, count) if at_random[row] else best]
