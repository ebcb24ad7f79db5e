"""The speed of search and self-play with a sparse network (needs the extra `sb3`).

The network is new, its weights are random. All figures are for CPU time, of one core.

| measure                 | definition                                                            |
|-------------------------|-----------------------------------------------------------------------|
| `network`               | positions/s: every legal action of the positions of random games is   |
|                         | played, and the network values the position after it                  |
| `network, without`      | the same without the network                                          |
| `alphabeta, network`    | nodes/s of alpha-beta, for `BUDGET` seconds from the start position   |
| `mcts, network`         | simulations/s of a tree search with 1000 simulations from there       |
| `self-play, alphabeta`  | positions/s of AlphaZero's games: searches of one ply, with records   |
| `self-play, gumbel`     | simulations/s of such games by Gumbel search, 16 for each position    |
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import torch

from tzaar_envs.benchmark.measurement import Measurement, measured
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, STATUS, apply_of, legal_of, reset_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import below, new_generator
from tzaar_envs.policies.sparse.compiled import CompiledNetwork
from tzaar_envs.policies.sparse.network import SparseNetwork
from tzaar_envs.policies.sparse.shape import SparseShape
from tzaar_envs.search.alphabeta.search import AlphaBeta, why_unsuitable
from tzaar_envs.search.alphabeta.self_play import AlphaBetaSelfPlay
from tzaar_envs.search.leaf_network import LeafNetwork, judge_of
from tzaar_envs.search.mcts.gumbel import Gumbel
from tzaar_envs.search.mcts.search import Mcts
from tzaar_envs.search.mcts.self_play import GumbelSelfPlay
from tzaar_envs.search.self_play import Play

BUDGET = 0.5  # seconds of a run, about
SIMULATIONS = 16  # of a Gumbel search

_OF_TREE = 1000  # simulations
_PLAY = Play(randomness=0.1, trace=0.9, opening=8)


def measure_networks(game: Game) -> Iterator[Measurement]:
    """Yield the measures of a game."""
    torch.manual_seed(0)
    network = SparseNetwork(SparseShape.for_game(game), game)
    evaluator = CompiledNetwork(game, network)
    name = game.spec.env_id
    note = f"{network.shape.width} units, {network.shape.active:g} inputs"
    for measure, is_valued in (("network", True), ("network, without", False)):
        yield measured(
            name,
            measure,
            "positions/s",
            lambda is_valued=is_valued: cpu_rate(  # type: ignore[misc]
                lambda: value_children(game, evaluator, is_valued)
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
    if why_unsuitable(game) is None:
        games = AlphaBetaSelfPlay(game, evaluator, 1, _PLAY, 1)
        yield measured(
            name,
            "self-play, alphabeta",
            "positions/s",
            lambda: cpu_rate(lambda: len(games.play(1).states)),
        )
    gumbel = Gumbel(SIMULATIONS, SIMULATIONS, visit_offset=50.0, value_scale=0.5)
    searched = GumbelSelfPlay(game, evaluator, gumbel, _PLAY, positions=1)
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


def value_children(game: Game, evaluator: CompiledNetwork, is_valued: bool) -> int:
    """Play a random game, value the positions after each legal action; return how many."""
    return int(
        _value_children(
            game.rules.functions,
            evaluator.leaf_network(),
            game.encoded_options,
            np.zeros((2, game.rules.state_size), np.int64),
            np.zeros(game.num_actions, np.int64),
            np.zeros(game.num_actions),
            np.zeros(game.num_players),
            new_generator(0),
            is_valued,
        )
    )


@compiled
def _value_children(
    functions: FunctionTable,
    network: LeafNetwork,
    options: StateArray,
    states: np.ndarray,
    actions: StateArray,
    priors: np.ndarray,
    values: np.ndarray,
    rng: RngState,
    is_valued: bool,
) -> int:
    state, child = states[0], states[1]
    reset_of(functions)(state, options, rng)
    valued = 0
    while state[STATUS] == RUNNING:
        count = legal_of(functions)(state, actions)
        for index in range(count):
            child[:] = state
            apply_of(functions)(child, actions[index], rng)
            if child[STATUS] == RUNNING:
                valued += 1
                if is_valued:
                    judge_of(network.functions)(
                        network.memory, functions, child, actions[:0], priors, values
                    )
        apply_of(functions)(state, actions[below(rng, count)], rng)
    return valued
