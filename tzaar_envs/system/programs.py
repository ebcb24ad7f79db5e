"""Other programs, which this one talks to in lines of text, with time limits."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from tzaar_envs.system.terminal import printable

LONGEST_LINE = 2**20
"""Bytes; a program that writes a longer line is not listened to any more."""

_WAITING_LINES = 64  # what a program writes ahead waits in its pipe from then on
_COMPLAINT_BYTES = 2**12  # of the standard error, the end of which is kept
_POLL_SECONDS = 0.2
_END_SECONDS = 2.0


class ProgramEndedError(Exception):
    """A program has ended, or writes what cannot be read; the message says how."""


class Program:
    """A program that runs beside this one, and never longer.

    It ends when it is closed, when the object is collected, and when this process ends in whatever
    way, with all processes that it has started (on Windows: itself alone). Ctrl-C at the terminal
    does not reach it. One thread at a time may use it.

    Args:
        command: the program and its arguments; no shell reads them.

    Raises:
        OSError: no process can be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        guard: list[str] = []
        inner, self._needed = os.pipe()
        try:
            if sys.platform != "win32":
                script = Path(__file__).with_name("guard.py")
                guard = [sys.executable, "-I", "-S", str(script), str(inner)]
            self._process = subprocess.Popen(
                [*guard, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(inner,) if guard else (),
                start_new_session=bool(guard),
            )
        except BaseException:
            os.close(self._needed)
            raise
        finally:
            os.close(inner)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._lines: queue.Queue[bytes | None] = queue.Queue(_WAITING_LINES)
        self._to_write: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._complaint = bytearray()
        closed = threading.Event()
        self._reader = _thread(_read_lines, process.stdout, self._lines, closed)
        self._complaints = _thread(_read_end, process.stderr, self._complaint)
        _thread(_write_lines, process.stdin, self._to_write)
        self._end = weakref.finalize(self, _end, process, self._needed, self._to_write, closed)

    def write(self, line: str) -> None:
        """Send a line; a program that does not read it does not stop this one."""
        self._to_write.put(line.encode("utf-8", "surrogateescape") + b"\n")

    def read(self, deadline: float) -> str:
        """Return the next line, without its end.

        Args:
            deadline: until when to wait, as `time.monotonic` counts.

        Raises:
            TimeoutError: there is no line yet.
            ProgramEndedError: there will be none.
        """
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            self._lines.put(None)  # for the next call
            raise ProgramEndedError(self._how_it_ended())
        if len(line) > LONGEST_LINE:
            self.end()
            raise ProgramEndedError(f"it wrote a line of more than {LONGEST_LINE} bytes")
        return line.decode("utf-8", "backslashreplace").rstrip("\r\n")

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        self._complaints.join(_END_SECONDS)
        lines = printable(bytes(self._complaint).decode("utf-8", "backslashreplace")).split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"it ended with exit code {code}{': ' if last else ''}{last}"

    @property
    def exit_code(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.poll()

    def end(self) -> None:
        """End the program: its input ends, and a moment later it is killed."""
        self._end()


def _thread(target: Callable[..., None], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=target, args=arguments, daemon=True)
    thread.start()
    return thread


def _read_lines(
    stream: IO[bytes], lines: queue.Queue[bytes | None], closed: threading.Event
) -> None:
    """Pass on what a program writes, up to its end or a line that is too long."""
    is_whole = True
    while is_whole and not closed.is_set():
        line = b""
        with contextlib.suppress(ValueError, OSError):
            line = stream.readline(LONGEST_LINE + 1)
        is_whole = line.endswith(b"\n")
        is_torn = not is_whole and len(line) <= LONGEST_LINE  # or the end
        while not closed.is_set():
            with contextlib.suppress(queue.Full):
                lines.put(None if is_torn else line, timeout=_POLL_SECONDS)
                break
    with contextlib.suppress(OSError):
        stream.close()


def _read_end(stream: IO[bytes], kept: bytearray) -> None:
    """Keep the end of what a program complains about."""
    with contextlib.suppress(ValueError, OSError):
        while part := os.read(stream.fileno(), _COMPLAINT_BYTES):
            kept += part
            del kept[:-_COMPLAINT_BYTES]
    with contextlib.suppress(OSError):
        stream.close()


def _write_lines(stream: IO[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    with contextlib.suppress(ValueError, OSError):  # nobody reads any more
        while (line := lines.get()) is not None:
            stream.write(line)
            stream.flush()
    with contextlib.suppress(OSError):
        stream.close()


def _end(
    process: subprocess.Popen[bytes],
    needed: int,
    to_write: queue.SimpleQueue[bytes | None],
    closed: threading.Event,
) -> None:
    closed.set()
    to_write.put(None)
    os.close(needed)  # the guard ends the program
    if sys.platform == "win32":
        process.kill()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
