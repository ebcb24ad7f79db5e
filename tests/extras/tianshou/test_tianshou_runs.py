"""DQN and PPO of Tianshou: masks, targets and rewards, and whole runs in small."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, VectorReplayBuffer
from training_runs import Script, ctrl_c, differing, evaluated_steps, nth_call, some_games
from variants import make_env

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.networks.network import PolicyNetwork
from tzaar_envs.networks.shapes import NetworkShape
from tzaar_envs.training import tianshou_dqn, tianshou_ppo
from tzaar_envs.training.common.opponents import OpponentSchedule
from tzaar_envs.training.common.q_values import q_values
from tzaar_envs.training.tianshou_dqn import DQV, SoftmaxPolicy
from tzaar_envs.training.tianshou_ppo import Actor, Critic, collect
from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

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


def new_games(game: Game, **changes: float) -> tuple[SingleAgentVecEnv, OpponentSchedule]:
    """Return eight games against `random`, and their schedule."""
    env = SingleAgentVecEnv(game, ["random"], 8, seed=3, **{"shaping": 0.5, "gamma": 0.9} | changes)
    env.reset()
    return env, OpponentSchedule(env.pool, env.pool.agents, snapshot_every=0)


def new_q_policy(game: Game) -> SoftmaxPolicy:
    """Return a policy with a fresh network."""
    torch.manual_seed(3)
    network = PolicyNetwork(NetworkShape.for_game(game, 8, 1))
    return SoftmaxPolicy(
        model=network, action_space=make_env(game).action_space("player_0"), seed=0
    )


@some_games
@every_script
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Script, changes: dict[str, Any]
) -> None:
    collected = []

    def checked(env: Any, schedule: Any, policy: Any, steps: int, buffer: Any) -> int:
        decisions = collect(env, schedule, policy, steps, buffer)
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


def test_exploration_is_legal_and_follows_the_temperature() -> None:
    game = tzaar_envs.load_game("twenty_one")
    policy, state = new_q_policy(game), game.new_state(0)
    seen = Batch(
        obs=np.repeat(state.observation(0)[None], 1000, axis=0),
        mask=np.repeat(state.legal_mask()[None] > 0, 1000, axis=0),
    )
    policy.temperature = 1e3
    drawn = policy(Batch(obs=seen, info=Batch())).act
    assert np.unique(drawn).tolist() == state.legal_actions().tolist()
    policy.temperature = 0.0
    answer = policy(Batch(obs=seen, info=Batch()))
    assert (answer.act == answer.logits.argmax(dim=1).numpy()).all()


@pytest.mark.parametrize("n_steps", [1, 3])
def test_targets_are_rewards_and_the_value_of_the_later_position(n_steps: int) -> None:
    game = tzaar_envs.load_game("twenty_one")
    (env, schedule), policy = new_games(game), new_q_policy(game)
    algorithm = DQV(
        policy=policy,
        optim=AdamOptimizerFactory(1e-3),
        gamma=0.9,
        n_step_return_horizon=n_steps,
        advantage_weight=10.0,
    )
    buffer = VectorReplayBuffer(8 * 80, 8, random_seed=3)
    collect(env, schedule, policy, 80, buffer)
    batch, indices = buffer.sample(300)
    assert batch.terminated.any()
    targets = algorithm._preprocess_batch(batch, buffer, indices)
    lengths = set()

    def expected(place: int, limit: int) -> float:
        """Return the target of a decision, of so many decisions at most."""
        # Each of the eight games has 80 places of the buffer, of which the last is the newest.
        total, length = 0.0, 0
        while True:
            total += 0.9**length * buffer.rew[place]
            length += 1
            if length == limit or buffer.terminated[place] or place % 80 == 79:
                break
            place += 1
        lengths.add(length)
        if buffer.terminated[place]:
            return total
        _, value = policy.model(torch.from_numpy(buffer.obs_next.obs[place][None]))
        return total + 0.9**length * value.item()

    for row, place in enumerate(indices):
        assert targets.action_returns[row].item() == pytest.approx(expected(place, 1), abs=1e-5)
        assert targets.returns[row].item() == pytest.approx(expected(place, n_steps), abs=1e-5)
    assert max(lengths) == n_steps

    # The errors of a step: of values, and of the advantages of what was played.
    seen, masks = torch.from_numpy(batch.obs.obs), torch.from_numpy(batch.obs.mask)
    with torch.no_grad():
        _, values = policy.model(seen)
        played = q_values(policy.model, seen, masks).gather(1, torch.from_numpy(batch.act)[:, None])
    value_errors = targets.returns - values
    errors = (value_errors**2).mean() + 10.0 * ((targets.action_returns - played) ** 2).mean()
    before = [parameter.clone() for parameter in policy.model.parameters()]
    assert algorithm._update_with_batch(batch).loss == pytest.approx(errors.item(), rel=1e-4)
    assert any(
        (old != new).any() for old, new in zip(before, policy.model.parameters(), strict=True)
    )


def test_the_critic_keeps_no_value_of_other_positions_or_weights() -> None:
    game = tzaar_envs.load_game("twenty_one")
    network = PolicyNetwork(NetworkShape.for_game(game, 8, 1))
    actor = Actor(network)
    critic = Critic(actor)
    mask = game.new_state(0).legal_mask()[None] > 0
    seen, other = (
        Batch(obs=np.full((1, *game.observation_shape), value, np.int8), mask=mask)
        for value in (0, 3)
    )
    actor(seen)
    assert torch.equal(critic(seen), network(torch.from_numpy(seen.obs))[1])
    actor(seen)
    assert torch.equal(critic(other), network(torch.from_numpy(other.obs))[1])
    with torch.no_grad():
        [parameter.add_(0.1) for parameter in network.parameters()]
    assert torch.equal(critic(seen), network(torch.from_numpy(seen.obs))[1])
    actor(seen)
    with torch.no_grad():
        assert not critic(seen).requires_grad


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


@every_script
def test_the_same_seed_gives_the_same_policy(tmp_path: Path, script: Script) -> None:
    one, two = script.train_twice(tmp_path, game="twenty_one")
    assert not differing(one["network"], two["network"])
