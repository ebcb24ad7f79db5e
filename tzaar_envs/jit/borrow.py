"""Borrowed arrays: array arguments without reference counting.

A compiled function with a branch increments the reference count of each array argument on entry and
decrements it on return. Both are atomic operations of about 20 cycles, half of the time of a short
function of a game. An array that is known to outlive the call does not need them.
"""

from typing import Any, TypeVar

import numba
from numba.core import cgutils
from numba.extending import intrinsic

Array = TypeVar("Array")

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def borrowed(array: Array) -> Array:
        """Return the array."""
        return array

else:

    @intrinsic
    def borrowed(context: Any, array: Any) -> Any:
        """Return the same array without an owner, for use in compiled code.

        Neither it nor its views count references: the caller must keep the array alive.
        """

        def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
            view = context.make_array(call.args[0])(context, builder, arguments[0])
            view.meminfo = cgutils.get_null_value(view.meminfo.type)  # type: ignore[no-untyped-call]
            return view._getvalue()

        return array(array), generate
