"""Errors of the compiler as one sentence, with function, file and line."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    """Return what Numba raised for a function as one sentence.

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
