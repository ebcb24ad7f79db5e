"""Settings of training scripts: limits, files, and the values that suit a game."""

import dataclasses
import importlib
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.training.common.algorithms import ALGORITHMS
from tzaar_envs.training.common.run_folder import danger_of, open_run
from tzaar_envs.training.common.settings import (
    NetworkSettings,
    Settings,
    setting,
    tuned_defaults,
)
from tzaar_envs.training.ppo import Arguments

DEFAULTS = Path(importlib.import_module("tzaar_envs.training").__file__ or "").parent / "defaults"


@dataclass
class Example(Settings):
    algorithm = "example"

    rate: float = setting("between 0 and 1", 0.5, "fraction")
    free: float = setting("anything", -1.0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rate": 1.5}, "rate=1.5 is not allowed: use more than 0, at most 1"),
        ({"rate": 0.0}, "rate=0.0 is not allowed: use more than 0, at most 1"),
        ({"rate": float("nan")}, "rate=nan is not allowed"),
        ({"steps": 0}, "steps=0 is not allowed: use more than 0"),
        ({"seed": -1}, "seed=-1 is not allowed: use 0 or more"),
        ({"threads": 10**30}, "threads=10{30} is not allowed: use 0 to 10,000"),
    ],
)
def test_what_is_out_of_range_is_named(changes: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(Example(), **changes).check()
    dataclasses.replace(Example(), rate=1.0, steps=1, seed=0, minutes=0).check()


def test_settings_come_back_from_json() -> None:
    settings = Example(game="tzaar", option=("setup=fixed",), folder=Path("runs/a"), rate=0.25)
    values = json.loads(json.dumps(settings.as_json()))
    assert dataclasses.replace(Example.from_json(values), folder=Path("runs/a")) == settings
    for wrong, words in (
        ({**values, "rate": "fast"}, "rate='fast' is not a number"),
        ({**values, "rate": 2.0}, "rate=2.0 is not allowed"),
        ({**values, "more": 1}, "not the settings of --algo example"),
        ({"rate": 1.0}, "not the settings of --algo example"),
        (None, "not the settings of --algo example"),
    ):
        with pytest.raises(ValueError, match=words):
            Example.from_json(wrong)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("game", tzaar_envs.list_games())
@pytest.mark.parametrize("from_scratch", [False, True])
def test_tuned_defaults_are_settings_of_their_scripts(
    game: str, algorithm: str, from_scratch: bool
) -> None:
    arguments = importlib.import_module(ALGORITHMS[algorithm].module).Arguments
    content = json.loads((DEFAULTS / f"{game}.json").read_text())
    assert set(content) <= {"every", *ALGORITHMS, "from_scratch"}
    assert set(content.get("from_scratch", {})) <= set(ALGORITHMS)
    tuned = tuned_defaults(arguments, game, from_scratch)
    expected = content["every"] | content.get(algorithm, {})
    of_game = content.get("from_scratch", {}).get(algorithm, {})
    from_nothing = arguments.from_nothing | of_game
    assert tuned == (expected | from_nothing if from_scratch else expected)
    suited = arguments.for_game(game, from_scratch=from_scratch)
    suited.check()
    make_agent(suited.teacher, suited.load_game())
    own = {entry.name for entry in dataclasses.fields(arguments)}
    assert set(content.get(algorithm, {})) | set(from_nothing) <= own
    assert set(content["every"]) <= {entry.name for entry in dataclasses.fields(NetworkSettings)}
    for entry, value in tuned.items():
        if entry not in own:
            continue  # a network without residual blocks has none to choose
        assert getattr(suited, entry) == value
        assert type(value) is type(getattr(arguments(), entry))


def test_changes_come_before_what_suits_a_game() -> None:
    arguments = importlib.import_module(ALGORITHMS["ppo"].module).Arguments
    suited = arguments.for_game("twenty_one_v0")
    assert suited.num_envs == tuned_defaults(arguments, "twenty_one", False)["num_envs"] != 512
    assert arguments.for_game("twenty_one", num_envs=7).num_envs == 7
    with pytest.raises(ValueError, match="did you mean 'tzaar'"):
        arguments.for_game("tzar")


@pytest.mark.parametrize("name", ["teacher", "rival"])
def test_a_program_in_a_configuration_runs_only_if_it_is_named(name: str, tmp_path: Path) -> None:
    _, _, run = open_run(Arguments(game="tzaar", folder=tmp_path / "run"))
    run.checkpoint.touch()
    config = json.loads(run.config.read_text(encoding="utf-8"))
    config["arguments"][name] = "engine:sh -c 'echo harm'"
    run.config.write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ValueError, match=f"names the program .* in {name}, which is used only if"):
        open_run(Arguments(resume=run.path))
    arguments, *_ = open_run(Arguments(resume=run.path, **{name: "engine:sh -c 'echo harm'"}))
    assert getattr(arguments, name) == "engine:sh -c 'echo harm'"


def test_a_cluster_in_a_configuration_is_joined_only_if_it_is_named() -> None:
    assert danger_of("address", "10.0.0.9:6379") == "the Ray cluster '10.0.0.9:6379'"
    assert danger_of("teacher", " engine:sh") == "the program ' engine:sh'"
    for name, value in (("address", ""), ("address", "auto"), ("teacher", "greedy"), ("seed", 1)):
        assert danger_of(name, value) == ""
