"""What chance gave to each seat in a game that was played, by the values of a network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.search.leaf_network import LeafNetwork
from tzaar_envs.search.one_ply.outlook import Outlook, value_for


@compiled
def add_fortune(
    functions: FunctionTable,
    network: LeafNetwork,
    hidden: bool,
    positions: NDArray[np.int64],
    actions: StateArray,
    draws: int,
    outlook: Outlook,
    rng: RngState,
    fortune: NDArray[np.float64],
) -> None:
    """Add the value after each action of a game, less the mean over other outcomes of chance.

    Args:
        functions: of the game.
        network: values the positions.
        hidden: whether the game has hidden information.
        positions: int64 `(moves + 1, state_size)`, before the first action and after each one.
        actions: int64 `(moves,)`; those without chance add nothing, and cost little.
        draws: how many other outcomes of each action are drawn.
        outlook: memory, see there.
        rng: for the draws.
        fortune: float64 `(num_players,)`.
    """
    functions, network, outlook = borrowed(functions), borrowed(network), borrowed(outlook)
    rng = borrowed(rng)
    for move in range(actions.size):
        before = positions[move]
        for draw in range(draws):
            word = rng[0]
            outlook.after[:] = before
            apply_of(functions)(outlook.after, actions[move], rng)
            if rng[0] == word:
                break
            if draw == 0:
                add_values(
                    functions, network, hidden, before, positions[move + 1], 1.0, outlook, fortune
                )
            add_values(
                functions, network, hidden, before, outlook.after, -1.0 / draws, outlook, fortune
            )


@compiled
def add_values(
    functions: FunctionTable,
    network: LeafNetwork,
    hidden: bool,
    before: StateArray,
    after: StateArray,
    weight: float,
    outlook: Outlook,
    values: NDArray[np.float64],
) -> None:
    """Add the expected returns in a position, times a weight.

    Where something is hidden, chance may have told the seat that acted, or the one to act: half of
    the weight is for what each of them expects.
    """
    outlook.held[:] = 1  # one position tells nothing about the next
    value_for(functions, network, hidden, before, after, before[SEAT], outlook)
    if hidden and after[STATUS] == RUNNING and after[SEAT] != before[SEAT]:
        weight /= 2.0
        values += outlook.returns * weight
        value_for(functions, network, hidden, before, after, after[SEAT], outlook)
    values += outlook.returns * weight
