"""AlphaZero: self-play by a search that the network guides, from nothing.

    tzaar-envs train --algo alphazero turm_und_waechter
    python training/alphazero.py turm_und_waechter

One network plays all seats, with a search that it guides, and learns the results of the searches
and of the games (Silver et al., 2018). It starts with random weights, and knows nothing but the
rules.

The network is sparse (see `policies/sparse`); whole games are played in compiled code, by threads,
while it learns from those before, in compiled code as well. Two searches can play them:

- One ply: the values of the positions after each action teach the network the value of the position
  before, and the best action its policy (Tesauro, 1995; Veness et al., 2009). Chance and what is
  hidden are drawn several times.
- Gumbel search, which with few simulations finds a better policy than visits would tell (Danihelka
  et al., 2022). It samples chance and redraws hidden information in each simulation.

Values are learnt as lambda-returns over the values of the searches (Sutton, 1988). Samples are
transformed by random symmetries of the game. Evaluations play with a deeper search: alpha-beta
where it can search the game, tree search elsewhere.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch

from tzaar_envs.agents import Agent
from tzaar_envs.agents.greedy import NetworkValues
from tzaar_envs.agents.searchers import AlphaBetaAgent, BestActionAgent, MctsAgent
from tzaar_envs.core.game import Game
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.networks.sparse.learner import Learner, SampleSymmetries
from tzaar_envs.networks.sparse.network import SparseNetwork, SparseShape
from tzaar_envs.networks.sparse.replay_buffer import ReplayBuffer, Samples, samples_of
from tzaar_envs.search.alphabeta import why_unsuitable
from tzaar_envs.search.gumbel import Gumbel
from tzaar_envs.search.self_play import GameSettings, OnePly, SelfPlay
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.machine import FamilyClock
from tzaar_envs.training import run_as_file
from tzaar_envs.training.common.against_agent import GamesAgainstAgent
from tzaar_envs.training.common.evaluation import policy_player
from tzaar_envs.training.common.run import Session
from tzaar_envs.training.common.settings import (
    Cores,
    Fraction,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Settings,
)

_PARTS = 4  # of a round, so that its games do not depend on the number of threads
_VISIT_OFFSET = 50.0  # of Gumbel search
_SELF_PLAY = 0.5  # share of a run before the games against an opponent


# --- arguments -----------------------------------------------------------------------------------


@dataclass(kw_only=True)
class Arguments(Settings):
    """Arguments of a run; the defaults train any game in minutes on two cores.

    Attributes:
        opponent: Learn the best response to this agent: it plays the other seats, and nothing else
            counts.
        width: Units of the network's first layer.
        hidden: Units of the network's second layer.
        lines: Whether the network sees which piece sees which one, in every direction on the board.
        levels: Greatest value of an observation's plane whose values have inputs of their own, at
            most 24; greater ones are numbers.
        search: Search of self-play.
        round: Positions played between two updates, at least.
        draws: Draws that a value of one-ply is the mean of, where there is chance or something is
            hidden.
        simulations: Simulations of each search by gumbel.
        considered: Maximum number of actions that a search by gumbel compares at its root.
        value_scale: Weight of the values of actions, against their priors, in the policy that
            gumbel learns.
        exploration: Exploration constant of gumbel below its root: weight of the network's priors.
        randomness: Share of actions played at random.
        opening: Random plies at the start of a game, at most.
        trace: Lambda of the value targets: near 0 the values of searches, 1 the results of games.
        buffer: Maximum number of samples in the replay buffer.
        passes: Average number of times that each sample is learnt from.
        batch_size: Samples in each gradient step.
        learning_rate: Initial learning rate; decays to 10 %.
        policy_weight: Weight of the policy loss.
        value_weight: Weight of the value loss.
        evaluation_depth: Plies of an alphabeta search in evaluations.
        evaluation_simulations: Simulations of a tree search in evaluations.
        actors: Number of processes that play on Ray; 0: threads of this process play.
        address: Address of a running Ray cluster, or `auto` to find one; needs actors. [default:
            Ray on this machine only]
    """

    algorithm = "alphazero"

    opponent: str = ""
    width: PositiveInt = 64
    hidden: PositiveInt = 32
    lines: bool = False
    levels: NonNegativeInt = 8
    search: Literal["one-ply", "gumbel"] = "one-ply"
    round: PositiveInt = 2000
    draws: PositiveInt = 2
    simulations: PositiveInt = 16
    considered: PositiveInt = 16
    value_scale: PositiveFloat = 0.5
    exploration: NonNegativeFloat = 1.0
    randomness: NonNegativeFloat = 0.1
    opening: NonNegativeInt = 8
    trace: Fraction = 0.9
    buffer: PositiveInt = 60_000
    passes: PositiveFloat = 6.0
    batch_size: PositiveInt = 256
    learning_rate: PositiveFloat = 2e-3
    policy_weight: NonNegativeFloat = 0.5
    value_weight: NonNegativeFloat = 2.0
    evaluation_depth: PositiveInt = 2
    evaluation_simulations: PositiveInt = 100
    actors: Cores = 0
    address: str = ""

    def baselines(self, game: Game) -> list[str]:
        """Return the names of the agents to measure against, from weak to strong."""
        return [self.opponent] if self.opponent else super().baselines(game)

    def load_game(self) -> Game:
        """Return the game with its options.

        Raises:
            ValueError: there is no such game, an option is not allowed, or an address without
                actors.
            ModuleNotFoundError: actors without the extra `ray`.
        """
        game = super().load_game()
        if self.address and not self.actors:
            raise ValueError(f"address={self.address!r} is not allowed without actors: name both")
        if self.actors:
            require_extra("ray", "self-play by actors", "ray", "psutil")
        return game

    def cpu_clock(self) -> Callable[[], float]:
        """Return the CPU clock of a run: also of the actors on this machine."""
        return FamilyClock() if self.actors else super().cpu_clock()

    def agent_text(self, game: Game, policy: Path) -> str:
        """Return the text of the agent that searches as evaluations do."""
        if why_unsuitable(game) is None:
            return f"alphabeta:depth={self.evaluation_depth},policy={policy}"
        if self.opponent:
            return f"greedy:policy={policy}"
        return f"mcts:simulations={self.evaluation_simulations},policy={policy}"


def searching_player(arguments: Arguments, network: SparseNetwork) -> Callable[[Game], Agent]:
    """Return a function that makes the agent which searches with a network."""

    def make(game: Game) -> Agent:
        compiled = CompiledNetwork(game, network)
        if why_unsuitable(game) is None:
            return AlphaBetaAgent(game, depth=arguments.evaluation_depth, evaluator=compiled)
        if arguments.opponent:  # whose replies, which the values know, a tree search would guess
            return BestActionAgent(game, "greedy", NetworkValues(game, compiled))
        return MctsAgent(
            game,
            evaluator=compiled,
            simulations=arguments.evaluation_simulations,
            exploration=arguments.exploration,
        )

    return make


# --- self-play -----------------------------------------------------------------------------------


def self_play(game: Game, arguments: Arguments, positions: int) -> SelfPlay:
    """Return what plays games, so many positions at a time, at least."""
    play = GameSettings(arguments.randomness, arguments.trace, arguments.opening)
    if arguments.search == "one-ply":
        return SelfPlay(game, OnePly(arguments.draws), play, positions)
    gumbel = Gumbel(
        arguments.simulations,
        arguments.considered,
        _VISIT_OFFSET,
        arguments.value_scale,
        arguments.exploration,
    )
    return SelfPlay(game, gumbel, play, positions)


class Order(NamedTuple):
    """What to play.

    Attributes:
        seed: of the games.
        self_play: whether the network has all seats; else the opponent has the others.
    """

    seed: list[int]
    self_play: bool


class Player:
    """Plays games in one thread or process.

    Args:
        game: the game.
        arguments: of the run.
        network: of the shape to play with.
        positions: how many a call of `play` returns, at least.
    """

    def __init__(
        self, game: Game, arguments: Arguments, network: SparseNetwork, positions: int
    ) -> None:
        self._network = CompiledNetwork(game, network)
        self._games = self_play(game, arguments, positions)
        self._responses: GamesAgainstAgent | None = None
        if arguments.opponent:
            play = GameSettings(arguments.randomness, arguments.trace, arguments.opening)
            self._responses = GamesAgainstAgent(
                game, self._network, arguments.opponent, arguments.draws, play, positions
            )

    def load(self, network: SparseNetwork) -> None:
        """Play on with the present weights of a network."""
        self._network.load(network)

    def play(self, order: Order) -> Samples:
        """Return the samples of games that follow from weights and order."""
        if self._responses is not None and not order.self_play:
            return samples_of(self._network, self._responses.play(order.seed))
        return samples_of(self._network, self._games.play(self._network, order.seed))

    def stop(self) -> None:
        """Let a call of `play` in another thread end at once, without a meaning."""
        self._games.stop()
        if self._responses is not None:
            self._responses.stop()


class Rounds:
    """Rounds of self-play, each a number of whole games.

    What is drawn in a round follows from the seed and the number of the round. With actors, a round
    is what one of them plays at a time.

    Attributes:
        played: number of rounds.
        steps_due: gradient steps that the samples so far allow.
        self_play: whether the next rounds are self-play, and not games against the opponent.

    Args:
        game: the game.
        arguments: of the run.
        network: which plays, with its present weights.
    """

    def __init__(self, game: Game, arguments: Arguments, network: SparseNetwork) -> None:
        self.played = 0
        self.steps_due = 0.0
        self.self_play = True
        self._seed = arguments.seed
        positions = -(-arguments.round // _PARTS)
        self._players = [Player(game, arguments, network, positions) for _ in range(_PARTS)]

    def load(self, network: SparseNetwork) -> None:
        """Play on with the present weights of a network."""
        for each in self._players:
            each.load(network)

    def start(self, pool: ThreadPoolExecutor) -> list[Future[Samples]]:
        """Start the next round, return its parts."""
        seed, self_play = self.next_order()
        return [
            pool.submit(player.play, Order([*seed, part], self_play))
            for part, player in enumerate(self._players)
        ]

    def next_order(self) -> Order:
        """Begin the next round, return what to play in it."""
        self.played += 1
        return Order([self._seed, self.played - 1], self.self_play)

    def stop(self) -> None:
        """Let the parts that are played now end at once, without a meaning."""
        for each in self._players:
            each.stop()

    def state_dict(self) -> dict[str, Any]:
        """Return the counters."""
        return {"played": self.played, "steps_due": self.steps_due}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the counters, with an empty buffer.

        Raises:
            LookupError, TypeError, ValueError: they do not fit.
        """
        played, steps_due = int(state["played"]), float(state["steps_due"])
        if played < 0 or not 0 <= steps_due < math.inf:
            raise ValueError(f"{played} rounds and {steps_due:g} due steps: use 0 or more of both")
        self.played, self.steps_due = played, steps_due


