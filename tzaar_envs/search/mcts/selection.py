"""Which action a simulation takes at a node, and which one is the best in the end."""

from typing import NamedTuple

import numpy as np

from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.search.mcts.tree import NONE, Tree

PLAYOUT, EVALUATION, LOOKAHEAD, NETWORK, NETWORK_LOOKAHEAD = range(5)  # how leaves are valued
LOOKING_AHEAD = (LOOKAHEAD, NETWORK_LOOKAHEAD)


class Settings(NamedTuple):
    """The parameters of a search that compiled code reads.

    Attributes:
        puct: select by PUCT, otherwise by UCT.
        exploration: the weight of the exploration term.
        leaf: how leaves are valued: `PLAYOUT`, `EVALUATION`, `LOOKAHEAD`, `NETWORK` or
            `NETWORK_LOOKAHEAD`. An evaluator called from Python takes the place of the
            `EVALUATION`.
        hidden: the game has hidden information.
        beliefs: how many positions are drawn where something is hidden, see `beliefs.imagine`.
        runs: how many outcomes an action has at first, see `luck`; 0: new ones in each simulation.
    """

    puct: bool
    exploration: float
    leaf: int
    hidden: bool
    beliefs: int = 1
    runs: int = 0


@compiled
def select(
    tree: Tree, node: int, seat: int, settings: Settings, available: StateArray, stamp: int
) -> int:
    """Return the edge that a simulation takes.

    UCT (Kocsis and Szepesvári, 2006): mean + c sqrt(ln N / n); an action without visits comes
    first. PUCT (Silver et al., 2017): mean + c prior sqrt(N) / (1 + n), where the mean of an action
    without visits is that of the node. One that looks ahead counts the heuristic value as one
    more visit. A proven action counts its exact value and needs no exploration.

    With hidden information only the actions of the position at hand can be taken, and N is the
    number of simulations in which the action was available (Cowling, Powley and Whitehouse, 2012).

    Args:
        tree: the tree.
        node: has edges, at least one of them available.
        seat: which acts.
        settings: see `Settings`.
        available: int64 `(num_actions,)`, `stamp` for each action that is legal; read only if
            something is hidden.
        stamp: see `available`.
    """
    node_visits = max(tree.nodes[node].visits, 1)
    node_mean = tree.value_sums[node, seat] / node_visits
    log_visits = np.log(node_visits)
    root_visits = np.sqrt(node_visits)
    best = NONE
    best_score = -np.inf
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if settings.hidden:
            if available[tree.edges[edge].action] != stamp:
                edge = tree.edges[edge].next_edge
                continue
            tree.edges[edge].availability += 1
            log_visits = np.log(tree.edges[edge].availability)
            root_visits = np.sqrt(tree.edges[edge].availability)
        edge_visits = tree.edges[edge].visits
        if not np.isnan(tree.edges[edge].proven_value):
            score = tree.edges[edge].proven_value
        else:
            visits = edge_visits
            value_sum = tree.edges[edge].value_sum
            if settings.leaf in LOOKING_AHEAD:
                visits += 1
                value_sum += tree.edges[edge].heuristic_value
            if settings.puct:
                mean = value_sum / visits if visits > 0 else node_mean
                bonus = tree.edges[edge].prior * root_visits / (1 + edge_visits)
                score = mean + settings.exploration * bonus
            elif visits > 0:
                score = value_sum / visits + settings.exploration * np.sqrt(log_visits / visits)
            else:
                score = np.inf
        if best == NONE or score > best_score:  # the first one also if its score is NaN
            best = edge
            best_score = score
            if score == np.inf and not settings.hidden:
                break
        edge = tree.edges[edge].next_edge
    return best


@compiled
def best_edge(tree: Tree, node: int) -> int:
    """Return the edge to play: a proven win, else the most visited; `NONE` if there are none.

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
    rank = _rank(tree.edges[edge].proven_value)
    other_rank = _rank(tree.edges[other].proven_value)
    if rank != other_rank:
        return rank > other_rank
    visits = tree.edges[edge].visits
    if visits != tree.edges[other].visits:
        return visits > tree.edges[other].visits
    value_sum = tree.edges[edge].value_sum
    if value_sum != tree.edges[other].value_sum:
        return value_sum > tree.edges[other].value_sum
    return tree.edges[edge].action < tree.edges[other].action


@compiled
def _rank(proven_value: float) -> int:
    """Return 1 for a proven win, -1 for a proven loss, otherwise 0."""
    return int(proven_value == 1.0) - int(proven_value == -1.0)
