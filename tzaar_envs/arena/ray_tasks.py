"""Tasks on Ray, with the extra `ray`; the games are the same as elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import msgspec

from tzaar_envs.arena.batched_games import play_task
from tzaar_envs.arena.plan import Plan, Task
from tzaar_envs.arena.players import LocalPlayer, local_players, one_torch_thread
from tzaar_envs.arena.records import GameRecord
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.processes import MOST_DEATHS


class RayCrew:
    """Workers on Ray: the cluster that this process is connected to, or else a local one.

    Games are sent with their whole task, so an interruption costs the tasks that are running.
    """

    def __init__(self, plan: Plan, workers: int) -> None:
        require_extra("ray", "playing on Ray", "ray")
        import ray

        self._ray: Any = ray
        self._began_here = not ray.is_initialized()
        if self._began_here:
            ray.init(num_cpus=workers, log_to_driver=False, include_dashboard=False)
        self._play = ray.remote(num_cpus=1, max_retries=0)(_play)
        self._plan = ray.put(plan)
        self._running: dict[Task, Any] = {}
        self._is_closed = False

    def play(self, task: Task, finish: Callable[[GameRecord], None]) -> None:
        """Play a task.

        Raises:
            RuntimeError: workers die at it again and again.
        """
        for _attempt in range(MOST_DEATHS):
            self._running[task] = reference = self._play.remote(self._plan, task)
            try:
                records: list[GameRecord] = self._ray.get(reference)
            except self._ray.exceptions.RayTaskError as error:
                raise error.cause from None  # without the pages that Ray adds
            except self._ray.exceptions.WorkerCrashedError:
                if self._is_closed:
                    return
                continue
            finally:
                del self._running[task]
            for record in records:
                finish(record)
            return
        raise RuntimeError(
            f"{MOST_DEATHS} Ray workers died at {task}; play without Ray, which finds out which "
            "agent is to blame"
        )

    def close(self) -> None:
        """Cancel the tasks that are running."""
        self._is_closed = True
        for reference in [*self._running.values()]:
            with contextlib.suppress(Exception):  # it has just ended
                self._ray.cancel(reference, force=True)
        if self._began_here:
            self._ray.shutdown()


def _play(plan: Plan, task: Task) -> list[GameRecord]:
    """Play a task in a Ray worker."""
    records: list[GameRecord] = []
    with one_torch_thread():
        play_task(plan, _players(plan), task, records.append)
    return records


_players_of: dict[bytes, list[LocalPlayer]] = {}


def _players(plan: Plan) -> list[LocalPlayer]:
    """Return the agents of this worker, made once for a plan."""
    key = msgspec.json.encode(plan.header)
    if key not in _players_of:
        _players_of.clear()
        _players_of[key] = local_players(plan)
    return _players_of[key]
