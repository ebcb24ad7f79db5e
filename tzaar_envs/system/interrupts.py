"""Deferral of Ctrl-C."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any


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
