"""Arrays whose references compiled code does not count.

A compiled function with a branch counts one reference to each of its array arguments as it begins,
and takes it back as it ends. Both are atomic operations of about 20 cycles, which in a short
function of a game is half of its time. An array that is known to outlive a call needs no counting.
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
        """Return the same array, for use in compiled code, without an owner to count references.

        So are all views of it. Whoever calls the compiled function must keep the array itself.
        """

        def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
            view = context.make_array(call.args[0])(context, builder, arguments[0])
            view.meminfo = cgutils.get_null_value(view.meminfo.type)  # type: ignore[no-untyped-call]
            return view._getvalue()

        return array(array), generate
