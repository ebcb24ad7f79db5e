"""Copies and pickles in the middle of a game, of every environment and wrapper."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from copies import in_every_way

import tzaar_envs
from tzaar_envs.envs.single_agent import SingleAgentEnv, SingleAgentVectorEnv
from tzaar_envs.wrappers import (
    RandomSymmetry,
    RecordGames,
    RecordTransitions,
    RecordVectorTransitions,
    SingleAgentVecEnv,
    SymmetryAugmentation,
    channels_last,
    flatten_observation,
    mask_location,
)

GAME = "tzaar_v0"

Env = Any
VIEWS: dict[str, Callable[[Env, Path], Env]] = {
    "none": lambda env, folder: env,
    "channels_last": lambda env, folder: channels_last(env),
    "flatten_observation": lambda env, folder: flatten_observation(env),
    "mask_location": lambda env, folder: mask_location(env, "rllib"),
    "RandomSymmetry": lambda env, folder: RandomSymmetry(env),
    "RecordTransitions": lambda env, folder: RecordTransitions(env),
    "RecordGames": lambda env, folder: RecordGames(env, folder / "games.jsonl"),
    "several": lambda env, folder: mask_location(RecordTransitions(RandomSymmetry(env)), "rllib"),
}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray) and one.dtype != object:
        return bool(np.array_equal(one, other))
    return isinstance(one, np.ndarray) or one == other


def play(env: Env, plies: int, seed: int) -> list[Any]:
    """Play random legal actions; return what was seen."""
    rng, seen = np.random.default_rng(seed), []
    for _ in range(plies):
        result = env.last()
        seen.append((env.agent_selection, *result))
        if result[2] or result[3]:
            env.step(None)
            continue
        mask = env.unwrapped.game_state.legal_mask()
        action = int(rng.choice(mask.nonzero()[0]))
        if (symmetry := getattr(env, "symmetry", None)) is not None:
            action = int(np.flatnonzero(symmetry.actions == action)[0])
        env.step(action)
    return seen


@in_every_way
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_copies_play_the_same_game_and_leave_each_other_alone(
    view: Callable[[Env, Path], Env], copied: Callable[[Env], Env], tmp_path: Path
) -> None:
    env = view(tzaar_envs.make(GAME), tmp_path)
    env.reset(seed=3)
    play(env, 7, 1)
    twin = copied(env)
    before = str(env.unwrapped.game_state)
    seen = play(twin, 9, 2)
    assert str(env.unwrapped.game_state) == before
    assert same(play(env, 9, 2), seen)
    play(env, 1, 3)
    assert str(twin.unwrapped.game_state) != str(env.unwrapped.game_state)
    twin.reset(seed=4)
    assert twin.last() is not None


def single(env: Env, steps: int) -> list[Any]:
    seen = []
    for _ in range(steps):
        seen.append(env.step(int(env.action_masks().argmax())))
        if seen[-1][2] or seen[-1][3]:
            seen.append(env.reset())
    return seen


def many(env: Env, steps: int) -> list[Any]:
    seen = []
    for _ in range(steps):
        masks = env.batch.masks if hasattr(env, "batch") else env.env.batch.masks
        seen.append(env.step(masks.argmax(axis=1)))
    return seen


def parallel(env: Env, steps: int) -> list[Any]:
    seen = []
    for _ in range(steps):
        masks = {agent: env.game_state.legal_mask_of(int(agent[-1])) for agent in env.acting}
        seen.append(env.step({agent: int(mask.argmax()) for agent, mask in masks.items()}))
    return seen


def sb3(env: Env, steps: int) -> list[Any]:
    return [env.step(env.action_masks().argmax(axis=1)) for _ in range(steps)]


BATCHES: dict[str, tuple[Callable[[], Env], Callable[[Env, int], list[Any]]]] = {
    "SingleAgentEnv": (lambda: SingleAgentEnv("tzaar", "greedy"), single),
    "SingleAgentVectorEnv": (lambda: SingleAgentVectorEnv("tzaar", "greedy", num_envs=3), many),
    "make_parallel": (lambda: tzaar_envs.make_parallel("twenty_one", players=3), parallel),
    "make_vec": (lambda: tzaar_envs.make_vec(GAME, 3, num_threads=2), many),
    "RecordVectorTransitions": (
        lambda: RecordVectorTransitions(tzaar_envs.make_vec(GAME, 3)),
        many,
    ),
    "SingleAgentVecEnv": (
        lambda: SingleAgentVecEnv(tzaar_envs.load_game("tzaar"), ["greedy"], 3, seed=5),
        sb3,
    ),
}


def test_a_batch_whose_arrays_come_from_elsewhere_plays_on() -> None:
    env = tzaar_envs.make_vec(GAME, 3)
    env.reset(seed=3)
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps(env, protocol=5, buffer_callback=buffers.append)
    twin = pickle.loads(content, buffers=[bytes(each) for each in buffers])  # as Joblib and Ray do
    assert same(many(env, 5), many(twin, 5))


@in_every_way
@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.usefixtures("shared_rows")
def test_copies_of_batches_play_the_same_games_and_leave_each_other_alone(
    name: str, copied: Callable[[Env], Env]
) -> None:
    make, step = BATCHES[name]
    env = make()
    env.reset() if name == "SingleAgentVecEnv" else env.reset(seed=3)
    step(env, 5)
    twin = copied(env)
    seen = step(twin, 30)
    assert same(step(env, 30), seen)


@in_every_way
def test_copies_of_an_augmentation_draw_the_same(copied: Callable[[Any], Any]) -> None:
    augmentation = SymmetryAugmentation(tzaar_envs.load_game("tzaar"), seed=1)
    augmentation.draw(3)
    twin = copied(augmentation)
    assert augmentation.draw(50).tolist() == twin.draw(50).tolist()
