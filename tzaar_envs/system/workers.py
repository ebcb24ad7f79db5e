"""Work in other processes, the one way of the whole suite: on this machine, or on a Ray cluster.

    with open_executor(workers=2) as executor:
        futures = [executor.submit(play, batch) for batch in batches]
        for future in as_completed(futures):
            keep(future.result())

What a call yields can be had while it goes on:

    with open_executor(workers=2) as executor:
        for game in executor.stream(games_of, [(1,), (2,)]):
            keep(game)

Functions, arguments and results are pickled. What a worker shall keep between calls, it keeps in
its own modules, for instance by `functools.cache`.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import multiprocessing.connection
import multiprocessing.util
import os
import pickle
import queue
import signal
import sys
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.interrupts import SIGNALS, signals_deferred
from tzaar_envs.system.programs import end_programs

P = ParamSpec("P")
T = TypeVar("T")

_END_SECONDS = 2.0  # for a worker, to end the engines that it has started
_OBJECT_STORE = 200_000_000  # bytes, of a Ray on this machine alone


class Workers(Executor):
    """An executor whose processes can be ended while they work.

    As a context manager it waits for its calls, unless an exception leaves the block (Ctrl-C is
    one): then the processes are ended at once. A call whose process dies, ends with a
    `BrokenExecutor`; on this machine, so do all other calls.
    """

    @abstractmethod
    def stream(
        self, function: Callable[..., Iterable[T]], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[T]:
        """Yield what a function yields for each of the arguments, as soon as it does.

        Only as many calls as there are workers have begun at a time.

        Args:
            function: The function to call.
            calls: The arguments of each call.
        """

    @abstractmethod
    def kill(self) -> None:
        """End all calls and their processes at once."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.shutdown()
        else:
            self.kill()


def open_executor(workers: int, ray: bool | str = False) -> Workers:
    """Return an executor whose calls run in other processes.

    A script that uses processes of this machine must guard its main part with
    `if __name__ == "__main__":`. Ctrl-C reaches this process alone, and no worker outlives it.

    Args:
        workers: How many calls run at a time; of a cluster that is there already, all its cores.
        ray: False: processes on this machine; the address of a Ray cluster, or `auto` to find it;
            True: the cluster that this process is connected to, or else a Ray on this machine.

    Raises:
        ModuleNotFoundError: Ray is not installed.
        ConnectionError: There is no cluster at the address.
        ValueError: This process is a daemon, which may start no others.
    """
    if not ray and multiprocessing.current_process().daemon:
        raise ValueError(
            "worker processes cannot be started in a worker of a multiprocessing.Pool or another "
            "daemon: use workers=1 there, or a concurrent.futures.ProcessPoolExecutor around it"
        )
    return _RayWorkers(workers, ray if isinstance(ray, str) else "") if ray else _Processes(workers)


class _Worker(SpawnProcess):
    """A process that Python ends, too, although it ignores SIGTERM."""

    terminate = SpawnProcess.kill


class _Context(SpawnContext):
    Process = _Worker


class _Processes(ProcessPoolExecutor, Workers):
    """Worker processes on this machine, started when they are needed."""

    def __init__(self, workers: int) -> None:
        context = _Context()
        if sys.platform != "win32":
            with signals_deferred():
                resource_tracker.ensure_running()  # its first start would let Ctrl-C through
        reader, self._writer = context.Pipe(duplex=False)
        killed, self._alive = context.Pipe(duplex=False)  # the workers end with it
        super().__init__(workers, context, _begin, (self._writer, context.Lock(), killed))
        self._workers = workers
        self._arrived = queue.SimpleQueue[Any]()
        threading.Thread(target=_receive, args=(reader, self._arrived), daemon=True).start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        with signals_deferred():  # processes that start here never see Ctrl-C
            return super().submit(fn, *args, **kwargs)

    def stream(
        self, function: Callable[..., Iterable[T]], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[T]:
        waiting, running = iter(calls), 0
        while True:
            for args in islice(waiting, self._workers - running):
                self.submit(_send_each, function, args).add_done_callback(self._arrived.put)
                running += 1
            if not running:
                return
            match self._arrived.get():
                case Future() as future:
                    future.result()  # raises its error, if there is one
                case [item]:
                    yield item
                case _:  # the end of a call, which comes after all its items
                    running -= 1

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait, cancel_futures=cancel_futures)
        self._writer.close()

    def kill(self) -> None:
        processes = [*(self._processes or {}).values()]
        self.shutdown(wait=False, cancel_futures=True)
        self._alive.close()
        waiting: list[Any] = [process.sentinel for process in processes]
        end = time.monotonic() + _END_SECONDS
        while waiting and (left := end - time.monotonic()) > 0:
            ended = multiprocessing.connection.wait(waiting, left)
            waiting = [sentinel for sentinel in waiting if sentinel not in ended]
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()


