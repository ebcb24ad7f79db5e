"""Schedule: which task begins next, and which games are still missing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from tzaar_envs.arena.plan import GameId, Plan, Task


class Schedule:
    """The tasks of a plan, in an order that brings all line-ups forward alike.

    Args:
        plan: what is to be played.
        finished: games that need not be played any more.
        decided: `decided(line_up, chunks)`: whether the first `chunks` chunks, which are finished
            then, say enough about a line-up. A chunk then begins when the one before it has ended,
            so that which games are played does not depend on which happen to end first.
    """

    def __init__(
        self,
        plan: Plan,
        finished: Iterable[GameId] = (),
        decided: Callable[[int, int], bool] | None = None,
    ) -> None:
        self.plan = plan
        self.finished = set(finished)
        self._decided = decided
        self._running = [0] * len(plan.line_ups)  # tasks of each line-up
        self._queues = [
            deque(task for task in plan.tasks(line_up) if self.missing(task))
            for line_up in range(len(plan.line_ups))
        ]
        self._opened = [-1] * len(plan.line_ups)  # the chunk that was begun last
        self._skipped = 0

    @property
    def games(self) -> int:
        """How many games there are to be in the end, as far as is known by now."""
        return self.plan.games - self._skipped

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to begin and nothing runs."""
        may_begin = (self._may_begin(line_up) for line_up in range(len(self._queues)))
        return not any(self._running) and not any(may_begin)

    @property
    def tasks_left(self) -> int:
        """How many tasks have not begun."""
        return sum(map(len, self._queues))

    def missing(self, task: Task) -> list[GameId]:
        """Return the games of a task that are not finished."""
        return [game for game in self.plan.games_of(task) if game not in self.finished]

    def finish(self, game: GameId) -> bool:
        """Take note of a finished game; return whether it was missing."""
        if game in self.finished:
            return False
        self.finished.add(game)
        return True

    def begin(self) -> Task | None:
        """Return a task to be played now; None if none may begin before another one has ended."""
        ready = [line_up for line_up in range(len(self._queues)) if self._may_begin(line_up)]
        if not ready:
            return None
        line_up = min(ready, key=lambda number: (self._queues[number][0].chunk, number))
        self._running[line_up] += 1
        return self._queues[line_up].popleft()

    def end(self, task: Task) -> None:
        """Take note that a task has been played."""
        self._running[task.line_up] -= 1

    def again(self, task: Task) -> None:
        """Put a task that was not played to its end back to the front."""
        self._running[task.line_up] -= 1
        if self.missing(task):
            self._queues[task.line_up].appendleft(task)

    def split(self, task: Task) -> None:
        """Put the missing games of a task back to the front, each as a task of its own."""
        self._running[task.line_up] -= 1
        alone = [part for part in self.plan.alone(task) if self.missing(part)]
        self._queues[task.line_up].extendleft(reversed(alone))

    def _may_begin(self, line_up: int) -> bool:
        queue = self._queues[line_up]
        if not queue or self._decided is None:
            return bool(queue)
        chunk = queue[0].chunk
        if chunk == self._opened[line_up]:
            return True
        if self._running[line_up]:
            return False
        if self._decided(line_up, chunk):
            self._skipped += sum(len(self.missing(task)) for task in queue)
            queue.clear()
            return False
        self._opened[line_up] = chunk
        return True
