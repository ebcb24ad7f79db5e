"""Ctrl-C: noticed in long calls, deferred, and told apart from what foreign code raises."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


@contextlib.contextmanager
def sigint_deferred() -> Iterator[None]:
    """Defer Ctrl-C to the end of the block; processes started in the block never see it.

    Child processes inherit the signal mask, so they are shielded from their first moment on, before
    they can ignore the signal themselves (Windows has no masks). The mask alone does not shield
    this process: the signal would reach another thread, and Python's handler would run anyway.
    """
    caught: list[int] = []
    before: Any = None
    if threading.current_thread() is threading.main_thread():  # other threads cannot set handlers
        before = signal.getsignal(signal.SIGINT)
        if before is not None:
            signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    mask = None
    if sys.platform != "win32":
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if before is not None:
            signal.signal(signal.SIGINT, before)
        if caught:
            signal.raise_signal(signal.SIGINT)


def interruptible(work: Callable[[], T], stop: Callable[[], object]) -> T:
    """Call `work`, which is mostly compiled code, and return its result; Ctrl-C ends it at once.

    Only the main thread gets Ctrl-C, and not while it is in compiled code. So another one works.

    Args:
        work: releases the interpreter lock.
        stop: makes `work` end soon.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(work)
        try:
            return running.result()
        except BaseException:
            stop()
            raise


@contextlib.contextmanager
def noticing_ctrl_c() -> Iterator[Callable[[], bool]]:
    """Notice Ctrl-C in the block, where it raises KeyboardInterrupt as always.

    Python drops an exception that it raises in the destructor of an object, and complains; the
    block asks what this yields, whether Ctrl-C was pressed, now and then, so that none is lost, and
    there is no complaint.
    """
    pressed = threading.Event()
    before: Any = None
    if threading.current_thread() is threading.main_thread():  # only it gets signals
        before = signal.getsignal(signal.SIGINT)

    def notice(number: int, frame: Any) -> None:
        pressed.set()
        before(number, frame)

    complain = sys.unraisablehook

    def complain_of_others(dropped: sys.UnraisableHookArgs) -> None:
        if not (pressed.is_set() and issubclass(dropped.exc_type, KeyboardInterrupt)):
            complain(dropped)

    if callable(before):
        signal.signal(signal.SIGINT, notice)
    sys.unraisablehook = complain_of_others
    try:
        yield pressed.is_set
    finally:
        sys.unraisablehook = complain
        if callable(before):
            signal.signal(signal.SIGINT, before)
