"""The CPU clock of a run that has processes of its own."""

import subprocess
import sys
import time

from tzaar_envs.system.machine import FamilyClock
from tzaar_envs.training.alphazero import AlphaZeroArguments

SPEND = "import time\nwhile time.process_time() < {seconds}: pass\n"
TELL = "print('done', flush=True)\nimport sys; sys.stdin.read()\n"
PARENT = """
import subprocess, sys
subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
"""


def test_time_of_children_counts_also_after_their_end() -> None:
    clock = FamilyClock()
    begin = clock()
    code = SPEND.format(seconds=1.0) + TELL
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"done\n"
        seen = clock() - begin
        child.kill()
    assert seen >= 0.9
    assert clock() - begin >= seen


def test_time_of_grandchildren_counts() -> None:
    clock = FamilyClock()
    begin = clock()
    code = SPEND.format(seconds=0.6) + TELL
    command = [sys.executable, "-c", PARENT, code]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"done\n"
        assert clock() - begin >= 0.5
        child.communicate()


def test_time_of_this_process_counts() -> None:
    clock = FamilyClock()
    begin, here = clock(), time.process_time()
    while time.process_time() < here + 0.3:
        pass
    assert clock() - begin >= 0.25


def test_a_run_with_actors_counts_them() -> None:
    assert isinstance(AlphaZeroArguments(actors=2).cpu_clock(), FamilyClock)
    assert AlphaZeroArguments().cpu_clock() is time.process_time
