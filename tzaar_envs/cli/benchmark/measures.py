"""The measures of a game.

| measure          | definition                                                                   |
|------------------|------------------------------------------------------------------------------|
| `environment`    | moves/s of `agent_iter`, `last`, `step`, random legal actions, checks on      |
| `state`          | moves/s of a bare loop over a `State`: mask, observation, `apply`             |
| `vector`         | steps/s of `make_vec(copy=False)`: every game plays a compiled random choice  |
|                  | of action, with reward, end, new game, mask and observation                  |
| `vector, 2 threads` | the same with two threads                                                  |
| `single agent`   | steps/s of a learner's random actions against `random`, in the vector view    |
|                  | that training uses; plies of opponents do not count                          |
| `write floor`    | steps/s of a loop that only writes the same bytes (observation, mask,        |
|                  | rewards, flags)                                                              |
| `playouts`       | whole random games/s in compiled code, without masks or observations         |
| `playout moves`  | moves/s of these games                                                       |
| `mcts`           | simulations/s of a tree search from the start position, with playouts        |
| `mcts moves`     | moves/s of these playouts                                                    |
| `perft`          | action sequences/s to a fixed depth from the start position                  |
| `alphabeta`      | positions/s of alpha-beta to a fixed depth from the start position, in games |
|                  | that it supports                                                             |
| `memory`         | bytes per game of the vector environment, outputs included                   |
| `import`         | seconds of `import tzaar_envs` in a fresh process                            |
| `warm start`     | seconds of a fresh process from `import` to the first step, cache filled      |
| `cold start`     | the same with an empty cache: everything is compiled                         |
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.cli.benchmark.measurement import SECONDS, Measurement, measured, rate
from tzaar_envs.core.game import Game
from tzaar_envs.core.playouts import perft, random_playouts
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.single_agent import SingleAgentVectorEnv
from tzaar_envs.envs.vector import VectorGameEnv
from tzaar_envs.jit.compile import compiled
from tzaar_envs.search.alphabeta import AlphaBeta, why_unsuitable
from tzaar_envs.search.alphabeta_iteration import MAX_DEPTH
from tzaar_envs.search.mcts.search import Mcts

BATCH_SIZE = 1024

_MOST_LEAVES = 20_000_000  # of a perft
_DEEPEST = 6
_MOST_NODES = 300_000  # up to which alpha-beta searches one ply deeper
_BUFFER = 4096  # random numbers drawn at once
_WARM_UP = 100  # steps
_SIMULATIONS = 1000  # of a search


def run_benchmark(game: Game) -> Iterator[Measurement]:
    """Yield all measurements of a game."""
    name = game.spec.env_id
    environment_rate(game, seconds=0.0)  # compiles
    yield measured(name, "environment", "moves/s", lambda: environment_rate(game))
    yield measured(name, "state", "moves/s", lambda: state_rate(game))
    single = VectorLoop(game, BATCH_SIZE, 1)
    note = f"{BATCH_SIZE} games"
    yield measured(name, "vector", "steps/s", single.rate, note)
    double = VectorLoop(game, BATCH_SIZE, 2)
    yield measured(name, "vector, 2 threads", "steps/s", double.rate, note)
    double.close()
    learner = SingleAgentLoop(game, BATCH_SIZE)
    yield measured(name, "single agent", "steps/s", learner.rate, note)
    size = single.env.batch.bytes_per_game
    floor = write_floor(single.env)
    yield measured(name, "write floor", "steps/s", lambda: rate(floor), note)
    yield Measurement(name, "memory", "bytes", size, size, size, 1)

    sample = random_playouts(game, 200, seed=0)
    games = max(100, int(SECONDS / seconds_of(lambda: random_playouts(game, 200, seed=0)) * 200))
    plies = float(random_playouts(game, games, seed=1).plies.mean())
    playouts = measured(
        name,
        "playouts",
        "games/s",
        lambda: games / seconds_of(lambda: random_playouts(game, games, seed=1)),
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

    yield from _search_rates(game)

    state = game.new_state(seed=0)
    depth = 1
    while depth < _DEEPEST and perft(state, depth) * sample.branching < _MOST_LEAVES:
        depth += 1
    leaves = perft(state, depth)
    yield measured(
        name,
        "perft",
        "leaves/s",
        lambda: leaves / seconds_of(lambda: perft(state, depth)),
        note=f"depth {depth}: {leaves:,}",
    )

    if why_unsuitable(game) is None:
        yield alphabeta_rate(game)

    yield measured(name, "import", "s", lambda: _start(game)[0])
    yield measured(name, "warm start", "s", lambda: _start(game)[1])
    yield measured(name, "cold start", "s", lambda: _cold_start(game), runs=3)


def _search_rates(game: Game) -> Iterator[Measurement]:
    """Yield simulations/s and moves/s of a tree search with playouts."""
    mcts = Mcts(game, simulations=_SIMULATIONS, leaf="playout", rule="uct")
    words = game.new_state(seed=0).words[None]
    moves = int(mcts.search(words, 0).playout_moves[0])
    searches = measured(
        game.spec.env_id,
        "mcts",
        "simulations/s",
        lambda: rate(lambda: int(mcts.search(words, 0).simulations[0])),
        note=f"{_SIMULATIONS} simulations",
    )
    yield searches
    yield Measurement(
        searches.game,
        "mcts moves",
        "moves/s",
        searches.median * moves / _SIMULATIONS,
        searches.lowest * moves / _SIMULATIONS,
        searches.highest * moves / _SIMULATIONS,
        searches.runs,
    )


def seconds_of(action: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def environment_rate(game: Game, seconds: float | None = None) -> float:
    """Return the moves/s of the AEC environment's loop with a cheap random choice."""
    env = GameEnv(game.spec, **game.options)
    uniform = np.random.default_rng(0).random(_BUFFER).tolist()
    env.reset(seed=0)

    def play_a_game() -> int:
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

    return rate(play_a_game, seconds)


