"""Borrowed arrays: array arguments without reference counting.

A compiled function with a branch increments the reference count of each array argument on entry and
decrements it on return. Both are atomic operations of about 20 cycles, half of the time of a short
function of a game. An array that is known to outlive the call does not need them.
"""

from typing import Any, TypeVar

import numba
from numba.core import cgutils, types
from numba.extending import intrinsic

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
        tuple of arrays, all arrays are borrowed.
        """

        def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
            kind = call.args[0]
            if not isinstance(kind, types.BaseTuple):
                return without_owner(context, builder, kind, arguments[0])
            fields = cgutils.unpack_tuple(builder, arguments[0])  # type: ignore[no-untyped-call]
            borrowed_fields = [
                without_owner(context, builder, field_kind, field)
                for field_kind, field in zip(call.args[0], fields, strict=True)
            ]
            return context.make_tuple(builder, kind, borrowed_fields)

        def without_owner(context: Any, builder: Any, kind: Any, array: Any) -> Any:
            view = context.make_array(kind)(context, builder, array)
            view.meminfo = cgutils.get_null_value(view.meminfo.type)  # type: ignore[no-untyped-call]
            return view._getvalue()

        return arrays(arrays), generate
