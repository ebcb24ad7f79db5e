"""Schedule: which task begins next, and which games are still missing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from tzaar_envs.arena.plan import Plan, Task
from tzaar_envs.arena.records import GameId


class Schedule:
    """The tasks of a plan, in an order that advances all line-ups together.

    Args:
        plan: the plan.
        finished: games that need not be played any more.
        decided: `decided(line_up, chunks)`: whether the first `chunks` chunks, all of them
            finished, decide the test of a line-up. A chunk then begins when the one before it has
            ended, so that the games do not depend on which of them happen to end first.
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
            deque(task for task in plan.tasks(line_up) if self._missing(task))
            for line_up in range(len(plan.line_ups))
        ]
        self._opened = [-1] * len(plan.line_ups)  # the chunk that was begun last
        self._skipped = 0

    @property
    def games(self) -> int:
        """The number of games in the end, as far as it is known by now."""
        return self.plan.games - self._skipped

    @property
    def tasks_left(self) -> int:
        """The number of tasks that have not begun."""
        return sum(map(len, self._queues))

    def finish(self, game: GameId) -> bool:
        """Mark a game as finished; return whether it was missing."""
        is_missing = game not in self.finished
        self.finished.add(game)
        return is_missing

    def begin(self) -> Task | None:
        """Return a task to play now; None if none may begin before a running one has ended."""
        ready = [line_up for line_up in range(len(self._queues)) if self._may_begin(line_up)]
        if not ready:
            return None
        line_up = min(ready, key=lambda number: (self._queues[number][0].chunk, number))
        self._running[line_up] += 1
        return self._queues[line_up].popleft()

    def end(self, task: Task) -> None:
        """Mark a task as ended."""
        self._running[task.line_up] -= 1

    def _missing(self, task: Task) -> int:
        return sum(game not in self.finished for game in self.plan.games_of(task))

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
            self._skipped += sum(map(self._missing, queue))
            queue.clear()
            return False
        self._opened[line_up] = chunk
        return True
