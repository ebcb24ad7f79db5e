"""Where tasks are played: in this process, or in worker processes that may die.

What is played in a worker reaches this process game by game, so the death of a worker costs only
the games that it had not finished. Its task is played again, from the same seeds, by another
worker. After `MOST_DEATHS` deaths at the same task its missing games are played one at a time, and
after as many deaths at one of these games the agent that was to move has lost it.

An agent that takes too long is noticed from both sides: its own process measures every move; and
`GRACE_SECONDS` after the limit this process, which cannot wait for an answer that may never come,
ends the worker.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias

from tzaar_envs.agents import Agent
from tzaar_envs.arena.faults import CRASH, TIME
from tzaar_envs.arena.lockstep import Play, Row, one_torch_thread, play_task
from tzaar_envs.arena.plan import GameId, Plan, Task
from tzaar_envs.arena.schedule import Schedule
from tzaar_envs.system.interrupts import sigint_deferred

Keep: TypeAlias = Callable[[Row], None]
"""What is done with a game that was missing and is finished now."""

MOST_DEATHS = 3
GRACE_SECONDS = 0.5
FIRST_MOVE_SECONDS = 60.0
"""What an agent's first move in a process may take longer: it may load and compile something."""

_POLL_SECONDS = 0.2
_CLOSE_SECONDS = 2.0

# The kinds of messages from a worker; its own process sends them as `(kind, content)`.
_READY, _ROW, _ASKED, _PLAYED, _ENDED, _ERROR = range(6)


def play_here(plan: Plan, agents: dict[int, Agent], schedule: Schedule, keep: Keep) -> bool:
    """Play all tasks in this process; return whether Ctrl-C ended them early."""

    def finish(row: Row) -> None:
        with sigint_deferred():
            if schedule.finish(GameId(row.line_up, row.start, row.rotation)):
                keep(row)

    try:
        with one_torch_thread():
            while task := schedule.begin():
                play_task(plan, agents, task, finish)
                schedule.end(task)
    except KeyboardInterrupt:
        return True
    return False


def play_in_workers(plan: Plan, workers: int, schedule: Schedule, keep: Keep) -> bool:
    """Play all tasks in worker processes; return whether Ctrl-C ended them early.

    Raises:
        RuntimeError: workers die before they play, or at a game where no agent can be blamed.
        ValueError: an agent or a start cannot be made.
    """
    pool = _Pool(plan, workers, schedule, keep)
    try:
        pool.run()
    except KeyboardInterrupt:
        with contextlib.suppress(KeyboardInterrupt):  # a second one: without patience
            pool.take_messages()
        return True
    finally:
        pool.close()
    return False


