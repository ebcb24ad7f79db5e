"""Measure the speed of networks and of training (needs the extra `sb3`).

    python docs/tools/measure_networks.py                  # all games
    python docs/tools/measure_networks.py tzaar zatre --json-path figures.json

Search and self-play are measured with a sparse network: a new one of the shape that AlphaZero
trains for the game, with random weights. Their figures are for CPU time, of one core.

| measure                 | definition                                                            |
|-------------------------|-----------------------------------------------------------------------|
| `network`               | positions/s: every legal action of the positions of random games is   |
|                         | played, and the network values the position after it                  |
| `alphabeta, network`    | nodes/s of alpha-beta, for half a second from the start position      |
| `mcts, network`         | simulations/s of a tree search with 1000 simulations from there       |
| `self-play, one ply`    | positions/s of AlphaZero's games: all actions compared, with records  |
| `self-play, gumbel`     | simulations/s of such games by Gumbel search, 16 for each position    |
| `training`              | steps/s of MaskablePPO against `random`, with the settings of         |
|                         | `tzaar-envs train`                                                    |
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import cyclopts
import numpy as np
import torch
from sb3_contrib import MaskablePPO

from tzaar_envs.cli.benchmark import Measurement, measured, report_speed
from tzaar_envs.cli.common import new_console
from tzaar_envs.core.game import Game
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.registry import list_games, load_game
from tzaar_envs.search.afterstates import new_afterstates, values_of_rows
from tzaar_envs.search.alphabeta import AlphaBeta, why_unsuitable
from tzaar_envs.search.gumbel import Gumbel
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.self_play import GameSettings, OnePly, SelfPlay
from tzaar_envs.training import alphazero, sb3_maskable_ppo
from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

SEARCHED_MS = 500.0  # of a call of alpha-beta
SIMULATIONS = 16  # of a Gumbel search

_OF_TREE = 1000  # simulations
_DRAWS = 2  # of one ply, where there is chance or something is hidden
_PLAY = GameSettings(epsilon=0.1, td_lambda=0.9, opening=8)
_POSITIONS = 500  # of a call of self-play, at least


def measure_networks(game: Game) -> Iterator[Measurement]:
    """Yield the measures of search and self-play with a sparse network."""
    torch.manual_seed(0)
    told = alphazero.AlphaZeroArguments.for_game(game.name)
    shape = SparseShape.for_game(game, told.width, told.hidden, told.lines, told.levels)
    evaluator = CompiledNetwork(game, SparseNetwork(shape, game))
    note = f"{shape.width} units, {shape.active:g} inputs" + (", lines" if shape.lines else "")
    measure = partial(measured, game.spec.env_id, clock=time.process_time)
    state, rng = game.new_state(seed=0), new_generator(0)
    positions, children = [], 0
    walk, choose = game.new_state(seed=0), np.random.default_rng(0).choice
    while not walk.is_terminal:
        positions.append(walk.words.copy())
        children += walk.legal_actions().size
        walk.apply(int(choose(walk.legal_actions())))
    states = np.stack(positions)
    search = new_afterstates(game, evaluator.leaf_network(), draws=1)._replace(hidden=False)
    values = np.zeros((len(positions), game.num_actions))

    def value_children() -> int:
        values_of_rows(search, states, rng, values)
        return children

    value_children()  # compiles, as the first call below does
    yield measure("network", "positions/s", value_children, note)
    if why_unsuitable(game) is None:
        alphabeta = AlphaBeta(game, evaluator=evaluator)
        alphabeta.search(state, ms=1.0)
        yield measure(
            "alphabeta, network", "nodes/s", lambda: alphabeta.search(state, ms=SEARCHED_MS).nodes
        )
    tree = Mcts(game, evaluator, simulations=_OF_TREE)

    def simulate() -> int:
        tree.search(state.words[None], 1)
        return _OF_TREE

    simulate()
    yield measure("mcts, network", "simulations/s", simulate)
    games = SelfPlay(game, OnePly(_DRAWS), _PLAY, _POSITIONS)
    games.play(evaluator, 1)
    yield measure("self-play, one ply", "positions/s", lambda: len(games.play(evaluator, 1).states))
    gumbel = Gumbel(SIMULATIONS, SIMULATIONS, value_scale=0.5)
    searched = SelfPlay(game, gumbel, _PLAY, _POSITIONS)
    searched.play(evaluator, 1)
    yield measure(
        "self-play, gumbel",
        "simulations/s",
        lambda: SIMULATIONS * len(searched.play(evaluator, 1).states),
    )


def measure_training(game: Game) -> Iterator[Measurement]:
    """Yield the steps/s of training."""
    told = sb3_maskable_ppo.MaskablePpoArguments.for_game(game.name)
    steps = 2 * told.num_envs * told.rollout
    note = f"{told.num_envs} games, width {told.width}, blocks {told.blocks}"
    model = MaskablePPO(
        sb3_maskable_ppo.NetworkPolicy,
        SingleAgentVecEnv(
            game, ["random"], told.num_envs, seed=0, shaping=told.shaping, gamma=told.gamma
        ),
        n_steps=told.rollout,
        batch_size=told.batch_size,
        n_epochs=told.epochs,
        policy_kwargs={"new_network": partial(told.new_network, game)},
        seed=0,
        device="cpu",
    )

    def learn() -> int:
        model.learn(steps)
        return steps

    learn()  # warms up
    yield measured(game.spec.env_id, "training", "steps/s", learn, note, runs=3)


def main(*names: str, json_path: Path | None = None) -> None:
    """Print the measures of games, by default of all.

    Args:
        names: Games.
        json_path: File for the measures.
    """
    found = [
        entry
        for game in map(load_game, names or list_games())
        for entry in (*measure_networks(game), *measure_training(game))
    ]
    report_speed(new_console(), found)
    if json_path is not None:
        content = {"machine": {}, "measurements": [asdict(entry) for entry in found]}
        json_path.write_text(json.dumps(content, indent=2))


if __name__ == "__main__":
    cyclopts.run(main)
