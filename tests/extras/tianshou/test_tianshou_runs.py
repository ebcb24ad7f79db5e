"""DQN and PPO of Tianshou: masks, targets and rewards, and whole runs in small."""

import dataclasses
import json
import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from exploit import Exploit
from tianshou.data import Batch, VectorReplayBuffer
from tianshou.env import PettingZooEnv
from variants import make_env

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.network import NetworkShape, PolicyNetwork
from tzaar_envs.arena import MatchResult
from tzaar_envs.registry import find_spec
from tzaar_envs.training import tianshou_dqn, tianshou_ppo
from tzaar_envs.training.q_values import q_values
from tzaar_envs.training.run_folder import RunFolder
from tzaar_envs.training.tianshou_policies import Actor, QPolicy
from tzaar_envs.training.tianshou_run import TianshouRun

SCRIPTS = pytest.mark.parametrize("script", [tianshou_dqn, tianshou_ppo], ids=["dqn", "ppo"])


def small(script: ModuleType, **changes: object) -> Any:
    own: dict[str, object] = {"epochs": 2}
    if script is tianshou_dqn:
        own = {"gradient_steps": 2, "buffer_size": 256, "learning_starts": 64, "target_every": 3}
    arguments = script.Arguments(
        seed=3,
        minutes=0.0,
        steps=512,
        imitation=0,
        num_envs=8,
        rollout=16,
        batch_size=64,
        width=8,
        blocks=1,
        threads=1,
        snapshot_every=128,
        evaluate_every=100.0,
        evaluation_games=2,
        final_games=2,
        **own,
    )
    return dataclasses.replace(arguments, **changes)


def new_run(script: ModuleType, folder: Path, **changes: object) -> Any:
    """Return a run that is built but does not learn."""
    settings = small(script, **changes)
    kept = RunFolder(folder)
    kept.create()
    kind = tianshou_dqn.TianshouDQNRun if script is tianshou_dqn else tianshou_ppo.TianshouPPORun
    run = kind(settings, settings.load_game(), kept)
    run.build()
    return run


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
@SCRIPTS
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: ModuleType,
    game: str,
    option: tuple[str, ...],
    imitation: int,
    teacher: str,
) -> None:
    collect, collected = TianshouRun.collect, []

    def checked(self: Any, buffer: VectorReplayBuffer) -> None:
        collect(self, buffer)
        stored = buffer[buffer.sample_indices(0)]
        assert stored.obs.mask[np.arange(len(stored)), stored.act].all()
        assert (stored.obs_next.mask.any(axis=1) | stored.terminated).all()
        assert not stored.truncated.any()
        collected.append(len(stored))

    monkeypatch.setattr(TianshouRun, "collect", checked)
    folder = tmp_path / "run"
    settings = small(script, game=game, option=option, imitation=imitation, teacher=teacher)
    script.train(dataclasses.replace(settings, folder=folder))

    # PPO learns from each rollout once, DQN remembers 256 decisions.
    assert collected == ([128] * 4 if script is tianshou_ppo else [128, 256, 256, 256])
    config = json.loads((folder / "config.json").read_text())
    assert (config["algorithm"], config["arguments"]["seed"]) == (script.Arguments.algorithm, 3)
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert list((folder / "tensorboard").glob("events.out.tfevents.*"))
    lines = (folder / "evaluations.jsonl").read_text().splitlines()
    assert [json.loads(line)["steps"] for line in lines] == [0, 512] if imitation else [512]
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


def test_illegal_actions_have_no_probability_and_no_gradient() -> None:
    game = tzaar_envs.load_game("twenty_one")
    network = PolicyNetwork(NetworkShape.for_game(game, 8, 1))
    state = game.new_state(0)
    mask = state.legal_mask().astype(np.bool_)
    seen = Batch(obs=state.observation(0)[None], mask=mask[None])
    logits, _ = Actor(network)(seen)
    distribution = torch.distributions.Categorical(logits=logits)
    assert (distribution.probs[0, ~mask] == 0).all()
    assert (distribution.probs[0, mask] > 0).all()
    assert torch.isfinite(distribution.entropy()).all()
    logits.retain_grad()
    (distribution.entropy() + distribution.log_prob(torch.tensor([mask.argmax()]))).sum().backward()
    plain = network.policy.bias.grad
    assert torch.isfinite(plain).all()
    assert (plain[~mask] == 0).all()


def test_exploration_is_legal_and_as_frequent_as_told() -> None:
    game = tzaar_envs.load_game("twenty_one")
    network = PolicyNetwork(NetworkShape.for_game(game, 8, 1))
    space = make_env(game).action_space("player_0")
    policy = QPolicy(model=network, action_space=space, seed=0)
    state = game.new_state(0)
    masks = np.repeat(state.legal_mask()[None].astype(np.bool_), 2000, axis=0)
    legal = masks[0].nonzero()[0]
    asked = Batch(obs=Batch(mask=masks))
    greedy = np.full(2000, legal[0])
    policy.set_eps_training(0.5)
    actions = policy.add_exploration_noise(greedy, asked)
    assert masks[np.arange(2000), actions].all()
    assert set(actions) == set(legal)
    expected = 2000 * (0.5 + 0.5 / len(legal))
    assert (actions == legal[0]).sum() == pytest.approx(expected, abs=100)
    policy.set_eps_training(0.0)
    assert (policy.add_exploration_noise(greedy, asked) == greedy).all()


