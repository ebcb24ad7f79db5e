"""The value of a leaf: by the end of the game, a playout, an evaluation, or a network."""

import numpy as np
from numpy.typing import NDArray

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
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.jit.rng import below
from tzaar_envs.search.leaf_network import LeafNetwork, judge_of
from tzaar_envs.search.mcts.expansion import list_actions
from tzaar_envs.search.mcts.lookahead import most_promising_edge, value_after
from tzaar_envs.search.mcts.selection import (
    LOOKING_AHEAD,
    NETWORK,
    NETWORK_LOOKAHEAD,
    PLAYOUT,
    Settings,
)
from tzaar_envs.search.mcts.tree import NONE, Tree
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
    if settings.leaf in LOOKING_AHEAD:
        seat = state[SEAT]
        leaf = path.nodes[path.depth[0]]
        list_actions(functions, network, settings, tree, leaf, state, scratch, rng)
        if tree.nodes[leaf].proven:
            path.values[:] = tree.proven_values[leaf]
            return
        apply_of(functions)(state, tree.edges[most_promising_edge(tree, leaf)].action, rng)
        if settings.leaf == NETWORK_LOOKAHEAD:
            value_after(functions, network, settings, state, seat, path.values)
            return
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
    list_actions(functions, network, settings, tree, leaf, path.state, scratch, rng)
    judge_actions(functions, network, tree, leaf, path.state, scratch, path.values)


@compiled
def judge_actions(
    functions: FunctionTable,
    network: LeafNetwork,
    tree: Tree,
    node: int,
    state: StateArray,
    scratch: Scratch,
    values: NDArray[np.float64],
) -> None:
    """Give the available actions of a node the priors of a network, which add up to 1.

    Writes `values`, float64 `(seats,)`, too. Where something is hidden, a node has edges that are
    not available in the position at hand, whose priors are left as they are.
    """
    actions, priors = scratch.actions, scratch.priors
    available, stamp = scratch.available, scratch.stamp[0]
    count = 0
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if available[tree.edges[edge].action] == stamp:
            actions[count] = tree.edges[edge].action
            count += 1
        edge = tree.edges[edge].next_edge
    judge = judge_of(network.functions)
    judge(network.memory, functions, state, state[SEAT], actions[:count], priors, values)
    total = priors[:count].sum()
    count = 0
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if available[tree.edges[edge].action] == stamp:
            tree.edges[edge].prior = priors[count] / total
            count += 1
        edge = tree.edges[edge].next_edge


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
