"""Threads that share the rows of arrays, each a fixed part of them."""

from __future__ import annotations

import concurrent.futures
import itertools
import os
from collections.abc import Callable

MIN_ROWS = 128
"""Rows of a thread: fewer are stepped in less time than it takes to wake a thread."""


class RowThreads:
    """Calls a function for all rows, in several threads if there are enough rows for them.

    The calling thread has the first part of the rows. The others start with the first task that
    they share, and end with `close`, or when this object is garbage collected.

    Attributes:
        parts: The first row of each thread, and the end of its rows.

    Args:
        rows: The number of rows.
        threads: The number of threads, at least 1; each has at least `MIN_ROWS` rows.
    """

    def __init__(self, rows: int, threads: int) -> None:
        count = max(1, min(threads, rows // MIN_ROWS))
        self.parts = [*itertools.pairwise(rows * part // count for part in range(count + 1))]
        self._pool: concurrent.futures.ThreadPoolExecutor | None = None
        self._process = os.getpid()

    def run(self, work: Callable[[int, int], object]) -> None:
        """Call `work(first, end)` for the rows of each thread; return when all are done.

        Args:
            work: Does its work without the interpreter lock.

        Raises:
            BaseException: An exception raised in any thread.
        """
        own, *others = self.parts
        if not others:
            work(*own)
            return
        if self._pool is None or self._process != os.getpid():  # a fork copies no threads
            self._pool = concurrent.futures.ThreadPoolExecutor(len(others))
            self._process = os.getpid()
        futures = [self._pool.submit(work, *part) for part in others]
        try:
            work(*own)
        finally:
            concurrent.futures.wait(futures)
        for future in futures:
            future.result()

    def close(self) -> None:
        """End the threads; a later task starts new ones."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown()
        self._pool = None
