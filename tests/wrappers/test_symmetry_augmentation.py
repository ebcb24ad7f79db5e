"""Batches under random symmetries."""

from __future__ import annotations

import numpy as np
from aec import every_name

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.masks import ActionSampler
from tzaar_envs.wrappers.symmetries import SymmetryAugmentation
from tzaar_envs.wrappers.transitions import RecordVectorTransitions


def positions(game: Game, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return observations and masks of a few plies of random games, and random policies."""
    env = tzaar_envs.make_vec(game.name, num_envs=count, seed=1, **game.options)
    observations, infos = env.reset()
    for _ in range(4):
        observations, *_, infos = env.step(env.sample_actions())
    policies = np.random.default_rng(0).random(infos["action_mask"].shape, np.float32)
    return observations, infos["action_mask"], policies * infos["action_mask"]


@every_name
def test_every_row_has_a_symmetry_of_its_own(name: str) -> None:
    game = tzaar_envs.load_game(name)
    observations, masks, policies = positions(game, 200)
    drawn = SymmetryAugmentation(game, seed=7).draw(200)
    assert set(drawn) == set(range(len(game.symmetries)))
    images = SymmetryAugmentation(game, seed=7).augment(observations, masks, policies)
    assert [image.dtype for image in images] == [np.int8, np.int8, np.float32]
    for row, number in enumerate(drawn):
        symmetry = game.symmetries[number]
        np.testing.assert_array_equal(
            images[0][row], symmetry.apply_to_observations(observations[row])
        )
        np.testing.assert_array_equal(images[1][row], symmetry.apply_to_actions(masks[row]))
        np.testing.assert_array_equal(images[2][row], symmetry.apply_to_actions(policies[row]))


def test_all_symmetries_are_equally_likely() -> None:
    augmentation = SymmetryAugmentation(tzaar_envs.load_game("tzaar"), seed=0)
    counts = np.bincount(augmentation.draw(12_000), minlength=12)
    assert counts.min() > 850
    assert counts.max() < 1150


@every_name
def test_transitions_keep_together(name: str) -> None:
    """Both ends have the same symmetry, and the action stays legal."""
    game = tzaar_envs.load_game(name)
    many = RecordVectorTransitions(tzaar_envs.make_vec(name, num_envs=20))
    infos = many.reset(seed=1)[1]
    sampler = ActionSampler(1)
    for _ in range(12):
        infos = many.step(sampler.sample(infos["action_mask"]))[-1]
    batch = many.take()
    assert len(batch) > 50
    images = SymmetryAugmentation(game, seed=2).augment_transitions(batch)
    drawn = SymmetryAugmentation(game, seed=2).draw(len(batch))
    rows = np.arange(len(batch))
    assert images.masks[rows, images.actions].all()
    for name_kept in ("rows", "seats", "rewards", "terminated", "truncated"):
        np.testing.assert_array_equal(getattr(images, name_kept), getattr(batch, name_kept))
    for row, number in enumerate(drawn):
        symmetry = game.symmetries[number]
        for ours in ("observations", "next_observations"):
            expected = symmetry.apply_to_observations(getattr(batch, ours)[row])
            np.testing.assert_array_equal(getattr(images, ours)[row], expected)
        for ours in ("masks", "next_masks"):
            expected = symmetry.apply_to_actions(getattr(batch, ours)[row])
            np.testing.assert_array_equal(getattr(images, ours)[row], expected)
        assert symmetry.actions[images.actions[row]] == batch.actions[row]
