"""Checks of what a caller hands over, before compiled code sees it.

Compiled code neither checks an index nor converts a type. So every public function passes what it
was given through one of these checks, once per call, before it calls compiled code. Each returns
the value in the form that compiled code takes, or raises an error that names what was given and
what is allowed. Positions are arrays of the game's own; their shape and type are checked.
"""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

# For arrays of any other layout Numba would compile everything once more.
_LAYOUT: Final = ("C", "A", "W")


def plain(value: Any) -> Any:
    """Return a number of NumPy or PyTorch, also in an array without axes, as one of Python."""
    return value.item() if getattr(value, "ndim", None) == 0 else value


def integer(name: str, value: Any) -> int:
    """Return an integer of any type as an int.

    Raises:
        TypeError: It is not an integer.
    """
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} {value!r} is not an integer") from None


def integer_from(name: str, value: int, minimum: int, maximum: int | None = None) -> int:
    """Return an integer of any type in a range as an int; raise a ValueError for anything else."""
    try:
        number = operator.index(value)
    except TypeError:
        number = minimum - 1
    if number < minimum or isinstance(value, bool) or (maximum is not None and number > maximum):
        end = "" if maximum is None else f" to {maximum:,}"
        raise ValueError(f"{name}={value!r} is not allowed: use an integer from {minimum}{end}")
    return number


def array_of(name: str, given: Any, dtype: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return an array of a type and shape that compiled code can read and write.

    It is a copy only if the given one is not C-contiguous, aligned, writable and of the type.

    Raises:
        ValueError: Another shape, or a type that cannot be converted without loss.
    """
    array = np.asarray(given)
    if array.shape == shape and array.dtype == dtype and array.flags.carray:
        return array
    if array.shape != shape or not np.can_cast(array.dtype, dtype):
        raise ValueError(
            f"{name} of shape {array.shape} and type {array.dtype} were given: use "
            f"{np.dtype(dtype)} of shape {shape}"
        )
    return np.require(array, dtype, _LAYOUT)


def integers_of(name: str, given: Any, count: int) -> NDArray[np.int64]:
    """Return int64 `(count,)` of integers of any type.

    Raises:
        ValueError: Another shape or type, or a number beyond the range of int64.
    """
    array = np.asarray(given)
    if array.shape == (count,) and array.dtype == np.int64 and array.flags.carray:
        return array
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name} of shape {array.shape} and type {array.dtype} were given: use {count} integers"
        )
    if array.dtype == np.uint64 and count and array.max() >= 2**63:
        raise ValueError(f"{name} with {array.max()} were given: use integers below 2**63")
    return np.require(array, np.int64, _LAYOUT)
