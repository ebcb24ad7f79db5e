"""Clocks beside those of the standard library."""

from __future__ import annotations

import contextlib


class FamilyClock:
    """CPU time of this process, of those that it has started, and of those that they have.

    Processes that have ended count with what they had used when the clock was last read. Needs
    psutil, which the extras `ray` and `rllib` install.
    """

    def __init__(self) -> None:
        self._used: dict[tuple[int, float], float] = {}  # seconds, by number and begin of a process

    def __call__(self) -> float:
        """Return the seconds that all cores have spent on these processes."""
        import psutil

        here = psutil.Process()
        for process in [here, *here.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):  # it has just ended
                times = process.cpu_times()
                self._used[process.pid, process.create_time()] = times.user + times.system
        return sum(self._used.values())
