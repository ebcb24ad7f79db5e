"""PPO of TorchRL: what is learnt from, and whole runs in small."""

import dataclasses
import json
import pickle
from pathlib import Path

import pytest
import torch
from exploit import Exploit
from tensordict import TensorDict

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.arena import MatchResult
from tzaar_envs.registry import find_spec
from tzaar_envs.training.torchrl_ppo import Arguments, TorchRLRun, train


def small(**changes: object) -> Arguments:
    arguments = Arguments(
        seed=3,
        minutes=0.0,
        steps=512,
        imitation=0,
        num_envs=8,
        rollout=16,
        batch_size=64,
        epochs=2,
        width=8,
        blocks=1,
        threads=1,
        evaluate_every=100.0,
        evaluation_games=2,
        final_games=2,
    )
    return dataclasses.replace(arguments, **changes)


@pytest.mark.parametrize(
    ("game", "option", "imitation", "teacher"),
    [
        ("turm_und_waechter", (), 0, "greedy"),
        ("tzaar_v0", (), 200, "greedy"),
        ("black_elephant", (), 0, "greedy"),
        ("zatre", (), 0, "greedy"),
        ("twenty_one", ("players=3", "deal=random"), 200, "optimal-solo"),
    ],
)
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    game: str,
    option: tuple[str, ...],
    imitation: int,
    teacher: str,
) -> None:
    join, learnt = TorchRLRun._join, []

    def checked(self: TorchRLRun, collected: TensorDict) -> TensorDict:
        # Games are played by the present network, also after it has learnt.
        now = self.actor.get_dist(collected.select("observation", "action_mask").flatten())
        probabilities = now.log_prob(collected["action"].flatten())
        assert torch.allclose(probabilities, collected["action_log_prob"].flatten(), atol=1e-4)
        decisions = join(self, collected)
        legal = decisions["action_mask"].gather(1, decisions["action"][:, None])
        assert legal.all()
        assert (decisions["player"] >= 0).all()
        assert decisions["advantage"].isfinite().all()
        assert (decisions["action_log_prob"] <= 0).all()
        waiting = int((self.waiting["player"] >= 0).sum())
        learnt.append((len(decisions), waiting))
        return decisions

    monkeypatch.setattr(TorchRLRun, "_join", checked)
    folder = tmp_path / "run"
    train(small(game=game, option=option, imitation=imitation, teacher=teacher, folder=folder))

    assert len(learnt) == 4
    before = 0
    for decisions, waiting in learnt:  # nothing is lost, nothing counts twice
        assert decisions + waiting == 8 * 16 + before
        before = waiting
    config = json.loads((folder / "config.json").read_text())
    assert (config["algorithm"], config["arguments"]["seed"]) == ("torchrl", 3)
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert list((folder / "tensorboard").glob("events.out.tfevents.*"))
    spec = find_spec(game)
    loaded = tzaar_envs.load_game(game, **spec.parse_options(option))
    for baseline in ("random", *(own.name for own in spec.baselines), "greedy"):
        result = MatchResult.load(folder / f"result_{baseline}.json")
        assert (result.games, result.illegal_moves) == (2 * loaded.num_players, 0)
        assert result.exceptions == 0
    agent = make_agent(f"policy:{folder}/policy.safetensors", loaded)
    state = loaded.new_state(0)
    while not state.is_terminal:
        state.apply(agent.act(state))  # refuses what is illegal


def test_a_decision_is_rewarded_by_what_its_own_seat_receives(tmp_path: Path) -> None:
    """Two games by hand: seat 0 ends the first, the second goes on; no discount, no network."""
    run = TorchRLRun.__new__(TorchRLRun)
    run.settings = small(gamma=1.0, gae_lambda=1.0, num_envs=2, folder=tmp_path)
    run.game = tzaar_envs.load_game("turm_und_waechter")
    run.waiting = None

    def rollout(players: list[list[int]], ends: list[list[bool]]) -> TensorDict:
        shape = (2, len(players[0]))
        over = torch.tensor(ends)
        entries = {
            "player": torch.tensor(players),
            "action": torch.arange(shape[0] * shape[1]).reshape(shape),
            "observation": torch.zeros(*shape, 1, dtype=torch.int8),
            "action_mask": torch.ones(*shape, 9, dtype=torch.bool),
            "action_log_prob": torch.zeros(shape),
            "state_value": torch.zeros(*shape, 1),
        }
        rewards = torch.where(over[..., None], torch.tensor([1.0, -1.0]), 0.0)
        following = TensorDict({"rewards": rewards, "done": over[..., None]}, shape)
        return TensorDict(entries | {"next": following}, shape)

    first = run._join(rollout([[0, 1, 0], [0, 1, 0]], [[False, False, True], [False] * 3]))
    assert first["player"].tolist() == [0, 1, 0, 0]
    assert first["advantage"][:, 0].tolist() == [1.0, -1.0, 1.0, 0.0]
    assert run.waiting["player"].tolist() == [[-1, -1], [0, 1]]
    assert run.waiting["action"][1].tolist() == [5, 4]
    second = run._join(rollout([[0], [1]], [[False], [True]]))
    assert second["player"].tolist() == [0, 1, 1]
    assert second["value_target"][:, 0].tolist() == [1.0, -1.0, -1.0]
    assert run.waiting["player"].tolist() == [[0, -1], [-1, -1]]


def test_an_interrupted_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    original = TorchRLRun._join

    def interrupt(self: TorchRLRun, collected: TensorDict) -> TensorDict:
        if self.steps == 256:
            raise KeyboardInterrupt
        return original(self, collected)

    with monkeypatch.context() as patch:
        patch.setattr(TorchRLRun, "_join", interrupt)
        with pytest.raises(SystemExit) as stop:
            train(small(game="tzaar", folder=folder))
    assert stop.value.code == 130
    assert "Stopped after 256 steps; nothing is lost" in capsys.readouterr().out
    stored = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert stored["steps"] == 256

    train(Arguments(resume=folder))
    assert "Going on after 256 steps" in capsys.readouterr().out
    after = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert after["steps"] == 512
    assert any(
        not torch.equal(after["learner"]["network"][name], tensor)
        for name, tensor in stored["learner"]["network"].items()
    )


def test_a_checkpoint_runs_no_code(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    train(small(game="twenty_one", folder=folder, steps=128))
    for damage in (
        lambda path: torch.save(Exploit(tmp_path / "witness"), path),
        lambda path: path.write_bytes(pickle.dumps(Exploit(tmp_path / "witness"), 2)),
        lambda path: torch.save({"policy": {}}, path),
    ):
        damage(folder / "checkpoint.pt")
        with pytest.raises(ValueError, match=r"checkpoint\.pt is no checkpoint of this run"):
            train(Arguments(resume=folder))
    assert not (tmp_path / "witness").exists()


def test_the_same_seed_gives_the_same_policy(tmp_path: Path) -> None:
    policies = []
    for name in ("one", "two"):
        # Evaluations follow the clock; they must not change what is learnt.
        every = 0.001 if name == "one" else 100.0
        train(small(game="twenty_one", folder=tmp_path / name, evaluate_every=every))
        stored = torch.load(tmp_path / name / "checkpoint.pt", weights_only=True)
        policies.append(stored["learner"]["network"])
    for name, tensor in policies[0].items():
        assert torch.equal(tensor, policies[1][name]), name
