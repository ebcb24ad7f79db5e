"""One iteration of alpha-beta: principal variation search to a fixed depth.

Principal variation search (Marsland and Campbell, 1982) expects the first action of a node to be
the best one and gives all others a null window, which is enough to show that they are no better.

The path from the root is kept in an array, the stack, with one row for each ply, and not on the
call stack. So a search can stop after any number of nodes and continue later, which is how a time
limit is kept: compiled code has no clock. A row begins with the words listed below; then follow the
state, the actions in the order in which they are tried, and the scores that decide this order.
Everything is in one array and is read word by word, because Numba counts references of every
further array and of every view of a part, which together took twice as long as playing the actions.

The value of a node is that of the seat to act there. This may be the seat that acted before (two
actions per turn), so values and windows change their sign by the seats of parent and child, never
by the ply. Values are integers: `UNIT` is 1.0 of an evaluation; a forced win in `n` plies from the
root is `WIN - n`, so that sooner wins are better, and later losses.

The earlier a refuting action is tried, the smaller the tree. First comes the action from the
transposition table, then two killers, which are actions that refuted a sibling (Akl and Newborn,
1977), then the others by the history heuristic (Schaeffer, 1989): how often, and how far from the
horizon, an action has caused a cutoff. Captures have no rank of their own: good ones rise through
the history.

An action that is tried late is rarely the best one. A selective search looks at such actions one or
two plies less deep, and again at full depth at those that turn out better than all before them
(late move reductions). Near the horizon, it does not search nodes whose value by the network is far
from a null window (futility pruning; Heinz, "Extended Futility Pruning", 1998).
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, evaluate_of, legal_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.search import transposition as tt
from tzaar_envs.search.leaf_network import LeafNetwork, anchor_of, value_of
from tzaar_envs.search.transposition import NO_ACTION, Table

Stack: TypeAlias = NDArray[np.int64]
"""The path from the root, int64 `(MAX_DEPTH + 1, width)`, one row for each ply."""

MAX_DEPTH = 64

UNIT = 1_000_000
WIN = 2_000_000
INFINITY = 4_000_000

# The words of a node.
REMAINING = 0  # plies to the horizon
ALPHA_ORIGINAL = 1  # alpha as it was when the node was opened
ALPHA = 2
BETA = 3
BEST = 4  # best value so far
BEST_ACTION = 5  # NO_ACTION until one was better than the original alpha
COUNT = 6  # of legal actions
TRIED = 7  # how many of them were tried
KEY = 8
KILLERS = 9  # the newer one, the older one
ACTIONS = 11  # where in the row the actions begin
SCORES = 12  # where in the row their scores begin
PV_LENGTH = 13  # length of the principal variation from here
PV = 14  # its actions
STATE = PV + MAX_DEPTH + 1

# The words of the counters.
NODES = 0  # positions that were reached by playing an action, leaves included
PLY = 1  # where the search continues
LEAVES = 2  # nodes in this iteration that are not searched though their game is not over
SEARCH = 3  # number of the search, for the transposition table
COPIED = 4  # words of a state that are always copied
LOG_LENGTH = 5  # index of the word of a state that holds how many more are copied; 0: none
SELECTIVE = 6  # whether the search is selective, see above; it needs a network
COUNTERS = 7

_FIRST = 1 << 60
_KILLER = 1 << 50
_LATE, _LATER = 3, 5  # actions from which on one ply is saved, and two
_SHALLOW = 2  # plies to the horizon up to which the value of the network may decide
_MARGIN = 150_000  # by which it must be outside the window for each of these plies, in units
_SORTED = 8  # actions that are tried in order; if none of them refutes, the order hardly matters


class AlphaBetaSearch(NamedTuple):
    """The data that an alpha-beta search reads and writes.

    What is called at every leaf takes the arrays that it needs instead: each further one costs it
    some nanoseconds.

    Attributes:
        functions: The game's.
        network: Values leaves in place of the game's evaluation function, if there is one.
        stack: The path from the root.
        table: The transposition table.
        history: int64 `(2, num_actions)`, by seat, see above.
        factors: int64 `(4, key_size)`, for the keys of positions.
        cache: int64, pairs of a leaf's key and the network's value of it, in units; their number is
            a power of two, or 0 without a network.
        counters: int64 `(COUNTERS,)`.
        rng: Generator for chance events, which suitable games do not have.
    """

    functions: FunctionTable
    network: LeafNetwork
    stack: Stack
    table: Table
    history: NDArray[np.int64]
    factors: NDArray[np.int64]
    cache: NDArray[np.int64]
    counters: StateArray
    rng: RngState


def new_stack(state_size: int, num_actions: int) -> Stack:
    """Return a stack in which nothing has been searched."""
    actions = STATE + state_size
    scores = actions + num_actions
    stack = np.zeros((MAX_DEPTH + 1, scores + num_actions), np.int64)
    stack[:, ACTIONS] = actions
    stack[:, SCORES] = scores
    return stack


def evaluation(value: int) -> float:
    """Return a value as an evaluation, -1 to 1; exactly 1 or -1 only if the end is forced."""
    return max(-1.0, min(1.0, value / UNIT))


# --- an iteration --------------------------------------------------------------------------------


@compiled
def begin(search: AlphaBetaSearch, depth: int) -> None:
    """Begin an iteration; the root's actions are already in the order in which to try them."""
    stack = search.stack
    set_window(stack, 0, depth, -INFINITY, INFINITY)
    for index in range(stack[0, COUNT]):
        stack[0, stack[0, SCORES] + index] = 0
    stack[0, KEY] = tt.key_of(stack[0, STATE : stack[0, ACTIONS]], search.factors)
    search.history[:] >>= 1
    search.counters[PLY] = 0
    search.counters[LEAVES] = 0


