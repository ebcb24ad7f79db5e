"""Gumbel search: root actions drawn without replacement, compared by sequential halving.

With few simulations, visits say little about the root's actions. Here a few of them are drawn from
the priors, each gets equally many simulations, the worse half is dropped, and so on. The policy
that follows from their values is better than the priors in expectation (Danihelka, Guez,
Schrittwieser and Silver, "Policy improvement by planning with Gumbel", 2022). Below the root,
simulations select by PUCT.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.jit.rng import next_word
from tzaar_envs.search.simulation import descend, has_room, predict_root, value_leaf
from tzaar_envs.search.tree import NONE, Tree, TreeSearch, back_up, best_edge, is_loss

MAXVISIT_INIT = 50

_LEAST_PRIOR = 1e-12


class Gumbel(NamedTuple):
    """The parameters of a Gumbel search.

    Attributes:
        simulations: Simulations in all.
        max_num_considered_actions: Maximum number of actions that are drawn.
        value_scale: How much the values of actions count, against the logits of the priors: factor
            of the visits of the most visited action plus `MAXVISIT_INIT`.
        exploration: Exploration constant of PUCT, below the root.
    """

    simulations: int
    max_num_considered_actions: int
    value_scale: float
    exploration: float = 1.0


_CANDIDATE = np.dtype(
    [
        ("edge", np.int64),
        ("bid", np.float64),  # Gumbel noise plus the logit of the prior
        ("score", np.float64),  # the bid plus what the values add
        ("policy", np.float64),  # its share of the improved policy
    ]
)


def new_candidates(num_actions: int) -> Any:
    """Return room for the edges of a root, records `(num_actions,)` in the order of the search."""
    return np.empty(num_actions, _CANDIDATE).view(np.recarray)


@compiled
def search_by_gumbel(
    search: TreeSearch,
    gumbel: Gumbel,
    root: int,
    words: StateArray,
    candidates: Any,
    values: NDArray[np.float64],
    stop: StateArray,
) -> int:
    """Search a position in a tree whose root is new; return how many actions are legal.

    Afterwards `candidates` holds the edges, the one to play first, and their improved policy, and
    `values`, float64 `(seats,)`, the expected returns if the seat to act follows that policy. The
    search ends early when another thread changes `stop`, int64 `(1,)`, from 0.
    """
    search = borrowed(search)
    tree, num_actions = search.tree, search.scratch.actions.size
    predict_root(search, root, words)
    seat = words[SEAT]
    raw_value = tree.value_sums[root, seat]
    count = draw_candidates(tree, root, candidates, search.rng)
    left = gumbel.simulations if count > 1 else 1
    remaining = min(gumbel.max_num_considered_actions, count, max(2, gumbel.simulations))
    rounds = max(1, int(np.ceil(np.log2(remaining))))
    while left > 0 and not tree.nodes[root].proven:
        visits = max(1, gumbel.simulations // (rounds * remaining))
        for _ in range(visits):
            for index in range(remaining):
                room = has_room(tree, search.settings, num_actions, 1)
                if left == 0 or tree.nodes[root].proven or not room or stop[0]:
                    left = 0
                    break
                descend(search, root, words, candidates[index].edge)
                value_leaf(search)
                back_up(tree, search.path)
                left -= 1
        improve_policy(tree, seat, raw_value, gumbel, candidates, count)
        sort_by_score(candidates, remaining)
        remaining = max(min(2, count), (remaining + 1) // 2)
    if tree.nodes[root].proven:
        play_proven(tree, root, candidates, count)
        values[:] = tree.proven_values[root]
    else:
        expect_values(tree, root, candidates, count, values)
    return count


@compiled
def draw_candidates(tree: Tree, root: int, candidates: Any, rng: RngState) -> int:
    """List the root's edges by Gumbel noise plus logit, the greatest first; return how many."""
    count = 0
    edge = tree.nodes[root].first_edge
    while edge != NONE:
        uniform = (next_word(rng) + 0.5) / 2.0**32
        bid = np.log(max(tree.edges[edge].prior, _LEAST_PRIOR)) - np.log(-np.log(uniform))
        candidates[count].edge = edge
        candidates[count].bid = bid
        candidates[count].score = bid
        count += 1
        edge = tree.edges[edge].next_edge
    sort_by_score(candidates, count)
    return count


