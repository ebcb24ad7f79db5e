"""Public calls of sparse networks, of self-play, and of agents with positions of other games."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from fuzz.values import expect, seeds, words
from hypothesis import strategies as st

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.networks.sparse.replay_buffer import samples_of
from tzaar_envs.search.alphabeta import AlphaBeta, why_unsuitable
from tzaar_envs.search.gumbel import Gumbel
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.self_play import GameSettings, SelfPlay

if TYPE_CHECKING:
    from fuzz.calls import Session

_COUNTS = (1, 2, 3, 5, 0, -1, 1.5, None, "2", True, 10**30, float("nan"))
_WEIGHTS = (0.0, 0.5, 1.0, -1.0, 50.0, float("nan"), float("inf"), None, "1")


@functools.cache
def network_of(game: Game) -> SparseNetwork:
    """Return a small network with random weights."""
    torch.manual_seed(0)
    return SparseNetwork(SparseShape.for_game(game, width=8, hidden=4), game)


@functools.cache
def compiled_of(game: Game) -> CompiledNetwork:
    """Return the same network in compiled code."""
    return CompiledNetwork(game, network_of(game))


@functools.cache
def other_games(game: Game) -> tuple[Game, ...]:
    """Return two games that are not this one."""
    names = [name for name in tzaar_envs.list_games() if name != game.name]
    return tuple(tzaar_envs.load_game(name) for name in names[:2])


def network(session: Session) -> None:
    """Ask a network about positions, and search with it."""
    game, draw = session.game, session.draw
    compiled = compiled_of(game)
    positions = draw(words(session.state, 2))
    with session.call("CompiledNetwork()"):
        priors, values = compiled(positions)
        expect(bool(np.isfinite(priors).all() and (np.abs(values) <= 1).all()))
    with session.call("Mcts.search with a network"):
        Mcts(game, compiled, simulations=6).search(positions, draw(seeds()))
    if why_unsuitable(game) is None:
        with session.call("AlphaBeta.search with a network"):
            AlphaBeta(game, 1 << 10, compiled).search(session.state, depth=1)


def network_of_another_game(session: Session) -> None:
    """Give a network to a game that it does not fit."""
    game, draw = session.game, session.draw
    for other in other_games(game):
        for name, make in {
            "CompiledNetwork": lambda other=other: CompiledNetwork(game, network_of(other)),
            "CompiledNetwork.load": lambda other=other: compiled_of(game).load(network_of(other)),
            "Mcts": lambda other=other: Mcts(game, compiled_of(other)),
            "SelfPlay": lambda other=other: SelfPlay(
                game, Gumbel(2, 2, 50.0, 0.1), GameSettings(0.1, 0.5, 2)
            ).play(compiled_of(other)),
        }.items():
            refused = True
            with session.call(f"{name} of another game"):
                make()
                refused = False
            expect(refused)
    for agent in ("random", "greedy", "mcts:simulations=3", "alphabeta:depth=1"):
        with session.call(f"{agent} in another game"):
            other = draw(st.sampled_from(other_games(game)))
            asked = make_agent(agent, other, seed=1)
            asked.act(session.state)
            asked.act_batch([session.state])
        with session.call(f"{agent}, rows of another game"):
            batch = Batch(game, 2)
            batch.reset(np.ones(2, np.bool_))
            make_agent(agent, other_games(game)[0], seed=1).act_rows(batch, np.arange(2))


def self_play(session: Session) -> None:
    """Play games of a network against itself, and make samples of their positions."""
    game, draw = session.game, session.draw
    counts, weights = st.sampled_from(_COUNTS), st.sampled_from(_WEIGHTS)
    gumbel = Gumbel(*(draw(each) for each in (counts, counts, weights, weights, weights)))
    settings = GameSettings(draw(weights), draw(weights), draw(st.integers(-1, 9)))
    positions: Any = draw(counts)
    with session.call(f"SelfPlay {gumbel} {settings} {positions!r}"):
        played = SelfPlay(game, gumbel, settings, positions).play(compiled_of(game), draw(seeds()))
        samples_of(compiled_of(game), played)
