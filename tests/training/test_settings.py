"""Settings of training scripts: limits, files, and the values that suit a game."""

import dataclasses
import json
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

import tzaar_envs
from tzaar_envs import training
from tzaar_envs.training import ALGORITHMS, arguments_of
from tzaar_envs.training.common import settings
from tzaar_envs.training.common.run import RunFolder, open_run
from tzaar_envs.training.ppo import PpoArguments

NEEDED = {"tianshou-dqn": "tianshou", "tianshou-ppo": "tianshou", "torchrl": "torchrl"}
NEEDED |= {"rllib": "ray"}
DEFAULTS = tomllib.loads((Path(training.__file__).parent / "defaults.toml").read_text())


def test_settings_come_back_from_the_folder_of_a_run(tmp_path: Path) -> None:
    told = PpoArguments(game="tzaar", option=("setup=fixed",), folder=tmp_path / "run", gamma=0.25)
    open_run(told)
    stored = RunFolder(tmp_path / "run").settings(PpoArguments)
    assert dataclasses.replace(stored, resume=None) == told
    found, game, folder = open_run(dataclasses.replace(stored, minutes=30.0, steps=7))
    assert (found.minutes, found.steps) == (30.0, 7)
    assert game.options["setup"] == "fixed"
    config = json.loads(folder.config.read_text())
    for changes in ({"gamma": "fast"}, {"gamma": 2.0}):
        wrong = config | {"arguments": config["arguments"] | changes}
        folder.config.write_bytes(msgspec.json.encode(wrong))
        with pytest.raises(ValueError, match="is not the configuration of a run"):
            folder.settings(PpoArguments)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": "zatre"}, "game=zatre is not allowed: the run in .*run has game=tzaar"),
        ({"option": ("setup=fixed",)}, r"option=\('setup=fixed',\) is not allowed"),
        ({"gamma": 0.5}, "gamma=0.5 is not allowed: the run in .*run has gamma=0.99"),
        ({"folder": Path("other")}, "folder=other is not allowed: .* has folder=.*run"),
        ({"minutes": -1.0}, "minutes=-1.0 is not allowed: use a number >= 0.0"),
    ],
)
def test_what_contradicts_the_run_to_resume_is_named(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    open_run(PpoArguments(game="tzaar", folder=tmp_path / "run"))
    stored = RunFolder(tmp_path / "run").settings(PpoArguments)
    with pytest.raises(ValueError, match=words):
        open_run(dataclasses.replace(stored, **changes))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_tuned_defaults_are_settings_of_their_scripts(algorithm: str) -> None:
    if find_spec(NEEDED.get(algorithm, "torch")) is None:
        pytest.skip(f"the library of {algorithm} is not installed")
    arguments = arguments_of(algorithm)
    assert arguments.algorithm == algorithm
    tables_of = dict(DEFAULTS)
    assert set(tables_of.pop("accelerator")) | set(tables_of.pop("shaping")) <= set(ALGORITHMS)
    assert set(tables_of) == set(tzaar_envs.list_games())
    for game, tables in tables_of.items():
        assert set(tables) <= set(ALGORITHMS)
        suited = arguments(**{"game": game, **arguments.tuned(game, "cpu")})
        suited.check()
        suited.load_game()
        for name, value in tables.get(algorithm, {}).items():
            assert getattr(suited, name) == value
            assert type(value) is type(getattr(arguments(), name))


def test_an_accelerator_has_settings_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert PpoArguments.for_game("tzaar", device="cpu").num_envs == 64
    monkeypatch.setattr(settings, "find_device", lambda name: "cpu" if name == "cpu" else "cuda")
    suited = PpoArguments.for_game("tzaar")
    assert (suited.num_envs, suited.gamma) == (DEFAULTS["accelerator"]["ppo"]["num_envs"], 0.96)
    assert PpoArguments.for_game("tzaar", num_envs=8).num_envs == 8
    assert PpoArguments.for_game("tzaar", device="cpu").num_envs == 64


def test_shaping_has_settings_of_its_own() -> None:
    suited = arguments_of("sb3").for_game("tzaar", device="cpu", shaping=1.0)
    suited.check()
    assert (suited.opponent, suited.gamma) == (("random", "greedy"), 0.99)
    assert PpoArguments.for_game("tzaar", device="cpu", shaping=1.0).opening == 8
