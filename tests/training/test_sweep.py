"""Sweeps, as far as they need no Optuna."""

import sys
from pathlib import Path

import pytest
from command_line import run_cli

from tzaar_envs.cli.training import train_words


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
