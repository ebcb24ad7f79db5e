"""What a network expects after each action of a position.

Values of positions are easier to learn than a probability for each action (Tesauro, "Temporal
difference learning and TD-Gammon", 1995).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import (
    RUNNING,
    SEAT,
    STATUS,
    apply_of,
    determinize_of,
    legal_of,
    returns_of,
)
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.jit.rng import next_word
from tzaar_envs.search.leaf_network import WORTH_HOLDING, LeafNetwork, hold_of, judge_of, value_of
from tzaar_envs.search.luck import set_luck


class Outlook(NamedTuple):
    """The actions of a position and what they are worth, and memory to find out.

    Attributes:
        actions: int64 `(num_actions,)`, the legal ones first.
        values: float64 `(num_actions, num_players)`, the expected returns after each of them.
        position: int64 `(state_size,)`, the position as one seat may believe it to be.
        after: int64 `(state_size,)`, a position after an action.
        replies: int64 `(num_actions,)`, the legal actions there.
        later: int64 `(state_size,)`, a position after one of them.
        luck: uint64 `(1,)`, for chance events of the actions.
        returns: float64 `(num_players,)`.
        best: float64 `(num_players,)`.
        held: int64 `(num_players,)`, 1 if the network knows how a seat sees the position before.
        no_priors: float64 `(0,)`.
    """

    actions: StateArray
    values: NDArray[np.float64]
    position: StateArray
    after: StateArray
    replies: StateArray
    later: StateArray
    luck: RngState
    returns: NDArray[np.float64]
    best: NDArray[np.float64]
    held: StateArray
    no_priors: NDArray[np.float64]


def new_outlook(game: Game) -> Outlook:
    """Return the memory for positions of a game."""
    state_size = game.rules.state_size
    return Outlook(
        np.empty(game.num_actions, np.int64),
        np.empty((game.num_actions, game.num_players)),
        np.empty(state_size, np.int64),
        np.empty(state_size, np.int64),
        np.empty(game.num_actions, np.int64),
        np.empty(state_size, np.int64),
        np.zeros(1, np.uint64),
        np.empty(game.num_players),
        np.empty(game.num_players),
        np.empty(game.num_players, np.int64),
        np.empty(0),
    )


@compiled
def look_ahead(
    functions: FunctionTable,
    network: LeafNetwork,
    state: StateArray,
    hidden: bool,
    plies: int,
    draws: int,
    outlook: Outlook,
    rng: RngState,
) -> int:
    """Write the legal actions of a position and their values; return how many there are.

    Where something is hidden from the seat to act, or an action involves chance, values are means
    of draws. All actions have the same draws, so that none is better by luck alone (common random
    numbers).

    Args:
        functions: of the game.
        network: values the positions.
        state: the position.
        hidden: whether the game has hidden information.
        plies: 2: if the same seat acts again, and nothing was drawn, an action is worth as much as
            the best one after it; else 1.
        draws: how many outcomes are averaged.
        outlook: where to write them.
        rng: for the draws.
    """
    functions, state, rng = borrowed(functions), borrowed(state), borrowed(rng)
    network, outlook = borrowed(network), borrowed(outlook)
    seat = state[SEAT]
    salt = next_word(rng)
    position, values = outlook.position, outlook.values
    position[:] = state
    count = legal_of(functions)(position, outlook.actions)
    values[:count] = 0.0
    for draw in range(draws if hidden else 1):
        if hidden:
            determinize_of(functions)(position, seat, rng)
        outlook.held[:] = count < WORTH_HOLDING
        for index in range(count):
            involves_chance = add_value(
                functions, network, hidden, plies, outlook, index, salt, draw
            )
            if involves_chance and not hidden:
                for another in range(1, draws):
                    add_value(functions, network, hidden, plies, outlook, index, salt, another)
                values[index] /= draws
    if hidden:
        values[:count] /= draws
    return count


@compiled
def add_value(
    functions: FunctionTable,
    network: LeafNetwork,
    hidden: bool,
    plies: int,
    outlook: Outlook,
    index: int,
    salt: int,
    draw: int,
) -> bool:
    """Add the value after an action with one outcome of chance; return whether it involves any."""
    after, later, luck = outlook.after, outlook.later, outlook.luck
    returns, best = outlook.returns, outlook.best
    apply = apply_of(functions)
    seat = outlook.position[SEAT]
    set_luck(luck, salt, draw, 0)
    before = luck[0]
    after[:] = outlook.position
    apply(after, outlook.actions[index], luck)
    involves_chance = luck[0] != before
    if plies == 1 or involves_chance or after[STATUS] != RUNNING or after[SEAT] != seat:
        value_for(functions, network, hidden, outlook.position, after, seat, outlook)
        for player in range(returns.size):
            outlook.values[index, player] += returns[player]
        return involves_chance
    best[seat] = -np.inf
    count = legal_of(functions)(after, outlook.replies)
    outlook.held[:] = count < WORTH_HOLDING
    for reply in range(count):
        luck[0] = before
        later[:] = after
        apply(later, outlook.replies[reply], luck)
        involves_chance = involves_chance or luck[0] != before
        value_for(functions, network, hidden, after, later, seat, outlook)
        if returns[seat] > best[seat]:
            best[:] = returns
    outlook.values[index] += best
    outlook.held[:] = 0
    return involves_chance


@compiled
def value_for(
    functions: FunctionTable,
    network: LeafNetwork,
    hidden: bool,
    before: StateArray,
    state: StateArray,
    seat: int,
    outlook: Outlook,
) -> None:
    """Write the expected returns in a position that a seat has made, into `outlook.returns`.

    Args:
        functions: of the game.
        network: values the position.
        hidden: whether the game has hidden information.
        before: the position before the action.
        state: the position.
        seat: who has acted.
        outlook: where to write them.
    """
    if state[STATUS] != RUNNING:
        returns_of(functions)(state, outlook.returns)
        return
    # Where nothing is hidden, the network learns positions as the seat to act sees them alone.
    returns = outlook.returns
    observer = seat if hidden else state[SEAT]
    if outlook.held[observer] == 0:
        hold_of(network.functions)(network.memory, functions, before, observer)
        outlook.held[observer] = 1
    if returns.size == 2 and not hidden:
        returns[observer] = value_of(network.functions)(network.memory, functions, state)
        returns[1 - observer] = -returns[observer]
        return
    judge_of(network.functions)(
        network.memory, functions, state, observer, outlook.actions[:0], outlook.no_priors, returns
    )
