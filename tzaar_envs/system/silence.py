"""Warnings about who does not answer for very long, where no time limit ends the silence."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Iterator

from tzaar_envs.system.terminal import printable

PATIENCE = 60.0
"""Seconds without an answer after which somebody is named, once for each answer."""


class Watch:
    """Names whom this process has been waiting for, by a thread of its own.

    Args:
        log: where.
        advice: what can be done about it.
    """

    def __init__(self, log: logging.Logger, advice: str) -> None:
        self._log = log
        self._advice = advice
        self._asked: tuple[str, float] | None = None
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def waiting(self, name: str) -> Iterator[None]:
        """Wait for somebody in the block."""
        self._asked = name, time.monotonic()
        if self._thread is None or not self._thread.is_alive():  # also after a fork
            self._thread = threading.Thread(target=self._look, daemon=True)
            self._thread.start()
        try:
            yield
        finally:
            self._asked = None

    def _look(self) -> None:
        named = None
        while True:
            asked = self._asked
            if asked is not None and asked is not named:
                left = asked[1] + PATIENCE - time.monotonic()
                if left <= 0:
                    named = asked
                    text = f"{printable(asked[0])} has not answered for {PATIENCE:g} seconds"
                    self._log.warning("%s; %s", text, self._advice)
            time.sleep(PATIENCE / 20)
