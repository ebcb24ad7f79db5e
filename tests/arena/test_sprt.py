"""The sequential test: known values, symmetries, and error rates on simulated pairings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tzaar_envs.agents.ladder import expected_score
from tzaar_envs.arena import Sprt
from tzaar_envs.arena.sprt import PAIR_SCORES

pairs = st.lists(st.integers(0, 300), min_size=5, max_size=5).map(np.array)


def test_expected_score_is_elos() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    assert expected_score(100) == pytest.approx(0.6401, abs=5e-5)


def test_a_test_ends_at_walds_bounds() -> None:
    test, found = Sprt(0, 5), set()
    for number in range(-1000, 1000, 10):
        pairs = np.array([max(-number, 1), 0, 0, 0, max(number, 1)])
        llr = test.llr(pairs)
        found.add(decision := test.decision(pairs))
        assert decision == (0 if llr <= -2.9444 else 1 if llr >= 2.9444 else None)
    assert found == {0, 1, None}


def test_two_scores_alone_give_the_likelihood_ratio_of_coins() -> None:
    # With pairs that are won or lost as a whole the model is that of a coin.
    test = Sprt(-20, 60)
    s0, s1 = expected_score(-20), expected_score(60)
    expected = 70 * np.log(s1 / s0) + 30 * np.log((1 - s1) / (1 - s0))
    assert test.llr(np.array([30, 0, 0, 0, 70])) == pytest.approx(expected, abs=0.01)


def test_many_pairs_near_the_middle_follow_the_normal_approximation() -> None:
    test = Sprt(0, 5)
    counts = np.array([1000, 3000, 4000, 3100, 1050])
    n, frequencies = counts.sum(), counts / counts.sum()
    mean = (frequencies * PAIR_SCORES).sum()
    variance = (frequencies * (PAIR_SCORES - mean) ** 2).sum()
    s0, s1 = expected_score(0), expected_score(5)
    approximation = n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert test.llr(counts) == pytest.approx(approximation, rel=0.01)


@given(pairs)
def test_exchanged_agents_exchange_the_hypotheses(counts: NDArray[np.int64]) -> None:
    one, other = Sprt(-10, 30).llr(counts), Sprt(-30, 10).llr(counts[::-1])
    assert one == pytest.approx(-other, abs=1e-6)


def test_no_pairs_say_nothing_and_one_sided_ones_decide() -> None:
    test = Sprt(0, 100)
    assert test.llr(np.zeros(5, np.int64)) == 0
    assert Sprt(-1000, 1000).decision(np.array([0, 0, 0, 0, 100])) == 1  # of the widest range
    assert test.decision(np.array([0, 0, 0, 0, 100])) == 1
    assert test.decision(np.array([100, 0, 0, 0, 0])) == 0
    assert test.decision(np.array([0, 0, 100, 0, 0])) == 0
    for counts in np.eye(5, dtype=np.int64) * 10**6:
        assert np.isfinite(test.llr(counts))


def decide(
    test: Sprt, rng: np.random.Generator, chances: NDArray[np.float64]
) -> tuple[int | None, int]:
    """Return the decision and the number of pairs, looking after every 32 of them."""
    counts = np.zeros(5, np.int64)
    for _ in range(250):
        counts += rng.multinomial(32, chances)
        if (decision := test.decision(counts)) is not None:
            return decision, int(counts.sum())
    return None, int(counts.sum())


@pytest.mark.parametrize("draws", [0.0, 0.5])
@pytest.mark.parametrize("truth", [0, 1])
def test_error_rates_are_what_was_asked_for(draws: float, truth: int) -> None:
    test = Sprt(0, 40)
    win = expected_score((test.elo0, test.elo1)[truth]) - draws / 2
    game = np.array([1 - draws - win, draws, win])
    chances = np.convolve(game, game)
    rng = np.random.default_rng(7)
    decisions = [decide(test, rng, chances) for _ in range(100)]
    errors = sum(decision != truth for decision, _ in decisions)
    assert errors <= 11  # 5 % of 100 are 5, and three standard deviations more are 11.5
    assert 100 < np.mean([pairs for _, pairs in decisions]) < 600
