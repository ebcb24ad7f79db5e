"""Worker threads that split the rows of arrays and wait for tasks inside compiled code.

Waking a sleeping thread takes longer than stepping a hundred games. So a thread that has finished
spins for a moment, without holding the interpreter lock, before it goes to sleep; the calling
thread does the same while it waits for the others. That pays only if each has a core of its own, so
there are no more threads than cores, and `pace` measures whether sharing the rows pays at all.

Each thread begins with rows of its own, and takes them in blocks. So one that is held up, since its
core has other work, leaves its rows to the others. They agree by the words of a `Mailbox`, which
are accessed by atomic operations only. Thread 0 is the calling one.

| word    | values                                                                              |
|---------|-------------------------------------------------------------------------------------|
| `ROWS`  | the rows of this thread that nobody has taken: the first, and 2^32 times the end    |
| `ORDER` | a task, a number from 1; `NOTHING`; `ASLEEP`: wake the thread; `STOP`               |
| `REPLY` | `WORKING`; `DONE`; `AWAITED`: the calling thread sleeps, wake it                    |
"""

from __future__ import annotations

import math
import os
import threading
import time
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeAlias

import numba
import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.atomics import exchange, load, replace
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.cpu_quota import cpu_quota
from tzaar_envs.jit.pace import Pace

Mailbox: TypeAlias = StateArray
"""int64 `(threads * PLACE,)`: the words of all threads."""

PLACE = 48  # words per thread: no two that are used share a cache line
ORDER = 0
REPLY = 16
ROWS = 32
_END = 32  # bits of `ROWS` before the end

NOTHING = 0
ASLEEP = -1
STOP = -2

WORKING = 0
DONE = 1
AWAITED = 2

PATIENCE = 3_000_000  # polls before a thread goes to sleep: half a millisecond


@compiled(nogil=True)
def next_rows(mailbox: Mailbox, thread: int) -> tuple[int, int]:
    """Take rows that nobody has taken, those of this thread first, then those of the others.

    Return the first and the end of a block, `(0, 0)` if no rows are left. Blocks become smaller and
    smaller, so that the threads finish at the same time; one thread takes all rows at once. Others
    take a thread's rows from the end: those at its beginning are in the cache of its core.
    """
    threads = mailbox.size // PLACE
    for distance in range(threads):
        word = (thread + distance) % threads * PLACE + ROWS
        while True:
            rows = load(mailbox, word)
            first, end = rows & ((1 << _END) - 1), rows >> _END
            if first == end:
                break
            count = end - first if threads == 1 else (end - first + 3) // 4
            if distance == 0:
                if replace(mailbox, word, rows, rows + count):
                    return first, first + count
            elif replace(mailbox, word, rows, rows - (count << _END)):
                return end - count, end
    return 0, 0


@compiled(nogil=True)
def next_task(mailbox: Mailbox, thread: int) -> int:
    """Wait for the next order; return a task, `STOP`, or `ASLEEP` if the thread must sleep."""
    order = thread * PLACE + ORDER
    while True:
        for _ in range(PATIENCE):
            if load(mailbox, order) != NOTHING:
                # Nothing again if the calling thread has just taken it back.
                task = exchange(mailbox, order, NOTHING)
                if task != NOTHING:
                    return task
        if replace(mailbox, order, NOTHING, ASLEEP):
            return ASLEEP


@compiled(nogil=True)
def reply(mailbox: Mailbox, thread: int) -> bool:
    """Report that a task is done; return whether the calling thread must be woken."""
    return exchange(mailbox, thread * PLACE + REPLY, DONE) == AWAITED


@compiled(nogil=True)
def _order(mailbox: Mailbox, task: int, total: int, asleep: NDArray[np.bool_]) -> bool:
    """Share out the rows and order a task; return whether any thread sleeps, see `asleep`."""
    for thread in range(asleep.size):
        first, end = total * thread // asleep.size, total * (thread + 1) // asleep.size
        exchange(mailbox, thread * PLACE + ROWS, first + (end << _END))
    any_asleep = False
    for thread in range(1, asleep.size):
        exchange(mailbox, thread * PLACE + REPLY, WORKING)
        asleep[thread] = exchange(mailbox, thread * PLACE + ORDER, task) == ASLEEP
        any_asleep |= asleep[thread]
    return any_asleep


