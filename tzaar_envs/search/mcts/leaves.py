"""The value of a leaf: by the end of the game, a playout, an evaluation, or a network."""

from tzaar_envs.core.kernel import (
    RUNNING,
    SEAT,
    STATUS,
    apply_of,
    evaluate_of,
    legal_of,
    returns_of,
)
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.borrow import borrowed
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import below
from tzaar_envs.search.leaf_network import LeafNetwork, judge_of
from tzaar_envs.search.mcts.expansion import list_actions
from tzaar_envs.search.mcts.lookahead import most_promising_edge
from tzaar_envs.search.mcts.priors import normalize_priors
from tzaar_envs.search.mcts.selection import LOOKAHEAD, NETWORK, PLAYOUT, Settings
from tzaar_envs.search.mcts.tree import Tree
from tzaar_envs.search.mcts.workspace import Scratch, SearchPath


@compiled
def value_leaf(
    functions: FunctionTable,
    network: LeafNetwork,
    settings: Settings,
    tree: Tree,
    path: SearchPath,
    scratch: Scratch,
    rng: RngState,
) -> None:
    """Write the value of the leaf for each seat; actions may be played on the position there."""
    state = path.state
    if value_finished(functions, settings, tree, path):
        return
    if settings.leaf == NETWORK:
        judge_leaf(functions, network, settings, tree, path, scratch, rng)
        return
    if settings.leaf == LOOKAHEAD:
        leaf = path.nodes[path.depth[0]]
        list_actions(functions, settings, tree, leaf, state, scratch, rng)
        if tree.nodes[leaf].proven:
            path.values[:] = tree.proven_values[leaf]
            return
        apply_of(functions)(state, tree.edges[most_promising_edge(tree, leaf)].action, rng)
    if settings.leaf != PLAYOUT:
        for seat in range(path.values.size):
            path.values[seat] = evaluate_of(functions)(state, seat)
    else:
        scratch.playout_moves[0] += play_out(functions, state, scratch.actions, rng)
        returns_of(functions)(state, path.values)


@compiled
def judge_leaf(
    functions: FunctionTable,
    network: LeafNetwork,
    settings: Settings,
    tree: Tree,
    path: SearchPath,
    scratch: Scratch,
    rng: RngState,
) -> None:
    """Write the values of a network, and give the leaf edges with its priors."""
    leaf = path.nodes[path.depth[0]]
    count = list_actions(functions, settings, tree, leaf, path.state, scratch, rng)
    actions = scratch.actions[:count]
    judge = judge_of(network.functions)
    state = path.state
    judge(network.memory, functions, state, state[SEAT], actions, scratch.priors, path.values)
    edge = tree.nodes[leaf].first_edge
    for index in range(count - 1, -1, -1):
        tree.edges[edge].prior = scratch.priors[index]
        edge = tree.edges[edge].next_edge
    normalize_priors(tree, leaf)


@compiled
def value_finished(
    functions: FunctionTable, settings: Settings, tree: Tree, path: SearchPath
) -> bool:
    """Write the value of a leaf that is proven or ends the game; return whether it is one."""
    leaf = path.nodes[path.depth[0]]
    if tree.nodes[leaf].proven:
        path.values[:] = tree.proven_values[leaf]
        return True
    if path.state[STATUS] == RUNNING:
        return False
    returns_of(functions)(path.state, path.values)
    if not settings.hidden:  # otherwise the game may continue where the hidden part differs
        tree.nodes[leaf].proven = 1
        tree.proven_values[leaf] = path.values
    return True


@compiled
def play_out(
    functions: FunctionTable, state: StateArray, actions: StateArray, rng: RngState
) -> int:
    """Play random actions to the end of the game, return how many."""
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
