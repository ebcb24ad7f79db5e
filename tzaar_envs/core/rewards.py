"""Rewards: returns from points, leads in points, and the penalty for an illegal action."""

import numpy as np

from tzaar_envs.jit.compile import compiled

ILLEGAL_REWARD = -1.0
"""The reward of a player who plays an illegal action, with `illegal="terminate"`."""


@compiled
def share(scores: np.ndarray, out: np.ndarray) -> None:
    """Write the return of every seat from their points: the highest score wins.

    The k winners among n seats share +1, the others share -1: +1/k and -1/(n - k) each; zeros if
    all are tied. Both arrays are float64 `(n,)`; they may be the same.
    """
    best = scores.max()
    winners = 0
    for seat in range(scores.size):
        winners += scores[seat] == best
    losers = scores.size - winners
    for seat in range(scores.size):
        if losers == 0:
            out[seat] = 0.0
        elif scores[seat] == best:
            out[seat] = 1.0 / winners
        else:
            out[seat] = -1.0 / losers


@compiled
def leads(scores: np.ndarray, unit: float, out: np.ndarray) -> None:
    """Write every seat's lead over the best other seat, divided by `unit`; float64 `(n,)` each."""
    for seat in range(scores.size):
        best_other = -np.inf
        for other in range(scores.size):
            if other != seat:
                best_other = max(best_other, scores[other])
        out[seat] = (scores[seat] - best_other) / unit
