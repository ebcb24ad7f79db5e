"""One simulation of Monte Carlo tree search: down the tree, value the leaf, and back.

Positions are not kept in the tree: every simulation plays its way from the root. What the searching
seat cannot know is drawn anew for each, and so is what chance brings.
"""

import math
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
    evaluate_of,
    legal_of,
    observe_of,
    returns_of,
)
from tzaar_envs.jit.arrays import Observation, RngState, StateArray
from tzaar_envs.jit.borrow import borrowed
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import below
from tzaar_envs.search.mcts.lookahead import WIN, best_guess, look_ahead
from tzaar_envs.search.mcts.selection import LOOKAHEAD, PLAYOUT, Settings, select
from tzaar_envs.search.mcts.tree import (
    DEEPEST,
    EDGES,
    NODES,
    NONE,
    SURE,
    Tree,
    add_edges,
    child_with,
)

_KEY_BITS = 40  # so that a sight stays within 63 bits


class Path(NamedTuple):
    """The way of a simulation from the root to its leaf.

    Attributes:
        depth: int64 `(1,)`, how many edges it has.
        nodes: int64 `(max_plies + 1,)`.
        seats: int64 `(max_plies + 1,)`, which seat acts at each node.
        edges: int64 `(max_plies + 1,)`, the edge that was taken at each node but the last.
        state: int64 `(state_size,)`, the position at the leaf.
        values: float64 `(seats,)`, what the leaf is worth.
    """

    depth: NDArray[np.int64]
    nodes: NDArray[np.int64]
    seats: NDArray[np.int64]
    edges: NDArray[np.int64]
    state: StateArray
    values: NDArray[np.float64]


class Scratch(NamedTuple):
    """Arrays that a simulation writes to.

    Attributes:
        actions: int64 `(num_actions,)`.
        trial: int64 `(state_size,)`.
        available: int64 `(num_actions,)`, the stamp of the last node where an action was legal.
        stamp: int64 `(1,)`, the last one used.
        playout_moves: int64 `(1,)`, how many actions playouts have played.
        observation: int8, flat.
        keys: int64, a random number for each number of an observation.
    """

    actions: StateArray
    trial: StateArray
    available: StateArray
    stamp: NDArray[np.int64]
    playout_moves: NDArray[np.int64]
    observation: Observation
    keys: NDArray[np.int64]


def new_path(game: Game) -> Path:
    """Return a path with room for a whole game."""
    return Path(
        depth=np.zeros(1, np.int64),
        nodes=np.empty(game.max_plies + 1, np.int64),
        seats=np.empty(game.max_plies + 1, np.int64),
        edges=np.empty(game.max_plies + 1, np.int64),
        state=np.zeros(game.rules.state_size, np.int64),
        values=np.zeros(game.num_players),
    )


def new_scratch(game: Game) -> Scratch:
    """Return scratch arrays for a game."""
    size = math.prod(game.observation_shape)
    return Scratch(
        actions=np.empty(game.num_actions, np.int64),
        trial=np.empty(game.rules.state_size, np.int64),
        available=np.zeros(game.num_actions, np.int64),
        stamp=np.zeros(1, np.int64),
        playout_moves=np.zeros(1, np.int64),
        observation=np.zeros(size, np.int8),
        keys=np.random.Generator(np.random.PCG64(0)).integers(1 << _KEY_BITS, size=size),
    )


@compiled
def borrowed_tree(tree: Tree) -> Tree:
    """Return a tree whose arrays are `borrowed`."""
    return Tree(
        borrowed(tree.used),
        borrowed(tree.nodes),
        borrowed(tree.edges),
        borrowed(tree.totals),
        borrowed(tree.exact),
    )


@compiled
def borrowed_path(path: Path) -> Path:
    """Return a path whose arrays are `borrowed`."""
    return Path(
        borrowed(path.depth),
        borrowed(path.nodes),
        borrowed(path.seats),
        borrowed(path.edges),
        borrowed(path.state),
        borrowed(path.values),
    )


@compiled
def borrowed_scratch(scratch: Scratch) -> Scratch:
    """Return scratch whose arrays are `borrowed`."""
    return Scratch(
        borrowed(scratch.actions),
        borrowed(scratch.trial),
        borrowed(scratch.available),
        borrowed(scratch.stamp),
        borrowed(scratch.playout_moves),
        borrowed(scratch.observation),
        borrowed(scratch.keys),
    )


