"""Limits of the memory of a process."""

from __future__ import annotations

import sys

_GIB = 2**30
_KIB = 2**10


def has_memory_limits() -> bool:
    """Whether the system can limit the memory of a process: Linux can."""
    return sys.platform == "linux"


def limit_memory(gib: float) -> None:
    """Let this process allocate so much memory more than now; then allocations fail.

    Args:
        gib: in GiB.
    """
    import resource  # not on every system

    with open("/proc/self/status", encoding="ascii") as file:
        used = next(int(line.split()[1]) * _KIB for line in file if line.startswith("VmData:"))
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = used + int(gib * _GIB)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
