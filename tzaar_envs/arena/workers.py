"""The engine: plays the tasks of a plan, in this process, in worker processes, or on Ray.

Workers play whole tasks and send the record of every game when it is over, so that the death of a
worker costs only its unfinished games. Its task is played again, from the same seeds, by another
worker. After `MOST_DEATHS` deaths at one task its unfinished games are played one at a time, each
agent in a process of its own: the process that dies then names the culprit. So are all games with a
time limit, because only another process can end an agent that never answers.

Each worker process is driven by a thread of this process. The main thread alone handles records.
"""

from __future__ import annotations

import contextlib
import functools
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, TypeAlias

from tzaar_envs.agents import Agent
from tzaar_envs.arena.batched_games import play_task
from tzaar_envs.arena.plan import Plan, Task
from tzaar_envs.arena.players import IsolatedPlayer, LocalPlayer, local_players, one_torch_thread
from tzaar_envs.arena.records import GameRecord
from tzaar_envs.arena.schedule import Schedule
from tzaar_envs.system.interrupts import ctrl_c_was_pressed, noticing_ctrl_c, sigint_deferred
from tzaar_envs.system.memory import limit_memory
from tzaar_envs.system.processes import (
    MOST_DEATHS,
    ChildProcess,
    ChildProcesses,
    ProcessDiedError,
)

if TYPE_CHECKING:
    from tzaar_envs.arena.ray_tasks import RayCrew

Keep: TypeAlias = Callable[[GameRecord], None]
"""What is done with a game that was missing and is finished now."""

_POLL_SECONDS = 0.2


def play_plan(
    plan: Plan,
    agents: list[Agent],
    workers: int,
    schedule: Schedule,
    keep: Keep,
    ray: bool = False,
    memory_gib: float | None = None,
) -> bool:
    """Play all tasks of a schedule; return whether Ctrl-C ended them early.

    Args:
        plan: of the schedule.
        agents: of this process, for the case that it plays itself.
        workers: how many tasks are played at a time; 1: in this process, unless there is a limit
            of time or memory.
        schedule: the tasks.
        keep: called in the main thread with every game that was missing.
        ray: play on Ray.
        memory_gib: see `play_tournament`.

    Raises:
        ModuleNotFoundError: Ray is not installed.
        RuntimeError: worker processes die, and no agent can be blamed.
        ValueError: an agent or a start cannot be made.
    """

    def finish(record: GameRecord) -> None:
        with sigint_deferred():
            if record.match is not None and schedule.finish(record.match):
                keep(record)

    if ray:
        from tzaar_envs.arena.ray_tasks import RayCrew

        return _play_in_threads(RayCrew(plan, workers), workers, schedule, finish)
    if workers > 1 or plan.header.move_seconds is not None or memory_gib is not None:
        return _play_in_threads(LocalCrew(plan, memory_gib), workers, schedule, finish)
    players = [LocalPlayer(functools.partial(agents.__getitem__, n)) for n in range(len(agents))]
    try:
        with noticing_ctrl_c(), one_torch_thread():
            # Foreign code can swallow the exception.
            while not ctrl_c_was_pressed() and (task := schedule.begin()):
                play_task(plan, players, task, finish)
                schedule.end(task)
            return ctrl_c_was_pressed()
    except KeyboardInterrupt:
        return True


def _play_in_threads(
    crew: LocalCrew | RayCrew, workers: int, schedule: Schedule, finish: Keep
) -> bool:
    """Let a crew play all tasks, some at a time; return whether Ctrl-C ended them early."""
    finished: queue.SimpleQueue[GameRecord | Future[None]] = queue.SimpleQueue()
    running: dict[Future[None], Task] = {}
    threads = ThreadPoolExecutor(workers)
    is_interrupted = False
    try:
        while True:
            while len(running) < workers and (task := schedule.begin()):
                future = threads.submit(crew.play, task, finished.put)
                running[future] = task
                future.add_done_callback(finished.put)
            if not running:
                break
            with contextlib.suppress(queue.Empty):
                item = finished.get(timeout=_POLL_SECONDS)
                if isinstance(item, Future):
                    item.result()  # raises what the task raised
                    schedule.end(running.pop(item))
                else:
                    finish(item)
    except KeyboardInterrupt:
        is_interrupted = True
    finally:
        with sigint_deferred():
            crew.close()
            threads.shutdown(cancel_futures=True)
    while not finished.empty():
        if isinstance(item := finished.get(), GameRecord):
            with contextlib.suppress(KeyboardInterrupt):
                finish(item)
    return is_interrupted


class LocalCrew:
    """Worker processes on this machine."""

    def __init__(self, plan: Plan, memory_gib: float | None) -> None:
        self._plan = plan
        self._memory_gib = memory_gib
        self._processes = ChildProcesses()
        self._idle: list[ChildProcess] = []
        self._of_thread = threading.local()

    def close(self) -> None:
        """End all processes."""
        self._processes.close()

    def play(self, task: Task, finish: Keep) -> None:
        """Play a task."""
        done: set[int] = set()
        if self._plan.header.move_seconds is None:
            for _attempt in range(MOST_DEATHS):
                with contextlib.suppress(ProcessDiedError):
                    return self._play_in_worker(task, finish, done)
        for single in self._plan.single_games(task):
            if single.start not in done:
                finish(self._play_isolated(single))

    def _play_in_worker(self, task: Task, finish: Keep, done: set[int]) -> None:
        """Let a worker process play a task; add the starts of finished games to `done`."""
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = self._processes.start(_serve_tasks, self._plan, self._memory_gib)
        worker.send(task)
        while isinstance(record := worker.receive(), GameRecord):
            finish(record)
            if record.match is not None:
                done.add(record.match.start)
        self._idle.append(worker)

    def _play_isolated(self, task: Task) -> GameRecord:
        """Play one game, each agent in a process of its own."""
        records: list[GameRecord] = []
        for _attempt in range(MOST_DEATHS):
            play_task(self._plan, self._players(task), task, records.append)
            if records[-1].forfeit != "crash":
                break
        return records[-1]

    def _players(self, task: Task) -> dict[int, IsolatedPlayer]:
        """Return this thread's players of a line-up, those of its last game if possible."""
        line_up = self._plan.line_ups[task.line_up]
        before: dict[int, IsolatedPlayer] = getattr(self._of_thread, "players", {})
        for number in before.keys() - {*line_up}:
            before[number].end()
        players = self._of_thread.players = {
            number: before.get(number)
            or IsolatedPlayer(self._processes, self._plan, number, self._memory_gib)
            for number in line_up
        }
        return players


def _serve_tasks(connection: Connection, plan: Plan, memory_gib: float | None) -> None:
    """Be a worker process: play the tasks that are sent, send the records of their games."""
    plan.game.load_rules()
    if memory_gib is not None:
        limit_memory(memory_gib)
    connection.send("ready")
    players = local_players(plan)
    while True:
        task: Task = connection.recv()
        with one_torch_thread():
            play_task(plan, players, task, connection.send)
        connection.send("ended")
