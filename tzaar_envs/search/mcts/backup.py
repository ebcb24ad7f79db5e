"""Backup: the value of a leaf, and what is proven, on the way back to the root."""

import numpy as np

from tzaar_envs.jit.compile import compiled
from tzaar_envs.search.mcts.lookahead import WIN
from tzaar_envs.search.mcts.tree import DETERMINISTIC, NONE, Tree
from tzaar_envs.search.mcts.workspace import SearchPath


@compiled
def back_up(tree: Tree, path: SearchPath) -> None:
    """Add the value of a simulation to all nodes and edges on its path.

    Every node sums the values of each seat (max^n: Luckhardt and Irani, 1986; in MCTS: Sturtevant,
    2008). Proven values move up as far as they prove a node (MCTS-Solver: Winands, Björnsson and
    Saito, 2008), through edges without chance.
    """
    depth = path.depth[0]
    values = path.values
    proving = tree.nodes[path.nodes[depth]].proven == 1
    for level in range(depth, -1, -1):
        node = path.nodes[level]
        if level < depth:
            edge = path.edges[level]
            seat = path.seats[level]
            child = path.nodes[level + 1]
            proving = proving and tree.nodes[child].infoset_key == DETERMINISTIC
            if proving:
                tree.edges[edge].proven_value = tree.proven_values[child, seat]
                proving = prove(tree, node)
                if proving:
                    values[:] = tree.proven_values[node]
            tree.edges[edge].visits += 1
            tree.edges[edge].value_sum += values[seat]
        tree.nodes[node].visits += 1
        for seat in range(values.size):
            tree.value_sums[node, seat] += values[seat]


@compiled
def prove(tree: Tree, node: int) -> bool:
    """Prove a node if one of its edges is a proven win, or all are proven; return whether it is."""
    best = NONE
    all_proven = True
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if np.isnan(tree.edges[edge].proven_value):
            all_proven = False
        elif best == NONE or tree.edges[edge].proven_value > tree.edges[best].proven_value:
            best = edge
        edge = tree.edges[edge].next_edge
    if best == NONE or (not all_proven and tree.edges[best].proven_value < WIN):
        return False
    tree.nodes[node].proven = 1
    tree.proven_values[node] = tree.proven_values[tree.edges[best].child]
    return True
