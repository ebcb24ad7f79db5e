"""Threads that share rows."""

from __future__ import annotations

import gc
import multiprocessing
import threading
import time
from collections.abc import Callable

import pytest
from sharing import AlwaysShared, NeverShared

import tzaar_envs
from tzaar_envs.jit.pace import Pace
from tzaar_envs.jit.threads import (
    AWAITED,
    Mailbox,
    RowThreads,
    next_rows,
    next_task,
    reply,
    usable_cores,
)

Do = Callable[[int, int, int], object]
"""`do(task, first, end)`: do a task for rows `first` to `end - 1`."""


def new_threads(rows: int, threads: int, do: Do, pace: type[Pace] = AlwaysShared) -> RowThreads:
    """Return threads that do a Python function, while real tasks are compiled."""

    def work(mailbox: Mailbox, thread: int, task: int) -> None:
        while (block := next_rows(mailbox, thread)) != (0, 0):
            do(task, *block)

    def serve(mailbox: Mailbox, thread: int) -> int:
        while True:
            task = next_task(mailbox, thread)
            if task <= 0:
                return task
            work(mailbox, thread, task)
            if reply(mailbox, thread):
                return AWAITED

    pool = RowThreads(rows, threads, work, serve)
    pool._pace = pace()
    return pool


@pytest.mark.parametrize(("rows", "threads"), [(1, 1), (1, 4), (5, 2), (7, 3), (100, 8)])
def test_every_row_is_done_once(rows: int, threads: int) -> None:
    done = [0] * rows

    def add(task: int, first: int, last: int) -> None:
        for row in range(first, last):
            done[row] += task

    pool = new_threads(rows, threads, add)
    for task in (1, 10, 100):
        pool.run(task)
    assert done == [111] * rows
    assert pool.threads == min(rows, threads)
    pool.close()


def test_the_calling_thread_alone_does_every_row_too() -> None:
    done = []
    pool = new_threads(7, 3, lambda *task: done.append(task), NeverShared)
    pool.run(2)
    assert done == [(2, 0, 7)]


def test_no_more_threads_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0}, raising=False)
    assert usable_cores() == 1
    env = tzaar_envs.make_vec("turm_und_waechter_v0", 4, num_threads=3)
    assert env.num_threads == 3
    assert env.batch._threads.threads == 1
    env.close()


def test_parts_run_at_the_same_time() -> None:
    barrier = threading.Barrier(3, timeout=300)
    pool = new_threads(3, 3, lambda task, first, last: barrier.wait())
    pool.run(1)
    pool.close()


def test_others_take_the_rows_of_a_thread_that_is_held_up() -> None:
    mine: list[int] = []
    others: list[int] = []
    begun, rest_is_done = threading.Event(), threading.Event()
    caller = threading.get_ident()

    def work(task: int, first: int, end: int) -> None:
        if threading.get_ident() == caller:
            assert begun.wait(timeout=300)
            mine.extend(range(first, end))
            if len(mine) + len(others) == 100:
                rest_is_done.set()
        else:
            others.extend(range(first, end))
            begun.set()
            assert rest_is_done.wait(timeout=300)

    pool = new_threads(100, 2, work)
    pool.run(1)
    assert sorted(mine + others) == list(range(100))
    assert others == list(range(50, 63))  # a quarter of its own half
    pool.close()


def test_a_thread_that_has_not_begun_is_not_waited_for() -> None:
    rows: list[int] = []
    begin = threading.Event()

    def work(mailbox: Mailbox, thread: int, task: int) -> None:
        while (block := next_rows(mailbox, thread)) != (0, 0):
            rows.extend(range(*block))

    def serve(mailbox: Mailbox, thread: int) -> int:
        begin.wait(timeout=300)
        return next_task(mailbox, thread)  # nothing but the order to stop

    pool = RowThreads(10, 3, work, serve)
    pool._pace = AlwaysShared()
    for _ in range(2):
        pool.run(1)
        assert sorted(rows) == list(range(10))
        rows.clear()
    pool.close()
    begin.set()


@pytest.mark.parametrize("slow", [0, 1], ids=["own part is slow", "other part is slow"])
def test_who_sleeps_is_woken(slow: int) -> None:
    done = []

    def work(task: int, first: int, last: int) -> None:
        if first == slow:
            time.sleep(0.02)
        done.append((task, first))

    pool = new_threads(2, 2, work)
    for task in range(1, 6):
        pool.run(task)
        assert sorted(done) == [(task, 0), (task, 1)]
        done.clear()
        time.sleep(0.02 * (task % 2))
    pool.close()


@pytest.mark.parametrize("failing", [0, 2], ids=["own part", "another part"])
def test_an_error_in_any_part_is_raised(failing: int) -> None:
    done = []

    def fail_once(task: int, first: int, last: int) -> None:
        if first == failing and task == 1:
            raise KeyError(f"row {failing}")
        done.append((task, first))

    pool = new_threads(3, 3, fail_once)
    with pytest.raises(KeyError, match=f"row {failing}"):
        pool.run(1)
    pool.run(2)
    assert {(2, 0), (2, 1), (2, 2)} <= set(done)
    pool.close()


def test_threads_end_with_their_owner() -> None:
    others = set(threading.enumerate())
    pool = new_threads(4, 4, lambda task, first, last: None)
    pool.run(1)
    started = set(threading.enumerate()) - others
    assert len(started) == 3
    del pool
    gc.collect()
    for thread in started:
        thread.join(timeout=300)
        assert not thread.is_alive()


def test_threads_that_were_closed_start_again() -> None:
    rows = []
    pool = new_threads(2, 2, lambda task, first, last: rows.append(first))
    for _ in range(2):
        pool.run(1)
        pool.close()
    assert sorted(rows) == [0, 0, 1, 1]


@pytest.mark.usefixtures("shared_rows")
def test_a_forked_process_has_threads_of_its_own() -> None:
    env = tzaar_envs.make_vec("turm_und_waechter_v0", 6, num_threads=3, seed=1)
    env.reset()
    env.step(env.sample_actions())
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    def play_on() -> None:
        observations, *_ = env.step(env.sample_actions())
        answers.put(int(observations.sum()))

    child = context.Process(target=play_on)
    child.start()
    answer = answers.get(timeout=300)
    child.join(timeout=300)
    observations, *_ = env.step(env.sample_actions())
    assert answer == observations.sum()
    env.close()
