"""How fast the suite is on this machine: medians of several runs, with their spread.

| measure        | what is timed                                                                  |
|----------------|--------------------------------------------------------------------------------|
| `environment`  | moves/s of `agent_iter`, `last`, `step` with random legal actions, checks on    |
| `playouts`     | whole random games/s in compiled code, without observations                    |
| `playout moves`| the moves/s of these games                                                     |
| `perft`        | action sequences/s to a fixed depth from the start position                    |
| `warm start`   | seconds of a fresh process from `import` to the first step, cache filled        |
| `cold start`   | the same with an empty cache: everything is compiled                           |
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tzaar_envs.core.env import GameEnv
from tzaar_envs.core.game import Game
from tzaar_envs.core.perft import perft
from tzaar_envs.core.playouts import random_playouts
from tzaar_envs.machine import machine, versions

RUNS = 5
PACKAGES = ("tzaar-envs", "numpy", "numba", "gymnasium", "pettingzoo")

_SECONDS = 0.5  # of a run
_MOST_LEAVES = 20_000_000  # of a perft
_DEEPEST = 6
_BUFFER = 4096  # random numbers drawn at once


@dataclass(frozen=True)
class Measurement:
    """One measure of one game.

    Attributes:
        game: the id of the environment.
        measure: see the table of this module.
        unit: for instance `moves/s`.
        median: of all runs.
        lowest: of all runs.
        highest: of all runs.
        runs: how many.
        note: what else belongs to it, for instance the depth of a perft.
    """

    game: str
    measure: str
    unit: str
    median: float
    lowest: float
    highest: float
    runs: int
    note: str = ""


def environment() -> dict[str, Any]:
    """Return the machine and the versions, for the head of a report."""
    return machine() | versions(*PACKAGES)


def run_benchmark(game: Game) -> Iterator[Measurement]:
    """Yield the measurements of a game, one after the other."""

    def measured(
        measure: str, unit: str, run: Callable[[], float], note: str = "", runs: int = RUNS
    ) -> Measurement:
        values = [run() for _ in range(runs)]
        median = statistics.median(values)
        name = game.spec.env_id
        return Measurement(name, measure, unit, median, min(values), max(values), runs, note)

    _environment_run(game)  # compiles
    yield measured("environment", "moves/s", lambda: _environment_run(game))

    sample = random_playouts(game, 200, seed=0)
    games = max(100, int(_SECONDS / _seconds(lambda: random_playouts(game, 200, seed=0)) * 200))
    plies = float(random_playouts(game, games, seed=1).plies.mean())
    playouts = measured(
        "playouts",
        "games/s",
        lambda: games / _seconds(lambda: random_playouts(game, games, seed=1)),
        note=f"mean length {plies:.1f}, mean choice {sample.branching:.1f}",
    )
    yield playouts
    yield Measurement(
        playouts.game,
        "playout moves",
        "moves/s",
        playouts.median * plies,
        playouts.lowest * plies,
        playouts.highest * plies,
        playouts.runs,
    )

    state = game.new_state(seed=0)
    depth = 1
    while depth < _DEEPEST and perft(state, depth) * sample.branching < _MOST_LEAVES:
        depth += 1
    leaves = perft(state, depth)
    yield measured(
        "perft",
        "leaves/s",
        lambda: leaves / _seconds(lambda: perft(state, depth)),
        note=f"depth {depth}: {leaves:,}",
    )

    yield measured("warm start", "s", lambda: _start(game, None))
    yield measured("cold start", "s", lambda: _cold_start(game), runs=3)


def _seconds(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def _environment_run(game: Game) -> float:
    """Return the moves/s of the environment's own loop with a cheap random choice."""
    env = GameEnv(game.spec, **game.options)
    rng = np.random.default_rng(0)
    uniform = rng.random(_BUFFER).tolist()
    moves = 0
    env.reset(seed=0)
    begin = time.perf_counter()
    while time.perf_counter() - begin < _SECONDS:
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            assert observation is not None
            legal = observation["action_mask"].view(np.bool_).nonzero()[0]
            env.step(legal[int(uniform[moves % _BUFFER] * legal.size)])
            moves += 1
        env.reset()
    return moves / (time.perf_counter() - begin)


_FIRST_STEP = """
import time
begin = time.perf_counter()
import tzaar_envs
env = tzaar_envs.make({name!r}, **{options!r})
env.reset(seed=0)
env.step(env.last()[0]["action_mask"].argmax())
print(time.perf_counter() - begin)
"""


def _start(game: Game, cache: str | None) -> float:
    """Return the seconds to the first step in a fresh process."""
    script = _FIRST_STEP.format(name=game.spec.env_id, options=dict(game.options))
    environment = os.environ | ({"TZAAR_ENVS_CACHE_DIR": cache} if cache else {})
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _cold_start(game: Game) -> float:
    with tempfile.TemporaryDirectory() as cache:
        return _start(game, cache)


def as_json(measurements: list[Measurement]) -> dict[str, Any]:
    """Return everything as plain values."""
    return {"machine": environment(), "measurements": [asdict(entry) for entry in measurements]}
