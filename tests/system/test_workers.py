"""Work in other processes: answers, errors, deaths, and that nobody is left behind."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest
from processes import eventually, members, start_program

from tzaar_envs.system.workers import open_executor

has_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
KINDS = [False, pytest.param(True, marks=has_ray)]


@pytest.mark.parametrize("ray", KINDS)
def test_calls_and_streams_run_elsewhere_and_their_errors_come_back(ray: bool) -> None:
    with open_executor(2, ray) as executor:
        assert list(executor.map(math.factorial, range(6))) == [1, 1, 2, 6, 24, 120]
        assert executor.submit(os.getpid).result() != os.getpid()
        with pytest.raises(ValueError, match=r"math domain error|expected a nonnegative"):
            executor.submit(math.sqrt, -1.0).result()
        assert list(executor.stream(range, [])) == []
        for _ in range(2):
            found = [*executor.stream(range, [(0, 1000), (1000, 1001), (2, 2), (1001, 1500)])]
            assert sorted(found) == [*range(1500)]
        with pytest.raises(ValueError, match="zero"):
            [*executor.stream(range, [(0, 2, 0)])]


@pytest.mark.parametrize("ray", KINDS)
def test_a_stream_yields_before_its_calls_end(ray: bool) -> None:
    executor = open_executor(1, ray)
    begin = time.monotonic()
    slept = executor.stream(map, [(time.sleep, [0, 0, 600])])
    assert [next(slept), next(slept)] == [None, None]
    executor.kill()
    assert time.monotonic() - begin < 120


def test_programs_of_killed_workers_end() -> None:
    executor = open_executor(1)
    pid = executor.submit(start_program).result()
    executor.kill()
    assert eventually(lambda: not members(pid))


@pytest.mark.parametrize("ray", KINDS)
def test_the_death_of_a_worker_ends_the_stream(ray: bool) -> None:
    with open_executor(1, ray) as executor, pytest.raises(BrokenExecutor):
        [*executor.stream(os._exit, [(3,)])]  # type: ignore[arg-type]


@pytest.mark.parametrize("ray", KINDS)
def test_an_exception_in_the_block_ends_the_workers_at_once(ray: bool) -> None:
    begin = time.monotonic()
    executor = open_executor(2, ray)
    pid = executor.submit(os.getpid).result()
    for _ in range(4):
        executor.submit(time.sleep, 600)
    with pytest.raises(KeyboardInterrupt), executor:
        raise KeyboardInterrupt
    assert time.monotonic() - begin < 120
    assert eventually(lambda: not Path(f"/proc/{pid}/cmdline").exists())


def test_a_daemon_is_told_what_to_do() -> None:
    with (
        multiprocessing.get_context("spawn").Pool(1) as pool,
        pytest.raises(ValueError, match="use workers=1 there"),
    ):
        pool.apply(open_executor, (2,))


SCRIPT = """
import time
from tzaar_envs.system.workers import open_executor

if __name__ == "__main__":
    with open_executor(2) as executor:
        sleeps = [executor.submit(time.sleep, seconds) for seconds in (0, 0, 600, 600)]
        [sleep.result() for sleep in sleeps[:2]]
        print("at work", flush=True)
        [sleep.result() for sleep in sleeps]
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_is_left_behind_and_ctrl_c_is_seen_once(
    number: signal.Signals, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "at work\n"
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as the terminal does
            _, errors = process.communicate(timeout=60)
            assert errors.count("KeyboardInterrupt") == 1
        else:
            process.kill()
        assert eventually(lambda: not members(process.pid))
    finally:
        process.kill()
        process.communicate()
