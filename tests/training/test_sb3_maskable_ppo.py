"""A whole run in small: train, interrupt, resume, measure."""

import dataclasses
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from exploit import Exploit

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.arena import MatchResult
from tzaar_envs.registry import find_spec
from tzaar_envs.training.sb3_callback import RunCallback
from tzaar_envs.training.sb3_maskable_ppo import Arguments, train


def small(**changes: object) -> Arguments:
    arguments = Arguments(
        seed=3,
        minutes=0.0,
        steps=512,
        imitation=300,
        imitation_passes=1,
        num_envs=8,
        rollout=16,
        batch_size=64,
        epochs=1,
        width=8,
        blocks=1,
        threads=1,
        snapshot_every=128,
        evaluate_every=0.01,
        evaluation_games=4,
        final_games=6,
    )
    return dataclasses.replace(arguments, **changes)


@pytest.mark.parametrize(
    ("game", "option", "teacher"),
    [
        ("turm_und_waechter", (), "greedy"),
        ("tzaar_v0", (), "greedy"),
        ("tzaar", ("setup=tournament",), "greedy"),
        ("black_elephant", (), "greedy"),
        ("twenty_one", ("players=3", "deal=random"), "optimal-solo"),
    ],
)
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    game: str,
    option: tuple[str, ...],
    teacher: str,
) -> None:
    folder = tmp_path / "run"
    train(small(game=game, option=option, teacher=teacher, folder=folder))

    printed = capsys.readouterr().out
    assert f"{folder}/policy.safetensors".replace("\n", "") in printed.replace("\n", "")
    config = json.loads((folder / "config.json").read_text())
    assert config["arguments"]["seed"] == 3
    assert config["arguments"]["teacher"] == teacher
    assert config["environment"]["versions"]["torch"] == torch.__version__
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert list((folder / "tensorboard").glob("events.out.tfevents.*"))
    steps = [
        json.loads(line)["steps"]
        for line in (folder / "evaluations.jsonl").read_text().splitlines()
    ]
    assert steps[0] == 0
    assert steps[-1] == 512
    spec = find_spec(game)
    loaded = tzaar_envs.load_game(game, **spec.parse_options(option))
    baselines = {"random", *(baseline.name for baseline in spec.baselines), "greedy"}
    assert teacher in baselines
    assert {path.name for path in folder.glob("result_*.json")} == {
        f"result_{baseline}.json" for baseline in baselines
    }
    for baseline in baselines:
        result = MatchResult.load(folder / f"result_{baseline}.json")
        assert (result.games, result.illegal_moves) == (6 * loaded.num_players, 0)
        assert result.exceptions == 0
        assert result.forms[1:] == (baseline,) * (loaded.num_players - 1)

    agent = make_agent(f"policy:{folder}/policy.safetensors", loaded)
    state = loaded.new_state(0)
    assert state.is_legal(agent.act(state))


def test_an_interrupted_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    original = RunCallback._on_step

    def interrupt(self: RunCallback) -> bool:
        if self.num_timesteps == 256:
            raise KeyboardInterrupt
        return original(self)

    with monkeypatch.context() as patch:
        patch.setattr(RunCallback, "_on_step", interrupt)
        with pytest.raises(SystemExit) as stop:
            train(small(game="tzaar", folder=folder))
    assert stop.value.code == 130
    printed = capsys.readouterr().out
    assert "Stopped after 256 steps; nothing is lost" in printed
    assert "tzaar-envs train --resume" in printed
    stored = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert stored["steps"] == stored["learner"]["steps"] == 256
    assert stored["seconds"] > 0

    train(Arguments(resume=folder))
    assert "Going on after 256 steps" in capsys.readouterr().out
    after = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert after["steps"] == 512
    assert after["seconds"] > stored["seconds"]
    assert any(
        not torch.equal(after["learner"]["policy"][name], tensor)
        for name, tensor in stored["learner"]["policy"].items()
    )
    # Once it has used its budget there is nothing to learn any more.
    train(Arguments(resume=folder))
    assert torch.load(folder / "checkpoint.pt", weights_only=True)["steps"] == 512


