"""One ply: the values of the positions after each action of a position (afterstates).

Values of positions are easier to learn than a probability for each action (Tesauro, "Temporal
difference learning and TD-Gammon", 1995).

A position is valued by a network, or without one by the game's evaluation function. Where nothing
is hidden, a network learns positions as the seat to act sees them alone; otherwise a seat has to
know what a position that it has made is worth as it sees it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core import kernel as k
from tzaar_envs.core.game import Game
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.jit.rng import below, next_word
from tzaar_envs.search.chance import set_luck
from tzaar_envs.search.leaf_network import (
    WORTH_ANCHORING,
    LeafNetwork,
    anchor_of,
    predict_of,
    value_of,
)


class Afterstates(NamedTuple):
    """The actions of a position and what they are worth, and what it takes to find out.

    Attributes:
        functions: The game's.
        network: Values the positions.
        hidden: Whether the game has hidden information.
        plies: 2: if the same seat acts again, and nothing was drawn, an action is worth as much as
            the best one after it; else 1.
        draws: Outcomes of chance, or of what is hidden, that a value is the mean of.
        actions: int64 `(num_actions,)`, the legal ones first.
        values: float64 `(num_actions, num_players)`, the expected returns after each of them.
        position: int64 `(state_size,)`, the position as one seat may believe it to be.
        after: int64 `(state_size,)`, a position after an action.
        replies: int64 `(num_actions,)`, the legal actions there.
        later: int64 `(state_size,)`, a position after one of them.
        luck: uint64 `(1,)`, for chance events of the actions.
        returns: float64 `(num_players,)`.
        best: float64 `(num_players,)`.
    """

    functions: FunctionTable
    network: LeafNetwork
    hidden: bool
    plies: int
    draws: int
    actions: StateArray
    values: NDArray[np.float64]
    position: StateArray
    after: StateArray
    replies: StateArray
    later: StateArray
    luck: RngState
    returns: NDArray[np.float64]
    best: NDArray[np.float64]


def new_afterstates(game: Game, network: LeafNetwork, draws: int, plies: int = 1) -> Afterstates:
    """Return the memory for positions of a game."""
    state_size = game.rules.state_size
    return Afterstates(
        functions=game.rules.functions,
        network=network,
        hidden=game.spec.hidden_information,
        plies=plies,
        draws=draws,
        actions=np.empty(game.num_actions, np.int64),
        values=np.empty((game.num_actions, game.num_players)),
        position=np.empty(state_size, np.int64),
        after=np.empty(state_size, np.int64),
        replies=np.empty(game.num_actions, np.int64),
        later=np.empty(state_size, np.int64),
        luck=np.zeros(1, np.uint64),
        returns=np.empty(game.num_players),
        best=np.empty(game.num_players),
    )


# --- the value of a position ----------------------------------------------------------------------


@compiled
def value_for(
    functions: FunctionTable,
    network: LeafNetwork,
    hidden: bool,
    state: StateArray,
    seat: int,
    returns: NDArray[np.float64],
) -> float:
    """Return the value of a position for the seat that has made it.

    A network writes the expected returns of all seats, float64 `(num_players,)`, too.
    """
    if network.memory.size == 0:
        return k.evaluate_of(functions)(state, seat)
    if state[k.STATUS] != k.RUNNING:
        k.returns_of(functions)(state, returns)
        return returns[seat]
    observer = seat if hidden else state[k.SEAT]
    if returns.size == 2 and not hidden:
        returns[observer] = value_of(network.functions)(network.memory, functions, state)
        returns[1 - observer] = -returns[observer]
    else:
        predict = predict_of(network.functions)
        predict(network.memory, functions, state, observer, state[:0], returns[:0], returns)
    return returns[seat]


@compiled
def mean_value_after(
    functions: FunctionTable,
    network: LeafNetwork,
    hidden: bool,
    state: StateArray,
    action: int,
    outcomes: int,
    after: StateArray,
    returns: NDArray[np.float64],
    rng: RngState,
) -> float:
    """Return the value of an action for the seat to act; the mean of outcomes if chance decides.

    `after`, int64 `(state_size,)`, gets a position after the action.
    """
    seat = state[k.SEAT]
    before = rng[0]
    after[:] = state
    k.apply_of(functions)(after, action, rng)
    value = value_for(functions, network, hidden, after, seat, returns)
    if rng[0] != before and outcomes > 1:
        for _ in range(1, outcomes):
            after[:] = state
            k.apply_of(functions)(after, action, rng)
            value += value_for(functions, network, hidden, after, seat, returns)
        value /= outcomes
    return value


# --- the values of all actions --------------------------------------------------------------------


@compiled
def look_ahead(search: Afterstates, state: StateArray, rng: RngState) -> int:
    """Write the legal actions of a position and their values; return how many there are.

    Where something is hidden from the seat to act, or an action involves chance, values are means
    of draws. All actions have the same draws, so that none is better by luck alone (common random
    numbers).
    """
    search, state, rng = borrowed(search), borrowed(state), borrowed(rng)
    salt = next_word(rng)
    position, values, draws = search.position, search.values, search.draws
    seat = state[k.SEAT]
    position[:] = state
    count = k.legal_of(search.functions)(position, search.actions)
    values[:count] = 0.0
    for draw in range(draws if search.hidden else 1):
        if search.hidden:
            k.determinize_of(search.functions)(position, seat, rng)
        for index in range(count):
            hint = index == 1 and count >= WORTH_ANCHORING
            involves_chance = add_value(search, index, salt, draw, hint)
            if involves_chance and not search.hidden:
                for another in range(1, draws):
                    add_value(search, index, salt, another, False)
                values[index] /= draws
    if search.hidden:
        values[:count] /= draws
    return count


@compiled
def add_value(search: Afterstates, index: int, salt: int, draw: int, hint: bool) -> bool:
    """Add the value after an action with one outcome of chance; return whether it involves any.

    With `hint`, the network hears that more actions of the position follow.
    """
    functions, network, hidden = search.functions, search.network, search.hidden
    after, later, luck, position = search.after, search.later, search.luck, search.position
    returns, best = search.returns, search.best
    apply = k.apply_of(functions)
    seat = position[k.SEAT]
    set_luck(luck, salt, draw, 0)
    before = luck[0]
    after[:] = position
    apply(after, search.actions[index], luck)
    involves_chance = luck[0] != before
    if (
        search.plies == 1
        or involves_chance
        or after[k.STATUS] != k.RUNNING
        or after[k.SEAT] != seat
    ):
        if hint:
            observer = seat if hidden else after[k.SEAT]
            anchor_of(network.functions)(network.memory, functions, position, observer)
        value_for(functions, network, hidden, after, seat, returns)
        for player in range(returns.size):
            search.values[index, player] += returns[player]
        return involves_chance
    best[seat] = -np.inf
    count = k.legal_of(functions)(after, search.replies)
    for reply in range(count):
        luck[0] = before
        later[:] = after
        apply(later, search.replies[reply], luck)
        involves_chance = involves_chance or luck[0] != before
        if reply == 1 and count >= WORTH_ANCHORING:
            observer = seat if hidden else later[k.SEAT]
            anchor_of(network.functions)(network.memory, functions, after, observer)
        value_for(functions, network, hidden, later, seat, returns)
        if returns[seat] > best[seat]:
            best[:] = returns
    search.values[index] += best
    return involves_chance


# --- many positions -------------------------------------------------------------------------------


@compiled
def values_of_rows(
    search: Afterstates,
    states: NDArray[np.int64],
    rng: RngState,
    values: NDArray[np.float64],
) -> None:
    """Write the values of actions for the seat to act, float64 `(n, num_actions)`.

    The value of an illegal action is minus infinity.
    """
    for row in range(states.shape[0]):
        state = states[row]
        values[row] = -np.inf
        for index in range(look_ahead(search, state, rng)):
            values[row, search.actions[index]] = search.values[index, state[k.SEAT]]


@compiled
def evaluations_of_rows(
    functions: FunctionTable,
    states: NDArray[np.int64],
    draws: int,
    after: StateArray,
    actions: StateArray,
    rng: RngState,
    values: NDArray[np.float64],
) -> None:
    """Write the values of actions as `values_of_rows` does, by the evaluation function.

    Hidden information is drawn once, in `states`, and each action has outcomes of chance of its
    own. `after`, int64 `(state_size,)`, and `actions`, int64 `(num_actions,)`, are working memory.
    """
    functions, after, rng = borrowed(functions), borrowed(after), borrowed(rng)
    states, actions, values = borrowed(states), borrowed(actions), borrowed(values)
    no_network = LeafNetwork(functions, after[:0])
    for row in range(states.shape[0]):
        state, own = states[row], values[row]
        own[:] = -np.inf
        k.determinize_of(functions)(state, state[k.SEAT], rng)
        for index in range(k.legal_of(functions)(state, actions)):
            action = actions[index]
            own[action] = mean_value_after(
                functions, no_network, False, state, action, draws, after, own, rng
            )


@compiled(nogil=True)
def choose_rows(
    search: Afterstates,
    states: NDArray[np.int64],
    epsilon: float,
    rng: RngState,
    actions: StateArray,
    values: NDArray[np.float64],
    at_random: NDArray[np.bool_],
) -> None:
    """Write the best action of each position, or a random one with probability `epsilon`.

    `actions`, int64 `(n,)`, gets the actions; `values`, float64 `(n, num_players)`, those after the
    best ones; `at_random`, bool `(n,)`, which ones are random.
    """
    for row in range(states.shape[0]):
        count = look_ahead(search, states[row], rng)
        best = np.argmax(search.values[:count, states[row, k.SEAT]])
        values[row] = search.values[best]
        at_random[row] = next_word(rng) < epsilon * 2.0**32
        actions[row] = search.actions[below(rng, count) if at_random[row] else best]


# --- luck -----------------------------------------------------------------------------------------


@compiled
def add_luck(
    search: Afterstates,
    positions: NDArray[np.int64],
    actions: StateArray,
    rng: RngState,
    luck: NDArray[np.float64],
) -> None:
    """Add what chance gave to each seat in a game that was played (AIVAT's control variate).

    That is the value after each action, less the mean over other outcomes of chance.

    Args:
        search: Values positions, and says how many other outcomes of each action are drawn.
        positions: int64 `(moves + 1, state_size)`, before the first action and after each one.
        actions: int64 `(moves,)`; those without chance add nothing, and cost little.
        rng: Generator for the draws.
        luck: float64 `(num_players,)`.
    """
    search, rng, draws = borrowed(search), borrowed(rng), search.draws
    for move in range(actions.size):
        before = positions[move]
        for draw in range(draws):
            word = rng[0]
            search.after[:] = before
            k.apply_of(search.functions)(search.after, actions[move], rng)
            if rng[0] == word:
                break
            if draw == 0:
                _add_values(search, before, positions[move + 1], 1.0, luck)
            _add_values(search, before, search.after, -1.0 / draws, luck)


@compiled
def _add_values(
    search: Afterstates,
    before: StateArray,
    after: StateArray,
    weight: float,
    values: NDArray[np.float64],
) -> None:
    """Add the expected returns in a position, times a weight.

    Where something is hidden, chance may have told the seat that acted, or the one to act: half of
    the weight is for what each of them expects.
    """
    functions, network, hidden = search.functions, search.network, search.hidden
    value_for(functions, network, hidden, after, before[k.SEAT], search.returns)
    if hidden and after[k.STATUS] == k.RUNNING and after[k.SEAT] != before[k.SEAT]:
        weight /= 2.0
        values += search.returns * weight
        value_for(functions, network, hidden, after, after[k.SEAT], search.returns)
    values += search.returns * weight