@compiled(nogil=True)
def simulate(
    functions: FunctionTable,
    settings: Settings,
    tree: Tree,
    root: int,
    words: StateArray,
    simulations: int,
    path: Path,
    scratch: Scratch,
    rng: RngState,
) -> int:
    """Run simulations from a node whose position is `words`, return how many were run.

    They are fewer when the value is proven, or when the tree has no room for another one.
    """
    functions, words, rng = borrowed(functions), borrowed(words), borrowed(rng)
    tree, path, scratch = borrowed_tree(tree), borrowed_path(path), borrowed_scratch(scratch)
    done = 0
    while (
        done < simulations
        and not tree.nodes[root].proven
        and has_room(tree, settings, scratch.actions.size, 1)
    ):
        if tree.nodes[root].first_edge == NONE and not settings.hidden:
            path.state[:] = words
            list_actions(functions, settings, tree, root, path.state, scratch, rng)
        else:
            descend(functions, settings, tree, root, words, path, scratch, rng)
            value_leaf(functions, settings, tree, path, scratch, rng)
            back_up(tree, path)
            done += 1
    return done


@compiled
def has_room(tree: Tree, settings: Settings, num_actions: int, searches: int) -> bool:
    """Whether the tree has room for one simulation of each search.

    A simulation adds one node, and the actions of one; with hidden information, of every node on
    its way.
    """
    listed = tree.used[DEEPEST] + 2 if settings.hidden else 1
    return (
        tree.used[NODES] + searches <= tree.nodes.size
        and tree.used[EDGES] + searches * listed * num_actions <= tree.edges.size
    )


@compiled
def descend(
    functions: FunctionTable,
    settings: Settings,
    tree: Tree,
    root: int,
    words: StateArray,
    path: Path,
    scratch: Scratch,
    rng: RngState,
) -> None:
    """Play from the root to a node that is new, proven, or the end of the game."""
    state = path.state
    state[:] = words
    searcher = words[SEAT]
    if settings.hidden:
        determinize_of(functions)(state, searcher, rng)
    apply = apply_of(functions)
    node = root
    depth = 0
    while True:
        path.nodes[depth] = node
        path.seats[depth] = state[SEAT]
        is_new = depth > 0 and tree.nodes[node].visits == 0
        if is_new or tree.nodes[node].proven or state[STATUS] != RUNNING:
            break
        if settings.hidden or tree.nodes[node].first_edge == NONE:
            list_actions(functions, settings, tree, node, state, scratch, rng)
        edge = select(tree, node, state[SEAT], settings, scratch.available, scratch.stamp[0])
        path.edges[depth] = edge
        before = rng[0]
        apply(state, tree.edges[edge].action, rng)
        sight = SURE
        if settings.hidden or rng[0] != before:
            sight = sight_of(functions, state, searcher, scratch)
        node = child_with(tree, edge, sight)
        depth += 1
    path.depth[0] = depth
    tree.used[DEEPEST] = max(tree.used[DEEPEST], depth)


@compiled
def list_actions(
    functions: FunctionTable,
    settings: Settings,
    tree: Tree,
    node: int,
    state: StateArray,
    scratch: Scratch,
    rng: RngState,
) -> None:
    """Stamp the legal actions as available, and add those that the node does not have yet.

    With `LOOKAHEAD` this may prove the node.
    """
    actions = scratch.actions
    available = scratch.available
    count = legal_of(functions)(state, actions)
    missing = scratch.stamp[0] + 1
    stamp = missing + 1
    scratch.stamp[0] = stamp
    for index in range(count):
        available[actions[index]] = missing
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if available[tree.edges[edge].action] == missing:
            available[tree.edges[edge].action] = stamp
        edge = tree.edges[edge].next_edge
    added = 0
    for index in range(count):
        if available[actions[index]] == missing:
            available[actions[index]] = stamp
            actions[added] = actions[index]
            added += 1
    add_edges(tree, node, actions[:added], 1.0 / count, rng)
    if settings.leaf == LOOKAHEAD:
        look_ahead(functions, settings, tree, node, added, state, scratch.trial, rng)


