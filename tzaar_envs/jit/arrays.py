"""Arrays: their types, arrays in memory that is used again, and threads that share their rows."""

from __future__ import annotations

import concurrent.futures
import itertools
import os
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

StateArray: TypeAlias = NDArray[np.int64]
"""`(state_size,)`: one position of a game, hidden information included."""

RngState: TypeAlias = NDArray[np.uint64]
"""`(1,)`: the state of a random generator; longer for a tape. See `jit.rng`."""

Mask: TypeAlias = NDArray[np.int8]
"""`(num_actions,)`: 1 where the action is legal for the player to move, else 0."""

Observation: TypeAlias = NDArray[np.int8]
"""`observation_shape`: what one player can see of a position."""


def _references(arrays: list[NDArray[Any]], index: int) -> int:
    return sys.getrefcount(arrays[index])


_UNUSED = _references([np.empty(0)], 0)
_MAX_KEPT = 4  # one is written while the caller still holds the last one, or two


class ReusedArrays:
    """New arrays of one shape, in memory of those that nobody refers to any more.

    A new array of some hundred kilobytes can cost several times as much as to fill it: the C
    library returns its memory to the system when the array is freed, and the system hands out the
    pages of the next one one by one, filled with zeros.

    Args:
        shape: The shape of the arrays.
        dtype: Their type.
    """

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self._shape, self._dtype = shape, dtype
        self._kept: list[NDArray[Any]] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return ReusedArrays, (self._shape, self._dtype)

    def new(self) -> NDArray[Any]:
        """Return an array for the caller to fill, to which no name, view or buffer refers."""
        for index in range(len(self._kept)):
            if _references(self._kept, index) == _UNUSED:
                array = self._kept[index]
                if array.shape == self._shape and array.flags.carray:  # else changed in place
                    return array
        array = np.empty(self._shape, self._dtype)
        self._kept = [*self._kept[1 - _MAX_KEPT :], array]
        return array

    def copy_of(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of an array of this shape, converted to the type."""
        copy = self.new()
        np.copyto(copy, array, casting="unsafe")
        return copy


# --- Rows -----------------------------------------------------------------------------------------

MIN_ROWS = 128
"""Rows of a part: fewer are stepped in less time than it takes to wake a thread."""

_PARTS_PER_THREAD = 2  # so that a thread whose core has other work holds nobody up


class RowThreads:
    """Calls a function for all rows, in several threads if there are enough rows for them.

    The calling thread is one of them. The others start with the first task that they share, and end
    with `close`, or when this object is garbage collected.

    Attributes:
        parts: The first row of each part, and its end.

    Args:
        rows: The number of rows.
        threads: The number of threads, at least 1.
    """

    def __init__(self, rows: int, threads: int) -> None:
        count = 1 if threads == 1 else max(1, min(_PARTS_PER_THREAD * threads, rows // MIN_ROWS))
        self.parts = [*itertools.pairwise(rows * part // count for part in range(count + 1))]
        self._helpers = min(threads, count) - 1
        self._pool: concurrent.futures.ThreadPoolExecutor | None = None
        self._process = os.getpid()

    def run(self, work: Callable[[int, int], object]) -> None:
        """Call `work(first, end)` for every part of the rows; return when all are done.

        Args:
            work: Does its work without the interpreter lock.

        Raises:
            BaseException: An exception raised in any thread; parts may be left out then.
        """
        parts = iter(self.parts)

        def take_parts() -> None:
            for first, end in parts:
                work(first, end)

        if not self._helpers:
            take_parts()
            return
        if self._pool is None or self._process != os.getpid():  # a fork copies no threads
            self._pool = concurrent.futures.ThreadPoolExecutor(self._helpers)
            self._process = os.getpid()
        futures = [self._pool.submit(take_parts) for _ in range(self._helpers)]
        try:
            take_parts()
        finally:
            # One that has not begun is not waited for: the parts are done.
            begun = [future for future in futures if not future.cancel()]
            concurrent.futures.wait(begun)
        for future in begun:
            future.result()

    def close(self) -> None:
        """End the threads; a later task starts new ones."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown()
        self._pool = None