@compiled
def sort_by_score(candidates: Any, count: int) -> None:
    """Sort the first `count` candidates by score, the greatest first."""
    for index in range(1, count):  # Numba would compile for seconds to sort in another way
        edge, bid = candidates[index].edge, candidates[index].bid
        score, policy = candidates[index].score, candidates[index].policy
        place = index
        while place > 0 and candidates[place - 1].score < score:
            candidates[place] = candidates[place - 1]
            place -= 1
        candidates[place].edge, candidates[place].bid = edge, bid
        candidates[place].score, candidates[place].policy = score, policy


@compiled
def improve_policy(
    tree: Tree, seat: int, raw_value: float, gumbel: Gumbel, candidates: Any, count: int
) -> None:
    """Write scores, and the softmax of logits plus scaled values.

    An action without simulations has the mixed value of the root: of the network, and of the
    actions that have some.
    """
    visits = 0
    most = 0
    visited_prior = 0.0
    weighted = 0.0
    for index in range(count):
        edge = candidates[index].edge
        if tree.edges[edge].visits > 0:
            visits += tree.edges[edge].visits
            most = max(most, tree.edges[edge].visits)
            prior = max(tree.edges[edge].prior, _LEAST_PRIOR)
            visited_prior += prior
            weighted += prior * value_of_edge(tree, edge)
    mixed = raw_value
    if visits > 0:
        mixed = (raw_value + visits * weighted / visited_prior) / (1 + visits)
    scale = (MAXVISIT_INIT + most) * gumbel.value_scale
    greatest = -np.inf
    for index in range(count):
        edge = candidates[index].edge
        has_value = tree.edges[edge].visits > 0 or not np.isnan(tree.edges[edge].proven_value)
        bonus = scale * (value_of_edge(tree, edge) if has_value else mixed)
        candidates[index].score = candidates[index].bid + bonus
        logit = np.log(max(tree.edges[edge].prior, _LEAST_PRIOR)) + bonus
        candidates[index].policy = logit
        greatest = max(greatest, logit)
    total = 0.0
    for index in range(count):
        candidates[index].policy = np.exp(candidates[index].policy - greatest)
        total += candidates[index].policy
    for index in range(count):
        candidates[index].policy /= total


@compiled
def value_of_edge(tree: Tree, edge: int) -> float:
    """Return the value of an edge that was visited or is proven, for the seat that acts."""
    if not np.isnan(tree.edges[edge].proven_value):
        return tree.edges[edge].proven_value
    return tree.edges[edge].value_sum / tree.edges[edge].visits


@compiled
def play_proven(tree: Tree, root: int, candidates: Any, count: int) -> None:
    """Put the proven action first; unless it loses, it is all of the policy."""
    chosen = best_edge(tree, root)
    is_lost = is_loss(tree, tree.edges[chosen].proven_value)
    for index in range(count):
        share = 1.0 if candidates[index].edge == chosen else 0.0
        candidates[index].score = share
        if not is_lost:
            candidates[index].policy = share
    sort_by_score(candidates, count)


@compiled
def expect_values(
    tree: Tree, root: int, candidates: Any, count: int, values: NDArray[np.float64]
) -> None:
    """Write the mean values of the visited actions, weighted by the improved policy."""
    values[:] = 0.0
    total = 0.0
    for index in range(count):
        edge = candidates[index].edge
        visits = tree.edges[edge].visits
        weight = candidates[index].policy
        if visits > 0 and weight > 0.0:
            total += weight
            child = tree.edges[edge].child
            while child != NONE:
                for seat in range(values.size):
                    values[seat] += weight * tree.value_sums[child, seat] / visits
                child = tree.nodes[child].sibling
    for seat in range(values.size):
        if total > 0.0:
            values[seat] /= total
        else:
            values[seat] = tree.value_sums[root, seat] / tree.nodes[root].visits
