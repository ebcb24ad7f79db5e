"""Type aliases of the arrays that the suite exchanges, and arrays in memory that is used again."""

import sys
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
