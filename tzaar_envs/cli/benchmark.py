"""The command `benchmark`: the speed of the games on this machine.

Figures are medians of several runs with their range.

| measure              | definition                                                               |
|----------------------|--------------------------------------------------------------------------|
| `environment`        | moves/s of `agent_iter`, `last`, `step`, random legal actions, checks on |
| `state`              | moves/s of a bare loop over a `State`: mask, observation, `apply`        |
| `vector`             | steps/s of `make_vec(copy=False)`: every game plays a compiled random    |
|                      | choice of action, with reward, end, new game, mask and observation       |
| `vector, 2 threads`  | the same with two threads                                                |
| `single agent`       | steps/s of a learner's random actions against `random`, in the vector    |
|                      | view that training uses; plies of opponents do not count                 |
| `memory`             | bytes per game of the vector environment, outputs included               |
| `playouts`           | whole random games/s in compiled code, without masks or observations     |
| `playout moves`      | moves/s of these games                                                   |
| `mcts`               | simulations/s of a tree search from the start position, with playouts    |
| `mcts moves`         | moves/s of these playouts                                                |
| `perft`              | action sequences/s to a fixed depth from the start position              |
| `alphabeta`          | positions/s of alpha-beta to a fixed depth from the start position, in   |
|                      | games that it supports                                                   |
| `import`             | seconds of `import tzaar_envs` in a fresh process                        |
| `warm start`         | seconds of a fresh process from `import` to the first step, cache filled |
| `cold start`         | the same with an empty cache: everything is compiled                     |
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray
from rich.console import Console

import tzaar_envs
from tzaar_envs.cli import common
from tzaar_envs.core.game import Game
from tzaar_envs.core.playouts import perft, random_playouts
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.single_agent import SingleAgentVectorEnv
from tzaar_envs.envs.vector import VectorGameEnv
from tzaar_envs.search.alphabeta import AlphaBeta, why_unsuitable
from tzaar_envs.search.alphabeta_iteration import MAX_DEPTH
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.interrupts import noticing_ctrl_c, signals_deferred
from tzaar_envs.system.machine import machine, versions

RUNS = 5
SECONDS = 0.5  # per run
BATCH_SIZE = 1024

MAX_LEAVES = 20_000_000  # of a perft
_MAX_PERFT_DEPTH = 6
MAX_NODES = 300_000  # up to which alpha-beta searches one ply deeper
_BUFFER = 4096  # random numbers drawn at once
_WARM_UP = 100  # steps
_SIMULATIONS = 1000  # of a search
PLAYOUTS = 500  # at once
_PACKAGES = ("tzaar-envs", "numpy", "numba", "gymnasium", "pettingzoo")


@dataclass(frozen=True)
class Measurement:
    """One measure of one game.

    Attributes:
        game: Id of the environment.
        measure: Name of the measure.
        unit: Unit of the figures, for instance `moves/s`.
        median: Median of all runs.
        lowest: Lowest of all runs.
        highest: Highest of all runs.
        runs: Number of runs.
        note: Further parameters, for instance the depth of a perft.
    """

    game: str
    measure: str
    unit: str
    median: float
    lowest: float
    highest: float
    runs: int
    note: str = ""


def summary(
    game: str, measure: str, unit: str, values: Sequence[float], note: str = ""
) -> Measurement:
    """Return the measurement that consists of the figures of several runs."""
    bounds = min(values), max(values)
    return Measurement(game, measure, unit, statistics.median(values), *bounds, len(values), note)


def measured(
    game: str,
    measure: str,
    unit: str,
    repeat: Callable[[], int],
    note: str = "",
    runs: int = RUNS,
    clock: Callable[[], float] = time.perf_counter,
) -> Measurement:
    """Measure the work per second of a function that returns how much it has done.

    Args:
        game: Id of the environment.
        measure: Name of the measure.
        unit: Unit of the figures.
        repeat: The function; it is called for `SECONDS`, at least once, in each run.
        note: Further parameters.
        runs: Number of runs.
        clock: The clock, in seconds.
    """
    values = []
    for _ in range(runs):
        begin, done = clock(), repeat()
        while clock() < begin + SECONDS:
            done += repeat()
        values.append(done / (clock() - begin))
    return summary(game, measure, unit, values, note)


def measure_game(game: Game) -> Iterator[Measurement]:
    """Yield the measures of a game, but for training."""
    measure, note = partial(measured, game.spec.env_id), f"{BATCH_SIZE} games"
    play = environment_loop(game)
    play()  # compiles
    yield measure("environment", "moves/s", play)
    yield measure("state", "moves/s", state_loop(game))
    make = partial(VectorGameEnv, game.spec, seed=0, copy=False, **game.options)
    env = make(num_envs=BATCH_SIZE, num_threads=1)
    yield measure("vector", "steps/s", stepping(env, env.sample_actions), note)
    pair = make(num_envs=BATCH_SIZE, num_threads=2)
    yield measure("vector, 2 threads", "steps/s", stepping(pair, pair.sample_actions), note)
    pair.close()
    single = SingleAgentVectorEnv(game, "random", seed=0, num_envs=BATCH_SIZE, copy=False)
    learn = stepping(single, lambda: single.batch.random_actions)
    yield measure("single agent", "steps/s", learn, note)
    yield summary(game.spec.env_id, "memory", "bytes", [env.batch.bytes_per_game])

    def lengths() -> NDArray[np.int64]:
        return random_playouts(game, PLAYOUTS, seed=1).plies

    branching = random_playouts(game, PLAYOUTS, seed=1).branching
    note = f"mean length {lengths().mean():.1f}, mean choice {branching:.1f}"
    yield measure("playouts", "games/s", lambda: lengths().size, note)
    yield measure("playout moves", "moves/s", lambda: int(lengths().sum()))

    state = game.new_state(seed=0)
    words = state.words[None]
    mcts = Mcts(game, simulations=_SIMULATIONS, leaf="playout", rule="uct")
    mcts.search(words, 0)  # compiles
    note = f"{_SIMULATIONS} simulations"
    yield measure("mcts", "simulations/s", lambda: int(mcts.search(words, 0).simulations[0]), note)
    yield measure("mcts moves", "moves/s", lambda: int(mcts.search(words, 0).playout_moves[0]))

    depth, leaves = 1, perft(state, 1)
    while depth < _MAX_PERFT_DEPTH and leaves * branching < MAX_LEAVES:
        depth, leaves = depth + 1, perft(state, depth + 1)
    note = f"depth {depth}: {leaves:,}"
    yield measure("perft", "leaves/s", lambda: perft(state, depth), note)

    if why_unsuitable(game) is None:
        search, ahead = AlphaBeta(game), 1

        def look_ahead() -> int:
            return search.search(state, depth=ahead).nodes

        while ahead < MAX_DEPTH and look_ahead() < MAX_NODES:
            ahead += 1
        yield measure("alphabeta", "nodes/s", look_ahead, f"depth {ahead}: {look_ahead():,}")

    imports, starts = zip(*(start(game) for _ in range(RUNS)), strict=True)
    cold_starts = [start(game, cold=True)[1] for _ in range(3)]
    for name, seconds in (
        ("import", imports), ("warm start", starts), ("cold start", cold_starts)
    ):  # fmt: skip
        yield summary(game.spec.env_id, name, "s", seconds)


def environment_loop(game: Game) -> Callable[[], int]:
    """Return a function that plays a game in the AEC environment, by a cheap random choice."""
    env = GameEnv(game.spec, **game.options)
    uniform = np.random.default_rng(0).random(_BUFFER).tolist()
    env.reset(seed=0)

    def play() -> int:
        moves = 0
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
        return moves

    return play


def state_loop(game: Game) -> Callable[[], int]:
    """Return a function that plays a game on a `State`, by a cheap random choice."""
    uniform = np.random.default_rng(0).random(_BUFFER).tolist()
    state = game.new_state(0)

    def play() -> int:
        moves = 0
        while not state.is_terminal:
            state.legal_mask()
            state.observation(state.current_player)
            legal = state.legal_actions()
            state.apply(legal[int(uniform[moves % _BUFFER] * legal.size)])
            moves += 1
        state.restart()
        return moves

    return play


def stepping(env: Any, actions: Callable[[], Any]) -> Callable[[], int]:
    """Return a function that steps all games once and returns how many they are; warm it up."""
    env.reset()

    def step() -> int:
        env.step(actions())
        return int(env.num_envs)

    for _ in range(_WARM_UP):
        step()
    return step


_FIRST_STEP = """
import time
begin = time.perf_counter()
import tzaar_envs
print(time.perf_counter() - begin)
env = tzaar_envs.make({name!r}, **{options!r})
env.reset(seed=0)
env.step(env.last()[0]["action_mask"].argmax())
print(time.perf_counter() - begin)
"""


def start(game: Game, cold: bool = False) -> tuple[float, float]:
    """Return the seconds to the end of the import and to the first step in a fresh process."""
    script = _FIRST_STEP.format(name=game.spec.env_id, options=dict(game.options))
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | ({"TZAAR_ENVS_CACHE_DIR": cache} if cold else {}),
            capture_output=True,
            text=True,
            check=True,
        )
    imported, stepped = (float(line) for line in done.stdout.split())
    return imported, stepped


def report_speed(console: Console, measurements: Sequence[Measurement]) -> None:
    """Print the table of measurements."""
    rows = []
    for entry in measurements:
        form = ",.2f" if entry.unit == "s" else ",.0f"
        spread = f"{entry.lowest:{form}} - {entry.highest:{form}}"
        figures = f"{entry.median:{form}}", spread, entry.unit, entry.note
        rows.append((entry.game, entry.measure, *figures))
    columns = ("game", "measure", "median", "spread", "unit", "note")
    console.print(common.table_of(columns, rows, right=("median", "spread")))
    console.print(
        "One core, except where 2 threads are named; median and range of 5 runs (cold start: 3)."
    )


def benchmark(
    names: Annotated[
        tuple[str, ...], Parameter(name="GAME...", completer=common.complete_game)
    ] = (),
    /,
    *,
    json_path: common.JsonPath = None,
) -> None:
    """Measure the speed of the games on this machine, about a minute for each.

    Ctrl-C ends it; what is measured by then is reported and written.

    Args:
        names: Games to measure; by default all.
    """
    common.check_output("--json", json_path)
    games = [common.game_of(name) for name in names or tzaar_envs.list_games()]
    facts = machine() | versions(*_PACKAGES)
    console = common.new_console()
    results: list[Measurement] = []
    try:
        with noticing_ctrl_c() as ctrl_c_was_pressed:
            console.print(", ".join(f"{name} {value}" for name, value in facts.items()))
            for game in games:
                with common.working(f"Measuring {game.spec.env_id}"):
                    for entry in measure_game(game):
                        results.append(entry)  # kept if Ctrl-C ends the loop
                        if ctrl_c_was_pressed():  # foreign code can swallow the exception
                            raise KeyboardInterrupt
    except KeyboardInterrupt:
        print("Interrupted; the rest is not measured")
        raise
    finally:
        with signals_deferred():  # what is measured is not lost
            report_speed(console, results)
            if json_path is not None:
                content = {"machine": facts, "measurements": [asdict(entry) for entry in results]}
                write_atomically(json_path, json.dumps(content, indent=2) + "\n")
                print(f"The result is in {json_path}")
