"""95 % intervals for rates and means.

Sources: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA
22 (1927); L. D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial proportion",
Statistical Science 16 (2001), who recommend it for small samples; R. Bhatia, C. Davis, "A better
bound on the variance", American Mathematical Monthly 107 (2000); "Student", "The probable error of
a mean", Biometrika 6 (1908); M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions
(1964), 26.7.5, for the quantiles of Student's distribution.

All of them assume independent observations. Two games from one start position with exchanged seats
are not quite independent: what the position gives to one seat it takes from the other. Over all
seats together the intervals are therefore, if anything, too wide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_Z = 1.959963984540054  # the 0.975 quantile of the normal distribution


def wilson(successes: float, n: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a rate.

    `successes` may be fractional, for instance with draws as 1/2: outcomes in 0 .. 1 with mean p
    have at most the variance p * (1 - p) of plain successes and failures (Bhatia and Davis), so the
    interval is then wider than necessary, never narrower.

    Args:
        successes: 0 .. n.
        n: the number of trials; the interval for n=0 is 0 .. 1.

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


def bounded_mean(
    values: Sequence[float] | NDArray[np.float64], low: float = -1.0, high: float = 1.0
) -> tuple[float, float]:
    """Return a conservative 95 % interval for the mean of values in a known range.

    This is `wilson` with the range mapped to 0 .. 1: right where only `low` and `high` occur, wider
    than necessary otherwise. Unlike Student's interval it does not shrink to a point when all
    observed values are equal.

    Args:
        values: `(n,)`, each in `low` .. `high`; without values the interval is the whole range.
        low: the smallest possible value.
        high: the greatest possible value.

    Raises:
        ValueError: the range is empty, or a value lies outside it.
    """
    if not low < high:
        raise ValueError(f"low={low!r}, high={high!r} is not allowed: low must be below high")
    array = np.asarray(values, np.float64)
    outside = array[~((array >= low) & (array <= high))]
    if outside.size:
        raise ValueError(f"value {outside[0]} is not allowed: use {low} to {high}")
    # Where all values are `low` or all `high` the sum may miss 0 or n by rounding.
    successes = float(np.clip(((array - low) / (high - low)).sum(), 0, array.size))
    lower, upper = wilson(successes, array.size)
    return low + lower * (high - low), low + upper * (high - low)


def unbounded_mean(
    values: Sequence[float] | NDArray[np.float64],
) -> tuple[float, float] | None:
    """Return Student's 95 % interval for the mean of values without known bounds.

    It is exact for normally distributed values and good for the mean of many others.

    Args:
        values: `(n,)`, finite.

    Returns:
        The interval; None for fewer than two values, which have no spread.

    Raises:
        ValueError: a value is not finite.
    """
    array = np.asarray(values, np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"value {array[~np.isfinite(array)][0]} is not allowed: use finite values")
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
