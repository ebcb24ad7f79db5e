"""Elo ratings from the results of games with any number of seats.

The model is that of R. D. Luce (Individual Choice Behavior, 1959): with strengths `exp(r)` the
agent at a seat wins with probability `exp(r) / sum of exp(r) over all seats`. With two seats this
is the model of R. A. Bradley and M. E. Terry (Biometrika 39, 1952) on the Elo scale, where 400 Elo
are ten times the odds. It is the first stage of the Plackett-Luce model; second place does not
count, as in the returns of our games. With k winners each of them has won 1/k of the game, so that
a draw of two is half a win for both; a game that an agent lost by a fault is won by all others.

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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.arena.elo import ELO_PER_NAT
from tzaar_envs.arena.intervals import student_quantile

_MOST_STEPS = 200
_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of some agents, in Elo.

    Attributes:
        agents: their names.
        elo: float64 `(agents,)`.
        covariance: float64 `(agents, agents)`, of `elo`.
        starts: int64 `(agents,)`, the number of starts that each agent played.
        anchor: the agent whose rating is set to 0; None: the mean rating is 0.
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
        agents: their names.
        seats: int64 `(games, seats)`, the agent at each seat.
        shares: float64 `(games, seats)`, see `win_shares`.
        starts: int64 `(games,)`, the start of each game.
        anchor: the agent whose rating is set to 0; None: the mean rating is 0.

    Raises:
        ValueError: the anchor is not one of the agents; arrays of other shapes or types, agents
            that do not exist, or shares that are not finite.
    """
    if anchor is not None and anchor not in agents:
        raise ValueError(f"anchor {anchor!r} is not allowed: use one of {', '.join(agents)}")
    count = len(agents)
    seats, shares, starts = _checked(count, seats, shares, starts)
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


def _checked(count: int, seats: Any, shares: Any, starts: Any) -> tuple[NDArray[Any], ...]:
    """Return arrays that fit together."""
    seats, shares, starts = np.asarray(seats), np.asarray(shares), np.asarray(starts)
    if seats.ndim != 2 or not seats.shape == shares.shape or starts.shape != seats.shape[:1]:
        raise ValueError(
            f"seats of shape {seats.shape}, shares of shape {shares.shape} and starts of shape "
            f"{starts.shape} were given: use (games, seats), (games, seats) and (games,)"
        )
    if (
        seats.dtype.kind not in "iu"
        or shares.dtype.kind not in "fiu"
        or starts.dtype.kind not in "iu"
    ):
        raise ValueError(
            f"seats of type {seats.dtype}, shares of type {shares.dtype} and starts of type "
            f"{starts.dtype} were given: use integers, floats and integers"
        )
    if seats.size and not 0 <= seats.min() <= seats.max() < count:
        raise ValueError(f"seats name agents that do not exist: use 0 to {count - 1}")
    if not np.isfinite(shares).all():
        raise ValueError("shares are not all finite")
    return seats.astype(np.int64), shares.astype(np.float64), starts


def _fit(count: int, seats: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the likeliest strengths, float64 `(count,)`, by Newton's method."""
    strengths = np.zeros(count)
    for _ in range(_MOST_STEPS):
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
