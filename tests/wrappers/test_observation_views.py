"""Wrappers that show observations and masks in another form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pettingzoo
import pytest
from aec import api_test, every_name, quiet, turns

import tzaar_envs
from tzaar_envs.wrappers.symmetries import RandomSymmetry
from tzaar_envs.wrappers.views import (
    LOCATIONS,
    ParallelObservationView,
    channels_last,
    flatten_observation,
    mask_location,
)

pytestmark = quiet

ON_A_BOARD = ["black_elephant", "turm_und_waechter", "tzaar", "zatre"]

# The key of the array in the observation, and whether the mask is in the info.
EXPECTED = {
    "pettingzoo": ("observation", True),
    "sb3": (None, True),
    "rllib": ("observations", False),
}


@every_name
@pytest.mark.parametrize("location", LOCATIONS)
def test_mask_location(name: str, location: str) -> None:
    inner = tzaar_envs.make(name)
    env = mask_location(inner, location)
    key, in_info = EXPECTED[location]
    for agent, _ in turns(env, seed=1):
        true = inner.observe(agent)
        seen, reward, terminated, truncated, info = env.last()
        assert env.observation_space(agent).contains(seen)
        assert (reward, terminated, truncated) == inner.last(observe=False)[1:4]
        array = seen if key is None else seen[key]
        np.testing.assert_array_equal(array, true["observation"])
        assert ("action_mask" in info) == in_info
        assert ("action_mask" in env.infos[agent]) == in_info
        np.testing.assert_array_equal(env.action_masks(), true["action_mask"])
        if key is not None:
            assert list(seen) == [key, "action_mask"]
            np.testing.assert_array_equal(seen["action_mask"], true["action_mask"])


@pytest.mark.parametrize("name", ON_A_BOARD)
def test_channels_last(name: str) -> None:
    inner = tzaar_envs.make(name)
    env = channels_last(inner)
    planes, rows, columns = inner.game.observation_shape
    for agent, _ in turns(env, seed=1):
        seen, true = env.last()[0], inner.observe(agent)
        assert seen["observation"].shape == (rows, columns, planes)
        assert seen["observation"].flags.c_contiguous
        np.testing.assert_array_equal(seen["observation"][..., -1], true["observation"][planes - 1])
        np.testing.assert_array_equal(seen["observation"][1, 2], true["observation"][:, 1, 2])
        np.testing.assert_array_equal(seen["action_mask"], true["action_mask"])
        assert env.observation_space(agent).contains(seen)
    highs = env.observation_space("player_0")["observation"].high
    assert highs[0, 0].tolist() == [*inner.game.layout.plane_highs]


@every_name
def test_flatten_observation(name: str) -> None:
    inner = tzaar_envs.make(name)
    env = flatten_observation(inner)
    for agent, _ in turns(env, seed=1):
        seen, true = env.last()[0], inner.observe(agent)
        np.testing.assert_array_equal(seen["observation"], true["observation"].ravel())
        np.testing.assert_array_equal(seen["action_mask"], true["action_mask"])
        assert env.observation_space(agent).contains(seen)


@every_name
def test_random_symmetry(name: str) -> None:
    """The image is what the table says, and its actions are played as those they stand for."""
    inner, plain = tzaar_envs.make(name), tzaar_envs.make(name)
    env = RandomSymmetry(inner)
    drawn = set()
    for seed in range(60):
        env.reset(seed=seed)
        plain.reset(seed=seed)
        symmetry = env.symmetry
        drawn.add(symmetry.name)
        for _ in range(6):
            agent = plain.agent_selection
            true = plain.observe(agent)
            seen, *_, info = env.last()
            expected = symmetry.apply_to_observations(true["observation"])
            np.testing.assert_array_equal(seen["observation"], expected)
            mask = symmetry.apply_to_actions(true["action_mask"])
            for shown in (seen["action_mask"], info["action_mask"]):
                np.testing.assert_array_equal(shown, mask)
            states = plain.state().reshape(-1, *plain.game.observation_shape)
            images = env.state().reshape(states.shape)
            np.testing.assert_array_equal(images, symmetry.apply_to_observations(states))
            action = int(np.flatnonzero(true["action_mask"])[-1])
            plain.step(action)
            env.step(symmetry.images_of(np.array(action)))
            assert str(inner.game_state) == str(plain.game_state)
    assert drawn == {symmetry.name for symmetry in inner.game.symmetries}


@every_name
def test_pettingzoo_accepts_the_views(name: str) -> None:
    api_test(flatten_observation(tzaar_envs.make(name)))
    api_test(RandomSymmetry(tzaar_envs.make(name)))
    if name in ON_A_BOARD:
        api_test(channels_last(tzaar_envs.make(name)))
        api_test(mask_location(channels_last(RandomSymmetry(tzaar_envs.make(name))), "rllib"))


VIEWS = [channels_last, flatten_observation, RandomSymmetry, mask_location]


@pytest.mark.parametrize("view", VIEWS)
def test_illegal_actions_fail_as_without_a_wrapper(view: Any) -> None:
    env = view(tzaar_envs.make("tzaar", illegal="raise"))
    env.reset(seed=1)
    with pytest.raises(ValueError, match="is not among the"):
        env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[0]))
    for wrong in (-1, 10_000, 1.5, "a"):
        with pytest.raises(AssertionError, match="action is not in action space"):
            env.step(wrong)


# --- Parallel environments ------------------------------------------------------------------------


@pytest.mark.parametrize("location", LOCATIONS)
def test_mask_location_of_a_parallel_environment(location: str) -> None:
    env: Any = mask_location(tzaar_envs.make_parallel("twenty_one"), location)
    assert isinstance(env, ParallelObservationView)
    assert isinstance(env, pettingzoo.ParallelEnv)
    key, in_info = EXPECTED[location]
    rng = np.random.default_rng(1)
    seen, infos = env.reset(seed=1)
    while env.agents:
        true, _ = env.unwrapped._observe_all()
        for agent in env.agents:
            assert env.observation_space(agent).contains(seen[agent])
            assert ("action_mask" in infos[agent]) == in_info
            array = seen[agent] if key is None else seen[agent][key]
            np.testing.assert_array_equal(array, true[agent]["observation"])
            assert array.dtype == (np.float32 if location == "rllib" else np.int8)
            if key is not None:
                mask = seen[agent]["action_mask"]
                np.testing.assert_array_equal(mask, true[agent]["action_mask"])
        actions = {
            agent: int(rng.choice(np.flatnonzero(true[agent]["action_mask"])))
            for agent in env.agents
        }
        seen, _, terminated, _, infos = env.step(actions)
    assert all(terminated.values())
    assert all("score" in info for info in infos.values())
