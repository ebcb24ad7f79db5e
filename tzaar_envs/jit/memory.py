"""Arrays by their addresses, for compiled code that works on many of them.

Every array that a compiled function takes as an argument costs it some 15 nanoseconds, and every
array that it makes costs some as well. A *memory* is an int64 array of the addresses of several
arrays; who makes one must keep these arrays alive. Compiled code gets pointers out of it, with
`floats` and `numbers`, which are read and written by index, without any check.
"""

import ctypes
from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from numba import carray, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from tzaar_envs.jit.compile import compiled

_LONGEST = 1 << 40  # bytes


def memory_of(arrays: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return the memory of C-contiguous arrays, which must outlive it."""
    assert all(array.flags.c_contiguous for array in arrays)
    return np.array([array.ctypes.data for array in arrays], np.int64)


def _python_pointer(dtype: Any) -> Any:
    def pointer(memory: NDArray[np.int64], place: int) -> NDArray[Any]:
        address = ctypes.cast(int(memory[place]), ctypes.POINTER(ctypes.c_char))
        # Nobody knows the length: as much as any array of a memory may have.
        octets: Any = ctypes.cast(address, ctypes.POINTER(ctypes.c_char * _LONGEST)).contents
        return np.frombuffer(octets, dtype)

    return pointer


def _pointer_to(kind: Any) -> Any:
    def pointer(context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(call.return_type))

        return types.CPointer(kind)(types.int64), generate  # type: ignore[no-untyped-call]

    return intrinsic(pointer)


def _copy_of_octets(context: Any, target: Any, source: Any, length: Any) -> Any:
    def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
        to, of = (builder.inttoptr(each, cgutils.voidptr_t) for each in arguments[:2])
        cgutils.raw_memcpy(builder, to, of, arguments[2], 1)  # type: ignore[no-untyped-call]
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


_copy: Any = intrinsic(_copy_of_octets)


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
    floats, numbers = map(_python_pointer, (np.float32, np.int64))

    def octets(memory: NDArray[np.int64], place: int, start: int, length: int) -> Any:
        """Return a part of the int8 array in a place of a memory."""
        return _python_pointer(np.int8)(memory, place)[start : start + length]

    def copy_rows(first: int, last: int, source: NDArray[np.int8], address: int) -> None:
        """Copy rows of a C-contiguous array to the same places of one at an address."""
        width = source[0].nbytes
        ctypes.memmove(address + first * width, source[first:].ctypes.data, (last - first) * width)
else:
    _float_pointer, _number_pointer, _octet_pointer = map(
        _pointer_to, (types.float32, types.int64, types.int8)
    )

    @compiled
    def floats(memory: NDArray[np.int64], place: int) -> Any:
        """Return a pointer to the float32 array in a place of a memory."""
        return _float_pointer(memory[place])

    @compiled
    def numbers(memory: NDArray[np.int64], place: int) -> Any:
        """Return a pointer to the int64 array in a place of a memory."""
        return _number_pointer(memory[place])

    @compiled
    def octets(memory: NDArray[np.int64], place: int, start: int, length: int) -> Any:
        """Return a part of the int8 array in a place of a memory."""
        return carray(_octet_pointer(memory[place] + start), (length,))

    @compiled
    def copy_rows(first: int, last: int, source: NDArray[np.int8], address: int) -> None:
        """Copy rows of a C-contiguous array to the same places of one at an address."""
        width = source.shape[1] * source.itemsize
        start = first * width
        _copy(address + start, source.ctypes.data + start, (last - first) * width)
