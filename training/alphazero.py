"""AlphaZero: self-play by a search that the network guides, from nothing.

    tzaar-envs train --algo alphazero turm_und_waechter
    python training/alphazero.py turm_und_waechter

One network plays all seats, with a search that it guides, and learns the results of the searches
and of the games (Silver et al., 2018). It starts with random weights, and knows nothing but the
rules.

The network is sparse (see `networks/sparse`); whole games are played in compiled code, by threads
or other processes, while it learns from those before, in compiled code as well. Two searches can
play them:

- One ply: the values of the positions after each action teach the network the value of the position
  before, and the best action its policy (Tesauro, 1995; Veness et al., 2009). Chance and what is
  hidden are drawn several times.
- Gumbel search, which with few simulations finds a better policy than visits would tell (Danihelka
  et al., 2022). It samples chance and redraws hidden information in each simulation.

Values are learnt as lambda-returns over the values of the searches (Sutton, 1988). Samples are
transformed by random symmetries of the game. Evaluations play with a deeper search: alpha-beta
where it can search the game, tree search elsewhere.

With an opponent, the network learns the best response to that agent: after half of the run, the
agent has the other seats. What a response scores is how exploitable the agent is, from below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import torch

from tzaar_envs.agents.specs import quoted
from tzaar_envs.core.game import Game
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.shapes import SparseShape, StoredNetwork
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.networks.sparse.learner import Learner
from tzaar_envs.networks.sparse.replay_buffer import ReplayBuffer, Samples, samples_of
from tzaar_envs.search.alphabeta import why_unsuitable
from tzaar_envs.search.gumbel import Gumbel
from tzaar_envs.search.self_play import GameSettings, OnePly, SelfPlay
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.machine import FamilyClock
from tzaar_envs.system.workers import open_executor
from tzaar_envs.training import run_as_file
from tzaar_envs.training.common.against_agent import GamesAgainstAgent
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import (
    Cores,
    Fraction,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Settings,
    Units,
)

_PARTS = 4  # of a round, at least, so that its games do not depend on the number of threads
_PART = 500  # positions; in larger parts a thread would wait longer for the last one
_AHEAD = 2  # a process plays the next games while those before are on their way
_PATIENCE = 1.0  # seconds to wait for games of processes
_SELF_PLAY = 0.5  # share of a run before the games against an opponent


# --- arguments -----------------------------------------------------------------------------------


@dataclass(kw_only=True)
class AlphaZeroArguments(Settings):
    """Arguments of a run; the defaults train any game in minutes on two cores.

    Attributes:
        opponent: Learn the best response to this agent, which plays the other seats in the second
            half of the run.
        width: Units of the network's first layer.
        hidden: Units of the network's second layer.
        lines: Whether the network sees lines of sight between pieces.
        pattern: Length of the rows of cells that are joint inputs, in place of lines; 0: none.
        levels: Planes with values up to this, at most 24, get one input per value; others are
            numbers.
        search: Search of self-play.
        round: Positions played between two updates, at least.
        draws: Samples of chance and hidden information averaged in each value of one-ply.
        simulations: Simulations of each search by gumbel.
        max_num_considered_actions: Maximum number of actions that a search by gumbel compares at
            its root.
        value_scale: Weight of the values of actions, against their priors, in the policy that
            gumbel learns.
        exploration: Exploration constant of gumbel below its root: weight of the network's priors.
        epsilon: Share of actions played at random.
        opening: Random plies at the start of a game, at most.
        td_lambda: Lambda of the value targets: near 0 the values of searches, 1 the results of
            games.
        buffer: Maximum number of samples in the replay buffer.
        replay_ratio: Average number of times that each sample is learnt from.
        batch_size: Samples in each gradient step.
        learning_rate: Initial learning rate; decays to 10 %.
        policy_weight: Weight of the policy loss.
        value_weight: Weight of the value loss.
        evaluation_depth: Plies of an alphabeta search in evaluations.
        evaluation_simulations: Simulations of a tree search in evaluations.
        actors: Number of other processes that play; 0: threads of this process play.
        address: Address of a running Ray cluster where the actors play, or `auto` to find one.
            [default: on this machine]
    """

    algorithm = "alphazero"

    opponent: str = ""
    width: Units = 128
    hidden: Units = 32
    lines: bool = False
    pattern: NonNegativeInt = 4
    levels: NonNegativeInt = 8
    search: Literal["one-ply", "gumbel"] = "one-ply"
    round: PositiveInt = 16_000
    draws: PositiveInt = 2
    simulations: PositiveInt = 16
    max_num_considered_actions: PositiveInt = 16
    value_scale: PositiveFloat = 0.5
    exploration: NonNegativeFloat = 1.0
    epsilon: NonNegativeFloat = 0.05
    opening: NonNegativeInt = 24
    td_lambda: Fraction = 0.98
    buffer: PositiveInt = 400_000
    replay_ratio: PositiveFloat = 1.5
    batch_size: PositiveInt = 1024
    learning_rate: PositiveFloat = 4e-3
    policy_weight: NonNegativeFloat = 0.5
    value_weight: NonNegativeFloat = 2.0
    evaluation_depth: PositiveInt = 2
    evaluation_simulations: PositiveInt = 100
    actors: Cores = 0
    address: str = ""

    def baselines(self, game: Game) -> list[str]:
        """Return the names of the agents to measure against, from weak to strong."""
        if self.opponent:
            return [self.opponent, self.rival] if self.rival else [self.opponent]
        return super().baselines(game)

    def load_game(self) -> Game:
        """Return the game with its options.

        Raises:
            ValueError: There is no such game, an option or a setting of the network or of the
                search is not allowed, or an address without actors.
            ModuleNotFoundError: Actors without the extra `ray`.
        """
        game = super().load_game()
        if self.address and not self.actors:
            raise ValueError(f"address={self.address!r} is not allowed without actors: name both")
        if self.actors:
            packages = ("psutil", "ray") if self.address else ("psutil",)
            require_extra("ray", "self-play by actors", *packages)
        if self.lines and self.pattern:
            raise ValueError(
                f"pattern={self.pattern} is not allowed with lines: use pattern=0, or no lines"
            )
        self.shape(game)
        new_players(game, self, 1)
        return game

    def shape(self, game: Game) -> SparseShape:
        """Return the shape of the network."""
        return SparseShape.for_game(
            game, self.width, self.hidden, self.lines, self.levels, self.pattern
        )

    def cpu_clock(self) -> Callable[[], float]:
        """Return the CPU clock of a run: also of the actors on this machine."""
        return FamilyClock() if self.actors else super().cpu_clock()

    def agent_text(self, game: Game, policy: Path) -> str:
        """Return the text of the agent that evaluations measure: it searches with the policy."""
        path = quoted(str(policy))
        if why_unsuitable(game) is None:
            return f"alphabeta:depth={self.evaluation_depth},policy={path}"
        if self.opponent:  # whose replies, which the values know, a tree search would guess
            return f"greedy:policy={path}"
        search = f"simulations={self.evaluation_simulations},exploration={self.exploration:g}"
        return f"mcts:{search},policy={path}"


# --- self-play -----------------------------------------------------------------------------------


Players = dict[bool, SelfPlay | GamesAgainstAgent]
"""What plays games in one thread or process: of self-play (True), or against the opponent."""


def new_players(game: Game, arguments: AlphaZeroArguments, positions: int) -> Players:
    """Return players whose calls of `play` return so many positions, at least."""
    search: OnePly | Gumbel = OnePly(arguments.draws)
    if arguments.search == "gumbel":
        search = Gumbel(
            arguments.simulations,
            arguments.max_num_considered_actions,
            arguments.value_scale,
            arguments.exploration,
        )
    settings = GameSettings(arguments.epsilon, arguments.td_lambda, arguments.opening)
    players: Players = {True: SelfPlay(game, search, settings, positions)}
    if arguments.opponent:
        players[False] = GamesAgainstAgent(
            game, arguments.opponent, arguments.draws, settings, positions
        )
    return players


def play(players: Players, network: CompiledNetwork, seed: list[int], self_play: bool) -> Samples:
    """Return the samples of games that follow from network and seed."""
    return samples_of(network, players[self_play].play(network, seed))


_players: dict[str, tuple[Players, CompiledNetwork]] = {}
"""What an actor keeps from call to call: games against an opponent go on in the next one."""


def play_as_actor(
    game: Game,
    arguments: AlphaZeroArguments,
    network: StoredNetwork,
    seed: list[int],
    self_play: bool,
) -> Samples:
    """Return the samples of games, see `play`, in a process of their own."""
    if (run := repr(arguments)) not in _players:
        players = new_players(game, arguments, arguments.round)
        _players[run] = players, CompiledNetwork(game, network)
    players, compiled = _players[run]
    compiled.load(network)
    return play(players, compiled, seed, self_play)


class Rounds:
    """Rounds of self-play, each a number of whole games, played while the network learns.

    What is drawn in a round follows from the seed and the number of the round. With actors, a round
    is what one of them plays at a time. A context manager, in which players are at work.

    Attributes:
        played: Number of rounds.
        steps_due: Gradient steps that the samples so far allow.
        self_play: Whether the next rounds are self-play, and not games against the opponent.

    Args:
        game: The game.
        arguments: Settings of the run.
        network: Plays, with the weights that it has at the begin of a round.
    """

    def __init__(self, game: Game, arguments: AlphaZeroArguments, network: SparseNetwork) -> None:
        self.played = 0
        self.steps_due = 0.0
        self.self_play = True
        self._game, self._arguments, self._network = game, arguments, network
        self._playing: list[Future[Samples]] = []
        self._parts: list[Callable[[], Samples]] = []  # what threads play, or will

    def __enter__(self) -> Self:
        """Let players begin."""
        arguments = self._arguments
        if arguments.actors:
            self._actors = open_executor(arguments.actors, ray=arguments.address or False)
        else:
            parts = max(_PARTS, arguments.round // _PART)
            positions = -(-arguments.round // parts)
            # Beside the thread that learns, which plays what no other one has begun.
            self._helpers = min(parts, torch.get_num_threads() - 1)
            self._pool = ThreadPoolExecutor(max(1, self._helpers))
            self._players = [new_players(self._game, arguments, positions) for _ in range(parts)]
            self._compiled = CompiledNetwork(self._game, self._network)
        self._submit()
        return self

    def __exit__(self, *_: object) -> None:
        """End all games that are played."""
        if self._arguments.actors:
            self._actors.kill()
            return
        self._pool.shutdown(wait=False, cancel_futures=True)
        for players in self._players:
            for player in players.values():
                player.stop()
        self._pool.shutdown()

    def collect(self) -> list[Samples]:
        """Return the samples played meanwhile, and continue with the network's present weights.

        What no thread has begun to play is played here.
        """
        if self._arguments.actors:
            done, going_on = wait(self._playing, _PATIENCE, return_when=FIRST_COMPLETED)
            samples = [future.result() for future in self._playing if future in done]
            self._playing = [future for future in self._playing if future in going_on]
        else:
            here = {}
            for future, play_part in reversed([*zip(self._playing, self._parts, strict=True)]):
                if future.cancel():
                    here[future] = play_part()
            samples = [here.get(future) or future.result() for future in self._playing]
        self._submit()
        return samples

    def _submit(self) -> None:
        """Let threads play the next round, or give the actors enough to do."""
        arguments = self._arguments
        if not arguments.actors:
            self._compiled.load(self._network)
            seed = [arguments.seed, self.played]
            self._parts = [
                partial(play, players, self._compiled, [*seed, part], self.self_play)
                for part, players in enumerate(self._players)
            ]
            submit = self._pool.submit if self._helpers else lambda _: Future()
            self._playing = [submit(play_part) for play_part in self._parts]
            self.played += 1
            return
        # A copy: processes of this machine share the memory of tensors, which learning changes.
        arrays = {name: array.copy() for name, array in self._network.arrays.items()}
        network = StoredNetwork(self._network.shape, arrays)
        while len(self._playing) < _AHEAD * arguments.actors:
            seed = [arguments.seed, self.played]
            self._playing.append(
                self._actors.submit(
                    play_as_actor, self._game, arguments, network, seed, self.self_play
                )
            )
            self.played += 1

    def state_dict(self) -> dict[str, Any]:
        """Return the counters."""
        return {"played": self.played, "steps_due": self.steps_due}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the counters, with an empty buffer."""
        self.played, self.steps_due = state["played"], state["steps_due"]


