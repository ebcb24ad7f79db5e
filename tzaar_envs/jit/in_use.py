"""Marks of objects in use, which refuse a second thread."""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import get_ident
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class InUse:
    """A mark that an object is in use, set by `with`.

    Compiled code reads and writes arrays of the object without locks, so a second thread would
    corrupt them. It gets an error instead; the thread that has set the mark may set it again.
    Copies and pickles are unset.

    Args:
        what: the object, as the error calls it, for instance "this search".

    Raises:
        RuntimeError: by `with`, if another thread has set the mark.
    """

    # Plain attributes, since a lock costs several times as much. Nothing between reading `_owner`
    # and writing it gives another thread a turn.
    __slots__ = ("_depth", "_owner", "_what")

    def __init__(self, what: str) -> None:
        self._what = what
        self._owner = 0  # the thread that has set the mark
        self._depth = 0  # how often

    def __enter__(self) -> None:
        thread = get_ident()
        owner = self._owner
        if owner and owner != thread:
            self._refuse()
        self._owner = thread
        self._depth += 1

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = 0

    def _refuse(self) -> None:
        raise RuntimeError(
            f"{self._what} is in use by another thread: give each thread one of its own, or a lock "
            "around all calls"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return InUse, (self._what,)


def exclusive(method: F) -> F:
    """Let one thread at a time call the method; `self.in_use` is an `InUse`.

    A method that takes less than ten microseconds uses `with` itself, which is faster.
    """

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self.in_use:
            return method(self, *args, **kwargs)

    return call  # type: ignore[return-value]
