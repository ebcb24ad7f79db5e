"""Results of tree searches: one array for each property, one row for each position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.search.mcts.selection import best_edge
from tzaar_envs.search.mcts.tree import NONE, Tree
from tzaar_envs.search.result import SearchResult


@dataclass(frozen=True, eq=False)
class SearchResults(Sequence[SearchResult]):
    """The results of searching `n` positions; as a sequence, a `SearchResult` for each of them.

    Attributes:
        players: int64 `(n,)`, the player to move.
        actions: int64 `(n,)`, the action to play: a proven win, else the most visited.
        visits: int64 `(n, num_actions)`, how many simulations took each action.
        values: float64 `(n, num_players)`, the mean return of each player, or the proven one.
        proven: bool `(n,)`, whether the values are exact.
        simulations: int64 `(n,)`, how many were run; fewer than allowed if the value was proven.
        playout_moves: int64 `(n,)`, how many actions the playouts have played.
        nodes: int64 `(n,)`, the size of the tree.
        depths: int64 `(n,)`, the depth of the deepest leaf, in plies.
        seconds: float64 `(n,)`, how long each search took; an equal share of the time where
            positions were searched together.
        principal_variations: for each position the best actions in turn, see `SearchResult`.
    """

    players: NDArray[np.int64]
    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    proven: NDArray[np.bool_]
    simulations: NDArray[np.int64]
    playout_moves: NDArray[np.int64]
    nodes: NDArray[np.int64]
    depths: NDArray[np.int64]
    seconds: NDArray[np.float64]
    principal_variations: list[tuple[int, ...]]

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.actions)

    @overload
    def __getitem__(self, row: int) -> SearchResult: ...
    @overload
    def __getitem__(self, row: slice) -> list[SearchResult]: ...
    def __getitem__(self, row: int | slice) -> SearchResult | list[SearchResult]:
        """Return the result of one position, or of several."""
        if isinstance(row, slice):
            return [self[each] for each in range(*row.indices(len(self)))]
        # The values of an evaluator, and so their means, can exceed the range of returns.
        values = self.values[row].clip(-1.0, 1.0)
        visited = self.visits[row].nonzero()[0]
        return SearchResult(
            action=int(self.actions[row]),
            value=float(values[self.players[row]]),
            values=tuple(values.tolist()),
            proven=bool(self.proven[row]),
            depth=int(self.depths[row]),
            nodes=int(self.nodes[row]),
            principal_variation=self.principal_variations[row],
            simulations=int(self.simulations[row]),
            visits=dict(zip(visited.tolist(), self.visits[row, visited].tolist(), strict=True)),
            seconds=float(self.seconds[row]),
        )


def new_results(players: NDArray[np.int64], num_actions: int, num_players: int) -> SearchResults:
    """Return results to be filled in, for positions in which these players are to move."""
    count = len(players)
    return SearchResults(
        players=players,
        actions=np.zeros(count, np.int64),
        visits=np.zeros((count, num_actions), np.int64),
        values=np.zeros((count, num_players)),
        proven=np.zeros(count, np.bool_),
        simulations=np.zeros(count, np.int64),
        playout_moves=np.zeros(count, np.int64),
        nodes=np.zeros(count, np.int64),
        depths=np.zeros(count, np.int64),
        seconds=np.zeros(count),
        principal_variations=[()] * count,
    )


def read_tree(results: SearchResults, row: int, tree: Tree, root: int, line: StateArray) -> None:
    """Read action, visits, values and principal variation of a search off its tree.

    Args:
        results: to be filled in.
        row: where.
        tree: the tree.
        root: the search's node.
        line: scratch, int64 `(max_plies + 1,)`.
    """
    length = _read(tree, root, results.visits[row], results.values[row], line)
    results.principal_variations[row] = tuple(line[:length].tolist())
    results.actions[row] = line[0]
    results.proven[row] = tree.nodes[root].proven


@compiled
def _read(
    tree: Tree, root: int, visits: StateArray, values: NDArray[np.float64], line: StateArray
) -> int:
    """Write visits, values and principal variation of a root, return how long the last one is."""
    edge = tree.nodes[root].first_edge
    while edge != NONE:
        visits[tree.edges[edge].action] = tree.edges[edge].visits
        edge = tree.edges[edge].next_edge
    if tree.nodes[root].proven:
        values[:] = tree.proven_values[root]
    else:
        values[:] = tree.value_sums[root] / tree.nodes[root].visits
    length = 0
    node = root
    while node != NONE:
        edge = best_edge(tree, node)
        if edge == NONE or (tree.edges[edge].visits == 0 and length > 0):
            break
        line[length] = tree.edges[edge].action
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
