"""Threads that work on the rows of arrays, for compiled code that lets go of the interpreter."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeAlias

RowsFunction: TypeAlias = Callable[[int, int], object]
"""A function of the first row and of the one after the last."""

_Inbox: TypeAlias = "SimpleQueue[tuple[RowsFunction, int, int] | None]"
_Outbox: TypeAlias = "SimpleQueue[BaseException | None]"


def _work(inbox: _Inbox, outbox: _Outbox) -> None:
    while (task := inbox.get()) is not None:
        function, first, last = task
        try:
            function(first, last)
        except BaseException as error:
            outbox.put(error)
        else:
            outbox.put(None)


class RowThreads:
    """Calls a function for all rows, a part of them in each thread.

    The calling thread does the first part, so with one thread there is no overhead. The others
    start at the first call and end with `close`, or when nobody holds this object any more.

    Args:
        rows: how many rows there are.
        threads: how many threads, at least 1; never more than rows.
    """

    def __init__(self, rows: int, threads: int) -> None:
        self.rows = rows
        threads = max(1, min(threads, rows))
        bounds = [rows * part // threads for part in range(threads + 1)]
        self.parts = list(itertools.pairwise(bounds))
        self._inboxes: list[_Inbox] = []
        self._outbox: _Outbox = SimpleQueue()
        self._stop: Callable[[], Any] = lambda: None

    def run(self, function: RowsFunction) -> None:
        """Call `function(first, last)` for all parts at once, return when all are done.

        Raises:
            BaseException: what the first part that failed has raised.
        """
        others = self.parts[1:]
        if others and not self._inboxes:
            self._start(len(others))
        for inbox, (first, last) in zip(self._inboxes, others, strict=True):
            inbox.put((function, first, last))
        errors: list[BaseException | None] = []
        try:
            function(*self.parts[0])
        except BaseException as error:
            errors.append(error)
        errors += [self._outbox.get() for _ in others]
        for found in errors:
            if found is not None:
                raise found

    def _start(self, count: int) -> None:
        self._inboxes = [SimpleQueue() for _ in range(count)]
        for inbox in self._inboxes:
            threading.Thread(target=_work, args=(inbox, self._outbox), daemon=True).start()
        self._stop = weakref.finalize(self, _stop_all, list(self._inboxes))

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy, or another process, starts threads of its own.
        return RowThreads, (self.rows, len(self.parts))

    def close(self) -> None:
        """End the threads; a later `run` starts others."""
        self._stop()
        self._inboxes = []


def _stop_all(inboxes: list[_Inbox]) -> None:
    for inbox in inboxes:
        inbox.put(None)
