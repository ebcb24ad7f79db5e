"""Threads that share the rows of arrays, in fixed parts that whoever is free takes."""

from __future__ import annotations

import concurrent.futures
import itertools
import os
from collections.abc import Callable

MIN_ROWS = 128
"""Rows of a part: fewer are stepped in less time than it takes to wake a thread."""

_PARTS_PER_THREAD = 2  # so that a thread whose core has other work holds nobody up


class RowThreads:
    """Calls a function for all rows, in several threads if there are enough rows for them.

    The calling thread is one of them. The others start with the first task that they share, and end
    with `close`, or when this object is garbage collected.

    Attributes:
        parts: The first row of each part, and its end.

    Args:
        rows: The number of rows.
        threads: The number of threads, at least 1.
    """

    def __init__(self, rows: int, threads: int) -> None:
        count = 1 if threads == 1 else max(1, min(_PARTS_PER_THREAD * threads, rows // MIN_ROWS))
        self.parts = [*itertools.pairwise(rows * part // count for part in range(count + 1))]
        self._helpers = min(threads, count) - 1
        self._pool: concurrent.futures.ThreadPoolExecutor | None = None
        self._process = os.getpid()

    def run(self, work: Callable[[int, int], object]) -> None:
        """Call `work(first, end)` for every part of the rows; return when all are done.

        Args:
            work: Does its work without the interpreter lock.

        Raises:
            BaseException: An exception raised in any thread; parts may be left out then.
        """
        parts = iter(self.parts)

        def take_parts() -> None:
            for first, end in parts:
                work(first, end)

        if not self._helpers:
            take_parts()
            return
        if self._pool is None or self._process != os.getpid():  # a fork copies no threads
            self._pool = concurrent.futures.ThreadPoolExecutor(self._helpers)
            self._process = os.getpid()
        futures = [self._pool.submit(take_parts) for _ in range(self._helpers)]
        try:
            take_parts()
        finally:
            # One that has not begun is not waited for: the parts are done.
            begun = [future for future in futures if not future.cancel()]
            concurrent.futures.wait(begun)
        for future in begun:
            future.result()

    def close(self) -> None:
        """End the threads; a later task starts new ones."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown()
        self._pool = None
