"""The policy of sb3-contrib: legal actions only, and the probabilities that it says."""

import numpy as np
import pytest
import torch

import tzaar_envs
from tzaar_envs.networks.network import network_of
from tzaar_envs.networks.shapes import NetworkShape
from tzaar_envs.training.sb3_maskable_ppo import NetworkPolicy
from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

GAME = tzaar_envs.load_game("turm_und_waechter")


@pytest.fixture
def env() -> SingleAgentVecEnv:
    env = SingleAgentVecEnv(GAME, "random", 64, seed=1)
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(5):
        masks = env.action_masks()
        env.step((masks * rng.random(masks.shape)).argmax(axis=1))
    return env


@pytest.fixture
def policy(env: SingleAgentVecEnv) -> NetworkPolicy:
    torch.manual_seed(0)
    shape = NetworkShape.for_game(GAME, 8, 1, turned=True)
    policy = NetworkPolicy(
        env.observation_space,
        env.action_space,
        lambda _: 1e-3,
        new_network=lambda: network_of(shape, GAME),
    )
    torch.nn.init.normal_(policy.network.policy.parts[0].weight)  # type: ignore[union-attr, arg-type]
    return policy


def test_actions_are_legal_and_as_likely_as_it_says(
    env: SingleAgentVecEnv, policy: NetworkPolicy
) -> None:
    seen, masks = torch.from_numpy(env.games.batch.observations.copy()), env.action_masks().copy()
    rows = np.arange(64)
    actions, values, likely = policy(seen, action_masks=masks)
    assert masks[rows, actions].all()
    again, logs, entropies = policy.evaluate_actions(
        seen.float(), actions, action_masks=torch.from_numpy(masks).float()
    )
    assert torch.allclose(again, values)
    assert torch.allclose(logs, likely, atol=1e-5)
    logits = policy.network(seen)[0].masked_fill(~torch.from_numpy(masks), -torch.inf)
    distribution = torch.distributions.Categorical(logits=logits)
    assert torch.allclose(distribution.log_prob(actions), likely, atol=1e-4)
    assert torch.allclose(distribution.entropy(), entropies, atol=1e-4)
    assert torch.allclose(policy.predict_values(seen), values)
