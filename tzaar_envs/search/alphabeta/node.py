"""The nodes of an alpha-beta search: opening one, playing its actions, taking values over.

The value of a node is that of the seat to act there. This may be the seat that acted before (two
actions per turn), so values and windows change their sign by the seats of parent and child, never
by the ply.
"""

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, legal_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.alphabeta.hashing import key_of
from tzaar_envs.search.alphabeta.ordering import pick_next, record_cutoff, score_actions
from tzaar_envs.search.alphabeta.stack import (
    ACTIONS,
    ALPHA,
    ALPHA_ORIGINAL,
    BEST,
    BEST_ACTION,
    BETA,
    COPIED,
    COUNT,
    KEY,
    LOG_LENGTH,
    NO_ACTION,
    NODES,
    PV,
    PV_LENGTH,
    REMAINING,
    SCORES,
    SEARCH,
    STATE,
    TRIED,
    Stack,
)
from tzaar_envs.search.alphabeta.transposition import (
    DATA,
    EXACT,
    LOWER,
    NOT_FOUND,
    UPPER,
    Table,
    action_in,
    bound_in,
    depth_in,
    find,
    store,
    value_in,
)
from tzaar_envs.search.alphabeta.values import INFINITY, from_table, to_table


@compiled
def set_window(stack: Stack, ply: int, remaining: int, alpha: int, beta: int) -> None:
    """Prepare a node none of whose actions was tried yet."""
    stack[ply, REMAINING] = remaining
    stack[ply, ALPHA_ORIGINAL] = alpha
    stack[ply, ALPHA] = alpha
    stack[ply, BETA] = beta
    stack[ply, BEST] = -INFINITY
    stack[ply, BEST_ACTION] = NO_ACTION
    stack[ply, TRIED] = 0
    stack[ply, PV_LENGTH] = 0


@compiled
def play_next(
    functions: FunctionTable, stack: Stack, counters: StateArray, rng: RngState, ply: int
) -> bool:
    """Play the next action of a node into the row of its child; return whether the game is over."""
    action = pick_next(stack, ply)
    # Of a log only the part in use is copied: all of it took two fifths of the time.
    end = STATE + counters[COPIED]
    if counters[LOG_LENGTH]:
        end += stack[ply, STATE + counters[LOG_LENGTH]]
    for index in range(STATE, end):
        stack[ply + 1, index] = stack[ply, index]
    apply_of(functions)(stack[ply + 1, STATE : stack[ply, ACTIONS]], action, rng)
    counters[NODES] += 1
    return stack[ply + 1, STATE + STATUS] != RUNNING


@compiled
def open_child(
    functions: FunctionTable,
    stack: Stack,
    table: Table,
    history: NDArray[np.int64],
    factors: NDArray[np.int64],
    counters: StateArray,
    ply: int,
    beta: int,
) -> bool:
    """Open the child of a node, with the window from the node's own alpha to `beta`.

    Returns whether it has its value already, from the table. This only happens with a null window,
    so the principal variation is complete.
    """
    child = ply + 1
    remaining = stack[ply, REMAINING] - 1
    alpha = stack[ply, ALPHA]
    if stack[child, STATE + SEAT] == stack[ply, STATE + SEAT]:
        set_window(stack, child, remaining, alpha, beta)
    else:
        set_window(stack, child, remaining, -beta, -alpha)

    state = stack[child, STATE : stack[ply, ACTIONS]]
    key = key_of(state, factors)
    stack[child, KEY] = key
    first = NO_ACTION
    entry = find(table, key, counters[SEARCH])
    if entry != NOT_FOUND:
        data = table[entry, DATA]
        first = action_in(data)
        if beta - alpha == 1 and depth_in(data) >= remaining and cuts_off(stack, child, data):
            return True
    actions = stack[child, stack[child, ACTIONS] : stack[child, SCORES]]
    stack[child, COUNT] = legal_of(functions)(state, actions)
    score_actions(stack, history, child, first)
    return False


@compiled
def cuts_off(stack: Stack, ply: int, data: int) -> bool:
    """Whether an entry of the table makes searching the node unnecessary; if so, use its value."""
    value = from_table(value_in(data), ply)
    bound = bound_in(data)
    cut = bound == EXACT
    cut |= bound == LOWER and value >= stack[ply, BETA]
    cut |= bound == UPPER and value <= stack[ply, ALPHA]
    if cut:
        stack[ply, BEST] = value
    return cut


@compiled
def child_value(stack: Stack, ply: int) -> int:
    """Return the value of a node's child for the seat that acted."""
    value = stack[ply + 1, BEST]
    return value if stack[ply + 1, STATE + SEAT] == stack[ply, STATE + SEAT] else -value


@compiled
def needs_full_window(stack: Stack, ply: int) -> bool:
    """Whether a child turned out better than all before it, but was searched with a null window.

    Its true value is then only found by another search.
    """
    child = ply + 1
    narrowed = (
        stack[child, BETA] - stack[child, ALPHA_ORIGINAL] < stack[ply, BETA] - stack[ply, ALPHA]
    )
    return narrowed and stack[ply, ALPHA] < child_value(stack, ply) < stack[ply, BETA]


@compiled
def update(stack: Stack, ply: int, value: int) -> None:
    """Update best value, alpha and principal variation by the value of the last action tried."""
    stack[ply, BEST] = max(stack[ply, BEST], value)
    if value > stack[ply, ALPHA]:
        action = stack[ply, stack[ply, ACTIONS] + stack[ply, TRIED] - 1]
        stack[ply, ALPHA] = value
        stack[ply, BEST_ACTION] = action
        if stack[ply, BETA] - stack[ply, ALPHA_ORIGINAL] > 1:
            length = stack[ply + 1, PV_LENGTH]
            stack[ply, PV_LENGTH] = length + 1
            stack[ply, PV] = action
            for index in range(length):
                stack[ply, PV + 1 + index] = stack[ply + 1, PV + index]


@compiled
def store_node(
    stack: Stack, table: Table, history: NDArray[np.int64], counters: StateArray, ply: int
) -> None:
    """Store a finished node in the table, and its refutation in killers and history."""
    value = stack[ply, BEST]
    bound = EXACT
    if value >= stack[ply, BETA]:
        bound = LOWER
        record_cutoff(stack, history, ply)
    elif value <= stack[ply, ALPHA_ORIGINAL]:
        bound = UPPER
    store(
        table,
        stack[ply, KEY],
        counters[SEARCH],
        stack[ply, REMAINING],
        to_table(value, ply),
        bound,
        stack[ply, BEST_ACTION],
    )
