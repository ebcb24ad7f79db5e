"""Child processes: started, asked and ended by the threads of this process."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from tzaar_envs.system.interrupts import sigint_deferred

MOST_DEATHS = 3
"""How often a process may die at the same work before that counts."""

_CLOSE_SECONDS = 2.0


class ProcessDiedError(Exception):
    """A child process has died; the message is its exit code."""


class _Raised(NamedTuple):
    """What a child process sends when it raised an exception."""

    error: Exception


class ChildProcess:
    """A process that serves this one. Only the thread that made it may use it, but any may end it.

    Args:
        serve: what the process does: `serve(connection, *arguments)`.
        *arguments: that can be pickled.

    Attributes:
        is_ended: whether `end` was called, or it was found dead.
    """

    def __init__(self, serve: Callable[..., None], *arguments: Any) -> None:
        if sys.platform == "linux":
            # A server that has imported the suite forks the children; a new interpreter would take
            # a second. Elsewhere libraries are not safe to fork. It imports when it starts.
            context = get_context("forkserver")
            context.set_forkserver_preload([serve.__module__])
        else:
            context = get_context("spawn")
        if sys.platform != "win32":
            # Its first start would lift the protection from SIGINT that follows.
            resource_tracker.ensure_running()
        self._connection, inner = context.Pipe()
        self._process = context.Process(target=_run, args=(inner, serve, arguments), daemon=True)
        self.is_ended = False
        with sigint_deferred():
            self._process.start()
        inner.close()  # so that the end of the process is the end of the messages

    def send(self, message: object) -> None:
        """Send a message."""
        with contextlib.suppress(OSError):  # it has just died, as `receive` will notice
            self._connection.send(message)

    def receive(self, seconds: float | None = None) -> Any:
        """Return the next message.

        Args:
            seconds: how long to wait; None: any time.

        Raises:
            TimeoutError: there is none yet.
            ProcessDiedError: there will be none.
            CancelledError: `end` was called.
            Exception: the process raised it.
        """
        # A process that the child has started may keep the connection open, hence the sentinel.
        if not wait([self._connection, self._process.sentinel], seconds):
            raise TimeoutError
        try:
            message = self._connection.recv() if self._connection.poll() else None
            if message is None:
                raise EOFError
        except (EOFError, OSError):
            if self.is_ended:
                raise CancelledError from None
            self.end()
            self.join()
            raise ProcessDiedError(f"exit code {self._process.exitcode}") from None
        if isinstance(message, _Raised):
            raise message.error
        return message

    def end(self) -> None:
        """End the process, whatever it does."""
        self.is_ended = True
        self._process.kill()

    def join(self) -> None:
        """Wait for the end of a process that was ended or has died."""
        self._process.join(_CLOSE_SECONDS)


class ChildProcesses:
    """All child processes of a match or tournament, so that none is left behind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: list[ChildProcess] = []
        self._is_closed = False

    def start(self, serve: Callable[..., None], *arguments: Any) -> ChildProcess:
        """Return a new process that has sent its first message.

        Raises:
            RuntimeError: processes die again and again before they send it.
            CancelledError: `close` was called.
        """
        for _attempt in range(MOST_DEATHS):
            with self._lock:
                if self._is_closed:
                    raise CancelledError
                child = ChildProcess(serve, *arguments)
                self._all = [*(other for other in self._all if not other.is_ended), child]
            with contextlib.suppress(ProcessDiedError):
                child.receive()
                return child
        raise RuntimeError(
            f"{MOST_DEATHS} worker processes died before they played: there may be too little "
            "memory, or the script that started them does not guard its main part with `if "
            "__name__ == '__main__':`; try workers=1"
        )

    def close(self) -> None:
        """End all processes; no further ones can be started."""
        with self._lock:
            self._is_closed = True
            for child in self._all:
                child.end()
            for child in self._all:
                child.join()


def _run(connection: Connection, serve: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """Be a child process."""
    # A Ctrl-C at the terminal reaches all processes; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        serve(connection, *arguments)
    except (EOFError, BrokenPipeError):
        return  # the parent has closed the connection
    except Exception as error:
        connection.send(_Raised(_sendable(error)))


def _end_with_parent() -> None:
    """Leave no process behind that keeps thinking when the parent was killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
