"""Which action a tree search plays in the end."""

from __future__ import annotations

import numpy as np
import pytest

from tzaar_envs.search.tree import Tree, add_edges, add_node, best_edge, new_tree

UNKNOWN = np.nan


def tree_of(
    proven: list[float], visits: list[int], value_sums: list[float], seats: int = 2
) -> Tree:
    """Return a root whose edges, for the actions 0, 1 and so on, have these statistics."""
    tree = new_tree(1, len(proven), seats)
    root = add_node(tree, 0)
    add_edges(tree, root, np.arange(len(proven)), 0.1, np.arange(1, 5, dtype=np.uint64))
    for edge in tree.edges:
        edge.proven_value = proven[edge.action]
        edge.visits = visits[edge.action]
        edge.value_sum = value_sums[edge.action]
    return tree


@pytest.mark.parametrize(
    ("proven", "visits", "value_sums", "action"),
    [
        pytest.param([UNKNOWN] * 3, [4, 100, 25], [3.0, 45.0, 15.0], 2, id="found late"),
        pytest.param([UNKNOWN] * 3, [4, 100, 25], [3.6, 65.0, 15.0], 1, id="found too late"),
        pytest.param([UNKNOWN, 1.0, UNKNOWN], [90, 1, 5], [80.0, 1.0, 0.0], 1, id="win"),
        pytest.param([-1.0, UNKNOWN, -1.0], [90, 1, 50], [0.0, -1.0, 0.0], 1, id="not a loss"),
        pytest.param([-1.0] * 3, [2, 3, 7], [-2.0, -3.0, -7.0], 2, id="longest"),
        pytest.param([0.0, UNKNOWN, -1.0], [4, 100, 9], [0.0, 45.0, 0.0], 1, id="draw"),
        pytest.param([0.0, UNKNOWN, UNKNOWN], [1, 6, 4], [0.0, 2.0, 1.9], 0, id="sure draw"),
        pytest.param([UNKNOWN] * 3, [5, 5, 5], [1.0, 2.0, 2.0], 1, id="mean"),
    ],
)
def test_a_proven_win_comes_first_and_a_proven_loss_last(
    proven: list[float], visits: list[int], value_sums: list[float], action: int
) -> None:
    tree = tree_of(proven, visits, value_sums)
    assert tree.edges[best_edge(tree, 0)].action == action


def test_a_loss_among_three_seats_comes_last_too() -> None:
    proven = [-0.5, UNKNOWN, -1.0]  # all others won, or one of them
    tree = tree_of(proven, [9, 2, 9], [0.0, -0.2, 0.0], seats=3)
    assert tree.edges[best_edge(tree, 0)].action == 1
