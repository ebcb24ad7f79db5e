"""Where the tasks of a match are played: in this process or in workers; Ctrl-C in both."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from typing import Any, NamedTuple, TypeAlias

from tzaar_envs.agents import Agent
from tzaar_envs.arena.lockstep import Row, one_torch_thread, play_task
from tzaar_envs.arena.plan import Plan, Task

Progress: TypeAlias = Callable[[int, int], None]
"""`progress(done, games)`: called with the number of finished games."""

_POLL_SECONDS = 0.2
_GRACE_SECONDS = 5.0  # for workers to stop by themselves


def play_here(
    plan: Plan, agents: list[Agent], finished: dict[Task, list[Row]], report: Progress
) -> bool:
    """Play all tasks in this process; return whether Ctrl-C ended them early."""
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        report(done, plan.starts * plan.seats)

    try:
        with one_torch_thread():
            for task in plan.tasks():
                rows = play_task(plan, agents, task, count, stopped=lambda: False)
                assert rows is not None
                finished[task] = rows
    except KeyboardInterrupt:
        return True
    return False


def play_in_workers(
    plan: Plan, workers: int, finished: dict[Task, list[Row]], report: Progress
) -> bool:
    """Play all tasks in worker processes; return whether Ctrl-C ended them early."""
    context = get_context("spawn")
    stop = context.Event()
    counter = context.Value("q", 0)
    games = plan.starts * plan.seats
    tasks = plan.tasks()
    running: dict[Future[list[Row] | None], Task] = {}
    executor = ProcessPoolExecutor(workers, context, _begin_work, (plan, stop, counter))
    interrupted = False
    try:
        with _sigint_deferred():
            for task in islice(tasks, 2 * workers):
                running[executor.submit(_work, task)] = task
        reported = 0
        while running:
            ready, _ = wait(running, _POLL_SECONDS, FIRST_COMPLETED)
            for future in ready:
                rows = future.result()
                assert rows is not None
                finished[running.pop(future)] = rows
                for task in islice(tasks, 1):
                    running[executor.submit(_work, task)] = task
            if counter.value != reported:
                reported = counter.value
                report(reported, games)
    except KeyboardInterrupt:
        interrupted = True
    except BrokenProcessPool as error:
        raise RuntimeError(
            "a worker process died: it may have run out of memory, or the script that started the "
            "match does not guard its main part with `if __name__ == '__main__':`; try workers=1"
        ) from error
    finally:
        stop.set()
        _close(executor, running)
    for future, task in running.items():  # after Ctrl-C: what was ready but not yet taken
        if not future.cancelled() and future.exception() is None:
            rows = future.result()
            if rows is not None:
                finished[task] = rows
    return interrupted


def _close(executor: ProcessPoolExecutor, running: Collection[Future[Any]]) -> None:
    """End the workers, which have been told to stop; those that still think are terminated."""
    with contextlib.suppress(KeyboardInterrupt):  # a second Ctrl-C: without patience
        wait(running, _GRACE_SECONDS)
    if not all(future.done() for future in running):
        # Python 3.14 has terminate_workers() for this.
        for process in list((executor._processes or {}).values()):
            process.terminate()
    executor.shutdown(wait=True, cancel_futures=True)


class _Worker(NamedTuple):
    """The state of a worker process."""

    plan: Plan
    agents: list[Agent]
    stop: Any
    counter: Any


_worker: _Worker | None = None
_worker_arguments: tuple[Plan, Any, Any] | None = None


def _begin_work(plan: Plan, stop: Any, counter: Any) -> None:
    """Prepare a worker process."""
    global _worker_arguments
    # A Ctrl-C at the terminal reaches all processes; what to do about it is the parent's choice.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker_arguments = (plan, stop, counter)


def _work(task: Task) -> list[Row] | None:
    """Play a task in a worker process; return None if the match was stopped."""
    global _worker
    if _worker is None:
        # Not in _begin_work, because an exception there would not reach the parent.
        assert _worker_arguments is not None
        plan, stop, counter = _worker_arguments
        _worker = _Worker(plan, plan.make_agents(), stop, counter)
    plan, agents, stop, counter = _worker

    def count() -> None:
        with counter.get_lock():
            counter.value += 1

    with one_torch_thread():
        return play_task(plan, agents, task, count, stop.is_set)


@contextlib.contextmanager
def _sigint_deferred() -> Iterator[None]:
    """Put Ctrl-C off until the end; processes that are started meanwhile never see it.

    The mask is what these inherit, so that they are shielded from their first moment on and not
    only from `_begin_work` on (Windows has no masks). For this process it would not do: the signal
    then reaches another thread, and Python's handler runs all the same.
    """
    caught: list[int] = []
    before: Any = None
    if threading.current_thread() is threading.main_thread():  # others cannot set handlers
        before = signal.getsignal(signal.SIGINT)
        if before is not None:
            signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    mask = None
    if sys.platform != "win32":
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if before is not None:
            signal.signal(signal.SIGINT, before)
        if caught:
            signal.raise_signal(signal.SIGINT)