@compiled
def advance(search: AlphaBetaSearch, nodes: int) -> bool:
    """Continue an iteration for about this many nodes; return whether it is finished."""
    search = borrowed(search)
    functions, network, stack = search.functions, search.network, search.stack
    factors, cache = search.factors, search.cache
    counters, rng = search.counters, search.rng
    ply = counters[PLY]
    limit = counters[NODES] + nodes
    while counters[NODES] < limit:
        if stack[ply, TRIED] < stack[ply, COUNT] and stack[ply, BEST] < stack[ply, BETA]:
            over = play_next(functions, stack, counters, rng, ply)
            if over or stack[ply, REMAINING] == 1:
                counters[LEAVES] += not over
                value = leaf_value(functions, network, stack, factors, cache, ply)
                update(stack, ply, value)
                continue
            beta = stack[ply, BETA] if stack[ply, TRIED] == 1 else stack[ply, ALPHA] + 1
            has_value = open_child(search, ply, beta, reduction(stack, counters, ply))
        else:
            store_node(search, ply)
            if ply == 0:
                return True
            ply -= 1
            has_value = True
        if has_value and must_search_again(stack, ply):
            has_value = open_child(search, ply, stack[ply, BETA], 0)
        if has_value:
            update(stack, ply, child_value(stack, ply))
        else:
            ply += 1
    counters[PLY] = ply
    return False


# --- nodes ----------------------------------------------------------------------------------------


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
def reduction(stack: Stack, counters: StateArray, ply: int) -> int:
    """Return by how many plies the action that was just played is searched less deep."""
    tried, remaining = stack[ply, TRIED], stack[ply, REMAINING]
    if counters[SELECTIVE] == 0 or tried < _LATE or remaining < 3:
        return 0
    return 2 if tried >= _LATER and remaining >= 5 else 1


