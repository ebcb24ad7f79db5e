"""RLlib's wrapper of PettingZoo with its masked module, as the page about wrappers has it."""

import pytest
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from wrappers_page import run_example

import tzaar_envs
from tzaar_envs.wrappers import mask_location


@pytest.mark.usefixtures("local_ray")
def test_the_masked_module_learns() -> None:
    names = run_example("RLlib")
    assert names["result"]["num_env_steps_sampled_lifetime"] >= 64
    names["algorithm"].stop()


def test_the_wrapper_of_parallel_environments() -> None:
    env = ParallelPettingZooEnv(mask_location(tzaar_envs.make_parallel("twenty_one"), "rllib"))
    seen, _ = env.reset(seed=1)
    over = False
    while not over:
        assert env.observation_space.contains(seen)
        actions = {agent: int(view["action_mask"].argmax()) for agent, view in seen.items()}
        seen, _, terminated, _, _ = env.step(actions)
        over = terminated["__all__"]
