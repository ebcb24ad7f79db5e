"""AlphaZero: self-play by a tree search that the network guides, from nothing.

    tzaar-envs train --algo alphazero turm_und_waechter
    python training/alphazero.py turm_und_waechter

One network plays all seats, with a tree search that it guides, and learns the results of the
searches and of the games (Silver et al., 2018). It starts with random weights, and knows nothing
but the rules.

The network is sparse (see `policies/sparse`), and whole games are played in compiled code. With few
simulations a move, Gumbel search finds a better policy than visits would tell (Danihelka et al.,
2022). Values are learnt as lambda-returns over the values of the searches (Sutton, 1988). Games are
played by other threads while PyTorch learns from those before. Samples are transformed by random
symmetries of the game. The search samples chance and redraws hidden information in each
simulation, so games may have either (see `docs/search.md`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tzaar_envs.agents.mcts import MctsAgent
from tzaar_envs.core.game import Game
from tzaar_envs.policies.network import ILLEGAL_LOGIT
from tzaar_envs.policies.sparse.compiled import CompiledNetwork
from tzaar_envs.policies.sparse.network import SparseNetwork
from tzaar_envs.policies.sparse.samples import NO_ACTION, Sampler, SampleRing, Samples
from tzaar_envs.policies.sparse.shape import SparseShape
from tzaar_envs.policies.sparse.symmetry import SampleSymmetries
from tzaar_envs.search.mcts.gumbel import Gumbel
from tzaar_envs.search.mcts.self_play import Play, SelfPlay
from tzaar_envs.training.common.means import Means
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import Settings, setting

_PARTS = 4  # of a round, so that its games do not depend on the number of threads
_MAX_GRADIENT_NORM = 5.0


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(Settings):
    """Arguments of a run; the defaults train any game in minutes on two cores."""

    algorithm = "alphazero"

    imitation: int = setting(
        "Number of positions for a warm start by imitation; 0 learns from nothing.",
        0,
        "not negative",
    )
    width: int = setting("Units of the network's first layer.", 64, "positive")
    hidden: int = setting("Units of the network's second layer.", 32, "positive")
    blocks: int = setting("Not used: a sparse network has no blocks.", 0, "not negative")

    round: int = setting("Positions played between two updates, at least.", 2000, "positive")
    simulations: int = setting("Simulations of each search.", 16, "positive")
    considered: int = setting(
        "Maximum number of actions that a search compares at its root.", 16, "positive"
    )
    value_scale: float = setting(
        "Weight of the values of actions, against their priors, in the improved policy.",
        0.1,
        "positive",
    )
    exploration: float = setting(
        "Exploration constant of the search below its root: weight of the network's priors.",
        1.0,
        "not negative",
    )
    randomness: float = setting("Share of actions played at random.", 0.05, "not negative")
    trace: float = setting(
        "Lambda of the value targets: near 0 the values of searches, 1 the results of games.",
        0.8,
        "fraction",
    )
    buffer: int = setting("Maximum number of samples in the replay buffer.", 60_000, "positive")
    passes: float = setting(
        "Average number of times that each sample is learnt from.", 3.0, "positive"
    )
    batch_size: int = setting("Samples in each gradient step.", 512, "positive")
    learning_rate: float = setting("Initial learning rate; decays to 10 %.", 2e-3, "positive")


# --- self-play -----------------------------------------------------------------------------------


class Rounds:
    """Rounds of self-play, each a number of whole games.

    What is drawn in a round follows from the seed and the number of the round.

    Attributes:
        played: number of rounds.
        steps_due: gradient steps that the samples so far allow.

    Args:
        game: the game.
        arguments: of the run.
        network: which plays, with its present weights.
    """

    def __init__(self, game: Game, arguments: Arguments, network: SparseNetwork) -> None:
        self.played = 0
        self.steps_due = 0.0
        self._arguments = arguments
        compiled = CompiledNetwork(game, network)
        self._networks = [compiled.copy() for _ in range(_PARTS)]
        self._samplers = [Sampler(game, compiled) for _ in range(_PARTS)]
        gumbel = Gumbel(arguments.simulations, arguments.considered, 50.0, arguments.value_scale)
        play = Play(arguments.randomness, arguments.trace)
        positions = -(-arguments.round // _PARTS)
        self._parts = [
            SelfPlay(game, each, gumbel, play, arguments.exploration, positions)
            for each in self._networks
        ]

    def load(self, network: SparseNetwork) -> None:
        """Play on with the present weights of a network."""
        for each in self._networks:
            each.load(network)

    def start(self, pool: ThreadPoolExecutor) -> list[Future[Samples]]:
        """Start the next round, return its parts."""
        futures = [pool.submit(self._play, part, self.played) for part in range(_PARTS)]
        self.played += 1
        return futures

    def _play(self, part: int, number: int) -> Samples:
        positions = self._parts[part].play([self._arguments.seed, number, part])
        return self._samplers[part].samples_of(positions)

    def state_dict(self) -> dict[str, Any]:
        """Return the counters."""
        return {"played": self.played, "steps_due": self.steps_due}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the counters, with an empty buffer.

        Raises:
            LookupError, TypeError, ValueError: they do not fit.
        """
        self.played, self.steps_due = int(state["played"]), float(state["steps_due"])


