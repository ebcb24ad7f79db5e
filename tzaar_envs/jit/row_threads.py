"""Threads that share the rows of arrays, and wait for their next task inside compiled code.

To wake a sleeping thread takes longer than to step a hundred games. So a thread that has finished
waits awake for a moment, without holding the interpreter, before it goes to sleep; and so does the
calling thread when it waits for the others.

Each helping thread has two words on a `Mailbox`, which only atomic operations touch:

| word    | values                                                                              |
|---------|-------------------------------------------------------------------------------------|
| `ORDER` | a task, which are numbers from 1; `NOTHING`; `ASLEEP`: wake the thread; `STOP`      |
| `REPLY` | `WORKING`; `DONE`; `AWAITED`: the calling thread sleeps, wake it                    |
"""

from __future__ import annotations

import itertools
import os
import threading
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

Mailbox: TypeAlias = StateArray
"""int64 `(helpers * PLACE,)`: where threads tell each other what to do and what is done."""

PLACE = 32  # words of a helper, so that two cache lines are never shared
ORDER = 0
REPLY = 16

NOTHING = 0
ASLEEP = -1
STOP = -2

WORKING = 0
DONE = 1
AWAITED = 2

PATIENCE = 3_000_000  # times a thread looks before it goes to sleep: half a millisecond


@compiled(nogil=True)
def next_task(mailbox: Mailbox, helper: int) -> int:
    """Wait for the next order: return a task, `STOP`, or `ASLEEP` if the thread is to sleep."""
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
    """Say that a task is done; return whether the calling thread must be woken."""
    return exchange(mailbox, helper * PLACE + REPLY, DONE) == AWAITED


@compiled(nogil=True)
def _order(mailbox: Mailbox, task: int, asleep: NDArray[np.bool_]) -> bool:
    """Give all helpers a task, note which of them must be woken; return whether any must."""
    any_asleep = False
    for helper in range(asleep.size):
        exchange(mailbox, helper * PLACE + REPLY, WORKING)
        asleep[helper] = exchange(mailbox, helper * PLACE + ORDER, task) == ASLEEP
        any_asleep |= asleep[helper]
    return any_asleep


@compiled(nogil=True)
def _await(mailbox: Mailbox, helper: int) -> bool:
    """Wait until a helper is done; return whether it is, else it will wake this thread."""
    word = helper * PLACE + REPLY
    for _ in range(PATIENCE):
        if load(mailbox, word) == DONE:
            return True
    return not replace(mailbox, word, WORKING, AWAITED)


Do: TypeAlias = Callable[[int, int, int], object]
"""`do(task, first, last)`: do a task for rows `first` to `last - 1`."""

Serve: TypeAlias = Callable[[Mailbox, int, int, int], int]
"""`serve(mailbox, helper, first, last)`: do what is ordered, again and again.

Returns `STOP` or `ASLEEP` of `next_task`, or `AWAITED` where `reply` says so.
"""


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
    """Does tasks for all rows, a part of them in each thread.

    The calling thread does the first part, so with one thread there is no overhead. The helping
    threads start at the first task and end with `close`, or when nobody holds this object any more.
    Uncompiled code, which cannot work in parallel, runs in the calling thread.

    Attributes:
        parts: the first row of each part, and the one after its last.

    Args:
        rows: how many rows there are.
        threads: how many threads, at least 1; never more than rows.
        do: does a task in the calling thread.
        serve: does tasks in a helping thread; must not hold this object.
    """

    def __init__(self, rows: int, threads: int, do: Do, serve: Serve) -> None:
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            threads = 1
        threads = max(1, min(threads, rows))
        bounds = [rows * part // threads for part in range(threads + 1)]
        self.parts = list(itertools.pairwise(bounds))
        self._do = do
        self._serve = serve
        self._process: int | None = None
        self._stop: Callable[[], Any] = lambda: None

    def run(self, task: int) -> None:
        """Do a task, a number from 1, for all rows; return when it is done.

        Raises:
            BaseException: what was raised in any part.
        """
        if len(self.parts) == 1:
            self._do(task, *self.parts[0])
            return
        if self._process != os.getpid():  # threads are not there after a fork either
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
            self.close()  # other threads take over, whatever state these are in
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
        """End the threads; a later task starts others."""
        self._stop()
        self._process = None


def _stop_all(mailbox: Mailbox, events: list[SimpleQueue[None]]) -> None:
    asleep = np.zeros(len(events), np.bool_)
    _order(mailbox, STOP, asleep)
    for event in events:
        event.put(None)  # one too many does no harm any more
