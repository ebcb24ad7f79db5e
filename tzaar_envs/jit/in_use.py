"""Marks of objects in use, which refuse a second thread."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class InUse:
    """A mark that an object is in use, set by `with`.

    Compiled code reads and writes arrays of the object without locks, so a second thread would
    corrupt them. It gets an error instead; the thread that has set the mark may set it again.
    Copies and pickles are unset.

    Attributes:
        lock: what the mark is made of, for steps of a few microseconds, where calls through `with`
            would be felt.

    Args:
        what: the object, as the error calls it, for instance "this search".

    Raises:
        RuntimeError: by `with`, if another thread has set the mark.
    """

    __slots__ = ("_what", "lock")

    def __init__(self, what: str) -> None:
        self._what = what
        self.lock = threading.RLock()

    def refusal(self) -> RuntimeError:
        """Return the error for a second thread."""
        return RuntimeError(
            f"{self._what} is in use by another thread: give each thread one of its own, or a "
            "lock around all calls"
        )

    def __enter__(self) -> None:
        if not self.lock.acquire(False):
            raise self.refusal()

    def __exit__(self, *_: object) -> None:
        self.lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return InUse, (self._what,)


def exclusive(method: F) -> F:
    """Let one thread at a time call the method; `self.in_use` is an `InUse`."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        lock = self.in_use.lock
        if not lock.acquire(False):
            raise self.in_use.refusal()
        try:
            return method(self, *args, **kwargs)
        finally:
            lock.release()

    return call  # type: ignore[return-value]
