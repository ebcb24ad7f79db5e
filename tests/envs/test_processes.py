"""Environments in other processes, started in every way, also after threads have run."""

from __future__ import annotations

import multiprocessing
import os
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv
from stable_baselines3.common.vec_env import SubprocVecEnv

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.envs.single_agent import SingleAgentEnv

GAME = "tzaar"

pytestmark = pytest.mark.usefixtures("shared_rows")

ways = pytest.mark.parametrize(
    "way",
    [
        "fork",
        pytest.param("spawn", marks=pytest.mark.slow),
        pytest.param("forkserver", marks=pytest.mark.slow),
    ],
)


def run_threads() -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """Return an environment whose threads are running, which a fork does not copy."""
    env = tzaar_envs.make_vec(f"{GAME}_v0", 8, num_threads=2, seed=1)
    env.reset()
    for _ in range(5):
        env.step(env.sample_actions())
    return env


def make() -> gymnasium.Env[Any, Any]:
    return SingleAgentEnv(GAME, "greedy")


@ways
def test_async_vector_env_plays_as_one_process_does(way: str) -> None:
    threads = run_threads()
    here = gymnasium.vector.SyncVectorEnv([make, make])
    there = AsyncVectorEnv([make, make], context=way)
    found = []
    for env in (here, there):
        observations, infos = env.reset(seed=7)
        seen = [observations]
        for _ in range(12):
            observations, *_, infos = env.step(infos["action_mask"].argmax(axis=1))
            seen.append(observations)
        found.append(np.array(seen))
    assert np.array_equal(*found)
    threads.step(threads.sample_actions())  # type: ignore[attr-defined]
    for env in (there, here, threads):
        env.close()


@ways
def test_subproc_vec_env_plays_as_one_process_does(way: str) -> None:
    threads = run_threads()
    there = SubprocVecEnv([make, make], start_method=way)
    there.seed(7)
    seen = [there.reset()]
    for _ in range(12):
        actions = np.array([mask.argmax() for mask in there.env_method("action_masks")])
        seen.append(there.step(actions)[0])
    there.close()
    for number in range(2):
        env = make()
        observation, _ = env.reset(seed=7 + number)
        for step, all_seen in enumerate(seen):
            assert np.array_equal(observation, all_seen[number]), step
            mask = env.unwrapped.action_masks()  # type: ignore[attr-defined]
            observation, _, terminated, truncated, _ = env.step(mask.argmax())
            if terminated or truncated:
                observation, _ = env.reset()
    threads.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_in_the_middle_goes_on_on_both_sides() -> None:
    """Threads of a batch, a search and an environment; none of them is in the child."""
    threads = run_threads()
    game = tzaar_envs.load_game(GAME)
    state, env = game.new_state(1), tzaar_envs.make(f"{GAME}_v0")
    env.reset(seed=1)
    agents = [make_agent(text, game, 1) for text in ("mcts:simulations=20", "alphabeta:depth=1")]

    def play_on() -> list[Any]:
        env.step(int(env.last()[0]["action_mask"].argmax()))
        observations, *_ = threads.step(threads.sample_actions())  # type: ignore[attr-defined]
        return [
            int(observations.sum()),
            str(env.unwrapped.game_state),
            *(agent.act(state) for agent in agents),
        ]

    context = multiprocessing.get_context("fork")
    answers_of_children = context.Queue()
    child = context.Process(target=lambda: answers_of_children.put(play_on()))
    child.start()
    there = answers_of_children.get(timeout=300)
    child.join(60)
    assert there == play_on()
    threads.close()
