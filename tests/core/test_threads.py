"""Threads that share rows."""

import gc
import pickle
import threading
import time

import pytest

from tzaar_envs.core.threads import RowThreads


@pytest.mark.parametrize(("rows", "threads"), [(1, 1), (1, 4), (5, 2), (7, 3), (100, 8)])
def test_every_row_is_done_once(rows: int, threads: int) -> None:
    pool = RowThreads(rows, threads)
    for _ in range(3):
        done = [0] * rows

        def work(first: int, last: int, done: list[int] = done) -> None:
            for row in range(first, last):
                done[row] += 1

        pool.run(work)
        assert done == [1] * rows
    assert len(pool.parts) == min(rows, threads)
    pool.close()


def test_parts_run_at_the_same_time() -> None:
    pool = RowThreads(3, 3)
    barrier = threading.Barrier(3, timeout=20)
    pool.run(lambda first, last: barrier.wait())
    pool.close()


def test_an_error_in_any_part_is_raised_when_all_are_done() -> None:
    pool = RowThreads(3, 3)
    done = []

    def fail_in_the_last(first: int, last: int) -> None:
        if first == 2:
            raise KeyError("row 2")
        time.sleep(0.01)
        done.append(first)

    for _ in range(2):
        with pytest.raises(KeyError, match="row 2"):
            pool.run(fail_in_the_last)
    assert sorted(done) == [0, 0, 1, 1]
    pool.close()


def test_threads_end_with_their_owner() -> None:
    others = set(threading.enumerate())
    pool = RowThreads(4, 4)
    pool.run(lambda first, last: None)
    started = set(threading.enumerate()) - others
    assert len(started) == 3
    copied = pickle.loads(pickle.dumps(pool))
    assert copied.parts == pool.parts
    del pool, copied
    gc.collect()
    for thread in started:
        thread.join(timeout=20)
        assert not thread.is_alive()
