"""Atomic operations on words that several threads share, for compiled code.

They are sequentially consistent: all threads see them in the same order.
"""

from typing import Any

from numba import types
from numba.extending import intrinsic

_WORDS = types.int64[::1]


def _address(context: Any, builder: Any, words: Any, index: Any) -> Any:
    array = context.make_array(_WORDS)(context, builder, words)
    return builder.gep(array.data, [index])


def _load(context: Any, words: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
        place = _address(context, builder, arguments[0], arguments[1])
        return builder.load_atomic(place, "seq_cst", 8)

    return types.int64(_WORDS, types.int64), generate


def _exchange(context: Any, words: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
        place = _address(context, builder, arguments[0], arguments[1])
        return builder.atomic_rmw("xchg", place, arguments[2], "seq_cst")

    return types.int64(_WORDS, types.int64, types.int64), generate


def _replace(context: Any, words: Any, index: Any, expected: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
        place = _address(context, builder, arguments[0], arguments[1])
        found = builder.cmpxchg(place, arguments[2], arguments[3], "seq_cst")
        return builder.extract_value(found, 1)

    return types.boolean(_WORDS, types.int64, types.int64, types.int64), generate


load: Any = intrinsic(_load)
"""`load(words, index)`: return `words[index]`."""

exchange: Any = intrinsic(_exchange)
"""`exchange(words, index, value)`: write `words[index]`, return its previous value."""

replace: Any = intrinsic(_replace)
"""`replace(words, index, expected, value)`: compare and swap; return whether it wrote `value`."""
