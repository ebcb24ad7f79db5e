"""Ratings: known values, simulated games of agents whose strength is known, and extreme results."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from tzaar_envs.agents.ladder import expected_score
from tzaar_envs.arena.ratings import ELO_PER_NAT, Ratings, rate, rate_against, win_shares

Games = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]


def pair_games(wins: int, draws: int, losses: int) -> Games:
    """Return games of agent 0 against agent 1, with alternating seats, two for each start."""
    results = [1.0] * wins + [0.5] * draws + [0.0] * losses
    seats = np.array([(game % 2, 1 - game % 2) for game in range(len(results))])
    shares = np.array(
        [
            (result, 1 - result)[:: 1 if seat[0] == 0 else -1]
            for result, seat in zip(results, seats, strict=True)
        ]
    )
    return seats, shares, np.arange(len(results)) // 2


def simulate(
    rng: np.random.Generator,
    elo: NDArray[np.float64],
    seats: int,
    starts: int,
    draws: float = 0.0,
    first: float = 0.0,
) -> Games:
    """Return a tournament: every line-up plays every start in every rotation.

    Args:
        rng: draws the results.
        elo: of the agents.
        seats: how many.
        starts: how many.
        draws: with two seats, twice this part of the lesser chance is the chance of a draw.
        first: what the first seat is worth, in Elo.
    """
    agents, chances, start = [], [], []
    for line_up in combinations(range(elo.size), seats):
        for rotation in range(seats):
            rotated = np.roll(line_up, rotation)
            weights = np.exp((elo[rotated] + np.eye(seats)[0] * first) / ELO_PER_NAT)
            agents += [rotated] * starts
            chances += [weights / weights.sum()] * starts
            start += [*range(starts)]
    table = np.array(chances)
    drawn = rng.random(len(table)) < 2 * draws * table.min(axis=1)
    # Draws take equally from both sides.
    lesser = draws * table.min(axis=1, keepdims=True) * (seats == 2)
    table = (table - lesser) / (1 - 2 * lesser)
    winner = (rng.random((len(table), 1)) > table.cumsum(axis=1)).sum(axis=1)
    shares = np.eye(seats)[np.minimum(winner, seats - 1)]
    shares[drawn] = 1 / seats
    return np.array(agents), shares, np.array(start)


def names(count: int) -> list[str]:
    return [*"abcdefgh"[:count]]


def test_two_agents_have_the_difference_of_their_score() -> None:
    ratings = rate(["a", "b"], *pair_games(3200, 0, 1800))
    assert expected_score(ratings.elo[0] - ratings.elo[1]) == pytest.approx(0.64, abs=2e-4)
    assert ratings.elo.sum() == pytest.approx(0)
    assert ratings.order == [0, 1]


def test_draws_are_half_wins_but_tell_more() -> None:
    mixed, drawn = rate(["a", "b"], *pair_games(40, 0, 40)), rate(["a", "b"], *pair_games(0, 80, 0))
    for ratings in (mixed, drawn):
        assert ratings.elo == pytest.approx([0, 0], abs=1e-6)
    assert drawn.half_width(0) < mixed.half_width(0) / 2
    with_draws = rate(["a", "b"], *pair_games(20, 40, 4))
    without = rate(["a", "b"], *pair_games(40, 0, 24))
    assert with_draws.elo == pytest.approx(without.elo)


def test_the_width_is_that_of_the_observed_rate() -> None:
    # For one pair and independent games the sandwich is the delta method: se(p) / (p (1 - p)).
    rng = np.random.default_rng(0)
    won = rng.random(4000) < 0.7
    seats = np.tile([0, 1], (4000, 1))
    ratings = rate(["a", "b"], seats, np.stack([won, ~won], 1).astype(float), np.arange(4000))
    p = won.mean()
    expected = 1.96 * np.sqrt(p * (1 - p) / 4000) / (p * (1 - p)) * ELO_PER_NAT
    difference, half = ratings.difference(0, 1)
    assert difference == pytest.approx(np.log(p / (1 - p)) * ELO_PER_NAT, abs=1)
    assert half == pytest.approx(expected, rel=0.02)
    assert ratings.half_width(0) == pytest.approx(half / 2)
    few = rate(["a", "b"], seats[:3], np.eye(2)[[0, 1, 0]], np.arange(3))
    student = 4.303  # with 2 degrees of freedom
    assert few.half_width(0) == pytest.approx(student * np.sqrt(few.covariance[0, 0]), rel=1e-3)


def test_a_rating_against_rated_opponents_by_hand() -> None:
    opponents, shares = np.array([0.0, 0.0, 200.0, 200.0]), np.array([1.0, 0.0, 1.0, 0.0])
    elo, half = rate_against(opponents, shares, np.array([0, 0, 1, 1]))
    assert elo == pytest.approx(100)  # by symmetry, with the prior's two games against 100
    won = 1 / (1 + 10 ** (-100 / 400))  # the expected share against 0
    spread = 2 * (1 - 2 * won) ** 2 * 2 / 1 + 0.5
    information = 4 * won * (1 - won) + 2 * 0.25
    assert half == pytest.approx(12.706 * ELO_PER_NAT * np.sqrt(spread) / information, rel=1e-3)
    elo, half = rate_against(np.zeros(20), np.ones(20), np.arange(20))
    won = 21 / 22  # with the prior's one win and one loss
    assert elo == pytest.approx(ELO_PER_NAT * np.log(won / (1 - won)), abs=0.1)
    spread = 20 * (1 - won) ** 2 * 20 / 19 + won**2 + (1 - won) ** 2
    information = 22 * won * (1 - won)
    assert half == pytest.approx(2.093 * ELO_PER_NAT * np.sqrt(spread) / information, rel=1e-3)


def test_starts_that_favour_a_seat_cancel_out() -> None:
    # Each agent wins one game of every pair, for certain: that is no sign of chance.
    paired = rate(["a", "b"], *pair_games(200, 0, 200))
    seats = np.tile([[0, 1], [1, 0]], (200, 1))
    shares = np.tile([1.0, 0.0], (400, 1))  # the first seat wins
    cancelled = rate(["a", "b"], seats, shares, np.arange(400) // 2)
    assert cancelled.half_width(0) < paired.half_width(0) / 3


@pytest.mark.parametrize(
    ("elo", "seats", "starts", "settings"),
    [
        ((0, 120), 2, 60, {"draws": 0.6}),
        ((0, 60, 200, 350), 2, 25, {"draws": 0.3, "first": 100}),
        ((0, 100, 220), 3, 50, {}),
        ((0, 80, 160, 240), 3, 25, {"first": 80}),
    ],
)
def test_intervals_cover_the_truth_19_times_of_20(
    elo: tuple[int, ...], seats: int, starts: int, settings: dict[str, float]
) -> None:
    true = np.array(elo) - np.mean(elo)
    rng = np.random.default_rng(3)
    covered, differences, estimates = [], [], []
    for _ in range(250):
        ratings = rate(names(len(elo)), *simulate(rng, true, seats, starts, **settings))
        estimates.append(ratings.elo)
        for agent in range(len(elo)):
            covered.append(abs(ratings.elo[agent] - true[agent]) <= ratings.half_width(agent))
        for agent in range(len(elo) - 1):
            difference, half = ratings.difference(agent + 1, agent)
            differences.append(abs(difference - (elo[agent + 1] - elo[agent])) <= half)
    assert 0.91 < np.mean(covered) < 0.985
    assert 0.91 < np.mean(differences) < 0.985
    # What a seat is worth is not in the model; it draws the ratings together a little.
    assert np.mean(estimates, axis=0) == pytest.approx(true, abs=20)


def check_honest(ratings: Ratings) -> None:
    assert np.isfinite(ratings.elo).all()
    assert np.isfinite(ratings.covariance).all()
    assert (np.linalg.eigvalsh(ratings.covariance) > -1e-6).all()


def test_all_wins_give_finite_ratings_with_wide_intervals() -> None:
    leads = []
    for games in (2, 10, 100, 1000):
        ratings = rate(["a", "b"], *pair_games(games, 0, 0))
        check_honest(ratings)
        difference, half = ratings.difference(0, 1)
        assert half > 200
        # No loss in n games is compatible with a rate of 3 / n of them: no more may be claimed.
        if games > 4:
            assert difference - half < ELO_PER_NAT * np.log(games / 3 - 1)
        leads.append(difference)
    assert leads[0] > 0
    assert leads == sorted(leads)


def test_an_agent_without_games_is_unknown() -> None:
    ratings = rate(["a", "b", "c"], *pair_games(30, 0, 20))
    check_honest(ratings)
    assert ratings.half_width(2) > 5 * ratings.half_width(0)
    nobody = np.zeros((0, 2), np.int64)
    empty = rate(["a", "b"], nobody, nobody.astype(float), nobody[:, 0])
    check_honest(empty)
    assert empty.elo == pytest.approx([0, 0])


def test_three_seats_have_the_odds_of_their_wins() -> None:
    seats = np.tile([0, 1, 2], (6000, 1))
    shares = np.eye(3)[np.repeat([0, 1, 2], [3000, 2000, 1000])]
    ratings = rate(["a", "b", "c"], seats, shares, np.arange(6000))
    assert -np.diff(ratings.elo) == pytest.approx(ELO_PER_NAT * np.log([1.5, 2]), abs=1)
    # Who takes two of three seats and wins two of three games is of equal strength.
    seats, shares = np.tile([0, 1, 1], (900, 1)), np.eye(3)[np.arange(900) % 3]
    ratings = rate(["a", "b"], seats, shares, np.arange(900) // 3)
    assert ratings.elo == pytest.approx([0, 0], abs=0.5)


def test_an_anchor_is_0_and_certain() -> None:
    rng = np.random.default_rng(1)
    games = simulate(rng, np.array([0.0, 100, 200]), 2, 40)
    mean, anchored = rate(names(3), *games), rate(names(3), *games, anchor="b")
    assert anchored.elo[1] == 0
    assert anchored.half_width(1) == 0
    assert np.diff(anchored.elo) == pytest.approx(np.diff(mean.elo))
    assert anchored.difference(2, 0) == pytest.approx(mean.difference(2, 0))


def test_one_start_gives_no_certainty() -> None:
    seats, shares, _ = pair_games(6, 0, 4)
    ratings = rate(["a", "b"], seats, shares, np.zeros(10, np.int64))
    check_honest(ratings)
    assert ratings.half_width(0) > rate(["a", "b"], *pair_games(6, 0, 4)).half_width(0)


def test_two_starts_are_a_sample_of_all_starts() -> None:
    ratings = rate(
        ["a", "b"], np.array([[0, 1], [0, 1]]), np.eye(2), starts=np.array([0, 1]), anchor=None
    )
    # By hand: both strengths are 0; of the variance of the difference, in nats, 4/9 * 4 comes from
    # the two starts, with n / (n - 1) = 2, and 4/9 * 1 from the prior.
    covariance = ratings.covariance
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert variance == pytest.approx(20 / 9 * ELO_PER_NAT**2)


def test_shares_follow_the_returns() -> None:
    returns = np.array([[1, -0.5, -0.5], [0.5, 0.5, -1], [0, 0, 0], [-1, 0.5, 0.5]])
    third = 1 / 3
    assert win_shares(returns) == pytest.approx(
        np.array([[1, 0, 0], [0.5, 0.5, 0], [third] * 3, [0, 0.5, 0.5]])
    )
