"""Reports of agents that think for very long, where no time limit ends them."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Iterator

from tzaar_envs.system.terminal import printable

PATIENCE = 60.0
"""Seconds without an answer after which an agent is named, once for each answer."""

_log = logging.getLogger("tzaar_envs.arena")


class Watch:
    """Names the agent that this process has been waiting for, by a thread of its own."""

    def __init__(self) -> None:
        self._asked: tuple[str, float] | None = None
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def waiting(self, agent: str) -> Iterator[None]:
        """Wait for an agent in the block."""
        self._asked = agent, time.monotonic()
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
                    _log.warning(
                        "%s has not answered for %g seconds; a time limit would end it "
                        "(tournament --move-seconds)",
                        printable(asked[0]),
                        PATIENCE,
                    )
            time.sleep(PATIENCE / 20)