def state_rate(game: Game) -> float:
    """Return the moves/s of a bare loop over a `State` with a cheap random choice."""
    uniform = np.random.default_rng(0).random(_BUFFER).tolist()
    state = game.new_state(0)

    def play_a_game() -> int:
        moves = 0
        while not state.is_terminal:
            state.legal_mask()
            state.observation(state.current_player)
            legal = state.legal_actions()
            state.apply(legal[int(uniform[moves % _BUFFER] * legal.size)])
            moves += 1
        state.restart()
        return moves

    return rate(play_a_game)


def alphabeta_rate(game: Game) -> Measurement:
    """Measure the positions/s that alpha-beta visits."""
    search = AlphaBeta(game)
    state = game.new_state(seed=0)
    depth = 1
    while depth < MAX_DEPTH and search.search(state, depth=depth).nodes < _MOST_NODES:
        depth += 1
    nodes = search.search(state, depth=depth).nodes
    return measured(
        game.spec.env_id,
        "alphabeta",
        "nodes/s",
        lambda: nodes / seconds_of(lambda: search.search(state, depth=depth)),
        note=f"depth {depth}: {nodes:,}",
    )


class VectorLoop:
    """A vector environment that plays random legal actions.

    Args:
        game: the game.
        num_envs: the number of games.
        num_threads: the number of threads.
    """

    def __init__(self, game: Game, num_envs: int, num_threads: int) -> None:
        self.env = VectorGameEnv(
            game.spec,
            seed=0,
            num_envs=num_envs,
            num_threads=num_threads,
            copy=False,
            **game.options,
        )
        self.env.reset()
        for _ in range(_WARM_UP):
            self.step()

    def step(self) -> int:
        """Step all games once; return the number of steps."""
        self.env.step(self.env.sample_actions())
        return self.env.num_envs

    def rate(self) -> float:
        """Return the steps/s."""
        return rate(self.step)

    def close(self) -> None:
        """End the threads."""
        self.env.close()


class SingleAgentLoop:
    """A learner that plays random legal actions against `random`.

    Args:
        game: the game.
        num_envs: the number of games.
    """

    def __init__(self, game: Game, num_envs: int) -> None:
        self.env = SingleAgentVectorEnv(game, "random", seed=0, num_envs=num_envs, copy=False)
        self.env.reset()
        for _ in range(_WARM_UP):
            self.step()

    def step(self) -> int:
        """Step all games once; return the number of steps."""
        self.env.step(self.env.batch.random_actions)
        return self.env.num_envs

    def rate(self) -> float:
        """Return the steps/s."""
        return rate(self.step)


@compiled
def _write_all(
    value: int,
    observations: NDArray[np.int8],
    masks: NDArray[np.int8],
    rewards: NDArray[np.float64],
    players: NDArray[np.int64],
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
) -> None:
    for row in range(players.size):
        observations[row] = value
        masks[row] = value
        rewards[row] = value
        players[row] = value
        terminated[row] = value > 0
        truncated[row] = value > 0


def write_floor(env: VectorGameEnv) -> Callable[[], int]:
    """Return a function that writes as many bytes as one step of all games."""
    batch = env.batch
    observations = np.empty((env.num_envs, batch.observations[0].size), np.int8)
    outputs: list[NDArray[Any]] = [
        batch.masks, batch.rewards, batch.players, batch.terminated, batch.truncated,
    ]  # fmt: skip
    copies = [array.copy() for array in outputs]
    value = 0

    def write() -> int:
        nonlocal value
        value = 1 - value
        _write_all(value, observations, *copies)
        return env.num_envs

    write()  # compiles
    return write


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


def _start(game: Game, cache: str | None = None) -> tuple[float, float]:
    """Return the seconds to the end of the import and to the first step in a fresh process."""
    script = _FIRST_STEP.format(name=game.spec.env_id, options=dict(game.options))
    environment = os.environ | ({"TZAAR_ENVS_CACHE_DIR": cache} if cache else {})
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    imported, stepped = (float(line) for line in done.stdout.split())
    return imported, stepped


def _cold_start(game: Game) -> float:
    with tempfile.TemporaryDirectory() as cache:
        return _start(game, cache)[1]
