"""The doors of Gymnasium and Stable-Baselines3, used as these libraries document them."""

from __future__ import annotations

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import tzaar_envs

SMALL = "tzaar_envs/TurmUndWaechter-v0"


# --- Stable-Baselines3 ----------------------------------------------------------------------------


def test_make_vec_env_of_stable_baselines() -> None:
    env = make_vec_env(SMALL, n_envs=2, env_kwargs={"opponent": "greedy"})
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=16, n_epochs=1)
    model.learn(32)
    assert model.num_timesteps == 32
    env.close()


# --- Gymnasium ------------------------------------------------------------------------------------


def test_rows_are_called_as_those_of_sync_vector_env() -> None:
    env = gymnasium.make_vec(SMALL, num_envs=3, opponent="random", render_mode="rgb_array")
    sync = gymnasium.make_vec(SMALL, num_envs=3, vectorization_mode="sync", opponent="random")
    for each in (env, sync):
        each.reset(seed=0)
    masks = env.call("action_masks")
    assert [mask.shape for mask in masks] == [mask.shape for mask in sync.call("action_masks")]
    assert masks[0].dtype == np.bool_
    assert all(mask.any() for mask in masks)
    assert env.call("game") == env.get_attr("game") == sync.get_attr("game")
    assert env.call("closed") == (False,) * 3
    assert [picture.dtype for picture in env.call("render")] == [np.uint8] * 3
    for name in ("nonsense", "reset", "_over"):
        with pytest.raises(AttributeError, match=f"no method or attribute '{name}': the methods"):
            env.call(name)
    assert env.autoreset_mode == sync.autoreset_mode  # type: ignore[attr-defined]


# --- CleanRL --------------------------------------------------------------------------------------


def test_a_script_that_knows_no_masks_gets_its_games_by_an_id_alone() -> None:
    """Scripts of CleanRL take an id, import nothing, and play actions that may be illegal."""
    envs = SyncVectorEnv(
        [lambda: RecordEpisodeStatistics(gymnasium.make(f"tzaar_envs:{SMALL}")) for _ in range(2)]
    )
    assert isinstance(envs.single_action_space, gymnasium.spaces.Discrete)
    envs.action_space.seed(1)
    observations, _ = envs.reset(seed=1)
    returns = []
    while len(returns) < 4:
        assert observations.shape == (2, *envs.single_observation_space.shape)
        observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
        over = terminated | truncated
        assert not rewards[~over].any()
        if over.any():
            returns += infos["episode"]["r"][infos["_episode"]].tolist()
    assert set(returns) == {-1.0}  # a random action is hardly ever legal


# --- The type of observations ---------------------------------------------------------------------


def test_all_observations_of_a_game_have_the_type() -> None:
    whole, floating = tzaar_envs.make("tzaar"), tzaar_envs.make("tzaar", dtype="float32")
    for env in (whole, floating):
        env.reset(seed=1)
    assert floating.state_space.contains(floating.state())
    while floating.agents:
        for agent in floating.possible_agents:
            seen = floating.observe(agent)
            assert floating.observation_space(agent).contains(seen)
            np.testing.assert_array_equal(seen["observation"], whole.observe(agent)["observation"])
        mask = floating.last()[-1]["action_mask"]
        action = int(mask.argmax()) if mask.any() else None
        for env in (whole, floating):
            env.step(action)
    assert pickle.loads(pickle.dumps(floating)).state().dtype == np.float32


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
@pytest.mark.parametrize("copy", [True, False])
def test_all_observations_of_a_batch_have_the_type(autoreset: str, copy: bool) -> None:
    made = [
        tzaar_envs.make_vec("tzaar", 2, seed=4, autoreset=autoreset, copy=copy, dtype=dtype)
        for dtype in ("int8", "float32")
    ]
    seen = [env.reset()[0] for env in made]
    ended = 0
    for _ in range(130):
        assert seen[1].dtype == np.float32
        np.testing.assert_array_equal(*seen)
        actions = made[0].sample_actions()
        steps = [env.step(actions) for env in made]
        seen = [step[0] for step in steps]
        for last in steps[1][-1].get("final_obs", ()):
            if last is not None:
                ended += 1
                assert last.dtype == np.float32
    assert bool(ended) == (autoreset == "same_step")
