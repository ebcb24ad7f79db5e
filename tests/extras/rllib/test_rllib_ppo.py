"""A whole run in small: train, interrupt, resume, measure."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from exploit import Exploit

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.arena import MatchResult
from tzaar_envs.registry import find_spec
from tzaar_envs.training.league import LEARNER
from tzaar_envs.training.rllib_ppo import Arguments, RLlibRun, train

pytestmark = pytest.mark.usefixtures("local_ray")


def small(**changes: object) -> Arguments:
    arguments = Arguments(
        seed=3,
        minutes=0.0,
        steps=300,
        imitation=200,
        imitation_passes=1,
        runners=0,
        num_envs=4,
        rollout=16,
        batch_size=32,
        epochs=1,
        width=4,
        blocks=0,
        threads=1,
        snapshots=2,
        snapshot_every=100,
        evaluate_every=100.0,
        evaluation_games=1,
        final_games=1,
    )
    return dataclasses.replace(arguments, **changes)


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("turm_und_waechter", ()),
        ("tzaar", ()),
        ("black_elephant", ()),
        ("zatre", ()),
        ("twenty_one", ("players=3",)),
    ],
)
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    assert_same_members: Callable[[RLlibRun], None],
    name: str,
    option: tuple[str, ...],
) -> None:
    folder = tmp_path / "run"
    compared = []
    original = RLlibRun.after_update

    def compare(self: RLlibRun, values: Any, status: str = "") -> None:
        original(self, values, status)
        compared.append(self.steps)
        assert_same_members(self)

    monkeypatch.setattr(RLlibRun, "after_update", compare)
    train(small(game=name, option=option, folder=folder))
    assert len(compared) >= 2

    spec = find_spec(name)
    game = tzaar_envs.load_game(name, **spec.parse_options(option))
    versions = json.loads((folder / "config.json").read_text())["environment"]["versions"]
    assert "ray" in versions
    records = (folder / "evaluations.jsonl").read_text().splitlines()
    assert json.loads(records[0])["steps"] == 0
    assert json.loads(records[-1])["steps"] >= 300
    for baseline in {"random", *(baseline.name for baseline in spec.baselines), "greedy"}:
        result = MatchResult.load(folder / f"result_{baseline}.json")
        assert (result.games, result.illegal_moves) == (game.num_players, 0)
    agent = make_agent(f"policy:{folder}/policy.safetensors", game)
    state = game.new_state(0)
    assert state.is_legal(agent.act(state))

    stored = torch.load(folder / "checkpoint.pt", weights_only=True)["learner"]
    assert stored["league"]["snapshots"] == len(list((folder / "snapshots").iterdir())) >= 2
    one, other = stored["weights"]["snapshot_0"], stored["weights"]["snapshot_1"]
    assert any(not torch.equal(one[key], other[key]) for key in one)


def test_an_interrupted_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    original = RLlibRun.after_update
    rates: list[float] = []

    def interrupt(self: RLlibRun, values: Any, status: str = "") -> None:
        original(self, values, status)
        rates.append(
            self._learner(lambda learner: learner.get_optimizer(LEARNER).param_groups[0]["lr"])
        )
        if self.steps >= 150:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(RLlibRun, "after_update", interrupt)
        with pytest.raises(SystemExit) as stop:
            train(small(game="twenty_one", folder=folder))
    assert stop.value.code == 130
    assert rates[0] == pytest.approx(1e-3)
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < rates[0]
    assert "nothing is lost" in capsys.readouterr().out
    stored = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert 150 <= stored["steps"] == stored["learner"]["steps"] < 300

    train(Arguments(resume=folder))
    assert f"Going on after {stored['steps']} steps" in capsys.readouterr().out
    after = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert after["steps"] >= 300
    before, now = (run["learner"]["weights"][LEARNER] for run in (stored, after))
    assert any(not torch.equal(before[key], now[key]) for key in before)
    counts = [run["learner"]["optimizer"]["state"][0]["step"] for run in (stored, after)]
    assert counts[0] < counts[1]

    # What a checkpoint holds is not trusted.
    whole = (folder / "checkpoint.pt").read_bytes()
    for name in ("snapshot_1", LEARNER):
        del after["learner"]["weights"][name]
        torch.save(after, folder / "checkpoint.pt")
        with pytest.raises(ValueError, match=r"checkpoint\.pt is no checkpoint of this run"):
            train(Arguments(resume=folder))
    torch.save(Exploit(tmp_path / "witness"), folder / "checkpoint.pt")
    with pytest.raises(ValueError, match=r"checkpoint\.pt is no checkpoint of this run"):
        train(Arguments(resume=folder))
    assert not (tmp_path / "witness").exists()
    (folder / "checkpoint.pt").write_bytes(whole)


def test_the_same_seed_gives_the_same_policy(tmp_path: Path) -> None:
    weights = []
    for name in ("one", "two"):
        train(small(game="twenty_one", folder=tmp_path / name))
        stored = torch.load(tmp_path / name / "checkpoint.pt", weights_only=True)
        weights.append(stored["learner"]["weights"])
    for member, tensors in weights[0].items():
        for key, tensor in tensors.items():
            assert torch.equal(tensor, weights[1][member][key]), (member, key)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": "tzar"}, "did you mean 'tzaar'"),
        ({"game": "tzaar", "runners": -1}, "runners=-1 is not allowed: use 0 or more"),
        ({"game": "tzaar", "snapshots": 0}, "snapshots=0 is not allowed: use more than 0"),
        ({"game": "tzaar", "snapshot_wins": 1.5}, "snapshot_wins=1.5 is not allowed"),
    ],
)
def test_wrong_arguments(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        train(small(folder=tmp_path / "run", **changes))
    assert not (tmp_path / "run").exists()
