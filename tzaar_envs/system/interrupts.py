"""Ctrl-C at a moment that suits."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def sigint_deferred() -> Iterator[None]:
    """Put Ctrl-C off until the end; processes that are started meanwhile never see it.

    The mask is what these inherit, so that they are shielded from their first moment on and not
    only from the moment at which they ignore it (Windows has no masks). For this process it would
    not do: the signal then reaches another thread, and Python's handler runs all the same.
    """
    caught: list[int] = []
    before: Any = None
    if threading.current_thread() is threading.main_thread():  # others cannot set handlers
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
