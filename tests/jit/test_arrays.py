"""Copies in memory that is used again: only once nobody can see it any more."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import ReusedArrays

SOURCE = np.arange(12, dtype=np.int8).reshape(3, 4)


def address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)


def test_copies_are_equal_and_belong_to_the_caller() -> None:
    copies = ReusedArrays(SOURCE.shape, np.int8)
    first = copies.copy_of(SOURCE)
    second = copies.copy_of(SOURCE)
    first[0, 0] = 99
    assert (second == SOURCE).all()
    assert first.flags.owndata
    assert first.flags.writeable
    assert first.base is None


def test_memory_is_used_again_once_the_copy_is_gone() -> None:
    copies = ReusedArrays(SOURCE.shape, np.int8)
    before = copies.copy_of(SOURCE)
    place = address(before)
    del before
    assert address(copies.copy_of(SOURCE)) == place


HOLDERS: dict[str, Callable[[NDArray[Any]], Any]] = {
    "name": lambda array: array,
    "view": lambda array: array.view(),
    "row": lambda array: array[1],
    "view of a view": lambda array: array.reshape(-1)[::2].view(np.uint8),
    "list": lambda array: [array],
    "buffer": memoryview,
    "function": lambda array: lambda: array,
    "from_dlpack": np.from_dlpack,
    "pointer": lambda array: array.ctypes.data_as(np.ctypeslib.ctypes.c_void_p),
}


@pytest.mark.parametrize("holder", list(HOLDERS))
def test_memory_that_something_refers_to_is_left_alone(holder: str) -> None:
    copies = ReusedArrays(SOURCE.shape, np.int8)
    given = copies.copy_of(SOURCE)
    place = address(given)
    held = HOLDERS[holder](given)
    del given
    others = [copies.copy_of(SOURCE + 1) for _ in range(9)]
    assert place not in {address(other) for other in others}
    del held


def make_read_only(array: NDArray[Any]) -> None:
    array.flags.writeable = False


def reshape(array: NDArray[Any]) -> None:
    array.shape = (12,)


@pytest.mark.parametrize("change", [make_read_only, reshape])
def test_what_the_caller_changed_in_place_is_not_handed_out_again(
    change: Callable[[NDArray[Any]], None],
) -> None:
    copies = ReusedArrays(SOURCE.shape, np.int8)
    given = copies.copy_of(SOURCE)
    change(given)
    del given
    again = copies.copy_of(SOURCE)
    assert (again == SOURCE).all()
    assert again.flags.writeable


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_a_copy_of_the_copies_shares_nothing(
    copied: Callable[[ReusedArrays], ReusedArrays],
) -> None:
    copies = ReusedArrays(SOURCE.shape, np.int8)
    place = address(copies.copy_of(SOURCE))
    other = copied(copies)
    assert address(copies.copy_of(SOURCE)) == place
    mine = other.copy_of(SOURCE)
    theirs = copies.copy_of(SOURCE)
    assert address(mine) != address(theirs)
