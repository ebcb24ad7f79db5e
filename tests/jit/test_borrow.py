"""Borrowed arrays: the same memory, without an owner."""

from __future__ import annotations

import sys

import numpy as np

from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.memory import borrowed


@compiled
def write_through_views(array: np.ndarray) -> int:
    row = borrowed(array)[1]
    row[2] = 7
    part = row[1:3]
    part[0] = 5
    return part.size + borrowed(array).shape[0]


def test_its_owner_keeps_it() -> None:
    """However often it is borrowed, nothing is released and nothing is kept."""
    array = np.zeros((2, 4), np.int64)
    write_through_views(array)
    before = sys.getrefcount(array)
    for _ in range(1000):
        write_through_views(array)
    assert sys.getrefcount(array) == before
    assert array[1, 2] == 7
