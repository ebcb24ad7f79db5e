"""Search budgets."""

from __future__ import annotations

import math
import time

from tzaar_envs.search.control import SearchControl

UNLIMITED = 2**62
_FIRST_CHUNK = 16  # simulations between two looks at the clock
_CHUNK_SECONDS = 0.002
# Without a time limit: compiled code returns now and then, since only Python notices Ctrl-C.
_FIRST_CALL = 64
_CALL_SECONDS = 0.1


class Budget:
    """A number of simulations, a time that starts now, or both.

    Attributes:
        simulations: the limit; practically unlimited if none is given.

    Args:
        simulations: the number of simulations; 0: no limit.
        seconds: the time; 0: no limit.
        control: may stop the search early; its limits do not count here.
    """

    def __init__(
        self, simulations: int = 0, seconds: float = 0.0, control: SearchControl | None = None
    ) -> None:
        self.simulations = simulations or UNLIMITED
        self._seconds = seconds
        self._control = control
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
        """Return how many simulations to run before the next call; 0 when the budget is spent.

        Args:
            done: how many have been run.
            searches: over how many positions the time adds up.
        """
        if done and self._control is not None and self._control.is_stopped:
            return 0
        if not self._seconds:
            at_once = _FIRST_CALL
            if done:
                at_once = max(_FIRST_CHUNK, int(done / self.elapsed * _CALL_SECONDS))
            return min(self.simulations - done, at_once)
        if done == 0:
            return min(self.simulations, _FIRST_CHUNK)
        elapsed = self.elapsed
        left = self._seconds * searches - elapsed
        if left <= 0:
            return 0
        at_once = max(1, int(done / elapsed * min(left, _CHUNK_SECONDS)))
        return min(self.simulations - done, at_once)