@contextmanager
def _player_threads(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Yield the threads that play; they end with the block, after what they have begun."""
    pool = ThreadPoolExecutor(max(1, min(_PARTS, threads - 1)))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


# --- learning ------------------------------------------------------------------------------------


def losses(network: SparseNetwork, samples: Samples) -> tuple[Tensor, Tensor, Tensor]:
    """Return policy loss, value loss, and the least policy loss that is possible.

    Policy losses are cross entropies, the value loss is the mean squared error.
    """
    inputs = int((samples.factors != 0).sum(axis=1).max(initial=1))
    legal = int((samples.actions != NO_ACTION).sum(axis=1).max(initial=1))
    rows = torch.from_numpy(samples.rows[:, :inputs].astype(np.int64))
    factors = torch.from_numpy(samples.factors[:, :inputs].astype(np.float32))
    actions = torch.from_numpy(samples.actions[:, :legal].astype(np.int64))
    policy = torch.from_numpy(np.ascontiguousarray(samples.policy[:, :legal]))
    values = torch.from_numpy(samples.values[:, : network.shape.outputs])
    units = network.first_layer_of(rows, factors)
    logits = network.logits_of(units, actions.clamp_min(0))
    log_policy = logits.masked_fill(actions == NO_ACTION, ILLEGAL_LOGIT).log_softmax(dim=1)
    policy_loss = -(policy * log_policy).sum(dim=1).mean()
    value_loss = (network.values(units) - values).square().mean()
    least = torch.special.entr(policy).sum(dim=1).mean()
    return policy_loss, value_loss, least


def train(arguments: Arguments) -> None:
    """Train a policy by AlphaZero and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed, or training has diverged.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    with Session(arguments, "AlphaZero") as session:
        arguments, game = session.arguments, session.game  # of the resumed run, if there is one

        torch.manual_seed(arguments.seed)
        shape = SparseShape.for_game(game, arguments.width, arguments.hidden)
        network = SparseNetwork(shape, game)
        optimizer = torch.optim.Adam(network.parameters(), arguments.learning_rate)
        rounds = Rounds(game, arguments, network)
        buffer = SampleRing(arguments.buffer)
        symmetries = SampleSymmetries(game, shape)

        session.track(network, optimizer=optimizer, rounds=rounds)
        if session.resumed:
            session.restore()
        else:
            session.warm_start(network)
        session.checkpoint()

        with _player_threads(session.threads) as pool:
            rounds.load(network)
            playing = rounds.start(pool)
            while session.running:
                # --- self-play: the round that was played meanwhile; the next one begins ---
                samples = [part.result() for part in playing]
                rounds.load(network)
                rng = np.random.Generator(np.random.PCG64([arguments.seed, rounds.played]))
                playing = rounds.start(pool)
                for part in samples:
                    buffer.add(part)
                positions = sum(map(len, samples))
                session.steps += positions

                # --- update: the gradient steps that are due ---
                due = rounds.steps_due + positions * arguments.passes / arguments.batch_size
                gradient_steps, rounds.steps_due = divmod(due, 1.0)
                for group in optimizer.param_groups:
                    group["lr"] = arguments.learning_rate * session.learning_rate_factor
                network.train()
                means = Means()
                for _ in range(int(gradient_steps)):
                    drawn = symmetries.images(buffer.draw(arguments.batch_size, rng), rng)
                    policy_loss, value_loss, least = losses(network, drawn)
                    optimizer.zero_grad()
                    (policy_loss + 2 * value_loss).backward()
                    torch.nn.utils.clip_grad_norm_(network.parameters(), _MAX_GRADIENT_NORM)
                    optimizer.step()
                    means.add(
                        policy_loss=policy_loss,
                        policy_divergence=policy_loss - least,
                        value_loss=value_loss,
                    )

                session.log(means.metrics(), f"{len(buffer):,} samples in the buffer")
                session.checkpoint()

        trained = CompiledNetwork(game, network)

        def searcher(game: Game) -> MctsAgent:
            return MctsAgent(
                game, evaluator=trained, simulations=100, exploration=arguments.exploration
            )

        session.finish({"mcts": searcher})


if __name__ == "__main__":
    from tzaar_envs.training.common.command import main

    main(Arguments, train)
