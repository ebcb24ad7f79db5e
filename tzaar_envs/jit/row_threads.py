"""Worker threads that split the rows of arrays and wait for tasks inside compiled code.

Waking a sleeping thread takes longer than stepping a hundred games. So a thread that has finished
spins for a moment, without holding the interpreter lock, before it goes to sleep; the calling
thread does the same while it waits for the others. That pays only if each has a core of its own, so
there are no more threads than cores, and `pace` measures whether sharing the rows pays at all.

Each helper thread has two words in a `Mailbox`, accessed by atomic operations only:

| word    | values                                                                              |
|---------|-------------------------------------------------------------------------------------|
| `ORDER` | a task, a number from 1; `NOTHING`; `ASLEEP`: wake the thread; `STOP`               |
| `REPLY` | `WORKING`; `DONE`; `AWAITED`: the calling thread sleeps, wake it                    |
"""

from __future__ import annotations

import itertools
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
"""int64 `(helpers * PLACE,)`: the orders and replies of all helpers."""

PLACE = 32  # words per helper: no two share a cache line
ORDER = 0
REPLY = 16

NOTHING = 0
ASLEEP = -1
STOP = -2

WORKING = 0
DONE = 1
AWAITED = 2

PATIENCE = 3_000_000  # polls before a thread goes to sleep: half a millisecond


@compiled(nogil=True)
def next_task(mailbox: Mailbox, helper: int) -> int:
    """Wait for the next order; return a task, `STOP`, or `ASLEEP` if the thread must sleep."""
    order = helper * PLACE + ORDER
    for _ in range(PATIENCE):
        task = load(mailbox, order)
        if task != NOTHING:
            exchange(mailbox, order, NOTHING)
            return task
    if replace(mailbox, order, NOTHING, ASLEEP):
        return ASLEEP
    return exchange(mailbox, order, NOTHING)


@compiled(nogil=True)
def reply(mailbox: Mailbox, helper: int) -> bool:
    """Report that a task is done; return whether the calling thread must be woken."""
    return exchange(mailbox, helper * PLACE + REPLY, DONE) == AWAITED


@compiled(nogil=True)
def _order(mailbox: Mailbox, task: int, asleep: NDArray[np.bool_]) -> bool:
    """Order a task from all helpers, write which of them sleep; return whether any does."""
    any_asleep = False
    for helper in range(asleep.size):
        exchange(mailbox, helper * PLACE + REPLY, WORKING)
        asleep[helper] = exchange(mailbox, helper * PLACE + ORDER, task) == ASLEEP
        any_asleep |= asleep[helper]
    return any_asleep


@compiled(nogil=True)
def _await(mailbox: Mailbox, helper: int) -> bool:
    """Wait until a helper is done; return False if this thread must sleep until it is."""
    word = helper * PLACE + REPLY
    for _ in range(PATIENCE):
        if load(mailbox, word) == DONE:
            return True
    return not replace(mailbox, word, WORKING, AWAITED)


Do: TypeAlias = Callable[[int, int, int], object]
"""`do(task, first, last)`: do a task for rows `first` to `last - 1`."""

Serve: TypeAlias = Callable[[Mailbox, int, int, int], int]
"""`serve(mailbox, helper, first, last)`: execute orders until one of these is returned.

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
    helper: int,
    rows: tuple[int, int],
    event: SimpleQueue[None],
    owner_event: SimpleQueue[None],
    errors: list[BaseException],
) -> None:
    try:
        while (reason := serve(mailbox, helper, *rows)) != STOP:
            if reason == AWAITED:
                owner_event.put(None)
            else:
                event.get()
    except BaseException as error:
        errors.append(error)
        if reply(mailbox, helper):
            owner_event.put(None)


class RowThreads:
    """Executes tasks for all rows, a part of them in each thread.

    The calling thread takes the first part, so one thread has no overhead. The helper threads start
    with the first task and end with `close`, or when this object is garbage collected. Uncompiled
    code, which cannot run in parallel, runs in the calling thread.

    Attributes:
        parts: the first row of each part, and the row after its last.

    Args:
        rows: the number of rows.
        threads: the number of threads, at least 1; no more than `rows` are used.
        do: executes a task in the calling thread.
        serve: executes tasks in a helper thread; must not refer to this object.
    """

    def __init__(self, rows: int, threads: int, do: Do, serve: Serve) -> None:
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            threads = 1
        threads = max(1, min(threads, rows))
        bounds = [rows * part // threads for part in range(threads + 1)]
        self.parts = list(itertools.pairwise(bounds))
        self._do = do
        self._serve = serve
        self._pace = Pace()
        self._process: int | None = None
        self._stop: Callable[[], Any] = lambda: None

    def run(self, task: int) -> None:
        """Execute a task, a number from 1, for all rows; return when all are done.

        Raises:
            BaseException: an exception raised in any part.
        """
        if len(self.parts) == 1:
            self._do(task, *self.parts[0])
            return
        start = time.perf_counter()
        if self._pace.shared:
            self._share(task)
        else:
            self._do(task, 0, self.parts[-1][1])
        self._pace.record(time.perf_counter() - start)

    def _share(self, task: int) -> None:
        """Execute a task in all threads."""
        if self._process != os.getpid():  # also after a fork, which copies no threads
            self._start()
        try:
            if _order(self._mailbox, task, self._asleep):
                for helper in self._asleep.nonzero()[0].tolist():
                    self._events[helper].put(None)
            self._do(task, *self.parts[0])
            for helper in range(len(self._events)):
                if not _await(self._mailbox, helper):
                    self._owner_event.get()
            if self._errors:
                raise self._errors[0]
        except BaseException:
            self.close()  # the state of these threads is unknown: the next task starts others
            raise

    def _start(self) -> None:
        helpers = len(self.parts) - 1
        self._mailbox = np.zeros(helpers * PLACE, np.int64)
        self._asleep = np.zeros(helpers, np.bool_)
        self._events: list[SimpleQueue[None]] = [SimpleQueue() for _ in range(helpers)]
        self._owner_event: SimpleQueue[None] = SimpleQueue()
        self._errors: list[BaseException] = []
        for helper, event in enumerate(self._events):
            rows = self.parts[helper + 1]
            arguments = (
                self._serve, self._mailbox, helper, rows, event, self._owner_event, self._errors,
            )  # fmt: skip
            threading.Thread(target=_help, args=arguments, daemon=True).start()
        self._process = os.getpid()
        self._stop = weakref.finalize(self, _stop_all, self._mailbox, self._events)

    def close(self) -> None:
        """End the threads; a later task starts new ones."""
        self._stop()
        self._process = None


def _stop_all(mailbox: Mailbox, events: list[SimpleQueue[None]]) -> None:
    asleep = np.zeros(len(events), np.bool_)
    _order(mailbox, STOP, asleep)
    for event in events:
        event.put(None)  # a surplus event is harmless now
