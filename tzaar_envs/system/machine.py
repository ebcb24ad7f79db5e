"""The machine and the libraries that something was computed with, and the CPU time it took."""

from __future__ import annotations

import contextlib
import os
import platform
from importlib import metadata
from typing import Any


def versions(*packages: str) -> dict[str, str]:
    """Return the versions of those of the packages that are installed."""
    found = {}
    for package in packages:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def machine() -> dict[str, Any]:
    """Return processor, number of cores, operating system and Python version."""
    processor = platform.processor() or "unknown"
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.partition(":")[2].strip() for line in file if "model name" in line]
        processor = names[0] if names else processor
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


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
