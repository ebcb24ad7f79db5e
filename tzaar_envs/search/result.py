"""What a search has found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.search.mcts.selection import best_edge
from tzaar_envs.search.mcts.tree import NODES, NONE, Tree


@dataclass(frozen=True)
class SearchResult:
    """What the searches of `n` positions have found.

    Attributes:
        actions: int64 `(n,)`, the action to play: a proven win, else the most visited.
        visits: int64 `(n, num_actions)`, how many simulations took each action.
        values: float64 `(n, num_players)`, the mean return of each seat, or the proven one.
        proven: bool `(n,)`, whether the values are exact.
        simulations: int64 `(n,)`, how many were run; fewer than allowed if the value was proven.
        playout_moves: int64 `(n,)`, how many actions the playouts have played.
        nodes: int64 `(n,)`, the size of the tree.
        variations: for each position the actions that are best in turn; where chance comes with an
            action, after its most visited outcome.
    """

    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    proven: NDArray[np.bool_]
    simulations: NDArray[np.int64]
    playout_moves: NDArray[np.int64]
    nodes: NDArray[np.int64]
    variations: list[list[int]]


def new_result(positions: int, num_actions: int, num_players: int) -> SearchResult:
    """Return a result to be filled in."""
    return SearchResult(
        actions=np.zeros(positions, np.int64),
        visits=np.zeros((positions, num_actions), np.int64),
        values=np.zeros((positions, num_players)),
        proven=np.zeros(positions, np.bool_),
        simulations=np.zeros(positions, np.int64),
        playout_moves=np.zeros(positions, np.int64),
        nodes=np.zeros(positions, np.int64),
        variations=[[] for _ in range(positions)],
    )


def fill_row(
    result: SearchResult, row: int, tree: Tree, root: int, simulations: int, variation: StateArray
) -> None:
    """Read one search off its tree.

    Args:
        result: to be filled in.
        row: where.
        tree: the tree.
        root: the search's node.
        simulations: how many were run.
        variation: scratch, int64 `(max_plies + 1,)`.
    """
    length = _read(tree, root, result.visits[row], result.values[row], variation)
    result.variations[row] = variation[:length].tolist()
    result.actions[row] = variation[0]
    result.proven[row] = tree.nodes[root].proven
    result.simulations[row] = simulations
    result.nodes[row] = tree.used[NODES]


@compiled
def _read(
    tree: Tree, root: int, visits: StateArray, values: NDArray[np.float64], variation: StateArray
) -> int:
    """Write visits and values of a root and its principal variation, return how long that is."""
    edge = tree.nodes[root].first_edge
    while edge != NONE:
        visits[tree.edges[edge].action] = tree.edges[edge].tries
        edge = tree.edges[edge].next_edge
    if tree.nodes[root].proven:
        values[:] = tree.exact[root]
    else:
        values[:] = tree.totals[root] / tree.nodes[root].visits
    length = 0
    node = root
    while node != NONE:
        edge = best_edge(tree, node)
        if edge == NONE or (tree.edges[edge].tries == 0 and length > 0):
            break
        variation[length] = tree.edges[edge].action
        length += 1
        node = _most_visited_child(tree, edge)
    return length


@compiled
def _most_visited_child(tree: Tree, edge: int) -> int:
    best = tree.edges[edge].child
    child = best
    while child != NONE:
        if tree.nodes[child].visits > tree.nodes[best].visits:
            best = child
        child = tree.nodes[child].sibling
    return best