@contextmanager
def players(
    game: Game, arguments: Arguments, rounds: Rounds, network: SparseNetwork, threads: int
) -> Iterator[Callable[[], list[Samples]]]:
    """Let threads or actors play while the block runs.

    Yields:
        A function that returns what was played meanwhile, and lets them go on with the network's
        present weights. They begin with those of now.
    """
    if arguments.actors:
        from tzaar_envs.training.libraries.ray_actors import RayActors
        from tzaar_envs.training.libraries.ray_cluster import ray_cluster

        make = partial(Player, game, arguments, copy.deepcopy(network), arguments.round)
        with (
            ray_cluster(arguments.address, arguments.actors),
            RayActors[Samples](make, arguments.actors) as actors,
        ):
            actors.ask(network, rounds.next_order)
            yield lambda: actors.collect(network, rounds.next_order)
        return

    pool = ThreadPoolExecutor(max(1, min(_PARTS, threads - 1)))
    try:
        rounds.load(network)
        playing = rounds.start(pool)

        def next_round() -> list[Samples]:
            nonlocal playing
            samples = [part.result() for part in playing]
            rounds.load(network)
            playing = rounds.start(pool)
            return samples

        yield next_round
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        rounds.stop()
        pool.shutdown()


# --- learning ------------------------------------------------------------------------------------


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
        shape = SparseShape.for_game(
            game, arguments.width, arguments.hidden, arguments.lines, arguments.levels
        )
        network = SparseNetwork(shape, game)
        learner = Learner(
            network,
            SampleSymmetries(game, shape),
            arguments.policy_weight,
            arguments.value_weight,
        )
        rounds = Rounds(game, arguments, network)
        buffer = ReplayBuffer(arguments.buffer)

        def player(network: SparseNetwork) -> Callable[[Game], Agent]:
            return searching_player(arguments, network)

        session.begin(network, player, optimizer=learner, rounds=rounds)
        learner.load(network)
        session.checkpoint()

        with players(game, arguments, rounds, network, session.threads) as played_meanwhile:
            while session.running:
                # --- games: what was played meanwhile; the next round begins ---
                rounds.self_play = not arguments.opponent or session.progress < _SELF_PLAY
                rng = np.random.Generator(np.random.PCG64([arguments.seed, rounds.played]))
                samples = played_meanwhile()
                for part in samples:
                    buffer.add(part)
                positions = sum(map(len, samples))
                session.steps += positions

                # --- update: the gradient steps that are due ---
                due = rounds.steps_due + positions * arguments.passes / arguments.batch_size
                gradient_steps, rounds.steps_due = divmod(due, 1.0)
                learning_rate = arguments.learning_rate * session.learning_rate_factor
                for _ in range(int(gradient_steps)):
                    learner.step(buffer.samples, arguments.batch_size, rng, learning_rate)
                learner.store(network)

                session.log(learner.mean_losses(), f"{len(buffer):,} samples in the buffer")
                session.checkpoint()

        session.finish({} if arguments.opponent else {"policy": policy_player(network)})


if __name__ == "__main__":
    run_as_file("alphazero")
