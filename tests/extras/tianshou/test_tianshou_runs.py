"""DQN and PPO of Tianshou: masks, targets and rewards, and whole runs in small."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tianshou.data import Batch
from training_runs import Script, ctrl_c, differing, evaluated_steps, nth_call, some_games

import tzaar_envs
from tzaar_envs.networks.network import PolicyNetwork
from tzaar_envs.networks.shapes import NetworkShape
from tzaar_envs.training import tianshou_dqn, tianshou_ppo
from tzaar_envs.training.tianshou_ppo import Actor, collect

SMALL = {"num_envs": 8, "rollout": 16, "batch_size": 64, "snapshot_every": 128}
DQN_SCRIPT = Script(
    tianshou_dqn.train,
    tianshou_dqn.TianshouDqnArguments,
    **SMALL,
    gradient_steps=2,
    buffer_size=256,
    learning_starts=64,
)
PPO_SCRIPT = Script(tianshou_ppo.train, tianshou_ppo.TianshouPpoArguments, **SMALL, epochs=2)

every_script = pytest.mark.parametrize("script", [DQN_SCRIPT, PPO_SCRIPT], ids=["dqn", "ppo"])


@some_games
@every_script
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Script, changes: dict[str, Any]
) -> None:
    collected = []

    def checked(env: Any, policy: Any, steps: int, buffer: Any) -> int:
        decisions = collect(env, policy, steps, buffer)
        stored = buffer[buffer.sample_indices(0)]
        assert stored.obs.mask[np.arange(len(stored)), stored.act].all()
        assert not stored.truncated.any()
        collected.append(len(stored))
        return decisions

    monkeypatch.setattr(tianshou_ppo, "collect", checked)
    monkeypatch.setattr(tianshou_dqn, "collect", checked)
    folder = tmp_path / "run"
    script.train(folder, **changes)

    # PPO learns from each rollout once, DQN remembers 256 decisions.
    assert collected == ([128] * 4 if script is PPO_SCRIPT else [128, 256, 256, 256])
    assert evaluated_steps(folder) == [0, 512]
    script.assert_left_a_policy_that_plays(folder, **changes)


def test_illegal_actions_have_no_probability_and_no_gradient() -> None:
    game = tzaar_envs.load_game("twenty_one")
    network, state = PolicyNetwork(NetworkShape.for_game(game, 8, 1)), game.new_state(0)
    mask = state.legal_mask() > 0
    logits, _ = Actor(network)(Batch(obs=state.observation(0)[None], mask=mask[None]))
    distribution = torch.distributions.Categorical(logits=logits)
    assert ((distribution.probs[0].detach().numpy() > 0) == mask).all()
    (distribution.entropy() + distribution.log_prob(torch.tensor([mask.argmax()]))).sum().backward()
    gradient = network.policy.bias.grad
    assert torch.isfinite(gradient).all()
    assert (gradient[~mask] == 0).all()


@every_script
def test_an_interrupted_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], script: Script
) -> None:
    folder = tmp_path / "run"
    module = tianshou_ppo if script is PPO_SCRIPT else tianshou_dqn
    with ctrl_c(module, "collect", nth_call(3)):
        stored = script.train_until_stopped(folder, capsys, game="tzaar")
    assert stored["steps"] == 256

    after = script.resume_after(stored, folder, capsys)
    assert after["steps"] == 512
    assert differing(after["learner"]["network"], stored["learner"]["network"])
