"""The tree of a Monte Carlo tree search: nodes and edges in one set of arrays.

A node is what the searching seat knows after some actions; an edge is an action there. Several
searches can share the arrays, each with a root of its own.

Where nothing is hidden and no chance comes with the action, an edge has one child. Otherwise each
outcome has its own, found by its *sight*: a number made of all that the searching seat sees then.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.rng import below

NONE = -1  # no node, no edge
SURE = 0  # the sight of a child that comes without chance, and with nothing hidden

NODES, EDGES, DEEPEST = 0, 1, 2  # words of `Tree.used`


_NODE = np.dtype(
    [
        ("sight", np.int64),  # what tells it from its siblings
        ("sibling", np.int64),  # the next node that the same edge leads to
        ("first_edge", np.int64),  # `NONE` until the actions are listed
        ("visits", np.int64),  # simulations that came here
        ("proven", np.int64),  # 1 if the value is known exactly (MCTS-Solver), else 0
    ]
)
_EDGE = np.dtype(
    [
        ("action", np.int64),
        ("next_edge", np.int64),  # the next one of the same node
        ("child", np.int64),  # the node that it leads to, or the first of them
        ("tries", np.int64),  # simulations that took it
        ("chances", np.int64),  # simulations that could have; kept if something is hidden
        ("total", np.float64),  # the sum of what they brought to the seat that acts
        ("prior", np.float64),  # the probability that it had before any simulation
        ("guess", np.float64),  # what it seemed to be worth to that seat before, see `lookahead`
        ("known", np.float64),  # its exact value for that seat; not a number if unproven
    ]
)


class Tree(NamedTuple):
    """Room for `N` nodes and `E` edges in a game of `S` seats.

    The fields of nodes and edges stand in records, since every array that a compiled function is
    handed costs it some 15 nanoseconds.

    Attributes:
        used: int64 `(3,)`, how many nodes and edges there are, and the longest way to a leaf.
        nodes: records `(N,)`, see `_NODE`.
        edges: records `(E,)`, see `_EDGE`.
        totals: float64 `(N, S)`, the sum of what simulations brought to each seat.
        exact: float64 `(N, S)`, the values of proven nodes.
    """

    used: NDArray[np.int64]
    nodes: Any
    edges: Any
    totals: NDArray[np.float64]
    exact: NDArray[np.float64]


def new_tree(nodes: int, edges: int, seats: int) -> Tree:
    """Return an empty tree with room for so many nodes and edges."""
    return Tree(
        used=np.zeros(3, np.int64),
        nodes=np.empty(nodes, _NODE).view(np.recarray),
        edges=np.empty(edges, _EDGE).view(np.recarray),
        totals=np.empty((nodes, seats)),
        exact=np.empty((nodes, seats)),
    )


def enlarged(tree: Tree) -> Tree:
    """Return a copy with twice as much room for nodes or for edges, whichever are fuller.

    Room that is not used is never touched, so it takes no memory.
    """
    nodes, edges, _ = tree.used.tolist()
    room, seats = tree.totals.shape
    if nodes * tree.edges.size >= edges * room:
        larger = new_tree(2 * room, tree.edges.size, seats)
    else:
        larger = new_tree(room, 2 * tree.edges.size, seats)
    larger.used[:] = tree.used
    larger.edges[:edges] = tree.edges[:edges]
    larger.nodes[:nodes] = tree.nodes[:nodes]
    larger.totals[:nodes] = tree.totals[:nodes]
    larger.exact[:nodes] = tree.exact[:nodes]
    return larger


@compiled
def clear(tree: Tree) -> None:
    """Forget all nodes and edges."""
    tree.used[:] = 0


@compiled
def add_node(tree: Tree, sight: int) -> int:
    """Add a node that nobody has visited, return its number."""
    node = tree.used[NODES]
    tree.used[NODES] = node + 1
    tree.nodes[node].sight = sight
    tree.nodes[node].sibling = NONE
    tree.nodes[node].first_edge = NONE
    tree.nodes[node].visits = 0
    tree.totals[node] = 0.0
    tree.nodes[node].proven = 0
    return node


@compiled
def add_edges(tree: Tree, node: int, actions: StateArray, prior: float, rng: RngState) -> None:
    """Add actions, int64 `(n,)`, to those of a node, in random order, which decides ties.

    The order of the array changes.
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
        tree.edges[edge].tries = 0
        tree.edges[edge].chances = 0
        tree.edges[edge].total = 0.0
        tree.edges[edge].prior = prior
        tree.edges[edge].guess = 0.0
        tree.edges[edge].known = np.nan


@compiled
def child_with(tree: Tree, edge: int, sight: int) -> int:
    """Return the child of an edge that has this sight; a new one if there is none."""
    child = tree.edges[edge].child
    while child != NONE and tree.nodes[child].sight != sight:
        child = tree.nodes[child].sibling
    if child == NONE:
        child = add_node(tree, sight)
        tree.nodes[child].sibling = tree.edges[edge].child
        tree.edges[edge].child = child
    return child


@compiled
def copy_subtree(tree: Tree, root: int, copy: Tree, origins: StateArray) -> None:
    """Write a node and all below it into an empty tree, where it becomes node 0.

    Args:
        tree: where it stands.
        root: the node.
        copy: has room for as many nodes and edges.
        origins: scratch, int64 with room for as many nodes: which node each is a copy of.
    """
    origins[add_node(copy, SURE)] = root
    node = 0
    while node < copy.used[NODES]:
        origin = origins[node]
        copy.nodes[node].visits = tree.nodes[origin].visits
        copy.totals[node] = tree.totals[origin]
        copy.nodes[node].proven = tree.nodes[origin].proven
        copy.exact[node] = tree.exact[origin]
        last = NONE
        edge = tree.nodes[origin].first_edge
        while edge != NONE:
            new = copy.used[EDGES]
            copy.used[EDGES] = new + 1
            if last == NONE:
                copy.nodes[node].first_edge = new
            else:
                copy.edges[last].next_edge = new
            copy.edges[new].next_edge = NONE
            copy.edges[new].action = tree.edges[edge].action
            copy.edges[new].child = NONE
            copy.edges[new].tries = tree.edges[edge].tries
            copy.edges[new].chances = tree.edges[edge].chances
            copy.edges[new].total = tree.edges[edge].total
            copy.edges[new].prior = tree.edges[edge].prior
            copy.edges[new].guess = tree.edges[edge].guess
            copy.edges[new].known = tree.edges[edge].known
            child = tree.edges[edge].child
            while child != NONE:
                origins[child_with(copy, new, tree.nodes[child].sight)] = child
                child = tree.nodes[child].sibling
            last = new
            edge = tree.edges[edge].next_edge
        node += 1