def _receive(reader: Connection, arrived: queue.SimpleQueue[Any]) -> None:
    """Be the thread that hands over what workers of this machine send, until all have ended."""
    with contextlib.suppress(EOFError), reader:
        while True:
            arrived.put(reader.recv())


_send: Callable[[list[Any]], None]  # of a worker process: sends to the process that started it


def _begin(writer: Connection, lock: Any, killed: Connection) -> None:
    """Begin as a worker process of this machine."""
    global _send

    def send(items: list[Any]) -> None:
        with lock:
            writer.send(items)

    _send = send
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    multiprocessing.util.Finalize(None, end_programs, exitpriority=1)  # runs no atexit
    threading.Thread(target=_end_with_parent, args=(killed,), daemon=True).start()


def _end_with_parent(killed: Connection) -> None:
    """Be the thread that ends this process, and its engines, if the parent ends or says so."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel, killed])
        end_programs()
        os._exit(1)


def _send_each(function: Callable[..., Iterable[Any]], args: tuple[Any, ...]) -> None:
    for item in function(*args):
        _send([item])
    _send([])


class _RayWorkers(Workers):
    """Tasks on Ray, which begins those again whose worker or node has died."""

    def __init__(self, workers: int, address: str) -> None:
        require_extra("ray", "working on Ray", "ray")
        import ray

        self._ray: Any = ray
        self._workers = workers
        self._running: dict[Future[Any], Any] = {}
        self._streams: list[Any] = []
        self._is_connected_here = not ray.is_initialized()
        if self._is_connected_here:
            here: dict[str, Any] = {
                "num_cpus": max(1, workers),
                "object_store_memory": _OBJECT_STORE,
                "include_dashboard": False,
            }
            # A process that leaves Ray half started can crash at its end. To connect to a cluster
            # elsewhere may take minutes, which Ctrl-C must be able to end.
            with contextlib.nullcontext() if address else signals_deferred({signal.SIGINT}):
                ray.init(
                    address or "local",
                    logging_level=logging.ERROR,
                    log_to_driver=False,
                    **({} if address else here),
                )
        self._call = ray.remote(num_cpus=1)(_call)
        self._yield_each: Any = ray.remote(num_cpus=1, num_returns="streaming")(_yield_each)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        reference = self._call.remote(self._packed(fn, args, kwargs))
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        self._running[future] = reference

        def finish(answer: Future[T]) -> None:
            self._running.pop(future, None)
            error = answer.exception()
            if error is None:
                future.set_result(answer.result())
            else:
                future.set_exception(_plain_error(error))

        reference.future().add_done_callback(finish)
        return future

    def stream(
        self, function: Callable[..., Iterable[T]], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[T]:
        waiting, running = iter(calls), self._streams
        while True:
            for args in islice(waiting, self._workers - len(running)):
                running.append(self._yield_each.remote(self._packed(function, args, {})))
            if not running:
                return
            ready = self._ray.wait(running)[0][0]
            try:
                item = self._ray.get(next(ready))
            except StopIteration:
                running.remove(ready)
            except self._ray.exceptions.RayError as error:
                raise _plain_error(error) from None
            else:
                yield item

    def _packed(self, *call: Any) -> bytes:
        """Return a call as Ray does not unpack it: Ray's arrays could not be written."""
        packed: bytes = self._ray.cloudpickle.dumps(call)
        return packed

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if wait and not cancel_futures:
            wait_for([*self._running])
        for reference in [*self._running.values(), *self._streams]:
            with contextlib.suppress(Exception):  # it has just ended, or the connection has
                self._ray.cancel(reference, force=True)
        if self._is_connected_here:
            with signals_deferred():
                self._ray.shutdown()

    def kill(self) -> None:
        self.shutdown(wait=False)


def _call(packed: bytes) -> Any:
    function, args, kwargs = pickle.loads(packed)
    return function(*args, **kwargs)


def _yield_each(packed: bytes) -> Iterator[Any]:
    yield from _call(packed)  # Ray wants a generator


def _plain_error(error: BaseException) -> BaseException:
    """Return the error of a call on Ray without Ray's pages, or how its worker died."""
    reason = str(error).strip().partition("\n")[0]
    return getattr(error, "cause", None) or BrokenExecutor(f"a Ray worker died: {reason}")
