"""The tree of a Monte Carlo tree search: nodes and edges in one set of arrays.

A node is what the searching seat knows after some actions; an edge is an action there. Several
searches can share the arrays, each with a root of its own.

Where nothing is hidden and the action involves no chance, an edge has one child. Otherwise each
outcome has a child of its own, identified by its *infoset key*: a number computed from everything
that the searching seat sees then.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.rng import below

NONE = -1  # no node, no edge
DETERMINISTIC = 0  # infoset key of a child without chance and with nothing hidden

NODES, EDGES, DEEPEST = 0, 1, 2  # words of `Tree.used`

_NODE = np.dtype(
    [
        ("infoset_key", np.int64),  # distinguishes it from its siblings
        ("sibling", np.int64),  # the next child of the same edge
        ("first_edge", np.int64),  # `NONE` until the actions are listed
        ("visits", np.int64),  # simulations that came here
        ("salt", np.int64),  # of a root: whose luck it has, see `luck`; 0: not drawn yet
        ("proven", np.int64),  # 1 if the value is known exactly (MCTS-Solver), else 0
    ]
)
_EDGE = np.dtype(
    [
        ("action", np.int64),
        ("next_edge", np.int64),  # the next one of the same node
        ("child", np.int64),  # the node that it leads to, or the first of them
        ("visits", np.int64),  # simulations that took it
        ("availability", np.int64),  # simulations that could have; counted if something is hidden
        ("value_sum", np.float64),  # the sum of their values for the seat that acts
        ("prior", np.float64),  # its probability before any simulation
        ("heuristic_value", np.float64),  # its value for that seat one ply later, see `lookahead`
        ("proven_value", np.float64),  # its exact value for that seat; NaN if unproven
    ]
)


class Tree(NamedTuple):
    """Room for `N` nodes and `E` edges in a game of `S` seats.

    The fields of nodes and edges are in records, since every array that a compiled function takes
    as an argument costs it some 15 nanoseconds.

    Attributes:
        used: int64 `(3,)`, the numbers of nodes and edges, and the depth of the deepest leaf.
        nodes: records `(N,)`, see `_NODE`.
        edges: records `(E,)`, see `_EDGE`.
        value_sums: float64 `(N, S)`, the sum of the values of a node's simulations for each seat.
        proven_values: float64 `(N, S)`, the values of proven nodes.
    """

    used: NDArray[np.int64]
    nodes: Any
    edges: Any
    value_sums: NDArray[np.float64]
    proven_values: NDArray[np.float64]


def new_tree(nodes: int, edges: int, seats: int) -> Tree:
    """Return an empty tree with room for this many nodes and edges."""
    return Tree(
        used=np.zeros(3, np.int64),
        nodes=np.empty(nodes, _NODE).view(np.recarray),
        edges=np.empty(edges, _EDGE).view(np.recarray),
        value_sums=np.empty((nodes, seats)),
        proven_values=np.empty((nodes, seats)),
    )


def enlarged(tree: Tree) -> Tree:
    """Return a copy with twice as much room for nodes or for edges, whichever are fuller.

    Room that is not used is never touched, so it takes no memory.
    """
    nodes, edges, _ = tree.used.tolist()
    room, seats = tree.value_sums.shape
    if nodes * tree.edges.size >= edges * room:
        larger = new_tree(2 * room, tree.edges.size, seats)
    else:
        larger = new_tree(room, 2 * tree.edges.size, seats)
    larger.used[:] = tree.used
    larger.edges[:edges] = tree.edges[:edges]
    larger.nodes[:nodes] = tree.nodes[:nodes]
    larger.value_sums[:nodes] = tree.value_sums[:nodes]
    larger.proven_values[:nodes] = tree.proven_values[:nodes]
    return larger


@compiled
def clear(tree: Tree) -> None:
    """Remove all nodes and edges."""
    tree.used[:] = 0


@compiled
def add_node(tree: Tree, infoset_key: int) -> int:
    """Add a node without visits, return its number."""
    node = tree.used[NODES]
    tree.used[NODES] = node + 1
    tree.nodes[node].infoset_key = infoset_key
    tree.nodes[node].sibling = NONE
    tree.nodes[node].first_edge = NONE
    tree.nodes[node].visits = 0
    tree.nodes[node].salt = 0
    tree.value_sums[node] = 0.0
    tree.nodes[node].proven = 0
    return node


@compiled
def add_edges(tree: Tree, node: int, actions: StateArray, prior: float, rng: RngState) -> None:
    """Add actions, int64 `(n,)`, to those of a node, in random order, which decides ties.

    The array is shuffled.
    """
    for index in range(actions.size):
        other = index + below(rng, actions.size - index)
        actions[index], actions[other] = actions[other], actions[index]
        edge = tree.used[EDGES]
        tree.used[EDGES] = edge + 1
        tree.edges[edge].action = actions[index]
        tree.edges[edge].next_edge = tree.nodes[node].first_edge
        tree.nodes[node].first_edge = edge
        tree.edges[edge].child = NONE
        tree.edges[edge].visits = 0
        tree.edges[edge].availability = 0
        tree.edges[edge].value_sum = 0.0
        tree.edges[edge].prior = prior
        tree.edges[edge].heuristic_value = 0.0
        tree.edges[edge].proven_value = np.nan


@compiled
def child_with(tree: Tree, edge: int, infoset_key: int) -> int:
    """Return the child of an edge that has this infoset key, a new one if there is none."""
    child = tree.edges[edge].child
    while child != NONE and tree.nodes[child].infoset_key != infoset_key:
        child = tree.nodes[child].sibling
    if child == NONE:
        child = add_node(tree, infoset_key)
        tree.nodes[child].sibling = tree.edges[edge].child
        tree.edges[edge].child = child
    return child
