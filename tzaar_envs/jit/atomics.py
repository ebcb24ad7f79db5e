"""Atomic operations on words that several threads share, for compiled code.

They are sequentially consistent: all threads see them in the same order.
"""

import operator
from typing import Any

import numba
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


def _python_exchange(words: Any, index: int, value: int) -> int:
    found = int(words[index])
    words[index] = value
    return found


def _python_replace(words: Any, index: int, expected: int, value: int) -> bool:
    return words[index] == expected and _python_exchange(words, index, value) == expected


# Uncompiled code runs in one thread, see `RowThreads`.
_interpreted = numba.config.DISABLE_JIT  # type: ignore[attr-defined]

load: Any = operator.getitem if _interpreted else intrinsic(_load)
"""`load(words, index)`: return `words[index]`."""

exchange: Any = _python_exchange if _interpreted else intrinsic(_exchange)
"""`exchange(words, index, value)`: write `words[index]`, return its previous value."""

replace: Any = _python_replace if _interpreted else intrinsic(_replace)
"""`replace(words, index, expected, value)`: compare and swap; return whether it wrote `value`."""
