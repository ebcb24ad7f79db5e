"""Borrowed arrays: the same memory, without an owner."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.memory import borrowed


@compiled
def write_through_views(array: np.ndarray) -> int:
    row = borrowed(array)[1]
    row[2] = 7
    part = row[1:3]
    part[0] = 5
    return part.size + borrowed(array).shape[0]


class Pair(NamedTuple):
    integers: np.ndarray
    floats: np.ndarray


def test_its_owner_keeps_it() -> None:
    """However often it is borrowed, nothing is released and nothing is kept."""
    array = np.zeros((2, 4), np.int64)
    write_through_views(array)
    before = sys.getrefcount(array)
    for _ in range(1000):
        write_through_views(array)
    assert sys.getrefcount(array) == before
    assert array[1, 2] == 7


@intrinsic
def has_owner(context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
        view = context.make_array(call.args[0])(context, builder, arguments[0])
        return cgutils.is_not_null(builder, view.meminfo)

    return types.boolean(array), generate


@numba.njit
def owners(array: np.ndarray) -> tuple[bool, bool, bool]:
    return has_owner(array), has_owner(borrowed(array)), has_owner(borrowed(array)[1:])


def test_it_has_no_owner_nor_have_its_views() -> None:
    assert owners(np.zeros(3, np.int64)) == (True, False, False)


@numba.njit
def owners_of_fields(pair: Pair) -> tuple[bool, bool, bool]:
    fields = borrowed(pair)
    return has_owner(pair.floats), has_owner(fields.integers), has_owner(fields.floats)


def test_the_arrays_of_a_borrowed_tuple_have_no_owner() -> None:
    assert owners_of_fields(Pair(np.zeros(2, np.int64), np.zeros(3))) == (True, False, False)
