"""Choice between one thread and several, by measuring both."""

from __future__ import annotations

_WARM_UP = 4  # tasks that do not count, while threads wake up, ...
_WARM_UP_SECONDS = 0.002  # ... unless they are so long that it does not matter
_TRIAL_SECONDS = 0.1  # many time slices of a system, so that a lucky one does not count
_HOPELESS_TASKS = 64  # a trial ends after so many, if they take ...
_HOPELESS = 2.0  # ... so many times as long as in the other way
_FIRST_WAIT = 8  # between two trials, in durations of a trial
_LONGEST_WAIT = 64
_WORTH_IT = 0.95  # the time of several threads must be below this part of that of one


class Pace:
    """Whether the next task is shared among the threads, or done by the calling thread alone.

    Sharing pays where cores are free. Where they are not, since the machine is busy, threads wait
    for each other more than they help. So now and then some tasks are done the other way, and the
    faster way wins; sharing, which takes cores from others, must be clearly faster. Trials cost
    little: they are short, and the wait for the next one grows while they confirm the choice. The
    first tasks are done alone, which is never slow.

    Attributes:
        shared: whether the next task is shared.
    """

    def __init__(self) -> None:
        self.shared = False
        self._is_trial = False
        self._best = 0.0  # seconds per task in the chosen way
        self._wait = 0.0  # seconds until the next trial
        self._factor = _FIRST_WAIT
        self._begin()

    def _begin(self) -> None:
        self._tasks = -_WARM_UP
        self._seconds = 0.0  # of the tasks that count
        self._spent = 0.0  # of all tasks

    def record(self, seconds: float) -> None:
        """Take note of how long a task took; this may change `shared`."""
        self._tasks += 1
        if self._tasks == 1 - _WARM_UP:
            return  # it may have compiled something, or started threads
        self._spent += seconds
        if self._tasks <= 0 and seconds < _WARM_UP_SECONDS:
            return
        self._tasks = max(self._tasks, 1)
        self._seconds += seconds
        mean = self._seconds / self._tasks
        if self._seconds < _TRIAL_SECONDS and not self._is_hopeless(mean):
            return
        if self._is_trial:
            self._end_trial(mean)
        elif self._spent >= self._wait:
            self._best = mean
            self._is_trial, self.shared = True, not self.shared
        else:
            return
        self._begin()

    def _is_hopeless(self, mean: float) -> bool:
        """Whether a trial has already shown that the other way is much faster."""
        enough = self._tasks >= _HOPELESS_TASKS
        return self._is_trial and enough and mean > _HOPELESS * self._best

    def _end_trial(self, mean: float) -> None:
        """Choose between the way that was tried and the other one."""
        alone, shared = (self._best, mean) if self.shared else (mean, self._best)
        won = self.shared == (shared < _WORTH_IT * alone)
        self._is_trial = False
        self.shared = self.shared == won
        self._wait = 0.0 if won else self._factor * self._spent
        self._factor = _FIRST_WAIT if won else min(4 * self._factor, _LONGEST_WAIT)
