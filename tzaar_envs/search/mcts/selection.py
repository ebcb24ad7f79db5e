"""Which action a simulation takes at a node, and which one is the best in the end."""

from typing import NamedTuple

import numpy as np

from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.search.mcts.tree import NONE, Tree

PLAYOUT, EVALUATION, LOOKAHEAD = range(3)  # what values leaves


class Settings(NamedTuple):
    """What compiled code needs to know of how to search.

    Attributes:
        puct: select by PUCT, otherwise by UCT.
        exploration: the weight of the exploration term.
        leaf: what values leaves: `PLAYOUT`, `EVALUATION` or `LOOKAHEAD`.
        hidden: the game has hidden information.
    """

    puct: bool
    exploration: float
    leaf: int
    hidden: bool


@compiled
def select(
    tree: Tree, node: int, seat: int, settings: Settings, available: StateArray, stamp: int
) -> int:
    """Return the edge that a simulation takes.

    UCT (Kocsis and Szepesvári, 2006): mean + c sqrt(ln N / n), an action that was never taken comes
    first. PUCT (Silver et al., 2017): mean + c prior sqrt(N) / (1 + n), where the mean of an action
    that was never taken is that of the node. With `LOOKAHEAD` the guess counts as one visit more.
    A proven action counts its exact value and needs no exploration.

    With hidden information only the actions of the position at hand can be taken, and N is how
    often the action could have been (Cowling, Powley and Whitehouse, 2012).

    Args:
        tree: the tree.
        node: has edges, at least one of them available.
        seat: which acts.
        settings: see `Settings`.
        available: int64 `(num_actions,)`, `stamp` for each action that is legal; read only if
            something is hidden.
        stamp: see `available`.
    """
    visits = max(tree.nodes[node].visits, 1)
    node_mean = tree.totals[node, seat] / visits
    log_visits = np.log(visits)
    root_visits = np.sqrt(visits)
    best = NONE
    best_score = -np.inf
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if settings.hidden:
            if available[tree.edges[edge].action] != stamp:
                edge = tree.edges[edge].next_edge
                continue
            tree.edges[edge].chances += 1
            log_visits = np.log(tree.edges[edge].chances)
            root_visits = np.sqrt(tree.edges[edge].chances)
        tries = tree.edges[edge].tries
        if tree.edges[edge].known == tree.edges[edge].known:  # a number
            score = tree.edges[edge].known
        else:
            visited = tries
            total = tree.edges[edge].total
            if settings.leaf == LOOKAHEAD:
                visited += 1
                total += tree.edges[edge].guess
            if settings.puct:
                mean = total / visited if visited > 0 else node_mean
                bonus = tree.edges[edge].prior * root_visits / (1 + tries)
                score = mean + settings.exploration * bonus
            elif visited > 0:
                score = total / visited + settings.exploration * np.sqrt(log_visits / visited)
            else:
                score = np.inf
        if score > best_score:
            best = edge
            best_score = score
            if score == np.inf and not settings.hidden:
                break
        edge = tree.edges[edge].next_edge
    return best


@compiled
def best_edge(tree: Tree, node: int) -> int:
    """Return the edge to play: a proven win, else the most tried; `NONE` if there are none.

    Ties go to the greater mean, then to the lower action. A proven loss is the last choice.
    """
    best = NONE
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if best == NONE or _is_better(tree, edge, best):
            best = edge
        edge = tree.edges[edge].next_edge
    return best


@compiled
def _is_better(tree: Tree, edge: int, other: int) -> bool:
    rank = _rank(tree.edges[edge].known)
    other_rank = _rank(tree.edges[other].known)
    if rank != other_rank:
        return rank > other_rank
    tries = tree.edges[edge].tries
    if tries != tree.edges[other].tries:
        return tries > tree.edges[other].tries
    total = tree.edges[edge].total
    if total != tree.edges[other].total:
        return total > tree.edges[other].total
    return tree.edges[edge].action < tree.edges[other].action


@compiled
def _rank(known: float) -> int:
    """Return 1 for a proven win, -1 for a proven loss, otherwise 0."""
    return int(known == 1.0) - int(known == -1.0)
