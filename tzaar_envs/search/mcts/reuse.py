"""Reusing the tree of an earlier search, in games without hidden information."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import apply_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.mcts.tree import (
    DETERMINISTIC,
    EDGES,
    NODES,
    NONE,
    Tree,
    add_node,
    child_with,
    new_tree,
)

DEPTH = 6  # plies between two searches of a game, at most: two seats with up to three actions each


def subtree_of(game: Game, tree: Tree, words: StateArray, target: StateArray) -> Tree | None:
    """Return the part of a tree below a position, None if the position is not in it.

    Two positions are the same only if all their words are equal, counters and history included:
    then they have the same future, even if they belong to different games.

    Args:
        game: the game.
        tree: of a search whose root is node 0.
        words: int64 `(state_size,)`, the position of the root.
        target: int64 `(state_size,)`, the position to find.
    """
    states = np.empty((DEPTH + 1, words.size), np.int64)
    states[DEPTH] = words
    node = _find(game.rules.functions, tree, 0, states, target, DEPTH, np.zeros(1, np.uint64))
    if node == NONE:
        return None
    copy = new_tree(tree.nodes.size, tree.edges.size, tree.value_sums.shape[1])
    _copy_subtree(tree, node, copy, np.empty(tree.nodes.size, np.int64))
    return copy


@compiled
def _find(
    functions: FunctionTable,
    tree: Tree,
    node: int,
    states: NDArray[np.int64],
    target: StateArray,
    depth: int,
    rng: RngState,
) -> int:
    """Return the node of a position; row k of `states` holds the one with k plies left to look."""
    if np.array_equal(states[depth], target):
        return node
    if depth == 0:
        return NONE
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        child = tree.edges[edge].child
        if child != NONE and tree.nodes[child].infoset_key == DETERMINISTIC:
            states[depth - 1] = states[depth]
            apply_of(functions)(states[depth - 1], tree.edges[edge].action, rng)
            found = _find(functions, tree, child, states, target, depth - 1, rng)
            if found != NONE:
                return found
        edge = tree.edges[edge].next_edge
    return NONE


@compiled
def _copy_subtree(tree: Tree, root: int, copy: Tree, origins: StateArray) -> None:
    """Write a node and everything below it into an empty tree, where it becomes node 0.

    Args:
        tree: where the node is.
        root: the node.
        copy: has room for as many nodes and edges.
        origins: scratch, int64 with room for as many nodes: the node of which each is a copy.
    """
    origins[add_node(copy, DETERMINISTIC)] = root
    node = 0
    while node < copy.used[NODES]:
        origin = origins[node]
        copy.nodes[node].visits = tree.nodes[origin].visits
        copy.value_sums[node] = tree.value_sums[origin]
        copy.nodes[node].proven = tree.nodes[origin].proven
        copy.proven_values[node] = tree.proven_values[origin]
        last = NONE
        edge = tree.nodes[origin].first_edge
        while edge != NONE:
            new = copy.used[EDGES]
            copy.used[EDGES] = new + 1
            if last == NONE:
                copy.nodes[node].first_edge = new
            else:
                copy.edges[last].next_edge = new
            copy.edges[new] = tree.edges[edge]
            copy.edges[new].next_edge = NONE
            copy.edges[new].child = NONE
            child = tree.edges[edge].child
            while child != NONE:
                origins[child_with(copy, new, tree.nodes[child].infoset_key)] = child
                child = tree.nodes[child].sibling
            last = new
            edge = tree.edges[edge].next_edge
        node += 1
