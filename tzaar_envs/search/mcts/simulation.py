"""Simulations of Monte Carlo tree search: down the tree, value the leaf, back up.

Positions are not kept in the tree: every simulation plays its actions from the root. What is hidden
from the searching seat is drawn again for each simulation, and so are the outcomes of chance.
"""

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, observe_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.jit.rng import below
from tzaar_envs.search.leaf_network import LeafNetwork
from tzaar_envs.search.luck import run_of, set_luck
from tzaar_envs.search.mcts.backup import back_up
from tzaar_envs.search.mcts.beliefs import imagine
from tzaar_envs.search.mcts.expansion import list_actions
from tzaar_envs.search.mcts.leaves import judge_actions, judge_leaf, value_leaf
from tzaar_envs.search.mcts.selection import NETWORK, Settings, select
from tzaar_envs.search.mcts.tree import (
    DEEPEST,
    DETERMINISTIC,
    EDGES,
    NODES,
    NONE,
    Tree,
    child_with,
)
from tzaar_envs.search.mcts.workspace import Scratch, SearchPath

_SALTS = 1 << 30


@compiled(nogil=True)
def simulate(
    functions: FunctionTable,
    network: LeafNetwork,
    settings: Settings,
    tree: Tree,
    root: int,
    words: StateArray,
    simulations: int,
    path: SearchPath,
    scratch: Scratch,
    rng: RngState,
) -> int:
    """Run simulations from a node whose position is `words`, return how many were run.

    They are fewer when the value is proven, or when the tree has no room for another one.
    """
    functions, words, rng = borrowed(functions), borrowed(words), borrowed(rng)
    network = borrowed(network)
    tree, path, scratch = borrowed(tree), borrowed(path), borrowed(scratch)
    done = 0
    while (
        done < simulations
        and not tree.nodes[root].proven
        and has_room(tree, settings, scratch.actions.size, 1)
    ):
        if settings.leaf == NETWORK and tree.nodes[root].visits == 0:
            judge_root(functions, network, settings, tree, root, words, path, scratch, rng)
        elif tree.nodes[root].first_edge == NONE and not settings.hidden:
            path.state[:] = words
            list_actions(functions, network, settings, tree, root, path.state, scratch, rng)
        else:
            descend(functions, network, settings, tree, root, words, path, scratch, rng, NONE)
            value_leaf(functions, network, settings, tree, path, scratch, rng)
            back_up(tree, path)
            done += 1
    return done


@compiled
def judge_root(
    functions: FunctionTable,
    network: LeafNetwork,
    settings: Settings,
    tree: Tree,
    root: int,
    words: StateArray,
    path: SearchPath,
    scratch: Scratch,
    rng: RngState,
) -> None:
    """Give a root edges with the priors of a network; its value counts as the root's first."""
    path.state[:] = words
    if settings.hidden:
        seats = path.values.size
        imagine(functions, settings.beliefs, seats, words, path.state, scratch.trial, rng)
    path.depth[0] = 0
    path.nodes[0] = root
    path.seats[0] = words[SEAT]
    judge_leaf(functions, network, settings, tree, path, scratch, rng)
    back_up(tree, path)


@compiled
def has_room(tree: Tree, settings: Settings, num_actions: int, searches: int) -> bool:
    """Whether the tree has room for one simulation of each search.

    A simulation adds one node, and the actions of one; with hidden information, those of every node
    on its path.
    """
    listed = tree.used[DEEPEST] + 2 if settings.hidden else 1
    return (
        tree.used[NODES] + searches <= tree.nodes.size
        and tree.used[EDGES] + searches * listed * num_actions <= tree.edges.size
    )


@compiled
def descend(
    functions: FunctionTable,
    network: LeafNetwork,
    settings: Settings,
    tree: Tree,
    root: int,
    words: StateArray,
    path: SearchPath,
    scratch: Scratch,
    rng: RngState,
    first: int,
) -> None:
    """Play from the root to a node that is new or proven, or that ends the game.

    The simulation begins with the edge `first`; with `NONE` the root's is selected as any other.
    """
    state = path.state
    state[:] = words
    searcher = words[SEAT]
    if settings.hidden:
        seats = path.values.size
        imagine(functions, settings.beliefs, seats, words, state, scratch.trial, rng)
    shares_luck = settings.runs > 0
    luck = scratch.luck if shares_luck else rng
    if shares_luck and tree.nodes[root].salt == 0:
        tree.nodes[root].salt = 1 + below(rng, _SALTS)
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
            added = list_actions(functions, network, settings, tree, node, state, scratch, rng)
            if settings.leaf == NETWORK and added > 0:
                judge_actions(functions, network, tree, node, state, scratch, path.values)
        if depth == 0 and first != NONE:
            edge = first
        else:
            edge = select(tree, node, state[SEAT], settings, scratch.available, scratch.stamp[0])
        path.edges[depth] = edge
        if shares_luck:
            run = run_of(tree.edges[edge].visits, settings.runs)
            set_luck(luck, tree.nodes[root].salt, run, depth)
        before = luck[0]
        apply(state, tree.edges[edge].action, luck)
        infoset_key = DETERMINISTIC
        if settings.hidden or luck[0] != before:
            infoset_key = infoset_key_of(functions, state, searcher, scratch)
        node = child_with(tree, edge, infoset_key)
        depth += 1
    path.depth[0] = depth
    tree.used[DEEPEST] = max(tree.used[DEEPEST], depth)


@compiled
def infoset_key_of(
    functions: FunctionTable, state: StateArray, searcher: int, scratch: Scratch
) -> int:
    """Return a number computed from the searching seat's observation; it is not `DETERMINISTIC`.

    Two different observations have the same one with a probability of about 2**-40.
    """
    observe_of(functions)(state, searcher, scratch.observation)
    infoset_key = 1
    for index in range(scratch.factors.size):
        infoset_key += scratch.observation[index] * scratch.factors[index]
    return infoset_key
