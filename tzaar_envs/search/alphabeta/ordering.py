"""Move ordering: the sooner a refuting action is tried, the smaller the tree.

First comes the action that the transposition table names, then two killers, that is actions that
refuted a sibling (Akl and Newborn, 1977), then the others by the history heuristic (Schaeffer,
1989): how often, and how far from the horizon, an action refuted anything. Captures have no rank of
their own: those that are good get it from the history.
"""

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.jit.compile import compiled
from tzaar_envs.search.alphabeta.tree import (
    ACTIONS,
    BEST_ACTION,
    COUNT,
    KILLERS,
    REMAINING,
    SCORES,
    STATE,
    TRIED,
    Tree,
)

_FIRST = 1 << 60
_KILLER = 1 << 50
_SORTED = 8  # actions that are tried in order; if none of them refutes, the order hardly matters


def new_history(num_actions: int) -> NDArray[np.int64]:
    """Return int64 `(2, num_actions)`, by seat."""
    return np.zeros((2, num_actions), np.int64)


@compiled
def rate(tree: Tree, history: NDArray[np.int64], ply: int, first: int) -> None:
    """Write the scores of a node's actions; `first` is the one that the table names."""
    seat = tree[ply, STATE + SEAT]
    actions = tree[ply, ACTIONS]
    scores = tree[ply, SCORES]
    newer = tree[ply, KILLERS]
    older = tree[ply, KILLERS + 1]
    for index in range(tree[ply, COUNT]):
        action = tree[ply, actions + index]
        score = history[seat, action]
        if action == first:
            score = _FIRST
        elif action == newer:
            score = _KILLER + 1
        elif action == older:
            score = _KILLER
        tree[ply, scores + index] = score


@compiled
def pick(tree: Tree, ply: int) -> int:
    """Bring the best of the actions that were not tried yet to the front, and return it."""
    tried = tree[ply, TRIED]
    first = tree[ply, ACTIONS] + tried
    action = tree[ply, first]
    if tried < _SORTED:
        count = tree[ply, COUNT]
        scores = tree[ply, SCORES]
        best = tried
        score = tree[ply, scores + best]
        for index in range(tried + 1, count):
            if tree[ply, scores + index] > score:
                best = index
                score = tree[ply, scores + best]
        chosen = tree[ply, ACTIONS] + best
        tree[ply, first] = tree[ply, chosen]
        tree[ply, chosen] = action
        tree[ply, scores + best] = tree[ply, scores + tried]
        action = tree[ply, first]
    tree[ply, TRIED] = tried + 1
    return action


@compiled
def learn(tree: Tree, history: NDArray[np.int64], ply: int) -> None:
    """Note that the best action of a node refuted it."""
    action = tree[ply, BEST_ACTION]
    if tree[ply, KILLERS] != action:
        tree[ply, KILLERS + 1] = tree[ply, KILLERS]
        tree[ply, KILLERS] = action
    history[tree[ply, STATE + SEAT], action] += tree[ply, REMAINING] * tree[ply, REMAINING]
