"""Compiled random playouts: reproducible, in bounds, and like random games of the references."""

from __future__ import annotations

import importlib
import random
import statistics

import numpy as np
import pytest
from variants import every_game

from tzaar_envs.core.game import Game
from tzaar_envs.core.playouts import random_playouts


@every_game
def test_playouts_follow_the_seed(game: Game) -> None:
    first, again, other = (random_playouts(game, 50, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.plies, again.plies)
    np.testing.assert_array_equal(first.returns, again.returns)
    np.testing.assert_array_equal(first.truncated, again.truncated)
    assert first.branching == again.branching
    assert first.plies.tolist() != other.plies.tolist()


@every_game
def test_playouts_end_in_bounds(game: Game) -> None:
    playouts = random_playouts(game, 2000, seed=3)
    assert playouts.plies.shape == playouts.truncated.shape == (2000,)
    assert playouts.returns.shape == (2000, game.num_players)
    assert playouts.plies.min() >= 1
    assert playouts.plies.max() <= game.max_plies
    seats = game.num_players
    shares = [0.0, *(1 / winners for winners in range(1, seats))]
    assert set(np.unique(playouts.returns)) <= {*shares, *(-share for share in shares)}
    np.testing.assert_allclose(playouts.returns.sum(axis=1), 0, atol=1e-12)
    if game.spec.score_unit is None:  # points count all the same
        assert (playouts.returns[playouts.truncated] == 0).all()
    assert (playouts.plies[playouts.truncated] == game.max_plies).all()


@every_game
def test_playouts_are_like_random_games_of_the_reference(game: Game) -> None:
    """Mean length, mean number of actions and mean results within five standard errors."""
    reference = importlib.import_module(f"reference.{game.name}").Reference
    choices = random.Random(7)
    plies, returns, actions = [], [], []
    for seed in range(16):
        slow = reference.initial(seed=seed, **game.options)
        count = 0
        while legal := slow.legal_actions():
            slow.apply(choices.choice(legal))
            actions.append(len(legal))
            count += 1
        plies.append(count)
        returns.append(slow.returns())
    fast = random_playouts(game, 4000, seed=7)
    error = statistics.stdev(plies) / len(plies) ** 0.5
    assert abs(fast.plies.mean() - statistics.mean(plies)) < 5 * error
    assert (
        np.abs(fast.returns.mean(axis=0) - np.mean(returns, axis=0)).max() < 5 / len(plies) ** 0.5
    )
    assert fast.branching == pytest.approx(statistics.mean(actions), rel=0.1)