@compiled
def open_child(search: AlphaBetaSearch, ply: int, beta: int, reduced: int) -> bool:
    """Open the child of a node, with the window from the node's own alpha to `beta`.

    Its depth is less by 1 than that of the node, and by as many plies as it is reduced.

    Returns whether it has its value already, from the table or the network. This only happens with
    a null window, so the principal variation is complete.
    """
    stack = search.stack
    child = ply + 1
    remaining = stack[ply, REMAINING] - 1 - reduced
    alpha = stack[ply, ALPHA]
    if stack[child, STATE + SEAT] == stack[ply, STATE + SEAT]:
        set_window(stack, child, remaining, alpha, beta)
    else:
        set_window(stack, child, remaining, -beta, -alpha)

    state = stack[child, STATE : stack[ply, ACTIONS]]
    key = tt.key_of(state, search.factors)
    stack[child, KEY] = key
    first = NO_ACTION
    entry = tt.find(search.table, key, search.counters[SEARCH])
    if entry != tt.NOT_FOUND:
        known = search.table[entry]
        first = int(known.action)
        is_deep = known.depth >= remaining
        if beta - alpha == 1 and is_deep and cuts_off(stack, child, known.value, known.bound):
            return True
    if prune(search, child):
        return True
    actions = stack[child, stack[child, ACTIONS] : stack[child, SCORES]]
    stack[child, COUNT] = legal_of(search.functions)(state, actions)
    score_actions(stack, search.history, child, first)
    return False


@compiled
def cuts_off(stack: Stack, ply: int, value: int, bound: int) -> bool:
    """Whether a value of the table makes searching the node unnecessary; if so, use it."""
    value = shifted(value, -ply)
    cut = bound == tt.EXACT
    cut |= bound == tt.LOWER and value >= stack[ply, BETA]
    cut |= bound == tt.UPPER and value <= stack[ply, ALPHA]
    if cut:
        stack[ply, BEST] = value
    return cut


@compiled
def prune(search: AlphaBetaSearch, ply: int) -> bool:
    """Whether the network's value makes searching the node unnecessary; if so, use the window's."""
    stack = search.stack
    remaining, alpha, beta = stack[ply, REMAINING], stack[ply, ALPHA], stack[ply, BETA]
    if search.counters[SELECTIVE] == 0 or remaining > _SHALLOW or beta - alpha > 1:
        return False
    state = stack[ply, STATE : stack[ply, ACTIONS]]
    value = network_value(search.functions, search.network, search.cache, state, stack[ply, KEY])
    if abs(value - alpha) < _MARGIN * remaining:
        return False
    search.counters[LEAVES] += 1
    stack[ply, BEST] = beta if value > alpha else alpha
    return True


@compiled
def child_value(stack: Stack, ply: int) -> int:
    """Return the value of a node's child for the seat that acted."""
    value = stack[ply + 1, BEST]
    return value if stack[ply + 1, STATE + SEAT] == stack[ply, STATE + SEAT] else -value


@compiled
def must_search_again(stack: Stack, ply: int) -> bool:
    """Whether a child turned out better than all before it, but was not searched as it should be.

    It was reduced; or it had a null window, and its true value is inside the node's.
    """
    child, value = ply + 1, child_value(stack, ply)
    is_reduced = stack[child, REMAINING] < stack[ply, REMAINING] - 1
    is_narrowed = (
        stack[child, BETA] - stack[child, ALPHA_ORIGINAL] < stack[ply, BETA] - stack[ply, ALPHA]
    )
    return value > stack[ply, ALPHA] and (is_reduced or (is_narrowed and value < stack[ply, BETA]))


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
def store_node(search: AlphaBetaSearch, ply: int) -> None:
    """Store a finished node in the table, and its refutation in killers and history."""
    stack = search.stack
    value, action = stack[ply, BEST], stack[ply, BEST_ACTION]
    bound = tt.EXACT
    if value >= stack[ply, BETA]:
        bound = tt.LOWER
        if stack[ply, KILLERS] != action:
            stack[ply, KILLERS + 1] = stack[ply, KILLERS]
            stack[ply, KILLERS] = action
        search.history[stack[ply, STATE + SEAT], action] += stack[ply, REMAINING] ** 2
    elif value <= stack[ply, ALPHA_ORIGINAL]:
        bound = tt.UPPER
    tt.store(
        search.table,
        stack[ply, KEY],
        search.counters[SEARCH],
        stack[ply, REMAINING],
        shifted(value, ply),
        bound,
        action,
    )


