"""Threads that share rows."""

from __future__ import annotations

import gc
import threading
import time

import pytest

from tzaar_envs.jit.arrays import RowThreads

pytestmark = pytest.mark.usefixtures("shared_rows")


@pytest.mark.parametrize(("rows", "threads"), [(1, 1), (1, 4), (5, 2), (7, 3), (100, 8)])
def test_every_row_is_done_once(rows: int, threads: int) -> None:
    done = [0] * rows

    def add(first: int, end: int) -> None:
        for row in range(first, end):
            done[row] += 1

    pool = RowThreads(rows, threads)
    for _ in range(3):
        pool.run(add)
    assert done == [3] * rows
    assert len(pool.parts) == (1 if threads == 1 else min(rows, 2 * threads))
    pool.close()


@pytest.mark.parametrize("slow", [0, 1], ids=["own part is slow", "other part is slow"])
def test_all_parts_are_waited_for(slow: int) -> None:
    done = []

    def work(first: int, end: int) -> None:
        if first == slow:
            time.sleep(0.02)
        done.append(first)

    pool = RowThreads(2, 2)
    for _ in range(5):
        pool.run(work)
        assert sorted(done) == [0, 1]
        done.clear()
    pool.close()


def test_an_error_in_any_thread_is_raised() -> None:
    barrier = threading.Barrier(3, timeout=300)
    caller = threading.get_ident()
    for fails_here in (True, False):

        def fail(first: int, end: int, fails_here: bool = fails_here) -> None:
            barrier.wait()
            if (threading.get_ident() == caller) == fails_here:
                raise KeyError("not here")

        pool = RowThreads(3, 3)
        with pytest.raises(KeyError, match="not here"):
            pool.run(fail)
        pool.close()


def test_threads_end_with_their_owner() -> None:
    others = set(threading.enumerate())
    pool = RowThreads(4, 4)
    barrier = threading.Barrier(4, timeout=300)
    pool.run(lambda first, end: barrier.wait())
    started = set(threading.enumerate()) - others
    assert len(started) == 3
    del pool
    gc.collect()
    for thread in started:
        thread.join(timeout=300)
        assert not thread.is_alive()
