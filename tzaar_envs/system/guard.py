"""The guard of a program: runs it, and ends it with all that it started when it is not needed.

    python guard.py PIPE COMMAND...

PIPE is the number of a file descriptor. Whoever holds the other end of that pipe needs the program;
the pipe closes when its holder ends, in whatever way, also by SIGKILL. The program inherits the
standard streams, and gets a moment to end by itself when its input ends.

On Linux, processes that have left the program's process group are ended too: once their parents are
gone they become children of the guard.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

_NOT_STARTED = 127  # as shells have it
_GRACE_SECONDS = 0.3
_MOST_GENERATIONS = 1000
_PR_SET_CHILD_SUBREAPER = 36


def _end_with(pipe: int, program: subprocess.Popen[bytes]) -> None:
    """Wait until the pipe closes, then end the program."""
    os.read(pipe, 1)
    with contextlib.suppress(subprocess.TimeoutExpired):
        program.wait(_GRACE_SECONDS)
    _kill_group(program.pid)
    _kill_children()


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _adopt_orphans() -> None:
    """Become the parent of all processes below whose own parent ends."""
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _kill_children() -> None:
    """Kill the children, then those that they leave behind, until there are none."""
    for _ in range(_MOST_GENERATIONS):
        children = _children()
        for child in children:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            with contextlib.suppress(OSError):
                os.waitpid(child, 0)
        if not children:
            return


def _children() -> list[int]:
    """Return the processes whose parent this one is; none where there is no /proc."""
    found = []
    with contextlib.suppress(OSError):
        for entry in os.listdir("/proc"):
            if entry.isdecimal():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    with open(f"/proc/{entry}/stat", "rb") as file:
                        fields = file.read().rpartition(b")")[2].split()
                    if int(fields[1]) == os.getpid():
                        found.append(int(entry))
    return found


def main(pipe: int, command: list[str]) -> int:
    """Run a program, and return its exit code; 128 and the signal if one has ended it."""
    os.set_inheritable(pipe, False)
    _adopt_orphans()
    try:
        program = subprocess.Popen(command, process_group=0)
    except OSError as error:
        print(f"{command[0]!r} cannot be started: {error.strerror}", file=sys.stderr)
        return _NOT_STARTED
    # Only the program may hold the streams, so that they end with it.
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    threading.Thread(target=_end_with, args=(pipe, program), daemon=True).start()
    code = program.wait()
    _kill_group(program.pid)
    _kill_children()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
