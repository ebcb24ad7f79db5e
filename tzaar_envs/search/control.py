"""Budgets of searches, and control of a running one: limits, reports, a stop from outside."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

from tzaar_envs.core.validation import integer_from
from tzaar_envs.search.result import SearchResult

_REPORT_SECONDS = 0.25
UNLIMITED = 2**62
_FIRST_CHUNK = 16  # simulations between two looks at the clock
_CHUNK_SECONDS = 0.002
# Without a time limit: compiled code returns now and then, since only Python notices Ctrl-C.
_FIRST_CALL = 64
_CALL_SECONDS = 0.1


@dataclass(frozen=True)
class SearchLimits:
    """The limits of a search, which ends at the first one that it reaches; 0 sets no limit.

    Attributes:
        seconds: The time.
        nodes: Nodes, as searches count them: positions in alpha-beta, simulations in tree search.
        depth: Depth in plies, as `SearchResult.depth` counts it.

    Raises:
        ValueError: A limit below 0, or nodes or a depth that are no integers; a search with a
            fraction of a node would never end.
    """

    seconds: float = 0.0
    nodes: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        if not (isinstance(self.seconds, Real) and self.seconds >= 0):
            raise ValueError(f"seconds={self.seconds!r} is not allowed: use a number, 0 or more")
        for name, value in (("nodes", self.nodes), ("depth", self.depth)):
            integer_from(name, value, 0)


class SearchControl:
    """Lets another thread follow a search and stop it; it then returns what it has found.

    Attributes:
        is_stopped: Whether `stop` was called.

    Args:
        limits: Limits in place of the searcher's own; None: those remain.
        report: Called in the searching thread with what it has found so far; None: not at all.
    """

    def __init__(
        self,
        limits: SearchLimits | None = None,
        report: Callable[[SearchResult], None] | None = None,
    ) -> None:
        self.limits = limits
        self._report = report
        self._reported = time.perf_counter()
        self.is_stopped = False

    def stop(self) -> None:
        """Let the search end as soon as it has an answer."""
        self.is_stopped = True

    @property
    def wants_report(self) -> bool:
        """Whether enough time has passed since the last report."""
        return self._report is not None and time.perf_counter() - self._reported > _REPORT_SECONDS

    def report(self, result: SearchResult) -> None:
        """Report what the search has found so far."""
        self._reported = time.perf_counter()
        if self._report is not None:
            self._report(result)


class Budget:
    """A number of simulations, a time that starts now, a depth, or several of them.

    Attributes:
        simulations: The limit; practically unlimited if none is given.
        depth: The depth at which a search ends, in plies; likewise.
        control: Control of the search, if any.

    Args:
        simulations: The number of simulations; 0: no limit.
        seconds: The time; 0: no limit.
        control: Control that may stop the search early; its limits do not count here.
        depth: The depth; 0: no limit.
    """

    def __init__(
        self,
        simulations: int = 0,
        seconds: float = 0.0,
        control: SearchControl | None = None,
        depth: int = 0,
    ) -> None:
        self.simulations = simulations or UNLIMITED
        self.depth = depth or UNLIMITED
        self._seconds = seconds
        self.control = control
        self._begin = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """The seconds since the start."""
        return time.perf_counter() - self._begin

    @property
    def seconds_left(self) -> float:
        """The seconds until a budget in time is spent, infinite without one."""
        return self._seconds - self.elapsed if self._seconds else math.inf

    def next_chunk(self, done: int, searches: int = 1) -> int:
        """Return the number of simulations to run before the next call; 0 when the budget is spent.

        Args:
            done: Simulations that have been run.
            searches: Over how many positions the time adds up.
        """
        if done and self.control is not None and self.control.is_stopped:
            return 0
        elapsed = self.elapsed
        if done == 0:
            at_once = _FIRST_CHUNK if self._seconds else _FIRST_CALL
        elif not self._seconds:
            at_once = max(_FIRST_CHUNK, int(done / elapsed * _CALL_SECONDS))
        elif (left := self._seconds * searches - elapsed) > 0:
            at_once = max(1, int(done / elapsed * min(left, _CHUNK_SECONDS)))
        else:
            return 0
        return min(self.simulations - done, at_once)
