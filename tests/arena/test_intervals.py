from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tzaar_envs.arena.ratings import bounded_mean, unbounded_mean, wilson


@pytest.mark.parametrize(
    ("successes", "n", "lower", "upper"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_agrees_with_published_values(
    successes: int, n: int, lower: float, upper: float
) -> None:
    assert wilson(successes, n) == pytest.approx((lower, upper), abs=6e-5)


@st.composite
def trials(draw: st.DrawFn) -> tuple[float, int]:
    n = draw(st.integers(1, 10**6))
    return draw(st.floats(0, n)), n


@given(trials())
def test_wilson_holds_the_rate_is_symmetric_and_narrows(trial: tuple[float, int]) -> None:
    successes, n = trial
    lower, upper = wilson(successes, n)
    assert 0 <= lower <= successes / n <= upper <= 1
    assert lower < upper
    assert wilson(n - successes, n) == pytest.approx((1 - upper, 1 - lower), abs=1e-9)
    many = wilson(4 * successes, 4 * n)
    assert many[1] - many[0] < upper - lower


@given(st.integers(1, 40))
def test_wilson_covers_95_percent_on_the_average(n: int) -> None:
    intervals = [wilson(successes, n) for successes in range(n + 1)]

    def coverage(rate: float) -> float:
        return sum(
            comb(n, k) * rate**k * (1 - rate) ** (n - k)
            for k, (lower, upper) in enumerate(intervals)
            if lower <= rate <= upper
        )

    coverages = [coverage((i + 0.5) / 200) for i in range(200)]
    assert 0.945 < np.mean(coverages) < 0.965
    # Near 0 and 1 single rates are covered less, as Brown, Cai and DasGupta show.
    assert min(coverages) > 0.78


@given(st.floats(0.01, 0.99), st.floats(0.1, 0.9))
def test_draws_only_add_to_the_coverage(win_share: float, draws: float) -> None:
    n = 15
    wins = (1 - draws) * win_share
    losses = 1 - draws - wins
    mean = wins - losses
    covered = 0.0
    for won in range(n + 1):
        for drawn in range(n - won + 1):
            lost = n - won - drawn
            lower, upper = bounded_mean([1.0] * won + [0.0] * drawn + [-1.0] * lost)
            if lower <= mean <= upper:
                ways = comb(n, won) * comb(n - won, drawn)
                covered += ways * wins**won * draws**drawn * losses**lost
    assert covered > 0.85  # the worst of plain Wilson with one trial in 15 expected is 0.83


def test_bounded_mean_is_wilson_on_the_range() -> None:
    lower, upper = wilson(7.5, 10)
    values = [1, 1, 1, 1, 1, 1, 0, 0, 0, -1]
    assert bounded_mean(values) == pytest.approx((2 * lower - 1, 2 * upper - 1))


@given(st.integers(1, 1000), st.floats(-1, 1))
def test_bounded_mean_survives_the_rounding_of_equal_values(n: int, value: float) -> None:
    lower, upper = bounded_mean([value] * n)
    assert lower <= value + 1e-12
    assert upper >= value - 1e-12


@pytest.mark.parametrize(
    ("n", "quantile", "precision"),
    # From the tables of Student's distribution, two-sided 95 %.
    [
        (2, 12.7062, 1e-5),
        (3, 4.30265, 1e-5),
        (4, 3.18245, 2e-3),
        (5, 2.77645, 4e-4),
        (6, 2.57058, 2e-4),
        (31, 2.04227, 1e-5),
    ],
)
def test_unbounded_mean_is_students(n: int, quantile: float, precision: float) -> None:
    values = np.random.default_rng(n).normal(5, 3, n)
    interval = unbounded_mean(values)
    assert interval is not None
    assert sum(interval) / 2 == pytest.approx(values.mean())
    half = quantile * values.std(ddof=1) / sqrt(n)
    assert (interval[1] - interval[0]) / 2 == pytest.approx(half, rel=precision)


def test_few_values_say_little() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert bounded_mean([]) == (-1.0, 1.0)
    assert unbounded_mean([3.0]) is None
    assert unbounded_mean([3.0, 3.0]) == (3.0, 3.0)
