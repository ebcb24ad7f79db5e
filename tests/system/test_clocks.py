"""The CPU clock of a run that has processes of its own."""

import subprocess
import sys

from tzaar_envs.system.machine import FamilyClock

SPEND = "import time\nwhile time.process_time() < {seconds}: pass\n"
TELL = "print('done', flush=True)\nimport sys; sys.stdin.read()\n"
PARENT = """
import subprocess, sys
subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
"""


def test_time_of_children_and_grandchildren_counts_also_after_their_end() -> None:
    clock = FamilyClock()
    begin = clock()
    code = SPEND.format(seconds=1.0) + TELL
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PARENT, code], stdin=pipe, stdout=pipe) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"done\n"
        seen = clock() - begin
        child.communicate()
    assert seen >= 0.9
    assert clock() - begin >= seen
