"""Measured figures, and the description of the machine that measured them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from tzaar_envs.system.machine import machine, versions

RUNS = 5
SECONDS = 0.5  # per run
PACKAGES = ("tzaar-envs", "numpy", "numba", "gymnasium", "pettingzoo")


@dataclass(frozen=True)
class Measurement:
    """One measure of one game.

    Attributes:
        game: the id of the environment, or a peer and its game.
        measure: the name of the measure, see `measures`.
        unit: for instance `moves/s`.
        median: the median of all runs.
        lowest: the lowest of all runs.
        highest: the highest of all runs.
        runs: the number of runs.
        note: further parameters, for instance the depth of a perft.
    """

    game: str
    measure: str
    unit: str
    median: float
    lowest: float
    highest: float
    runs: int
    note: str = ""


def measured(
    game: str,
    measure: str,
    unit: str,
    run: Callable[[], float],
    note: str = "",
    runs: int = RUNS,
) -> Measurement:
    """Measure the figure that `run` returns over several runs."""
    values = [run() for _ in range(runs)]
    return Measurement(
        game, measure, unit, statistics.median(values), min(values), max(values), runs, note
    )


def rate(repeat: Callable[[], int], seconds: float | None = None) -> float:
    """Call `repeat`, which returns an amount of work, for some time, at least once.

    Returns:
        The amount of work per second.
    """
    begin = time.perf_counter()
    end = begin + (SECONDS if seconds is None else seconds)
    done = repeat()
    while time.perf_counter() < end:
        done += repeat()
    return done / (time.perf_counter() - begin)


def environment(*packages: str) -> dict[str, Any]:
    """Return the machine and the versions of packages, for the head of a report."""
    return machine() | versions(*PACKAGES, *packages)


def as_json(measurements: list[Measurement], *packages: str) -> dict[str, Any]:
    """Return machine and measurements as plain values."""
    return {
        "machine": environment(*packages),
        "measurements": [asdict(entry) for entry in measurements],
    }