def test_targets_are_those_of_double_dqn_over_legal_actions(tmp_path: Path) -> None:
    run = new_run(tianshou_dqn, tmp_path, game="twenty_one", rollout=80, gamma=0.9)
    buffer = run.new_buffer(8 * 80)
    run.collect(buffer)
    target = run.algorithm.model_old.module
    with torch.no_grad():
        for parameter in target.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    batch, indices = buffer.sample(300)
    assert batch.terminated.any()
    returns = run.algorithm._preprocess_batch(batch, buffer, indices).returns.flatten()
    with torch.no_grad():
        for row in range(300):
            expected = torch.tensor(batch.rew[row])
            if not batch.terminated[row]:
                seen = torch.from_numpy(batch.obs_next.obs[row][None])
                mask = torch.from_numpy(batch.obs_next.mask[row][None])
                chosen = q_values(run.learner, seen, mask)[0].argmax()
                assert mask[0, chosen]
                expected = expected + 0.9 * q_values(target, seen, mask)[0, chosen]
            assert returns[row].item() == pytest.approx(expected.item(), abs=1e-5)


def test_shaping_adds_the_growth_of_the_evaluation(tmp_path: Path) -> None:
    rewards, ends, first = {}, {}, None
    for shaping in (0.0, 0.5):
        folder = tmp_path / str(shaping)
        run = new_run(
            tianshou_dqn, folder, game="twenty_one", rollout=80, gamma=1.0, shaping=shaping
        )
        first = run._potentials.copy()
        buffer = run.new_buffer(8 * 80)
        run.collect(buffer)
        stored = buffer[np.arange(8 * 80)]
        rewards[shaping] = stored.rew.reshape(8, 80)
        ends[shaping] = stored.terminated.reshape(8, 80)
    assert np.array_equal(ends[0.0], ends[0.5])  # the same games
    assert set(np.unique(rewards[0.0])) <= {-1.0, 0.0, 1.0}
    assert (rewards[0.0][~ends[0.0]] == 0).all()
    assert first.any()
    for row in range(8):
        game = slice(0, ends[0.0][row].argmax() + 1)
        gained = rewards[0.5][row, game].sum() - rewards[0.0][row, game].sum()
        assert gained == pytest.approx(-0.5 * first[row])  # a finished game counts 0


@SCRIPTS
def test_an_interrupted_run_goes_on(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    script: ModuleType,
) -> None:
    folder = tmp_path / "run"
    original = TianshouRun.collect

    def interrupt(self: Any, buffer: VectorReplayBuffer) -> None:
        if self.steps == 256:
            raise KeyboardInterrupt
        original(self, buffer)

    with monkeypatch.context() as patch:
        patch.setattr(TianshouRun, "collect", interrupt)
        with pytest.raises(SystemExit) as stop:
            script.train(small(script, game="tzaar", folder=folder))
    assert stop.value.code == 130
    assert "Stopped after 256 steps; nothing is lost" in capsys.readouterr().out
    stored = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert stored["steps"] == 256

    script.train(script.Arguments(resume=folder))
    assert "Going on after 256 steps" in capsys.readouterr().out
    after = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert after["steps"] == 512
    assert any(
        not torch.equal(after["learner"]["network"][name], tensor)
        for name, tensor in stored["learner"]["network"].items()
    )


@SCRIPTS
def test_a_checkpoint_runs_no_code(tmp_path: Path, script: ModuleType) -> None:
    folder = tmp_path / "run"
    script.train(small(script, game="twenty_one", folder=folder, steps=128))
    other = torch.load(folder / "checkpoint.pt", weights_only=True)
    other["learner"]["schedule"]["stage"] = 9
    for damage in (
        lambda path: torch.save(Exploit(tmp_path / "witness"), path),
        lambda path: path.write_bytes(pickle.dumps(Exploit(tmp_path / "witness"), 2)),
        lambda path: torch.save({"policy": {}}, path),
        lambda path: torch.save(other, path),
    ):
        damage(folder / "checkpoint.pt")
        with pytest.raises(ValueError, match=r"checkpoint\.pt is no checkpoint of this run"):
            script.train(script.Arguments(resume=folder))
    assert not (tmp_path / "witness").exists()


@SCRIPTS
def test_the_same_seed_gives_the_same_policy(tmp_path: Path, script: ModuleType) -> None:
    policies = []
    for name in ("one", "two"):
        # Evaluations follow the clock; they must not change what is learnt.
        every = 0.001 if name == "one" else 100.0
        folder = tmp_path / name
        script.train(small(script, game="twenty_one", folder=folder, evaluate_every=every))
        stored = torch.load(folder / "checkpoint.pt", weights_only=True)
        policies.append(stored["learner"]["network"])
    for name, tensor in policies[0].items():
        assert torch.equal(tensor, policies[1][name]), name


@pytest.mark.parametrize("name", ["tzaar", "twenty_one"])
def test_the_wrapper_of_tianshou_plays_legal_moves(name: str) -> None:
    game = tzaar_envs.load_game(name)
    env = PettingZooEnv(make_env(game, illegal="raise"))
    rng = np.random.default_rng(0)
    seen, _ = env.reset(seed=1)
    over, plies = False, 0
    while not over:
        legal = np.flatnonzero(seen["mask"])
        assert 0 < len(legal) < game.num_actions
        seen, rewards, terminated, truncated, _ = env.step(int(rng.choice(legal)))
        over, plies = terminated or truncated, plies + 1
    assert 0 < plies <= game.max_plies
    assert sum(rewards) == 0