@compiled(nogil=True)
def _await(mailbox: Mailbox, thread: int, task: int) -> bool:
    """Wait until a thread is done; return False if the calling one must sleep until it is.

    One that has not begun need not: the rows are done.
    """
    if replace(mailbox, thread * PLACE + ORDER, task, NOTHING):
        return True
    word = thread * PLACE + REPLY
    for _ in range(PATIENCE):
        if load(mailbox, word) == DONE:
            return True
    return not replace(mailbox, word, WORKING, AWAITED)


Work: TypeAlias = Callable[[Mailbox, int, int], object]
"""`work(mailbox, thread, task)`: do a task for all rows that `next_rows` returns."""

Serve: TypeAlias = Callable[[Mailbox, int], int]
"""`serve(mailbox, thread)`: execute orders until one of these is returned.

`STOP` or `ASLEEP` of `next_task`, or `AWAITED` if `reply` returned True.
"""


def usable_cores() -> int:
    """Return the number of cores that this process may use all the time, at least 1."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return max(1, math.floor(min(cores, cpu_quota())))


def _help(
    serve: Serve,
    mailbox: Mailbox,
    thread: int,
    event: SimpleQueue[None],
    owner_event: SimpleQueue[None],
    errors: list[BaseException],
) -> None:
    try:
        while (reason := serve(mailbox, thread)) != STOP:
            if reason == AWAITED:
                owner_event.put(None)
            else:
                event.get()
    except BaseException as error:
        errors.append(error)
        if reply(mailbox, thread):
            owner_event.put(None)


class RowThreads:
    """Executes tasks for all rows, each thread for some of them.

    The calling thread is one of them, so one thread has no overhead. The others start with the
    first task that they share, and end with `close`, or when this object is garbage collected.
    Uncompiled code, which cannot run in parallel, runs in the calling thread.

    Attributes:
        threads: the number of threads.

    Args:
        rows: the number of rows.
        threads: the number of threads, at least 1; no more than `rows` are used.
        work: does a task in the calling thread.
        serve: executes tasks in another thread; must not refer to this object.
    """

    def __init__(self, rows: int, threads: int, work: Work, serve: Serve) -> None:
        interpreted = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
        self.threads = 1 if interpreted else max(1, min(threads, rows))
        self._rows = rows
        self._work = work
        self._serve = serve
        self._alone = np.zeros(PLACE, np.int64)
        self._pace = Pace()
        self._process: int | None = None
        self._stop: Callable[[], Any] = lambda: None

    def run(self, task: int) -> None:
        """Execute a task, a number from 1, for all rows; return when all are done.

        Raises:
            BaseException: an exception raised in any thread.
        """
        if self.threads == 1:
            self._do(task)
            return
        start = time.perf_counter()
        if self._pace.shared:
            self._share(task)
        else:
            self._do(task)
        self._pace.record(time.perf_counter() - start)

    def _do(self, task: int) -> None:
        """Execute a task in the calling thread."""
        self._alone[ROWS] = self._rows << _END
        self._work(self._alone, 0, task)

    def _share(self, task: int) -> None:
        """Execute a task in all threads."""
        if self._process != os.getpid():  # also after a fork, which copies no threads
            self._start()
        try:
            if _order(self._mailbox, task, self._rows, self._asleep):
                for thread in self._asleep.nonzero()[0].tolist():
                    self._events[thread - 1].put(None)
            self._work(self._mailbox, 0, task)
            for thread in range(1, self.threads):
                if not _await(self._mailbox, thread, task):
                    self._owner_event.get()
            if self._errors:
                raise self._errors[0]
        except BaseException:
            self.close()  # the state of these threads is unknown: the next task starts others
            raise

    def _start(self) -> None:
        self._mailbox = np.zeros(self.threads * PLACE, np.int64)
        self._asleep = np.zeros(self.threads, np.bool_)
        self._events: list[SimpleQueue[None]] = [SimpleQueue() for _ in range(1, self.threads)]
        self._owner_event: SimpleQueue[None] = SimpleQueue()
        self._errors: list[BaseException] = []
        for thread, event in enumerate(self._events, start=1):
            arguments = (
                self._serve, self._mailbox, thread, event, self._owner_event, self._errors,
            )  # fmt: skip
            threading.Thread(target=_help, args=arguments, daemon=True).start()
        self._process = os.getpid()
        self._stop = weakref.finalize(self, _stop_all, self._mailbox, self._events)

    def close(self) -> None:
        """End the threads; a later task starts new ones."""
        self._stop()
        self._process = None


def _stop_all(mailbox: Mailbox, events: list[SimpleQueue[None]]) -> None:
    _order(mailbox, STOP, 0, np.zeros(len(events) + 1, np.bool_))
    for event in events:
        event.put(None)  # a surplus event is harmless now
