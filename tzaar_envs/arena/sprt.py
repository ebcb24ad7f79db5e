"""The sequential probability ratio test (SPRT) that ends a pairing once its result is clear.

Two hypotheses about the expected score of the first agent against the second, given as differences
in Elo: `s0 = 1 / (1 + 10 ** (-elo0 / 400))`, and `s1` likewise. The observations are pairs of games
from the same start with exchanged seats; a pair has one of five scores a = 0, 1/4, 1/2, 3/4, 1 (the
mean of its two games, a draw counting half), because the games of a pair are not independent, but
pairs are. The generalised log-likelihood ratio of N pairs with the observed frequencies p is

    LLR = N * sum(p * log(q1 / q0))

where q0 and q1 are the likeliest distributions over the five scores with the means s0 and s1:
`q = p / (1 + t * (a - s))` with the t that gives q this mean. Scores that never occurred count as
1/1000, so that no logarithm is infinite. With the probability e of either error, the test accepts
the first hypothesis at `LLR <= log(e / (1 - e))` and the second at `LLR >= log((1 - e) / e)`.

Sources: A. Wald, Sequential Analysis (1947); X. Li, J. Liu, Z. Ying, "Generalized sequential
probability ratio test for separate families of hypotheses", Sequential Analysis 33 (2014); A. B.
Owen, Empirical Likelihood (2001), 2.9, for q; M. Van den Bergh, "The generalized sequential
probability ratio test for chess" (2017), for pairs as the unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.ladder import expected_score

PAIR_SCORES = np.array([0, 0.25, 0.5, 0.75, 1])
_UNSEEN = 1e-3
_BOUND = math.log(0.95 / 0.05)
_MAX_ELO = 1000.0


@dataclass(frozen=True)
class Sprt:
    """A test of two hypotheses about a difference in Elo.

    Attributes:
        elo0: The difference under the first hypothesis.
        elo1: The difference under the second hypothesis, above `elo0`.

    Raises:
        ValueError: The differences are out of range or not in ascending order.
    """

    elo0: float
    elo1: float

    def __post_init__(self) -> None:
        if not -_MAX_ELO <= self.elo0 < self.elo1 <= _MAX_ELO:
            raise ValueError(
                f"sprt={self.elo0:g},{self.elo1:g} is not allowed: use two differences in Elo, the "
                f"smaller first, from -{_MAX_ELO:g} to {_MAX_ELO:g}"
            )

    def llr(self, pairs: NDArray[np.int64]) -> float:
        """Return the log-likelihood ratio, above 0 where `elo1` is likelier.

        Args:
            pairs: int64 `(5,)`, how many pairs had each of `PAIR_SCORES`.
        """
        if pairs.sum() == 0:
            return 0.0
        counts = np.where(pairs > 0, pairs, _UNSEEN)
        logs = [_log_weights(counts, expected_score(elo)) for elo in (self.elo0, self.elo1)]
        return float((counts * (logs[1] - logs[0])).sum())

    def decision(self, pairs: NDArray[np.int64]) -> int | None:
        """Return 0 or 1, the accepted hypothesis; None while the test is undecided."""
        llr = self.llr(pairs)
        return int(llr > 0) if abs(llr) >= _BOUND else None


def _log_weights(counts: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return log(q / p), for the likeliest distribution q with the given mean."""
    frequencies = counts / counts.sum()
    excess = PAIR_SCORES - mean
    low, high = -1 / excess[-1], -1 / excess[0]
    for _ in range(60):  # the sum falls from +infinity to -infinity in between
        middle = (low + high) / 2
        if (frequencies * excess / (1 + middle * excess)).sum() > 0:
            low = middle
        else:
            high = middle
    weights: NDArray[np.float64] = -np.log(1 + (low + high) / 2 * excess)
    return weights
