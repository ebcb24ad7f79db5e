"""Copies of an array that changes, in memory that is used again.

A new array of some hundred kilobytes can cost several times as much as the copy: the C library
returns its memory to the system when the array is freed, and the system hands out the pages of the
next one one by one, filled with zeros.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_MOST = 4  # arrays kept: one is written while the caller still holds the last one, or two


class ArrayCopies:
    """Copies that belong to the caller.

    The memory of a copy is used again only when nothing refers to it any more: no name, view,
    tensor or buffer. So copies differ from `array.copy()` in nothing but their speed.
    """

    def __init__(self) -> None:
        self._kept: list[NDArray[Any]] = []

    def __reduce__(self) -> tuple[type[ArrayCopies], tuple[()]]:
        return ArrayCopies, ()

    def of(self, array: NDArray[Any], dtype: DTypeLike | None = None) -> NDArray[Any]:
        """Return a copy of an array, converted to a dtype if one is given."""
        copy = self.unused(array.shape, array.dtype if dtype is None else dtype)
        np.copyto(copy, array, casting="unsafe")
        return copy

    def unused(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return a C-contiguous array that nobody else refers to, for the caller to fill."""
        for index in range(len(self._kept)):
            if _references(self._kept, index) == _UNUSED:
                array = self._kept[index]
                # Its last owner may have changed all of these in place.
                if array.shape == shape and array.dtype == dtype and array.flags.carray:
                    return array
                del self._kept[index]
                break
        array = np.empty(shape, dtype)
        self._kept = [*self._kept[-_MOST + 1 :], array]
        return array


def _references(arrays: list[NDArray[Any]], index: int) -> int:
    return sys.getrefcount(arrays[index])


_UNUSED = _references([np.empty(0)], 0)
