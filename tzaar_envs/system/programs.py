"""Other programs, which this one talks to in lines of text, with time limits."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Sequence
from typing import IO, Any

_END_SECONDS = 0.3
_MAX_LINES = 100_000  # that wait to be read; further ones are lost
_TEXT: Any = {"encoding": "utf-8", "errors": "backslashreplace"}


_running: weakref.WeakSet[Program] = weakref.WeakSet()
_ending = threading.Lock()


class Program:
    """A program that runs beside this one; one thread at a time may use it.

    It ends when it is closed, when the object is collected and when this process ends; if this
    process is killed, the program's input ends. Ctrl-C at the terminal does not reach it.

    Args:
        command: The program and its arguments; no shell reads them.

    Raises:
        OSError: No process can be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._errors = tempfile.TemporaryFile("w+", **_TEXT)  # noqa: SIM115 - open as long as it
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
            bufsize=1,  # lines
            **_TEXT,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        reading = threading.Thread(
            target=_read_lines, args=(self._process.stdout, self._lines), daemon=True
        )
        reading.start()
        self._end = weakref.finalize(self, _end, self._process, self._errors)
        _running.add(self)

    def write(self, line: str) -> None:
        """Send a line; it is dropped if the program no longer reads."""
        with contextlib.suppress(OSError, ValueError):
            self._input.write(f"{line}\n")

    def read(self, deadline: float) -> str:
        """Return the next line, without its end.

        Args:
            deadline: Until when to wait, as `time.monotonic` counts.

        Raises:
            TimeoutError: There is no line yet.
            EOFError: There will be none; says how the program has ended.
        """
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            self._lines.put(None)  # for the next call
            raise EOFError(self._how_it_ended())
        return line.rstrip("\n")

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        self._errors.seek(0)
        lines = self._errors.read().splitlines()
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"it ended with exit code {code}{': ' if last else ''}{last}"

    def end(self) -> None:
        """End the program: its input ends, and a moment later it is killed."""
        self._end()


def end_programs() -> None:
    """End all programs of this process, which is about to end without Python's own clearing up."""
    with _ending:  # a thread that finds them ended ends the process
        for program in [*_running]:
            program.end()


def _read_lines(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    with stream, contextlib.suppress(OSError, ValueError):
        for line in stream:
            if lines.qsize() < _MAX_LINES:  # a flood would fill the memory
                lines.put(line)
    lines.put(None)


def _end(process: subprocess.Popen[str], errors: IO[str]) -> None:
    """End a program, and what it has started in its session."""
    errors.close()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_END_SECONDS)
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
