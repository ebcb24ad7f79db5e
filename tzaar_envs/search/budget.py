"""How long a search may go on."""

from __future__ import annotations

import time

_FIRST_CHUNK = 16  # simulations between two looks at the clock
_CHUNK_SECONDS = 0.002


class Budget:
    """A number of simulations, or a time from now on.

    Attributes:
        simulations: at most; without a limit if the budget is a time.

    Args:
        simulations: how many.
        seconds: how long, in place of `simulations`; 0: not by time.
    """

    def __init__(self, simulations: int, seconds: float = 0.0) -> None:
        self.simulations = 2**62 if seconds else simulations
        self._seconds = seconds
        self._begin = time.perf_counter()

    def next_chunk(self, done: int, searches: int = 1) -> int:
        """Return how many simulations to run now; 0 when the budget is spent.

        Args:
            done: how many have been run.
            searches: how many positions share the time.
        """
        if not self._seconds:
            return self.simulations - done
        if done == 0:
            return _FIRST_CHUNK
        passed = time.perf_counter() - self._begin
        left = self._seconds * searches - passed
        if left <= 0:
            return 0
        return max(1, int(done / passed * min(left, _CHUNK_SECONDS)))
