"""Tuning an evaluation function: the regression, the game with other weights, the file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from small_games.adding import ADDING

import tzaar_envs
from tzaar_envs.training.tuning.tune_evaluation import (
    Arguments,
    Positions,
    fit,
    log_loss,
    module_of,
    tune,
    with_weights,
)

TUNED = ("black_elephant", "turm_und_waechter", "twenty_one", "tzaar", "zatre")


def positions_of(weights: np.ndarray, count: int) -> Positions:
    """Return positions whose results follow from the weights, but for chance."""
    draws = np.random.default_rng(0)
    features = draws.normal(size=(count, weights.size))
    chance = (np.tanh(features @ weights) + 1) / 2
    return Positions(features, (draws.random(count) < chance).astype(np.float64))


def test_the_regression_finds_the_weights() -> None:
    weights = np.array([0.5, -1.0, 0.0])
    positions = positions_of(weights, 50_000)
    found = fit(positions, penalty=1.0)
    np.testing.assert_allclose(found, weights, atol=0.03)
    for other in (found + 0.05, found - 0.05, np.zeros(3)):
        assert log_loss(positions, found) < log_loss(positions, other)
    assert log_loss(positions, np.zeros(3)) == pytest.approx(np.log(2))
    np.testing.assert_allclose(fit(positions, penalty=1e9), 0.0, atol=1e-3)


@pytest.mark.parametrize("name", TUNED)
def test_weights_are_those_of_the_file(name: str) -> None:
    game = tzaar_envs.load_game(name)
    module = module_of(game)
    stored = json.loads(Path(str(module.__file__)).with_name("weights.json").read_text())
    assert list(stored["weights"]) == list(module.FEATURES)
    assert module.WEIGHTS.tolist() == list(stored["weights"].values())
    for feature in module.FEATURES:
        assert f"| `{feature}`" in module.__doc__


def test_a_game_with_other_weights() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    module = module_of(game)
    state = game.parse("3RG3/7/7/3r33/7/7/BG6 r")
    present = state.evaluate(0)
    assert present != 0.0
    for factor in (0.0, 1.0, -1.0):
        other = with_weights(game, factor * module.WEIGHTS)
        assert other.parse(str(state)).evaluate(0) == pytest.approx(factor * present)
    assert state.evaluate(0) == present


def test_tuning_follows_the_seed_and_writes_the_weights(tmp_path: Path) -> None:
    contents = []
    for number, seed in enumerate((1, 1, 2)):
        path = tmp_path / f"{number}.json"
        tune(Arguments("turm_und_waechter", games=4, rounds=2, depth=1, seed=seed, output=path))
        contents.append(json.loads(path.read_text()))
    module = module_of(tzaar_envs.load_game("turm_und_waechter"))
    assert list(contents[0]["weights"]) == list(module.FEATURES)
    assert contents[0]["arguments"]["games"] == 4
    assert contents[0] == contents[1]
    assert contents[0]["weights"] != contents[2]["weights"]


def test_a_game_without_features_is_refused() -> None:
    with pytest.raises(ValueError, match="evaluation function of adding has no features"):
        module_of(ADDING)


def test_games_with_chance_are_tuned_otherwise() -> None:
    with pytest.raises(ValueError, match="alpha-beta cannot search zatre"):
        tune(Arguments("zatre"))
