"""The speed of search and self-play with a sparse network (needs the extra `sb3`).

The network is a new one of the shape that AlphaZero trains for the game; its weights are random.
All figures are for CPU time, of one core.

| measure                 | definition                                                            |
|-------------------------|-----------------------------------------------------------------------|
| `network`               | positions/s: every legal action of the positions of random games is   |
|                         | played, and the network values the position after it                  |
| `network, without`      | the same without the network                                          |
| `alphabeta, network`    | nodes/s of alpha-beta, for `BUDGET` seconds from the start position   |
| `mcts, network`         | simulations/s of a tree search with 1000 simulations from there       |
| `self-play, one ply`    | positions/s of AlphaZero's games: all actions compared, with records  |
| `self-play, gumbel`     | simulations/s of such games by Gumbel search, 16 for each position    |
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from tzaar_envs.cli.benchmark.measurement import Measurement, measured
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import apply_of, legal_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.networks.sparse.network import SparseNetwork, SparseShape
from tzaar_envs.search.alphabeta import AlphaBeta, why_unsuitable
from tzaar_envs.search.mcts.gumbel import Gumbel
from tzaar_envs.search.mcts.search import Mcts
from tzaar_envs.search.mcts.self_play import GumbelSelfPlay
from tzaar_envs.search.one_ply.outlook import new_outlook
from tzaar_envs.search.one_ply.rows import values_of_rows
from tzaar_envs.search.one_ply.self_play import OnePlySelfPlay
from tzaar_envs.search.self_play import Play
from tzaar_envs.training import alphazero

BUDGET = 0.5  # seconds of a run, about
SIMULATIONS = 16  # of a Gumbel search

_OF_TREE = 1000  # simulations
_DRAWS = 2  # of one ply, where there is chance or something is hidden
_PLAY = Play(randomness=0.1, trace=0.9, opening=8)
_POSITIONS = 500  # of a call of self-play, at least


def measure_networks(game: Game) -> Iterator[Measurement]:
    """Yield the measures of a game."""
    torch.manual_seed(0)
    told = alphazero.Arguments.for_game(game.name)
    shape = SparseShape.for_game(game, told.width, told.hidden, told.lines, told.levels)
    evaluator = CompiledNetwork(game, SparseNetwork(shape, game))
    name = game.spec.env_id
    note = f"{shape.width} units, {shape.active:g} inputs" + (", lines" if shape.lines else "")
    positions = random_positions(game)
    outlook, rng = new_outlook(game), new_generator(0)
    values = np.zeros((len(positions), game.num_actions))
    functions, leaf_network = game.rules.functions, evaluator.leaf_network()
    children = _play_children(functions, positions, outlook.after, outlook.actions, rng)

    def value_children() -> int:
        values_of_rows(functions, leaf_network, positions, False, 1, 1, outlook, rng, values)
        return children

    yield measured(name, "network", "positions/s", lambda: cpu_rate(value_children), note)
    yield measured(
        name,
        "network, without",
        "positions/s",
        lambda: cpu_rate(
            lambda: _play_children(functions, positions, outlook.after, outlook.actions, rng)
        ),
        note,
    )
    state = game.new_state(seed=0)
    if why_unsuitable(game) is None:
        search = AlphaBeta(game, evaluator=evaluator)
        yield measured(
            name,
            "alphabeta, network",
            "nodes/s",
            lambda: cpu_rate(lambda: search.search(state, ms=1000 * BUDGET).nodes),
        )
    tree = Mcts(game, evaluator, simulations=_OF_TREE)

    def simulate() -> int:
        tree.search(state.words[None], 1)
        return _OF_TREE

    yield measured(name, "mcts, network", "simulations/s", lambda: cpu_rate(simulate))
    games = OnePlySelfPlay(game, evaluator, _DRAWS, _PLAY, _POSITIONS)
    yield measured(
        name,
        "self-play, one ply",
        "positions/s",
        lambda: cpu_rate(lambda: len(games.play(1).states)),
    )
    gumbel = Gumbel(SIMULATIONS, SIMULATIONS, visit_offset=50.0, value_scale=0.5)
    searched = GumbelSelfPlay(game, evaluator, gumbel, _PLAY, _POSITIONS)
    yield measured(
        name,
        "self-play, gumbel",
        "simulations/s",
        lambda: cpu_rate(lambda: SIMULATIONS * len(searched.play(1).states)),
    )


def cpu_rate(repeat: Callable[[], int]) -> float:
    """Call `repeat`, which returns an amount of work, for some CPU time; return work per second."""
    repeat()  # compiles, fills caches
    done = 0
    begin = time.process_time()
    while (spent := time.process_time() - begin) < BUDGET:
        done += repeat()
    return done / spent


def random_positions(game: Game) -> NDArray[np.int64]:
    """Return the positions of a random game, int64 `(n, state_size)`."""
    state, rng = game.new_state(seed=0), np.random.Generator(np.random.PCG64(0))
    positions = []
    while not state.is_terminal:
        positions.append(state.words.copy())
        state.apply(int(rng.choice(state.legal_actions())))
    return np.stack(positions)


@compiled
def _play_children(
    functions: FunctionTable,
    positions: NDArray[np.int64],
    child: StateArray,
    actions: StateArray,
    rng: RngState,
) -> int:
    """Play each legal action of the positions, return how many there are."""
    children = 0
    for row in range(positions.shape[0]):
        for index in range(legal_of(functions)(positions[row], actions)):
            child[:] = positions[row]
            apply_of(functions)(child, actions[index], rng)
            children += 1
    return children
