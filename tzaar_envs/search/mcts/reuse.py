"""Going on with the tree of an earlier search, in games without hidden information."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import apply_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.mcts.tree import NONE, SURE, Tree, copy_subtree, new_tree

DEPTH = 6  # plies between two searches of a game, at most: two seats with up to three actions each


def subtree_of(game: Game, tree: Tree, words: StateArray, target: StateArray) -> Tree | None:
    """Return the part of a tree below a position, None if the position does not stand in it.

    A position is only taken for the same if all its words are equal, counters and history included:
    then everything that can come is the same too, whatever game it comes from.

    Args:
        game: the game.
        tree: of a search whose root is node 0.
        words: int64 `(state_size,)`, the position of the root.
        target: int64 `(state_size,)`, the position that is looked for.
    """
    states = np.empty((DEPTH + 1, words.size), np.int64)
    states[DEPTH] = words
    node = _find(game.rules.functions, tree, 0, states, target, DEPTH, np.zeros(1, np.uint64))
    if node == NONE:
        return None
    copy = new_tree(tree.nodes.size, tree.edges.size, tree.totals.shape[1])
    copy_subtree(tree, node, copy, np.empty(tree.nodes.size, np.int64))
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
        if child != NONE and tree.nodes[child].sight == SURE:
            states[depth - 1] = states[depth]
            apply_of(functions)(states[depth - 1], tree.edges[edge].action, rng)
            found = _find(functions, tree, child, states, target, depth - 1, rng)
            if found != NONE:
                return found
        edge = tree.edges[edge].next_edge
    return NONE
