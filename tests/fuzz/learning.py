"""Public calls of training: networks, gradient steps in compiled code, noise in searches."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from fuzz.networks import compiled_of, network_of
from fuzz.values import anything, expect, number, place_in, seeds, words
from hypothesis import strategies as st
from small_policies import load_policy

from tzaar_envs.core.game import Game
from tzaar_envs.networks.card import make_card
from tzaar_envs.networks.evaluator import NetworkEvaluator, load_evaluator
from tzaar_envs.networks.file import load_network, read_card, save_policy
from tzaar_envs.networks.network import PolicyNetwork
from tzaar_envs.networks.shapes import NetworkShape
from tzaar_envs.networks.sparse.learner import Learner
from tzaar_envs.networks.sparse.replay_buffer import ReplayBuffer, Samples, samples_of
from tzaar_envs.search.control import Budget
from tzaar_envs.search.gumbel import Gumbel
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.self_play import GameSettings, OnePly, SelfPlay

if TYPE_CHECKING:
    from fuzz.calls import Session

_RATES = (1e-3, 0.0, -1.0, 1e30, float("nan"), float("inf"))
_WEIGHTS = (1.0, 0.0, 1e30, float("nan"))


@functools.cache
def dense_of(game: Game) -> PolicyNetwork:
    """Return a small network of PyTorch."""
    torch.manual_seed(0)
    return PolicyNetwork(NetworkShape.for_game(game, width=4, blocks=0)).eval()


@functools.cache
def played_samples(game: Game) -> Samples:
    """Return samples of a game of the network against itself."""
    games = SelfPlay(game, Gumbel(2, 2, 50.0, 0.1), GameSettings(0.5, 0.5, 2), positions=3)
    return samples_of(compiled_of(game), games.play(compiled_of(game), 1))


def learner(session: Session) -> None:
    """Take gradient steps, at rates that may be anything."""
    game, draw = session.game, session.draw
    samples, rate = played_samples(game), draw(st.sampled_from(_RATES))
    with session.call(f"Learner.step {rate!r}"):
        learning = Learner(game, network_of(game), 1.0, draw(st.sampled_from(_WEIGHTS)))
        learning.step(samples, 4, np.random.default_rng(0), rate)
        learning.mean_losses()
        learning.load_state_dict(learning.state_dict())
    with session.call("ReplayBuffer.add"):
        buffer = ReplayBuffer(draw(st.sampled_from([1, 2, 50])))
        buffer.add(samples)
        Learner(game, network_of(game), 1.0, 1.0).step(
            buffer.samples, 4, np.random.default_rng(0), 1e-3
        )


def one_ply_self_play(session: Session) -> None:
    """Play a network against itself by one ply, with numbers that may be anything."""
    game, draw = session.game, session.draw
    weights = st.sampled_from([0.0, 0.5, 1.0, -1.0, float("nan"), None, "1"])
    settings = GameSettings(draw(weights), draw(weights), draw(st.integers(-1, 9)))
    draws, positions = draw(st.sampled_from([1, 1, 2, 0, 1001, 1.5, None])), draw(number(5))
    with session.call(f"SelfPlay by one ply {settings} {draws!r} {positions!r}"):
        self_play = SelfPlay(game, OnePly(draws), settings, positions)
        if draw(st.booleans()):
            self_play.stop()
        found = self_play.play(compiled_of(game), draw(seeds()))
        expect(len(found.states) == len(found.values))
    with session.call("SelfPlay.stop"):
        stopped = SelfPlay(game, OnePly(2), GameSettings(0.1, 0.5, 2), 10**6)
        stopped.stop()
        expect(stopped.play(compiled_of(game), 1).games == 0)


def network_evaluator(session: Session) -> None:
    """Ask a network of PyTorch, and search with it."""
    game, draw = session.game, session.draw
    evaluator = NetworkEvaluator(game, dense_of(game))
    positions = draw(words(session.state, 2))
    with session.call("NetworkEvaluator()"):
        evaluator(positions)
    network = draw(st.sampled_from([evaluator, compiled_of(game)]))
    with session.call("Mcts with a network"):
        found = Mcts(game, network, simulations=6).search(positions[:1], 3)
        expect(bool(np.isfinite(found.values).all()))
        expect(session.state.is_legal(int(found[0].action)))
    with session.call("Budget"):
        budget = Budget(draw(st.integers(0, 9)), draw(st.sampled_from([0.0, 0.01])))
        expect(budget.next_chunk(0) >= 0 and budget.elapsed >= 0 and budget.seconds_left > -60)


def policy_files(session: Session) -> None:
    """Write a policy, damage it, and read it."""
    game, draw = session.game, session.draw
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.safetensors"
        network = draw(st.sampled_from([dense_of(game), network_of(game)]))
        with session.call("save_policy"):
            save_policy(path, network, make_card(game, network.shape, {"steps": draw(anything)}))
        if not path.exists():
            save_policy(path, network, make_card(game, network.shape, {"steps": 5}))
        content = bytearray(path.read_bytes())
        for _ in range(draw(st.integers(0, 3))):
            content[place_in(draw, content[:3000])] = draw(st.integers(0, 255))
        path.write_bytes(bytes(content[: draw(st.sampled_from([None, 0, 7, 8, 100]))]))
        for read in (read_card, load_policy):
            with session.call(read.__name__):
                read(path)
        for load in (load_network, load_evaluator):
            with session.call(load.__name__):
                load(path, game)


CALLS: tuple[Any, ...] = (learner, one_ply_self_play, network_evaluator, policy_files)
