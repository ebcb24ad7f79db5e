"""Sweeps, as far as they need no Optuna: ranges, wrong arguments."""

import sys
from pathlib import Path

import pytest
from command_line import run_cli

from tzaar_envs.cli.sweep import Numbers, default_ranges, parse_range
from tzaar_envs.cli.train import train_words
from tzaar_envs.training import arguments_of

SETTINGS = arguments_of("alphazero").for_game("tzaar")


def test_ranges() -> None:
    assert parse_range(SETTINGS, "learning_rate", "1e-4..1e-2") == Numbers(1e-4, 1e-2)
    assert parse_range(SETTINGS, "draws", "1..3") == Numbers(1, 3)
    assert parse_range(SETTINGS, "width", "32, 64") == [32, 64]
    assert parse_range(SETTINGS, "search", "gumbel") == ["gumbel"]
    assert parse_range(SETTINGS, "lines", "true,false") == [True, False]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("widht", "1..2", "'widht' is no setting that a sweep of --algo alphazero can search"),
        ("folder", "a,b", "'folder' is no setting"),
        ("minutes", "1..2", "'minutes' is no setting"),
        ("width", "1.5..3", "use whole numbers"),
        ("width", "3..3", "the first number must be the smaller one"),
        ("width", "0..3", "width=0 is not allowed"),
        ("draws", "0,2", "draws=0 is not allowed"),
        ("learning_rate", "fast", "use numbers"),
        ("learning_rate", "nan..1", "the first number must be the smaller one"),
        ("lines", "yes", "use true or false"),
    ],
)
def test_wrong_ranges(name: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_range(SETTINGS, name, text)


@pytest.mark.parametrize("algorithm", ["alphazero", "sb3", "ppo", "sb3-dqn"])
@pytest.mark.parametrize("game", ["tzaar", "zatre"])
def test_default_ranges_hold_the_defaults(algorithm: str, game: str) -> None:
    settings = arguments_of(algorithm).for_game(game)
    ranges = default_ranges(settings)
    assert "learning_rate" in ranges
    for name, found in ranges.items():
        value = getattr(settings, name)
        held = found.low <= value <= found.high if isinstance(found, Numbers) else value in found
        assert held, (name, found)


def test_settings_as_words() -> None:
    values = {"learning_rate": 0.00123456789, "width": 64, "lines": True, "network": "sparse"}
    assert train_words("tzaar", "ppo", values, ["setup=fixed"]) == [
        *("train", "tzaar", "--algo", "ppo", "--option", "setup=fixed"),
        *("--learning-rate", "0.00123457", "--width", "64", "--lines", "--network", "sparse"),
    ]
    assert "--lines" not in train_words("tzaar", "ppo", {"lines": False})


def test_optuna_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    folder = tmp_path / "sweep"
    code, _, errors = run_cli("sweep", "tzaar", "--folder", str(folder))
    assert code == 2
    assert "the search needs the extra 'sweep'" in errors
    assert not folder.exists()
