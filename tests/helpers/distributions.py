"""Whether random outcomes come as often as they should: a chi-square test with fixed seeds."""

from __future__ import annotations

from collections.abc import Hashable, Mapping


def assert_distributed(
    counts: Mapping[Hashable, int], probabilities: Mapping[Hashable, float]
) -> None:
    """Compare counts with exact probabilities; right ones fail about once in a million times."""
    assert abs(sum(probabilities.values()) - 1) < 1e-9
    assert set(counts) <= set(probabilities)
    draws = sum(counts.values())
    expected = {outcome: draws * chance for outcome, chance in probabilities.items()}
    assert min(expected.values()) > 4, "too few draws for a chi-square test"
    total = sum(
        (counts.get(outcome, 0) - number) ** 2 / number for outcome, number in expected.items()
    )
    freedom = len(probabilities) - 1
    spread = 5 * (2 * freedom) ** 0.5
    assert freedom - spread <= total <= freedom + spread + 10


def assert_uniform(counts: Mapping[Hashable, int], outcomes: int) -> None:
    """Check that so many different outcomes came, and each equally often."""
    assert len(counts) == outcomes
    assert_distributed(counts, dict.fromkeys(counts, 1 / outcomes))
