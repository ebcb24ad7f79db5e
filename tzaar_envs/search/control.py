"""Control of a running search: limits for this search alone, reports, and a stop from outside."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real

from tzaar_envs.search.result import SearchResult

_REPORT_SECONDS = 0.25


@dataclass(frozen=True)
class SearchLimits:
    """Where a search ends, whichever limit it reaches first; 0 sets no limit.

    Attributes:
        seconds: the time.
        nodes: as searches count their work: positions in alpha-beta, simulations in tree search.
        depth: in plies, as `SearchResult.depth` counts it.

    Raises:
        ValueError: a limit below 0, or nodes or a depth that are no integers; a search with a
            fraction of a node would never end.
    """

    seconds: float = 0.0
    nodes: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        if not (isinstance(self.seconds, Real) and self.seconds >= 0):
            raise ValueError(f"seconds={self.seconds!r} is not allowed: use a number, 0 or more")
        for name, value in (("nodes", self.nodes), ("depth", self.depth)):
            if not (isinstance(value, Integral) and value >= 0):
                raise ValueError(f"{name}={value!r} is not allowed: use an integer, 0 or more")


class SearchControl:
    """Lets another thread follow a search and stop it; it then returns what it has found.

    Args:
        limits: in place of the searcher's own; None: those remain.
        report: called in the searching thread with what it has found so far; None: not at all.
    """

    def __init__(
        self,
        limits: SearchLimits | None = None,
        report: Callable[[SearchResult], None] | None = None,
    ) -> None:
        self.limits = limits
        self._report = report
        self._reported = time.perf_counter()
        self._is_stopped = False

    def stop(self) -> None:
        """Let the search end as soon as it has an answer."""
        self._is_stopped = True

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._is_stopped

    @property
    def wants_report(self) -> bool:
        """Whether enough time has passed since the last report."""
        return self._report is not None and time.perf_counter() - self._reported > _REPORT_SECONDS

    def report(self, result: SearchResult) -> None:
        """Report what the search has found so far."""
        self._reported = time.perf_counter()
        if self._report is not None:
            self._report(result)