def test_an_interrupted_head_start_is_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("tzaar_envs.training.imitation.imitate", interrupt)
        with pytest.raises(SystemExit):
            train(small(game="tzaar", folder=folder, steps=128))
    assert not torch.load(folder / "checkpoint.pt", weights_only=True)["imitated"]
    assert "Stopped after 0 steps; nothing is lost" in capsys.readouterr().out

    train(Arguments(resume=folder))
    stored = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert (stored["imitated"], stored["steps"]) == (True, 128)


def test_a_checkpoint_runs_no_code(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    train(small(game="tzaar", folder=folder, steps=128))
    whole = (folder / "checkpoint.pt").read_bytes()
    other = torch.load(folder / "checkpoint.pt", weights_only=True)
    other["learner"]["schedule"]["stage"] = 9
    for damage in (
        lambda path: torch.save(Exploit(tmp_path / "witness"), path),
        lambda path: path.write_bytes(pickle.dumps(Exploit(tmp_path / "witness"), 2)),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(whole[:1000]),
        lambda path: torch.save({"policy": {}}, path),
        lambda path: torch.save(other, path),
    ):
        damage(folder / "checkpoint.pt")
        with pytest.raises(ValueError, match=r"checkpoint\.pt is no checkpoint of this run"):
            train(Arguments(resume=folder))
    assert not (tmp_path / "witness").exists()


def test_the_same_seed_gives_the_same_policy(tmp_path: Path) -> None:
    policies = []
    for name in ("one", "two"):
        # Evaluations follow the clock; they must not change what is learnt.
        every = 0.01 if name == "one" else 100.0
        train(small(game="tzaar", folder=tmp_path / name, evaluate_every=every))
        stored = torch.load(tmp_path / name / "checkpoint.pt", weights_only=True)
        policies.append(stored["learner"]["policy"])
    for name, tensor in policies[0].items():
        assert np.allclose(tensor, policies[1][name], atol=1e-6), name


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": "tzar"}, "did you mean 'tzaar'"),
        ({"game": ""}, "which game"),
        ({"game": "tzaar", "option": ("setup=chess",)}, "setup='chess' is not allowed"),
        ({"game": "tzaar", "option": ("setup",)}, "expected NAME=VALUE"),
        ({"game": "tzaar", "minutes": -1.0}, "minutes=-1.0 is not allowed: use 0 or more"),
        ({"game": "tzaar", "seed": -1}, "seed=-1 is not allowed: use 0 or more"),
        ({"game": "tzaar", "gamma": 1.5}, "gamma=1.5 is not allowed: use more than 0, at most 1"),
        ({"game": "tzaar", "steps": 0}, "steps=0 is not allowed: use more than 0"),
        ({"game": "tzaar", "teacher": "optimal-solo"}, "there is no agent 'optimal-solo'"),
        ({"game": "twenty_one", "option": ("players=7",)}, "players=7 is not allowed: use 2 to 6"),
    ],
)
def test_wrong_arguments(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        train(small(folder=tmp_path / "run", **changes))
    assert not (tmp_path / "run").exists()


def test_folders_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="holds no run that could go on"):
        train(Arguments(resume=tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(FileExistsError, match="holds a run already"):
        train(small(game="tzaar", folder=tmp_path))
    (tmp_path / "checkpoint.pt").write_bytes(b"")
    (tmp_path / "config.json").write_text('{"algorithm": "sb3", "arguments": {"seed": 1}}')
    with pytest.raises(ValueError, match="is not the configuration of a run"):
        train(Arguments(resume=tmp_path))
    (tmp_path / "config.json").write_text("nonsense")
    with pytest.raises(ValueError, match="is no JSON file"):
        train(Arguments(resume=tmp_path))