class _Worker:
    """A worker process, seen from outside."""

    def __init__(self, plan: Plan) -> None:
        context = get_context("spawn")
        self.connection, inner = context.Pipe()
        self.process = context.Process(target=_serve, args=(plan, inner), daemon=True)
        self.process.start()
        inner.close()  # so that the end of the process is the end of the messages
        self.is_ready = False
        self.is_dead = False
        self.task: Task | None = None
        self.is_asking = False  # an agent has been asked in this task
        self.deadline: float | None = None
        self.actions: list[int] = []  # of a game that is played alone

    def give(self, task: Task) -> None:
        """Let it play a task."""
        self.task = task
        self.is_asking = False
        self.deadline = None
        self.actions = []
        with contextlib.suppress(OSError):  # it has just died, which the next look at it shows
            self.connection.send(task)

    def next_message(self) -> tuple[int, Any] | None:
        """Return what it has sent, None if there is nothing; notice its death."""
        try:
            if self.connection.poll():
                message: tuple[int, Any] = self.connection.recv()
                return message
            # A process that it had started may keep the connection open.
            self.is_dead = not self.process.is_alive() and not self.connection.poll()
        except (EOFError, OSError):
            self.is_dead = True
        return None

    def kill(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.join(_CLOSE_SECONDS)
        self.connection.close()


class _Pool:
    """The workers of a plan."""

    def __init__(self, plan: Plan, workers: int, schedule: Schedule, keep: Keep) -> None:
        self._plan = plan
        self._most = workers
        self._schedule = schedule
        self._keep = keep
        self._workers: list[_Worker] = []
        self._deaths: Counter[Task] = Counter()
        self._stillborn = 0  # workers in a row that died before they were ready

    def run(self) -> None:
        """Play until nothing is left to begin and nothing runs."""
        while True:
            with sigint_deferred():
                self._employ()
            if not self._workers:
                return
            handles = [
                handle
                for worker in self._workers
                for handle in (worker.connection, worker.process.sentinel)
            ]
            wait(handles, self._patience())
            self.take_messages()
            with sigint_deferred():
                for worker in [worker for worker in self._workers if self._is_late(worker)]:
                    self._stop_late(worker)

    def _employ(self) -> None:
        """Give tasks to workers without one, and end those for which there is nothing left."""
        idle = [worker for worker in self._workers if worker.task is None and worker.is_ready]
        coming = sum(not worker.is_ready for worker in self._workers)
        for worker in idle:
            task = self._schedule.begin()
            if task is None:
                break
            worker.give(task)
        if self._schedule.is_over:
            self.close()
            return
        while len(self._workers) < self._most and coming < self._schedule.tasks_left:
            self._workers.append(_Worker(self._plan))
            coming += 1

    def take_messages(self) -> None:
        """Handle what the workers have sent."""
        for worker in list(self._workers):
            with sigint_deferred():
                while message := worker.next_message():
                    self._handle(worker, *message)
                if worker.is_dead:
                    self._bury(worker)

    def _handle(self, worker: _Worker, kind: int, content: Any) -> None:
        if kind == _READY:
            worker.is_ready = True
            self._stillborn = 0
        elif kind == _ROW:
            self._finish(content)
        elif kind == _ASKED:
            worker.is_asking = True
            worker.deadline = None if content is None else time.monotonic() + content
        elif kind == _PLAYED:
            worker.deadline = None
            worker.actions.append(content)
        elif kind == _ENDED:
            assert worker.task is not None
            self._schedule.end(worker.task)
            worker.task = None
            worker.deadline = None
        else:
            raise content

    def _finish(self, row: Row) -> None:
        if self._schedule.finish(GameId(row.line_up, row.start, row.rotation)):
            self._keep(row)

    def _patience(self) -> float:
        """Return how long to wait for messages, in seconds."""
        deadlines = [worker.deadline for worker in self._workers if worker.deadline is not None]
        if not deadlines:
            return _POLL_SECONDS
        return min(_POLL_SECONDS, max(0.0, min(deadlines) + GRACE_SECONDS - time.monotonic()))

    def _is_late(self, worker: _Worker) -> bool:
        return worker.deadline is not None and time.monotonic() > worker.deadline + GRACE_SECONDS

    def _stop_late(self, worker: _Worker) -> None:
        """End a worker whose agent does not answer in time; the agent has lost its game."""
        assert worker.task is not None
        self._workers.remove(worker)
        worker.kill()
        self._forfeit(worker, TIME, f"no answer within {self._plan.move_seconds:g} s")
        self._schedule.end(worker.task)

    def _bury(self, worker: _Worker) -> None:
        """Go on after the death of a worker."""
        self._workers.remove(worker)
        worker.kill()
        task = worker.task
        if not worker.is_ready:
            self._stillborn += 1
            if self._stillborn == MOST_DEATHS:
                raise RuntimeError(
                    f"{MOST_DEATHS} worker processes died before they played: there may be too "
                    "little memory, or the script that started them does not guard its main part "
                    "with `if __name__ == '__main__':`; try workers=1"
                )
        if task is None:
            return
        self._deaths[task] += 1
        if self._deaths[task] < MOST_DEATHS:
            self._schedule.again(task)
        elif task.start is None:
            self._schedule.split(task)
        elif worker.is_asking:
            code = worker.process.exitcode
            self._forfeit(worker, CRASH, f"{MOST_DEATHS} worker processes died (exit code {code})")
            self._schedule.end(task)
        else:
            line_up = [self._plan.sources[agent] for agent in self._plan.line_ups[task.line_up]]
            raise RuntimeError(
                f"{MOST_DEATHS} worker processes died at start {task.start}, rotation "
                f"{task.rotation} of {line_up}, before an agent was asked"
            )

    def _forfeit(self, worker: _Worker, fault: int, error: str) -> None:
        """Finish the game of a worker that is no more, from what it had told."""
        task = worker.task
        assert task is not None
        assert task.start is not None
        play = Play(self._plan, task, task.start)
        for action in worker.actions:
            play.answer(action)
        if not play.is_over:
            play.forfeit(fault, f"{error} in position '{play.state}'")
        self._finish(play.row())

    def close(self) -> None:
        """End all workers."""
        while self._workers:
            self._workers.pop().kill()


class _Messenger:
    """Tells the parent process about a game that is played alone."""

    def __init__(self, plan: Plan, connection: Connection) -> None:
        self._seconds = plan.move_seconds
        self._connection = connection
        self._known: set[int] = set()  # agents that have moved in this process

    def asked(self, agent: int) -> float | None:
        """Return how many seconds the agent may take; None: any time."""
        seconds = self._seconds
        if seconds is not None and agent not in self._known:
            seconds += FIRST_MOVE_SECONDS
        self._known.add(agent)
        self._connection.send((_ASKED, seconds))
        return seconds

    def played(self, action: int) -> None:
        """Tell of a legal action."""
        self._connection.send((_PLAYED, action))


def _serve(plan: Plan, connection: Connection) -> None:
    """Be a worker process: play the tasks that come, until there are no more."""
    # A Ctrl-C at the terminal reaches all processes; what to do about it is the parent's choice.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    messenger = _Messenger(plan, connection)
    agents: dict[int, Agent] = {}
    try:
        plan.game.rules  # noqa: B018  # loads the rules
        connection.send((_READY, None))
        while True:
            task: Task = connection.recv()
            for number in plan.line_ups[task.line_up]:
                if number not in agents:
                    agents[number] = plan.make_agent(number)
            with one_torch_thread():
                play_task(plan, agents, task, lambda row: connection.send((_ROW, row)), messenger)
            connection.send((_ENDED, None))
    except (EOFError, BrokenPipeError):
        return  # the parent has closed the connection
    except Exception as error:
        connection.send((_ERROR, _sendable(error)))


def _end_with_parent() -> None:
    """Leave no process behind that goes on thinking when the parent was killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
