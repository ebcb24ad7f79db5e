"""Choice between one thread and several, by measuring both."""

from __future__ import annotations

_WARM_UP = 4  # tasks that do not count, while threads wake up, ...
_WARM_UP_SECONDS = 0.002  # ... unless they are so long that it does not matter
_TRIAL_TASKS = 64
_TRIAL_SECONDS = 0.05
_FIRST_WAIT = 8  # between two trials, in durations of a trial
_LONGEST_WAIT = 64
_WORTH_IT = 0.95  # the time of one thread must be below this part of that of several


class Pace:
    """Whether the next task is shared among the threads, or done by the calling thread alone.

    Sharing pays where cores are free. Where they are not, since a container has a quota or the
    machine is busy, threads wait for each other more than they help. So now and then some tasks are
    done the other way, and the faster way wins. Trials cost little: they are short, and the wait
    for the next one grows while they confirm the choice.

    Attributes:
        shared: whether the next task is shared.
    """

    def __init__(self) -> None:
        self.shared = True
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
        self._spent += seconds
        if self._tasks <= 0 and seconds < _WARM_UP_SECONDS:
            return
        self._tasks = max(self._tasks, 1)
        self._seconds += seconds
        if self._tasks < _TRIAL_TASKS and self._seconds < _TRIAL_SECONDS:
            return
        mean = self._seconds / self._tasks
        if self._is_trial:
            self._end_trial(mean)
        elif self._spent >= self._wait:
            self._best = mean
            self._is_trial, self.shared = True, not self.shared
        else:
            return
        self._begin()

    def _end_trial(self, mean: float) -> None:
        """Choose between the way that was tried and the other one."""
        alone, shared = (self._best, mean) if self.shared else (mean, self._best)
        won = self.shared == (alone > _WORTH_IT * shared)
        self._is_trial = False
        self.shared = self.shared == won
        self._wait = 0.0 if won else self._factor * self._spent
        self._factor = _FIRST_WAIT if won else min(4 * self._factor, _LONGEST_WAIT)
