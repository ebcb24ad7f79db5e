"""Ctrl-C and its like: noticed in long calls, deferred, told apart from what others raise."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""The signals that end a command: Ctrl-C, the end of its job or machine, or of its terminal."""

_last: int = signal.SIGINT


def end_as_by_ctrl_c() -> None:
    """Let the other signals raise KeyboardInterrupt as Ctrl-C does, unless they are ignored."""
    for number in SIGNALS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(number: int, frame: Any) -> None:
    global _last
    _last = number
    raise KeyboardInterrupt


def exit_status() -> int:
    """Return the exit status of a command that was interrupted, as shells have it."""
    return 128 + _last


@contextlib.contextmanager
def signals_deferred(masked: Collection[int] = SIGNALS) -> Iterator[None]:
    """Defer `SIGNALS` to the end of the block; processes started in the block do not get them.

    Child processes inherit the signal mask, so they are shielded from their first moment on, before
    they can ignore the signals themselves (Windows has no masks). The mask alone does not shield
    this process: a signal would reach another thread, and Python's handler would run anyway.

    Args:
        masked: Those that processes started in the block do not get.
    """
    caught: list[int] = []
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():  # other threads cannot set handlers
        before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler is not None:
            signal.signal(number, lambda number, frame: caught.append(number))
    mask = None
    if sys.platform != "win32":
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, masked)
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
        for number in caught[:1]:
            signal.raise_signal(number)


def interruptible(work: Callable[[], T], stop: Callable[[], object]) -> T:
    """Call `work`, which is mostly compiled code, and return its result; Ctrl-C ends it at once.

    Only the main thread gets Ctrl-C, and not while it is in compiled code. So another one works.

    Args:
        work: Releases the interpreter lock.
        stop: Makes `work` end soon.
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
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():  # only it gets signals
        handlers = {number: signal.getsignal(number) for number in SIGNALS}
        before = {number: handler for number, handler in handlers.items() if callable(handler)}

    def notice(number: int, frame: Any) -> None:
        pressed.set()
        before[number](number, frame)

    complain = sys.unraisablehook

    def complain_of_others(dropped: sys.UnraisableHookArgs) -> None:
        if not (pressed.is_set() and issubclass(dropped.exc_type, KeyboardInterrupt)):
            complain(dropped)

    for number in before:
        signal.signal(number, notice)
    sys.unraisablehook = complain_of_others
    try:
        yield pressed.is_set
    finally:
        sys.unraisablehook = complain
        for number, handler in before.items():
            signal.signal(number, handler)
