"""Function tables: compiled functions as data, so that code compiled once works on any game.

Numba accepts functions as arguments, but looks each of them up at every call from Python, which
costs far more than a step of a game. So a game's functions are looked up once and passed as an
int64 array of their addresses; inside compiled code an `accessor` turns an address back into a
function. With `NUMBA_DISABLE_JIT=1` the table is a tuple of the Python functions.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+):\ndef (?P<name>\w+)\(')
_COLOUR = re.compile(r"\x1b\[[\d;]*m")  # Numba colours its messages where colorama is installed
_NOISE = ("Failed in ", "During: ", "File ", "Overload ")


class CompilationError(ValueError):
    """A function cannot be compiled; the message says in one sentence which one, where and why."""


def place_of(function: Callable[..., Any]) -> str:
    """Return the name, file and line of a function, compiled or not, for people."""
    plain = inspect.unwrap(function)
    code = getattr(plain, "__code__", None)
    name = getattr(plain, "__name__", repr(plain))
    if code is None:
        return f"`{name}`"
    return f"`{name}` ({Path(code.co_filename).name}, line {code.co_firstlineno})"


def compilation_error(function: Callable[..., Any], error: Exception) -> CompilationError:
    """Return Numba's error for a function as one sentence.

    Numba's own message names the innermost function first, and then every function around it.
    """
    message = _COLOUR.sub("", str(error))
    found = _FRAME.search(message)
    place = place_of(function)
    if found:
        place = f"`{found['name']}` ({Path(found['file']).name}, line {found['line']})"
    return CompilationError(f"{place} cannot be compiled: {_reason(message)}")


def _reason(message: str) -> str:
    """Return the reason that Numba gives, without the candidates that did not fit."""
    if found := re.search(r"Untyped global name '(\w+)'.*<class 'function'>", message):
        return f"it calls `{found[1]}`, which is not compiled: decorate that with `compiled`"
    returned = r"No conversion from (.+) to (.+) for '\$\d+return_(?:value|const)"
    if found := re.search(returned, message):
        return f"it returns {found[1]} where {found[2]} is expected"
    if found := re.search(r">>> (.+)", message):
        return f"there is no compiled {found[1].strip()}"
    lines = (line.strip() for line in message.splitlines())
    reasons = [line for line in lines if line and not line.startswith(_NOISE)]
    return reasons[0].partition(", defined at")[0] if reasons else "the compiler gives no reason"


CompiledFunction: TypeAlias = Callable[..., Any]
"""A compiled function that other compiled functions can call."""

FunctionTable: TypeAlias = Any
"""The value that `function_table` returns."""

_ADDRESSES = 2  # per function: one for C callers, one for compiled callers


def function_table(functions: Sequence[Any], signatures: Sequence[Any]) -> FunctionTable:
    """Compile functions, or load them from the cache, and return the table of their addresses.

    The functions must outlive the table.

    Raises:
        CompilationError: Says in one sentence which function cannot be compiled, where and why.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return tuple(functions)
    addresses = []
    for function, signature in zip(functions, signatures, strict=True):
        if not hasattr(function, "get_compile_result"):
            raise CompilationError(
                f"{place_of(function)} is not compiled: decorate it with `compiled`"
            )
        try:
            function.compile(signature)
        except Exception as error:
            raise compilation_error(function, error) from None
        compiled = function.get_compile_result(signature)
        for name in (compiled.fndesc.llvm_cfunc_wrapper_name, compiled.fndesc.llvm_func_name):
            addresses.append(compiled.library.get_pointer_to_function(name))
    table = np.array(addresses, np.int64)
    table.flags.writeable = False  # whoever writes to it makes compiled code jump anywhere
    return table


def accessor(index: int, signature: Any) -> Callable[[FunctionTable], CompiledFunction]:
    """Return the function that gets entry `index` of a table, for use in compiled code."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return lambda table: table[index]
    function_type = types.FunctionType(signature)

    @intrinsic
    def function_of(context: Any, table: Any) -> Any:
        def generate(context: Any, builder: Any, call: Any, arguments: Any) -> Any:
            array = context.make_array(call.args[0])(context, builder, arguments[0])

            def address(position: int) -> Any:
                word = builder.gep(array.data, [ir.Constant(ir.IntType(64), position)])
                return builder.inttoptr(builder.load(word), cgutils.voidptr_t)

            function = cgutils.create_struct_proxy(function_type)(context, builder)  # type: ignore[no-untyped-call]
            function.c_addr = address(_ADDRESSES * index)
            function.jit_addr = address(_ADDRESSES * index + 1)
            function.py_addr = cgutils.get_null_value(cgutils.voidptr_t)  # type: ignore[no-untyped-call]
            return function._getvalue()

        return function_type(table), generate

    return function_of  # type: ignore[return-value]
