"""Processes that think for the server, so that its event loop never waits for an agent."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError

from tzaar_envs.system.processes import ChildProcess, ChildProcesses, ProcessDiedError
from tzaar_envs.web import thinker
from tzaar_envs.web.thinker import STOP, Failed, Report

_LOOK = 0.05  # seconds between looks at whether a thought is still wanted
_GRACE = 2.0  # seconds that an analysis has to stop
_COMPILING = 600.0  # seconds that the first thoughts of a kind may take longer


class Thought:
    """A request, and who wants the answers.

    Args:
        request: see `web.thinker`.
        report: called with every answer, by another thread; never again after `cancel`.
        seconds: after which it ends, whatever it does.
        kind: thoughts of a kind need the same compiled code.
    """

    def __init__(
        self, request: object, report: Callable[[object], None], seconds: float, kind: str
    ) -> None:
        self.request = request
        self.seconds = seconds
        self.kind = kind
        self._report: Callable[[object], None] | None = report
        self._lock = threading.Lock()

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody wants the answer any more."""
        return self._report is None

    def cancel(self) -> None:
        """End the thought soon."""
        with self._lock:
            self._report = None

    def answer(self, message: object) -> None:
        """Hand over an answer."""
        with self._lock:
            if self._report is not None:
                self._report(message)


class Thinkers:
    """Some processes that take thoughts in turn; each has a thread of this process.

    They start when they are needed. A thought that is cancelled, or takes too long, ends with its
    process.

    Args:
        count: how many processes.
    """

    def __init__(self, count: int) -> None:
        self._thoughts: queue.SimpleQueue[Thought | None] = queue.SimpleQueue()
        self._children = ChildProcesses()
        self._done_kinds: set[str] = set()
        self._threads = [
            threading.Thread(target=self._work, daemon=True, name=f"thinker {number}")
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def think(self, thought: Thought) -> None:
        """Take a thought; its answers come later."""
        self._thoughts.put(thought)

    def close(self) -> None:
        """End all processes and threads."""
        self._children.close()
        for _ in self._threads:
            self._thoughts.put(None)
        for thread in self._threads:
            thread.join(_GRACE)

    def _work(self) -> None:
        child: ChildProcess | None = None
        while (thought := self._thoughts.get()) is not None:
            if thought.is_cancelled:
                continue
            try:
                if child is None or child.is_ended:
                    child = self._children.start(thinker.serve)
                self._finish(thought, child)
            except CancelledError:
                return
            except ProcessDiedError as error:
                thought.answer(Failed(f"the process that was thinking has died ({error})"))
            except Exception as error:  # a child that cannot be started, a request not pickled
                thought.answer(Failed(f"this could not be thought about: {error}"))
                if child is not None:
                    child.end()

    def _finish(self, thought: Thought, child: ChildProcess) -> None:
        """Hand over all answers, or end the process."""
        child.send(thought.request)
        allowed = thought.seconds + (0 if thought.kind in self._done_kinds else _COMPILING)
        deadline = time.monotonic() + allowed
        is_stopped = False
        while True:
            try:
                answer = child.receive(_LOOK)
            except TimeoutError:
                answer = None
            if answer is not None:
                thought.answer(answer)
                if not isinstance(answer, Report) or answer.is_last:
                    self._done_kinds.add(thought.kind)
                    return
            if thought.is_cancelled and not is_stopped:
                if not isinstance(thought.request, thinker.Analyse):
                    child.end()
                    return
                is_stopped = True
                child.send(STOP)
                deadline = time.monotonic() + _GRACE
            if time.monotonic() > deadline:
                child.end()
                thought.answer(Failed(f"nothing was found within {thought.seconds:g} seconds"))
                return
