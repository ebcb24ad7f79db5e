"""How busy the machine is, as the system measures it (Linux: pressure stall information)."""

from __future__ import annotations

import re
from pathlib import Path

_FILE = Path("/proc/pressure/cpu")
_SOME = re.compile(r"^some avg10=([0-9]+\.[0-9]+) ", re.MULTILINE)


def cpu_pressure(file: Path = _FILE) -> float:
    """Return the share of the last ten seconds in which a thread waited for a core; 0 if unknown.

    Args:
        file: in which the system says it.
    """
    try:
        found = _SOME.search(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0.0
    return float(found[1]) / 100 if found else 0.0
