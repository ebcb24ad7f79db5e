"""Elo ratings from the results of games with any number of seats; intervals for rates and means.

The model is that of R. D. Luce (Individual Choice Behavior, 1959): with strengths `exp(r)` the
agent at a seat wins with probability `exp(r) / sum of exp(r) over all seats`. With two seats this
is the model of R. A. Bradley and M. E. Terry (Biometrika 39, 1952) on the scale of A. E. Elo (The
Rating of Chessplayers, Past and Present, 1978), where 400 points are ten times the odds. It is the
first stage of the Plackett-Luce model; second place does not count, as in the returns of our games.
With k winners each of them has won 1/k of the game, so that a draw of two is half a win for both; a
game that an agent forfeits is won by all others.

Ratings maximise the likelihood times a weak prior: every agent also won and lost one game against
an agent of rating 0, the mean. So they stay finite where an agent won or lost all its games; the
far end of its interval then rests on the prior alone.

Intervals are 95 %. Games from one start are not independent (the position may favour a seat, and
every line-up meets the same starts), and draws are less spread out than wins and losses. So the
covariance is not that of the model but the sandwich `inv(H) @ M @ inv(H)` of the curvature H of the
likelihood and the spread M of its gradients over starts (K.-Y. Liang, S. L. Zeger, Biometrika 73,
1986), M scaled by C / (C - 1) for C starts; the games of the prior count as starts of their own.
Intervals take the quantile of Student's distribution with C - 1 degrees of freedom, C being the
starts that the agent took part in.

Intervals for rates and means are of 95 % too: E. B. Wilson, "Probable inference, the law of
succession, and statistical inference", JASA 22 (1927); L. D. Brown, T. T. Cai, A. DasGupta,
"Interval estimation for a binomial proportion", Statistical Science 16 (2001), who recommend it for
small samples; R. Bhatia, C. Davis, "A better bound on the variance", American Mathematical Monthly
107 (2000); "Student", "The probable error of a mean", Biometrika 6 (1908); M. Abramowitz, I. A.
Stegun, Handbook of Mathematical Functions (1964), 26.7.5, for the quantiles of Student's
distribution. They assume independent observations. Two games from one start position with exchanged
seats are not quite independent: what the position gives to one seat it takes from the other. Over
all seats together these intervals are therefore, if anything, too wide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Interval: TypeAlias = tuple[float, float]

ELO_PER_NAT = 400 / math.log(10)
"""Elo points per unit of the natural logarithm of the odds."""

_Z = 1.959963984540054  # the 0.975 quantile of the normal distribution
_MAX_STEPS = 200
_TOLERANCE = 1e-10


# --- Ratings --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of some agents, in Elo.

    Attributes:
        agents: Their names.
        elo: float64 `(agents,)`.
        covariance: float64 `(agents, agents)`, of `elo`.
        starts: int64 `(agents,)`, the number of starts that each agent played.
        anchor: The agent whose rating is set to 0; None: the mean rating is 0.
    """

    agents: tuple[str, ...]
    elo: NDArray[np.float64]
    covariance: NDArray[np.float64]
    starts: NDArray[np.int64]
    anchor: int | None = None

    @property
    def order(self) -> list[int]:
        """The agents from the best to the worst."""
        best_first: list[int] = np.argsort(-self.elo, kind="stable").tolist()
        return best_first

    def half_width(self, agent: int) -> float:
        """Return half the width of an agent's interval."""
        return self._half_width(self.covariance[agent, agent], self.starts[agent])

    def difference(self, agent: int, other: int) -> tuple[float, float]:
        """Return the rating difference of two agents, and half the width of its interval.

        Ratings are correlated, so this is more precise than comparing two intervals.
        """
        covariance = self.covariance
        variance = (
            covariance[agent, agent] + covariance[other, other] - 2 * covariance[agent, other]
        )
        starts = min(self.starts[agent], self.starts[other])
        return float(self.elo[agent] - self.elo[other]), self._half_width(variance, starts)

    @staticmethod
    def _half_width(variance: float, starts: int) -> float:
        return student_quantile(max(int(starts) - 1, 1)) * float(np.sqrt(max(variance, 0.0)))


