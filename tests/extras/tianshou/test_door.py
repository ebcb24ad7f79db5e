"""Tianshou's own wrapper of PettingZoo, as the page about wrappers has it."""

import gymnasium
import pytest
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tutorials import run_section, sections
from wrappers_page import run_example

import tzaar_envs


def test_the_example() -> None:
    names = run_example("Tianshou")
    envs, observations = names["envs"], names["observations"]
    actions = [
        int(max(range(len(seen["mask"])), key=seen["mask"].__getitem__)) for seen in observations
    ]
    observations, rewards, *_ = envs.step(actions)
    assert rewards.shape == (2, 2)


@pytest.mark.parametrize("name", ["black_elephant", "zatre"])
def test_buffers_take_whole_games(name: str) -> None:
    """Tianshou refuses what is not a number in some step and a number in others."""
    envs = DummyVectorEnv([lambda: PettingZooEnv(tzaar_envs.make(name, illegal="raise"))] * 2)
    envs.seed(1)
    spaces = PettingZooEnv(tzaar_envs.make(name))
    players = [
        MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=spaces.action_space)
        for _ in spaces.agents
    ]
    policy = MultiAgentOffPolicyAlgorithm(algorithms=players, env=spaces)
    collector = Collector(policy, envs, VectorReplayBuffer(4000, 2), raise_on_nan_in_buffer=True)
    collector.reset()
    assert collector.collect(n_episode=3).n_collected_episodes == 3
    assert "score" in collector.buffer.info.get_keys()


def test_buffers_take_games_against_opponents() -> None:
    envs = DummyVectorEnv([lambda: gymnasium.make("tzaar_envs/TwentyOne-v0")] * 2)
    envs.seed(1)
    buffer = VectorReplayBuffer(2000, 2)
    observations, infos = envs.reset()
    ended = 0
    while ended < 3:
        actions = [int(info["action_mask"].argmax()) for info in infos]
        following, rewards, terminated, truncated, infos = envs.step(actions)
        ends = {"terminated": terminated, "truncated": truncated}
        buffer.add(
            Batch(
                obs=observations, act=actions, rew=rewards, obs_next=following, info=infos, **ends
            )
        )
        over = terminated | truncated
        ended += over.sum()
        observations = following
        if over.any():
            observations, infos = observations.copy(), infos.copy()
            observations[over], infos[over] = envs.reset(over.nonzero()[0])
    assert not buffer.hasnull()
    assert buffer.info.scores.shape == (2000, 2)


def test_the_section_of_the_tutorial() -> None:
    assert run_section(sections("train.md")["Tianshou"], {"__name__": "tutorial"}) == 1
