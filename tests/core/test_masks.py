"""Drawing from masks."""

from collections import Counter

import numpy as np
import pytest
from distributions import assert_uniform

from tzaar_envs.core.masks import ActionSampler


@pytest.mark.parametrize("size", [5, 64, 130, 1350])
def test_every_legal_action_is_equally_likely(size: int) -> None:
    rng = np.random.default_rng(size)
    mask = (rng.random(size) < 12 / size).astype(np.int8)
    mask[[0, -1]] = 1
    drawn = ActionSampler(1).sample(np.tile(mask, (20_000, 1)))
    assert set(drawn.tolist()) == set(np.flatnonzero(mask).tolist())
    assert_uniform(Counter(drawn.tolist()), int(mask.sum()))


def test_empty_mask_gives_no_action() -> None:
    masks = np.zeros((3, 70), np.int8)
    masks[1, 69] = 1
    assert ActionSampler(0).sample(masks).tolist() == [-1, 69, -1]


def test_a_row_draws_the_same_whatever_the_number_of_rows() -> None:
    masks = (np.random.default_rng(3).random((53, 300)) < 0.1).astype(np.int8)
    one, other = ActionSampler(5), ActionSampler(5)
    one.sample(masks[:20])
    other.sample(masks)
    np.testing.assert_array_equal(one.sample(masks)[:20], other.sample(masks)[:20])


def test_draws_follow_from_the_seed() -> None:
    masks = np.ones((50, 100), np.int8)
    one, same, other = (ActionSampler(seed).sample(masks) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()
    firsts = [
        [ActionSampler(seed).sample(masks[:1])[0] for seed in range(s, s + 20)] for s in (0, 50)
    ]
    assert firsts[0] != firsts[1]


def test_masks_may_have_any_layout() -> None:
    masks = np.random.default_rng(1).integers(0, 2, (20, 30), np.int8)
    wide = np.repeat(masks, 2, axis=1)[:, ::2]
    np.testing.assert_array_equal(ActionSampler(1).sample(wide), ActionSampler(1).sample(masks))