# --- values ---------------------------------------------------------------------------------------


@compiled
def leaf_value(
    functions: FunctionTable,
    network: LeafNetwork,
    stack: Stack,
    factors: NDArray[np.int64],
    cache: NDArray[np.int64],
    ply: int,
) -> int:
    """Return the value of a child that is not searched, for the seat that acted.

    It is that of the network if there is one, otherwise of the game's evaluation function.
    """
    child = stack[ply + 1, STATE : stack[ply, ACTIONS]]
    stack[ply + 1, PV_LENGTH] = 0
    seat = stack[ply, STATE + SEAT]
    if cache.size > 0 and child[STATUS] == RUNNING:
        if stack[ply, TRIED] == 2:  # the first child did not end the search of this node
            parent = stack[ply, STATE : stack[ply, ACTIONS]]
            anchor_of(network.functions)(network.memory, functions, parent, child[SEAT])
        value = network_value(functions, network, cache, child, tt.key_of(child, factors))
        return value if child[SEAT] == seat else -value
    value = evaluate_of(functions)(child, seat)
    if child[STATUS] != RUNNING and abs(value) == 1.0:
        return int(value) * (WIN - ply - 1)
    return rounded(value)


@compiled
def network_value(
    functions: FunctionTable,
    network: LeafNetwork,
    cache: NDArray[np.int64],
    state: StateArray,
    key: int,
) -> int:
    """Return the network's value of a position with this key, for the seat to act."""
    # Many leaves were met before, after the same actions in another order.
    place = (2 * key) & (cache.size - 1)
    if cache[place] != key:
        cache[place] = key
        cache[place + 1] = rounded(value_of(network.functions)(network.memory, functions, state))
    return cache[place + 1]


@compiled
def rounded(value: float) -> int:
    """Return an evaluation in units."""
    return np.int64(np.rint(value * UNIT))  # type: ignore[return-value]


@compiled
def shifted(value: int, plies: int) -> int:
    """Count the plies to a forced end from a node so many plies earlier; keep other values.

    The table counts them from a position itself, the search from the root.
    """
    if value > UNIT:
        return value + plies
    if value < -UNIT:
        return value - plies
    return value


# --- move ordering --------------------------------------------------------------------------------


@compiled
def score_actions(stack: Stack, history: NDArray[np.int64], ply: int, first: int) -> None:
    """Write the scores of a node's actions; `first` is the action from the table."""
    seat = stack[ply, STATE + SEAT]
    actions = stack[ply, ACTIONS]
    scores = stack[ply, SCORES]
    newer = stack[ply, KILLERS]
    older = stack[ply, KILLERS + 1]
    for index in range(stack[ply, COUNT]):
        action = stack[ply, actions + index]
        score = history[seat, action]
        if action == first:
            score = _FIRST
        elif action == newer:
            score = _KILLER + 1
        elif action == older:
            score = _KILLER
        stack[ply, scores + index] = score


@compiled
def pick_next(stack: Stack, ply: int) -> int:
    """Move the best action that was not tried yet to the front, and return it."""
    tried, count = stack[ply, TRIED], stack[ply, COUNT]
    actions = stack[ply, stack[ply, ACTIONS] :]
    if tried < _SORTED:
        scores = stack[ply, stack[ply, SCORES] :]
        best = tried
        for index in range(tried + 1, count):
            if scores[index] > scores[best]:
                best = index
        actions[tried], actions[best] = actions[best], actions[tried]
        scores[best] = scores[tried]
    stack[ply, TRIED] = tried + 1
    return actions[tried]
