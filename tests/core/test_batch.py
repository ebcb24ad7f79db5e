"""A batch shows what the players see, wherever its tasks have written it."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tzaar_envs.core.batch import Batch
from tzaar_envs.registry import load_game

ROWS = 5


def expected(batch: Batch) -> np.ndarray:
    """Return what the player to move sees in each row, from the positions alone."""
    return batch.observe(np.arange(ROWS), batch.states[:, 0])


def some(rows: int) -> np.ndarray:
    return (rows >> np.arange(ROWS) & 1).astype(np.bool_)


def spoil(batch: Batch, rows: int) -> None:
    batch.copied_observations()[...] = 99


CALLS: dict[str, Callable[[Batch, int], object]] = {
    "step into a new array": lambda batch, _: batch.step(
        batch.random_actions, restart=True, new_arrays=True
    ),
    "step": lambda batch, _: batch.step(batch.random_actions, restart=True),
    "step some": lambda batch, rows: batch.step(batch.random_actions, some(rows)),
    "reset some": lambda batch, rows: batch.reset(some(rows)),
    "set positions": lambda batch, rows: batch.set_positions(some(rows), batch.states[rows % ROWS]),
    "forfeit": lambda batch, rows: batch.forfeit(some(rows)),
    "write into a copy": spoil,
    "look": lambda batch, _: batch.observations.sum(),
}


@pytest.mark.usefixtures("shared_rows")
@pytest.mark.parametrize("threads", [1, 2])
@given(
    calls=st.lists(
        st.tuples(st.sampled_from(sorted(CALLS)), st.integers(1, 2**ROWS - 1)), max_size=12
    )
)
def test_observations_follow_from_the_positions(threads: int, calls: list[tuple[str, int]]) -> None:
    batch = Batch(load_game("twenty_one"), ROWS, threads)
    batch.reset(np.ones(ROWS, np.bool_))
    for name, rows in calls:
        CALLS[name](batch, rows)
    np.testing.assert_array_equal(copy.deepcopy(batch).observations, expected(batch))
    np.testing.assert_array_equal(batch.observations, expected(batch))
    np.testing.assert_array_equal(batch.copied_observations(), expected(batch))
    np.testing.assert_array_equal(batch.copied_observations(), expected(batch))
    np.testing.assert_array_equal(batch.copied_masks(), batch.masks)
    batch.close()


def test_shown_rows_are_kept_and_copied() -> None:
    batch = Batch(load_game("zatre"), ROWS)
    batch.reset(np.ones(ROWS, np.bool_))
    batch.step(batch.random_actions, restart=True, new_arrays=True)
    seats = 1 - batch.states[:2, 0]
    seen = batch.observe(np.arange(2), seats)
    assert (seen != batch.observations[:2]).any()
    batch.show(np.arange(ROWS) < 2, seats)
    np.testing.assert_array_equal(batch.observations[:2], seen)
    np.testing.assert_array_equal(batch.copied_observations()[:2], seen)
    np.testing.assert_array_equal(batch.observations[2:], expected(batch)[2:])


def test_an_interrupted_step_leaves_what_the_positions_show(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batch = Batch(load_game("twenty_one"), ROWS)
    batch.reset(np.ones(ROWS, np.bool_))

    def interrupted(task: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(batch._threads, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            batch.step(batch.random_actions, restart=True, new_arrays=True)
    np.testing.assert_array_equal(batch.copied_observations(), expected(batch))
