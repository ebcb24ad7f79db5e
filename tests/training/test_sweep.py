"""Sweeps, as far as they need no Optuna: ranges, learning speed, wrong arguments."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import run_cli

from tzaar_envs.training.common.algorithms import ALGORITHMS, settings_of
from tzaar_envs.training.tuning.ranges import (
    Choices,
    Numbers,
    as_words,
    default_ranges,
    parse_range,
)
from tzaar_envs.training.tuning.sweep import Plan, learning_speed

SETTINGS = settings_of("alphazero").for_game("tzaar")


def evaluation(minutes: float, wins: int, losses: int) -> dict[str, Any]:
    """Return an evaluation with a score against one baseline, and 100 % against another."""
    return {
        "steps": 0,
        "minutes": minutes,
        "results": {"greedy": [(wins, 0, losses), (wins, 0, losses)], "random": [(3, 0, 0)] * 2},
    }


def test_the_learning_speed_is_the_area_under_the_curve() -> None:
    always = [evaluation(0.0, 4, 0), evaluation(2.0, 4, 0)]
    assert learning_speed(always) == 1.0
    never = [evaluation(0.0, 0, 4), evaluation(2.0, 0, 4)]
    assert learning_speed(never) == 0.5  # against random
    rising = [evaluation(0.0, 0, 4), evaluation(2.0, 4, 0)]
    assert learning_speed(rising) == pytest.approx(0.75)
    early = [evaluation(0.0, 0, 4), evaluation(0.5, 4, 0), evaluation(2.0, 4, 0)]
    assert learning_speed(early) > learning_speed(rising)
    after_a_warm_start = [evaluation(1.0, 4, 0), evaluation(2.0, 4, 0)]
    assert learning_speed(after_a_warm_start) == pytest.approx(0.5)
    assert learning_speed([evaluation(0.0, 2, 2)]) == pytest.approx(0.75)


def test_a_sweep_of_runs_from_scratch_begins_with_their_defaults() -> None:
    plan = Plan("tzaar", (), "ppo", 1.0, 0, {"from_scratch": "true"})
    of_ppo = settings_of("ppo")
    assert plan.base() == of_ppo.for_game("tzaar", from_scratch=True, minutes=1.0)
    either = replace(plan, ranges={"from_scratch": "true,false"})
    assert either.base() == of_ppo.for_game("tzaar", minutes=1.0)
    assert either.base().num_envs != plan.base().num_envs


def test_ranges() -> None:
    rates = parse_range(SETTINGS, "learning_rate", "1e-4..1e-2")
    assert rates == Numbers(1e-4, 1e-2)
    assert isinstance(rates, Numbers)
    assert rates.is_logarithmic
    passes = parse_range(SETTINGS, "draws", "1..3")
    assert passes == Numbers(1, 3)
    assert isinstance(passes, Numbers)
    assert not passes.is_logarithmic
    assert parse_range(SETTINGS, "width", "32, 64") == Choices((32, 64))
    assert parse_range(SETTINGS, "search", "gumbel") == Choices(("gumbel",))
    assert parse_range(SETTINGS, "from_scratch", "true,false") == Choices((True, False))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("widht", "1..2", "'widht' is no setting that a sweep of --algo alphazero can search"),
        ("folder", "a,b", "'folder' is no setting"),
        ("minutes", "1..2", "'minutes' is no setting"),
        ("width", "1.5..3", "'1.5' is not a whole number"),
        ("width", "3..3", "the first number must be the smaller one"),
        ("width", "0..3", "width=0 is not allowed: use more than 0"),
        ("trace", "0.5,1.5", "trace=1.5 is not allowed"),
        ("learning_rate", "fast", "'fast' is not a number"),
        ("learning_rate", "nan..1", "the first number must be the smaller one"),
        ("from_scratch", "yes", "'yes' is not true or false"),
    ],
)
def test_wrong_ranges(name: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_range(SETTINGS, name, text)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("game", ["tzaar", "zatre"])
def test_default_ranges_hold_the_defaults(algorithm: str, game: str) -> None:
    settings = settings_of(algorithm).for_game(game)
    ranges = default_ranges(settings)
    assert "learning_rate" in ranges
    for name, text in ranges.items():
        assert parse_range(settings, name, text).holds(getattr(settings, name)), (name, text)


def test_settings_as_words() -> None:
    values = {"learning_rate": 0.00123456, "width": 64, "from_scratch": True, "search": "gumbel"}
    words = as_words(values)
    assert words == [
        *("--learning-rate", "0.001235", "--width", "64", "--from-scratch", "--search", "gumbel")
    ]
    assert as_words({"from_scratch": False}) == []


def test_optuna_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    folder = tmp_path / "sweep"
    code, _, errors = run_cli("sweep", "tzaar", "--folder", str(folder))
    assert code == 2
    assert "the search needs the extra 'sweep'" in errors
    assert not folder.exists()
