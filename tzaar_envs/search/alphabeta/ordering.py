"""Move ordering: the earlier a refuting action is tried, the smaller the tree.

First comes the action from the transposition table, then two killers, which are actions that
refuted a sibling (Akl and Newborn, 1977), then the others by the history heuristic (Schaeffer,
1989): how often, and how far from the horizon, an action has caused a cutoff. Captures have no rank
of their own: good ones rise through the history.
"""

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.jit.compile import compiled
from tzaar_envs.search.alphabeta.stack import (
    ACTIONS,
    BEST_ACTION,
    COUNT,
    KILLERS,
    REMAINING,
    SCORES,
    STATE,
    TRIED,
    Stack,
)

_FIRST = 1 << 60
_KILLER = 1 << 50
_SORTED = 8  # actions that are tried in order; if none of them refutes, the order hardly matters


def new_history(num_actions: int) -> NDArray[np.int64]:
    """Return an empty history, int64 `(2, num_actions)`, by seat."""
    return np.zeros((2, num_actions), np.int64)


@compiled
def score_actions(stack: Stack, history: NDArray[np.int64], ply: int, first: int) -> None:
    """Write the scores of a node's actions; `first` is the action from the table."""
    seat = stack[ply, STATE + SEAT]
    actions = stack[ply, ACTIONS]
    scores = stack[ply, SCORES]
    newer = stack[ply, KILLERS]
    older = stack[ply, KILLERS + 1]
    for index in range(stack[ply, COUNT]):
        action = stack[ply, actions + index]
        score = history[seat, action]
        if action == first:
            score = _FIRST
        elif action == newer:
            score = _KILLER + 1
        elif action == older:
            score = _KILLER
        stack[ply, scores + index] = score


@compiled
def pick_next(stack: Stack, ply: int) -> int:
    """Move the best action that was not tried yet to the front, and return it."""
    tried = stack[ply, TRIED]
    first = stack[ply, ACTIONS] + tried
    action = stack[ply, first]
    if tried < _SORTED:
        count = stack[ply, COUNT]
        scores = stack[ply, SCORES]
        best = tried
        score = stack[ply, scores + best]
        for index in range(tried + 1, count):
            if stack[ply, scores + index] > score:
                best = index
                score = stack[ply, scores + best]
        chosen = stack[ply, ACTIONS] + best
        stack[ply, first] = stack[ply, chosen]
        stack[ply, chosen] = action
        stack[ply, scores + best] = stack[ply, scores + tried]
        action = stack[ply, first]
    stack[ply, TRIED] = tried + 1
    return action


@compiled
def record_cutoff(stack: Stack, history: NDArray[np.int64], ply: int) -> None:
    """Update killers and history: the best action of a node refuted it."""
    action = stack[ply, BEST_ACTION]
    if stack[ply, KILLERS] != action:
        stack[ply, KILLERS + 1] = stack[ply, KILLERS]
        stack[ply, KILLERS] = action
    history[stack[ply, STATE + SEAT], action] += stack[ply, REMAINING] * stack[ply, REMAINING]