@compiled
def sight_of(functions: FunctionTable, state: StateArray, searcher: int, scratch: Scratch) -> int:
    """Return a number that tells what the searching seat sees; it is not `SURE`.

    Two different observations have the same one with a probability of about 2**-40.
    """
    observe_of(functions)(state, searcher, scratch.observation)
    sight = 1
    for index in range(scratch.keys.size):
        sight += scratch.observation[index] * scratch.keys[index]
    return sight


@compiled
def value_leaf(
    functions: FunctionTable,
    settings: Settings,
    tree: Tree,
    path: Path,
    scratch: Scratch,
    rng: RngState,
) -> None:
    """Write what the leaf is worth to each seat; the position there may be played on."""
    state = path.state
    if value_finished(functions, settings, tree, path):
        return
    if settings.leaf == LOOKAHEAD:
        leaf = path.nodes[path.depth[0]]
        list_actions(functions, settings, tree, leaf, state, scratch, rng)
        if tree.nodes[leaf].proven:
            path.values[:] = tree.exact[leaf]
            return
        apply_of(functions)(state, tree.edges[best_guess(tree, leaf)].action, rng)
    if settings.leaf != PLAYOUT:
        for seat in range(path.values.size):
            path.values[seat] = evaluate_of(functions)(state, seat)
    else:
        scratch.playout_moves[0] += play_out(functions, state, scratch.actions, rng)
        returns_of(functions)(state, path.values)


@compiled
def play_out(
    functions: FunctionTable, state: StateArray, actions: StateArray, rng: RngState
) -> int:
    """Play random actions to the end of the game, return how many they were."""
    functions, state, actions, rng = (
        borrowed(functions),
        borrowed(state),
        borrowed(actions),
        borrowed(rng),
    )
    legal = legal_of(functions)
    apply = apply_of(functions)
    moves = 0
    while state[STATUS] == RUNNING:
        apply(state, actions[below(rng, legal(state, actions))], rng)
        moves += 1
    return moves


@compiled
def value_finished(functions: FunctionTable, settings: Settings, tree: Tree, path: Path) -> bool:
    """Write what the leaf is worth if that is known, and return whether it is."""
    leaf = path.nodes[path.depth[0]]
    if tree.nodes[leaf].proven:
        path.values[:] = tree.exact[leaf]
        return True
    if path.state[STATUS] == RUNNING:
        return False
    returns_of(functions)(path.state, path.values)
    if not settings.hidden:  # otherwise the game may go on where the hidden differs
        tree.nodes[leaf].proven = 1
        tree.exact[leaf] = path.values
    return True


@compiled
def back_up(tree: Tree, path: Path) -> None:
    """Add what a simulation has brought to all nodes and edges on its way.

    Every node counts what each seat gets (max^n: Luckhardt and Irani, 1986; in MCTS: Sturtevant,
    2008). Proven values go up as far as they prove something (MCTS-Solver: Winands, Björnsson and
    Saito, 2008), through edges without chance.
    """
    depth = path.depth[0]
    values = path.values
    proving = tree.nodes[path.nodes[depth]].proven == 1
    for level in range(depth, -1, -1):
        node = path.nodes[level]
        if level < depth:
            edge = path.edges[level]
            seat = path.seats[level]
            child = path.nodes[level + 1]
            proving = proving and tree.nodes[child].sight == SURE
            if proving:
                tree.edges[edge].known = tree.exact[child, seat]
                proving = prove(tree, node)
                if proving:
                    values[:] = tree.exact[node]
            tree.edges[edge].tries += 1
            tree.edges[edge].total += values[seat]
        tree.nodes[node].visits += 1
        for seat in range(values.size):
            tree.totals[node, seat] += values[seat]


@compiled
def prove(tree: Tree, node: int) -> bool:
    """Prove a node by its edges, if they suffice: one wins, or all are proven."""
    best = NONE
    all_known = True
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if tree.edges[edge].known != tree.edges[edge].known:  # not a number
            all_known = False
        elif best == NONE or tree.edges[edge].known > tree.edges[best].known:
            best = edge
        edge = tree.edges[edge].next_edge
    if not all_known and tree.edges[best].known < WIN:
        return False
    tree.nodes[node].proven = 1
    tree.exact[node] = tree.exact[tree.edges[best].child]
    return True