# --- learning ------------------------------------------------------------------------------------


def train(arguments: AlphaZeroArguments) -> None:
    """Train a policy by AlphaZero and measure it against the baselines.

    Raises:
        ValueError: An argument that is not allowed, or training has diverged.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
        ModuleNotFoundError: The extra `sb3` is not installed.
    """
    with Session(arguments, "AlphaZero") as session:
        game = session.game

        torch.manual_seed(arguments.seed)
        network = SparseNetwork(arguments.shape(game), game)
        learner = Learner(game, network, arguments.policy_weight, arguments.value_weight)
        rounds = Rounds(game, arguments, network)
        buffer = ReplayBuffer(arguments.buffer)

        if (arguments.lines or arguments.pattern) and network.shape.lines is None:
            print(
                f"The network has no lines or patterns: {game.name} has no pieces on a board, or "
                "there would be too many inputs"
            )
        session.begin(network, optimizer=learner, rounds=rounds)
        learner.load(network)
        session.checkpoint()

        with rounds:
            while session.running:
                # --- games: what was played meanwhile; the next round begins ---
                rounds.self_play = not arguments.opponent or session.progress < _SELF_PLAY
                rng = np.random.Generator(np.random.PCG64([arguments.seed, rounds.played]))
                samples = rounds.collect()
                for part in samples:
                    buffer.add(part)
                positions = sum(len(part.values) for part in samples)
                session.steps += positions

                # --- update: the gradient steps that are due ---
                due = rounds.steps_due + positions * arguments.replay_ratio / arguments.batch_size
                gradient_steps, rounds.steps_due = divmod(due, 1.0)
                learning_rate = arguments.learning_rate * session.learning_rate_factor
                for _ in range(int(gradient_steps)):
                    learner.step(buffer.samples, arguments.batch_size, rng, learning_rate)
                learner.store(network)

                session.log(learner.mean_losses(), f"{len(buffer):,} samples in the buffer")
                session.checkpoint()

        session.finish()


if __name__ == "__main__":
    run_as_file("alphazero")
