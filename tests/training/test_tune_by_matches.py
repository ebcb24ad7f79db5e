"""Tuning by matches: games with any weights, the gradient, the steps, the file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tzaar_envs
from tzaar_envs.games.black_elephant import baselines
from tzaar_envs.training.tuning import tune_by_matches
from tzaar_envs.training.tuning.tune_by_matches import (
    Arguments,
    Matches,
    gradient_of,
    tune,
    units_of,
)
from tzaar_envs.training.tuning.tune_evaluation import module_of

ELEPHANT = tzaar_envs.load_game("black_elephant")
WEIGHTS = baselines.WEIGHTS
HOME = baselines.FEATURES.index("home")


@pytest.fixture(autouse=True)
def _few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let units be measured in few games."""
    monkeypatch.setattr(tune_by_matches, "_SAMPLE_GAMES", 8)


@pytest.fixture(scope="module")
def matches() -> Matches:
    return Matches(ELEPHANT, opening_plies=4)


def test_all_weights_play_by_what_they_say(matches: Matches) -> None:
    """Without weights all actions are alike; with the contrary ones greedy wants to lose."""
    nothing = matches.against(np.zeros_like(WEIGHTS), [WEIGHTS], 40, (0,))
    contrary = matches.against(WEIGHTS, [-WEIGHTS], 40, (0,))
    assert nothing.shape == contrary.shape == (20,)
    assert nothing.mean() < -0.8
    assert contrary.mean() > 0.9


def test_equal_weights_are_equal_and_sit_in_every_seat(matches: Matches) -> None:
    equal = np.tile(WEIGHTS, (100, 1))
    returns = matches.play(equal, equal, (1,))
    assert returns.shape == (100, 2)
    assert set(np.unique(returns)) == {-1.0, 1.0}
    assert abs(returns.mean()) < 0.3
    np.testing.assert_array_equal(matches.play(equal, equal, (1,)), returns)
    assert (matches.play(equal, equal, (2,)) != returns).any()


def test_games_with_three_seats_and_chance() -> None:
    game = tzaar_envs.load_game("twenty_one", players=3)
    weights = module_of(game).WEIGHTS
    matches = Matches(game, opening_plies=0)
    weights = np.tile(weights, (30, 1))
    returns = matches.play(weights, weights, (3,))
    assert returns.shape == (30, 3)
    assert set(np.unique(returns)) <= {1.0, 0.5, 0.0, -0.5, -1.0}
    assert abs(returns.mean()) < 0.3
    np.testing.assert_array_equal(matches.play(weights, weights, (3,)), returns)
    assert (matches.play(weights, -weights, (3,)) != returns).any()


def test_units_follow_the_seed_and_are_positive() -> None:
    units = units_of(ELEPHANT, WEIGHTS, seed=0)
    assert (units > 0).all()
    np.testing.assert_array_equal(units_of(ELEPHANT, WEIGHTS, seed=0), units)


def test_the_gradient_points_to_better_weights(matches: Matches) -> None:
    units = np.zeros_like(WEIGHTS)
    units[HOME] = 0.5 * WEIGHTS[HOME]
    weights = WEIGHTS.copy()
    weights[HOME] = 0.0
    assert gradient_of(matches, weights, [WEIGHTS], units, 400, (4,))[HOME] > 0.3
    weights[HOME] = 100 * WEIGHTS[HOME]
    units[HOME] *= 100
    assert gradient_of(matches, weights, [WEIGHTS], units, 400, (4,))[HOME] < 0.1


def test_tuning_follows_the_seed_and_writes_the_weights(tmp_path: Path) -> None:
    contents = []
    for number, seed in enumerate((1, 1, 2)):
        path = tmp_path / f"{number}.json"
        tune(
            Arguments(
                "black_elephant",
                rounds=2,
                games=40,
                check_games=20,
                keep="logs",
                match_games=4,
                seed=seed,
                output=path,
            )
        )
        contents.append(json.loads(path.read_text()))
    stored = json.loads(Path(baselines.__file__).with_name("weights.json").read_text())
    for content in contents:
        assert list(content["weights"]) == list(baselines.FEATURES)
        assert content["prior"] == stored["prior"]
        assert content["weights"]["logs"] == content["prior"]["logs"]
        assert content["arguments"]["games"] == 40
    assert contents[0] == contents[1]
    assert contents[0] != contents[2]


def test_a_feature_to_keep_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="keep='elephants' is not allowed: the features of"):
        tune(Arguments("black_elephant", keep="elephants"))
