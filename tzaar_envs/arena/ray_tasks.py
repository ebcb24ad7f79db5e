"""Where tasks are played: on Ray, with the extra `ray`; the games are the same as elsewhere."""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any

from tzaar_envs.agents import Agent
from tzaar_envs.arena.lockstep import Row, one_torch_thread, play_task
from tzaar_envs.arena.plan import GameId, Plan, Task
from tzaar_envs.arena.schedule import Schedule
from tzaar_envs.arena.workers import MOST_DEATHS, Keep
from tzaar_envs.system.extras import require_extra

_POLL_SECONDS = 0.2


def play_on_ray(plan: Plan, workers: int, schedule: Schedule, keep: Keep) -> bool:
    """Play all tasks on Ray, `workers` at a time; return whether Ctrl-C ended them early.

    Games come back with their whole task, so an interruption costs the tasks that run.

    Raises:
        ModuleNotFoundError: Ray is not installed.
        RuntimeError: workers die at a task again and again.
    """
    require_extra("ray", "playing on Ray", "ray")
    import ray

    began_here = not ray.is_initialized()
    if began_here:
        ray.init(num_cpus=workers, log_to_driver=False, include_dashboard=False)
    play = ray.remote(num_cpus=1, max_retries=0)(_play)
    shared = ray.put(plan)
    running: dict[Any, Task] = {}
    deaths: Counter[Task] = Counter()
    try:
        while not schedule.is_over:
            while len(running) < workers and (task := schedule.begin()):
                running[play.remote(shared, task)] = task
            ready, _ = ray.wait([*running], timeout=_POLL_SECONDS)
            for reference in ready:
                task = running.pop(reference)
                try:
                    rows: list[Row] = ray.get(reference)
                except ray.exceptions.RayTaskError as error:
                    raise error.cause from None  # without the pages that Ray adds
                except ray.exceptions.WorkerCrashedError as error:
                    deaths[task] += 1
                    if deaths[task] == MOST_DEATHS:
                        raise RuntimeError(
                            f"{MOST_DEATHS} Ray workers died at {task}; play without Ray, which "
                            "finds out which agent is to blame"
                        ) from error
                    schedule.again(task)
                    continue
                for row in rows:
                    if schedule.finish(GameId(row.line_up, row.start, row.rotation)):
                        keep(row)
                schedule.end(task)
    except KeyboardInterrupt:
        return True
    finally:
        for reference in running:
            ray.cancel(reference, force=True)
        if began_here:
            ray.shutdown()
    return False


def _play(plan: Plan, task: Task) -> list[Row]:
    """Play a task in a Ray worker."""
    rows: list[Row] = []
    with one_torch_thread():
        play_task(plan, _agents(plan), task, rows.append)
    return rows


@functools.lru_cache(maxsize=1)
def _agents(plan: Plan) -> dict[int, Agent]:
    """Return this worker's agents, made once."""
    return plan.make_agents()
