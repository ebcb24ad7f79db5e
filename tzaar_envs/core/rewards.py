"""Rewards: returns from the winner or from points, leads in points, penalty of illegal actions."""

import numpy as np

from tzaar_envs.core.kernel import NOBODY
from tzaar_envs.jit.compile import compiled

ILLEGAL_REWARD = -1.0
"""The reward of a player who plays an illegal action, with `illegal="terminate"`."""


@compiled
def share_win(winner: int, out: np.ndarray) -> None:
    """Write the returns of the seats: +1 for the winner, zeros for all if it is `NOBODY`.

    The n - 1 others share -1: -1/(n - 1) each. `out` is float64 `(n,)`.
    """
    for seat in range(out.size):
        if winner == NOBODY:
            out[seat] = 0.0
        elif seat == winner:
            out[seat] = 1.0
        else:
            out[seat] = -1.0 / (out.size - 1)


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