def win_shares(returns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each seat's share of the win, float64 `(games, seats)`; every row sums to 1.

    Args:
        returns: float64 `(games, seats)`: above 0 for the winners; all 0 if nobody won.
    """
    winners = returns > 0
    winners[~winners.any(axis=1)] = True
    shares: NDArray[np.float64] = winners / winners.sum(axis=1, keepdims=True)
    return shares


def rate(
    agents: Sequence[str],
    seats: NDArray[np.int64],
    shares: NDArray[np.float64],
    starts: NDArray[np.int64],
    anchor: str | None = None,
) -> Ratings:
    """Return the ratings of agents from their games.

    Args:
        agents: Their names.
        seats: int64 `(games, seats)`, the agent at each seat.
        shares: float64 `(games, seats)`, see `win_shares`.
        starts: int64 `(games,)`, the start of each game.
        anchor: The agent whose rating is set to 0; None: the mean rating is 0.

    Raises:
        ValueError: The anchor is not one of the agents.
    """
    if anchor is not None and anchor not in agents:
        raise ValueError(f"anchor {anchor!r} is not allowed: use one of {', '.join(agents)}")
    count = len(agents)
    strengths = _fit(count, seats, shares)
    _, curvature, residuals = _derivatives(strengths, seats, shares)
    bread = np.linalg.inv(curvature)
    covariance = bread @ _spread(strengths, seats, residuals, starts) @ bread

    shift = np.eye(count)  # moves the anchor, or the mean, to 0
    if anchor is None:
        shift -= 1 / count
    else:
        shift[:, agents.index(anchor)] -= 1
    taken_part = [np.unique(starts[(seats == agent).any(axis=1)]).size for agent in range(count)]
    return Ratings(
        agents=tuple(agents),
        elo=ELO_PER_NAT * (shift @ strengths),
        covariance=ELO_PER_NAT**2 * (shift @ covariance @ shift.T),
        starts=np.array(taken_part, np.int64),
        anchor=None if anchor is None else agents.index(anchor),
    )


def rate_against(
    opponents: NDArray[np.float64], shares: NDArray[np.float64], starts: NDArray[np.int64]
) -> tuple[float, float]:
    """Return an agent's rating from games against rated opponents, and half its interval's width.

    By maximum likelihood, with a weak prior of one win and one loss against an opponent of the mean
    rating. The 95 % interval is from the spread over starts; the ratings of the opponents count as
    exact.

    Args:
        opponents: float64 `(games,)`, the rating of the opponent in each game, in Elo.
        shares: float64 `(games,)`, the agent's share of the win.
        starts: int64 `(games,)`, the start of each game.
    """
    against = np.append(opponents, [opponents.mean()] * 2)
    won = np.append(shares, [0.0, 1.0])
    low, high = against.min() - 2000, against.max() + 2000
    for _ in range(60):
        elo = (low + high) / 2
        expected = 1 / (1 + np.exp((against - elo) / ELO_PER_NAT))
        low, high = (elo, high) if won.sum() > expected.sum() else (low, elo)
    _, cluster = np.unique(starts, return_inverse=True)
    gradients = np.bincount(cluster, (won - expected)[:-2])
    spread = (gradients**2).sum() * gradients.size / max(gradients.size - 1, 1)
    spread += ((won - expected)[-2:] ** 2).sum()
    deviation = ELO_PER_NAT * math.sqrt(spread) / float((expected * (1 - expected)).sum())
    return float(elo), student_quantile(max(gradients.size - 1, 1)) * deviation


def _fit(count: int, seats: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the likeliest strengths, float64 `(count,)`, by Newton's method."""
    strengths = np.zeros(count)
    for _ in range(_MAX_STEPS):
        gradient, curvature, _ = _derivatives(strengths, seats, shares)
        step = np.linalg.solve(curvature, gradient)
        # Far from the maximum the likelihood is flatter than a parabola: a full step overshoots.
        step /= max(1.0, float(np.abs(step).max()))
        strengths = strengths + step
        if np.abs(step).max() < _TOLERANCE:
            break
    return strengths


def _derivatives(
    strengths: NDArray[np.float64], seats: NDArray[np.int64], shares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return gradient and negative curvature of the log-likelihood, and each seat's residual."""
    count = strengths.size
    weights = np.exp(strengths[seats] - strengths[seats].max(axis=1, keepdims=True))
    chances = weights / weights.sum(axis=1, keepdims=True)
    residuals = shares - chances
    won = 1 / (1 + np.exp(-strengths))  # against the agent of the prior
    gradient = np.bincount(seats.ravel(), residuals.ravel(), count) + (1 - 2 * won)
    curvature = np.diag(np.bincount(seats.ravel(), chances.ravel(), count) + 2 * won * (1 - won))
    for seat in range(seats.shape[1]):
        for other in range(seats.shape[1]):
            products = chances[:, seat] * chances[:, other]
            np.subtract.at(curvature, (seats[:, seat], seats[:, other]), products)
    return gradient, curvature, residuals


def _spread(
    strengths: NDArray[np.float64],
    seats: NDArray[np.int64],
    residuals: NDArray[np.float64],
    starts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the sum over starts of the outer products of their gradients, prior included."""
    names, cluster = np.unique(starts, return_inverse=True)
    if names.size == 1:  # a single start has no spread over starts
        cluster = np.arange(starts.size)
    clusters = int(cluster.max(initial=0)) + 1
    gradients = np.zeros((clusters, strengths.size))
    np.add.at(gradients, (cluster[:, None], seats), residuals)
    won = 1 / (1 + np.exp(-strengths))
    spread: NDArray[np.float64] = gradients.T @ gradients * (clusters / max(clusters - 1, 1))
    return spread + np.diag(won**2 + (1 - won) ** 2)


# --- Intervals ------------------------------------------------------------------------------------


def wilson(successes: float, n: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a rate.

    `successes` may be fractional, for instance with draws as 1/2: outcomes in 0 .. 1 with mean p
    have at most the variance p * (1 - p) of plain successes and failures (Bhatia and Davis), so the
    interval is then wider than necessary, never narrower.

    Args:
        successes: 0 .. n.
        n: The number of trials; the interval for n=0 is 0 .. 1.

    Raises:
        ValueError: `n` is negative or `successes` is not in 0 .. n.
    """
    if n < 0:
        raise ValueError(f"n={n!r} is not allowed: use 0 or more")
    if not 0 <= successes <= n:
        raise ValueError(f"successes={successes!r} is not allowed: use 0 to n={n}")
    if n == 0:
        return 0.0, 1.0
    rate = successes / n
    shrink = 1 + _Z**2 / n
    centre = (rate + _Z**2 / (2 * n)) / shrink
    half = _Z / shrink * math.sqrt(rate * (1 - rate) / n + _Z**2 / (4 * n**2))
    # Rounding may not push a bound beyond the possible, nor the observed rate out of the interval.
    return max(0.0, min(centre - half, rate)), min(1.0, max(centre + half, rate))


def bounded_mean(values: Sequence[float]) -> tuple[float, float]:
    """Return a conservative 95 % interval for the mean of values from -1 to 1.

    This is `wilson` with the range mapped to 0 .. 1: right where only -1 and 1 occur, wider than
    necessary otherwise. Unlike Student's interval it does not shrink to a point when all observed
    values are equal. Without values it is the whole range.
    """
    lower, upper = wilson((math.fsum(values) + len(values)) / 2, len(values))
    return 2 * lower - 1, 2 * upper - 1


def unbounded_mean(values: Sequence[float] | NDArray[np.float64]) -> tuple[float, float] | None:
    """Return Student's 95 % interval for the mean of values without known bounds.

    It is exact for normally distributed values and good for the mean of many others.

    Args:
        values: `(n,)`, finite.

    Returns:
        The interval; None for fewer than two values, which have no spread.
    """
    array = np.asarray(values, np.float64)
    if array.size < 2:
        return None
    mean = float(array.mean())
    half = student_quantile(array.size - 1) * float(array.std(ddof=1)) / math.sqrt(array.size)
    return mean - half, mean + half


def student_quantile(freedom: int) -> float:
    """Return the 0.975 quantile of Student's distribution, to 0.2 % or better."""
    if freedom == 1:
        return math.tan(math.pi * 0.475)
    if freedom == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    # Abramowitz and Stegun 26.7.5, an expansion in 1 / freedom.
    z = _Z
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / float(freedom) ** power for power, term in enumerate(terms))
