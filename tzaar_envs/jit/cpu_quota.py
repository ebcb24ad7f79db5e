"""The CPU quota of the control groups of this process, as containers have it (Linux)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path("/")


def cpu_quota(root: Path = _ROOT) -> float:
    """Return how many cores the process may use on average; infinite without a quota.

    The group of the process may have a quota, and each group around it. A container sees its own
    group as the outermost one.

    Args:
        root: of the file system.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return math.inf
    return min(
        (_quota(folder) for line in lines for folder in _groups(root, line)), default=math.inf
    )


def _groups(root: Path, line: str) -> Iterator[Path]:
    """Yield the folders of the groups that a line `number:controllers:path` names."""
    _, _, rest = line.partition(":")
    controllers, _, path = rest.partition(":")
    mounts = root / "sys/fs/cgroup"
    if not controllers:  # version 2, alone or beside version 1
        folders = [mounts, mounts / "unified"]
    elif "cpu" in controllers.split(","):
        folders = [mounts / "cpu", mounts / controllers]
    else:
        return
    names = [name for name in path.split("/") if name]
    for folder in folders:
        for depth in range(len(names) + 1):
            yield folder.joinpath(*names[:depth])


def _quota(folder: Path) -> float:
    """Return the quota of one group in cores; infinite if there is none."""
    try:
        if (both := folder / "cpu.max").exists():
            quota, period = both.read_text(encoding="ascii").split()
        else:
            quota, period = (
                (folder / f"cpu.cfs_{name}_us").read_text(encoding="ascii")
                for name in ("quota", "period")
            )
        cores = int(quota) / int(period)  # the word "max" is no number, and -1 no quota
    except (OSError, ValueError, ZeroDivisionError):
        return math.inf
    return cores if cores > 0 else math.inf
