"""Arrays by their addresses, for compiled code that works on many of them.

Every array that a compiled function takes as an argument costs it some 15 nanoseconds, and every
array that it makes costs some as well. A *memory* is an int64 array of the addresses of several
arrays; who makes one must keep these arrays alive. Compiled code gets pointers out of it, with
`floats` and `numbers`, which are read and written by index, without any check.
"""

import ctypes
from collections.abc import Sequence
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import carray  # type: ignore[attr-defined]
from numba.core import cgutils, types
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


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
    floats, numbers = map(_python_pointer, (np.float32, np.int64))

    def octets(memory: NDArray[np.int64], place: int, start: int, length: int) -> Any:
        """Return a part of the int8 array in a place of a memory."""
        return _python_pointer(np.int8)(memory, place)[start : start + length]
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


LANES = 16

_FLOATS = types.CPointer(types.float32)  # type: ignore[no-untyped-call]
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_FLAGS = ("reassoc", "contract", "nsz")


def padded(length: int) -> int:
    """Return the length, rounded up to whole vectors."""
    return -(-length // LANES) * LANES


def _address(builder: Any, pointer: Any, index: Any) -> Any:
    return builder.bitcast(builder.gep(pointer, [index]), _VECTOR.as_pointer())


def _load(builder: Any, pointer: Any, index: Any) -> Any:
    return builder.load(_address(builder, pointer, index), align=4)


def _everywhere(builder: Any, number: Any) -> Any:
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    zero = ir.Constant(ir.IntType(32), 0)
    first = builder.insert_element(undefined, number, zero)
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, undefined, lanes)


def _plus_product(builder: Any, total: Any, one: Any, other: Any) -> Any:
    product = builder.fmul(one, other, flags=_FLAGS)
    return builder.fadd(total, product, flags=_FLAGS)


def _loop(builder: Any, length: Any) -> Any:
    """Return a context in which the index of a vector goes over a length."""
    kind = length.type
    zero, lanes = ir.Constant(kind, 0), ir.Constant(kind, LANES)
    return cgutils.for_range_slice(builder, zero, length, lanes)


def _add_rows(
    context: Any, to: Any, place: Any, table: Any, rows: Any, factors: Any, length: Any
) -> Any:
    count = len(rows)

    def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
        to, place, table, rows, factors, length = arguments
        starts = cgutils.unpack_tuple(builder, rows, count)  # type: ignore[no-untyped-call]
        numbers = cgutils.unpack_tuple(builder, factors, count)  # type: ignore[no-untyped-call]
        spread = [_everywhere(builder, number) for number in numbers]
        with _loop(builder, length) as (index, _):
            own = builder.add(place, index)
            total = _load(builder, to, own)
            for start, factor in zip(starts, spread, strict=True):
                row = _load(builder, table, builder.add(start, index))
                total = _plus_product(builder, total, factor, row)
            builder.store(total, _address(builder, to, own), align=4)
        return context.get_dummy_value()

    starts = types.UniTuple(types.int64, count)  # type: ignore[no-untyped-call]
    numbers = types.UniTuple(types.float32, count)  # type: ignore[no-untyped-call]
    signature = types.none(_FLOATS, types.int64, _FLOATS, starts, numbers, types.int64)
    return signature, generate


def _dot(context: Any, one: Any, first: Any, other: Any, second: Any, length: Any) -> Any:
    def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
        one, first, other, second, length = arguments
        zeros = ir.Constant(_VECTOR, [0.0] * LANES)
        total = cgutils.alloca_once_value(builder, zeros)  # type: ignore[no-untyped-call]
        with _loop(builder, length) as (index, _):
            left = _load(builder, one, builder.add(first, index))
            right = _load(builder, other, builder.add(second, index))
            builder.store(_plus_product(builder, builder.load(total), left, right), total)
        lanes, width = builder.load(total), LANES
        while width > 1:
            width //= 2
            halves = [
                builder.shuffle_vector(
                    lanes, lanes, ir.Constant(ir.VectorType(ir.IntType(32), width), part)
                )
                for part in (list(range(width)), list(range(width, 2 * width)))
            ]
            lanes = builder.fadd(*halves, flags=_FLAGS)
        return builder.extract_element(lanes, ir.Constant(ir.IntType(32), 0))

    signature = types.float32(_FLOATS, types.int64, _FLOATS, types.int64, types.int64)
    return signature, generate


def _python_add_rows(to: Any, place: int, table: Any, rows: Any, factors: Any, length: int) -> None:
    for row, factor in zip(rows, factors, strict=True):
        to[place : place + length] += np.float32(factor) * table[row : row + length]


def _python_dot(one: Any, first: int, other: Any, second: int, length: int) -> Any:
    return np.dot(one[first : first + length], other[second : second + length])


add_rows: Any = _python_add_rows if numba.config.DISABLE_JIT else intrinsic(_add_rows)  # type: ignore[attr-defined]
"""`add_rows(to, place, table, rows, factors, length)`: add some rows, each times its factor.

`to[place + i]` becomes itself plus the sum of `factors[k] * table[rows[k] + i]`, for each `i` below
the length. `rows` and `factors` are tuples of int64 and float32; the arrays do not overlap.
"""

dot: Any = _python_dot if numba.config.DISABLE_JIT else intrinsic(_dot)  # type: ignore[attr-defined]
"""`dot(one, first, other, second, length)`: the sum of `one[first + i] * other[second + i]`."""


Arrays = TypeVar("Arrays")

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def borrowed(arrays: Arrays) -> Arrays:
        """Return the array, or the named tuple of arrays."""
        return arrays

else:

    @intrinsic
    def borrowed(context: Any, arrays: Any) -> Any:
        """Return the same array without an owner, for use in compiled code.

        Neither it nor its views count references: the caller must keep the array alive. Of a named
        tuple, all arrays are borrowed, those of tuples in it too.
        """

        def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
            return without_owner(context, builder, call.args[0], arguments[0])

        def without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
            if isinstance(kind, types.BaseTuple):
                fields = cgutils.unpack_tuple(builder, value)  # type: ignore[no-untyped-call]
                borrowed_fields = [
                    without_owner(context, builder, field_kind, field)
                    for field_kind, field in zip(kind, fields, strict=True)  # type: ignore[call-overload]
                ]
                return context.make_tuple(builder, kind, borrowed_fields)
            if not isinstance(kind, types.Array):
                return value
            view = context.make_array(kind)(context, builder, value)
            view.meminfo = cgutils.get_null_value(view.meminfo.type)  # type: ignore[no-untyped-call]
            return view._getvalue()

        return arrays(arrays), generate
