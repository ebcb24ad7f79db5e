"""AlphaZero: self-play by a tree search that the network guides.

    tzaar-envs train --algo alphazero turm_und_waechter
    python training/alphazero.py turm_und_waechter

After a warm start one network plays all seats of many games at once, with a tree search that it
guides, and learns the results of the searches and of the games (Silver et al., 2018). Samples wait
in a replay buffer on disk (see `common/replay.py`).

All games are searched as one batch, with one call of the network for the leaves of all trees. Most
moves get a quick search, which only advances the game; moves with a full search are learnt (Wu,
2019, section 3.1). Samples are transformed by random symmetries of the game. The search samples
chance and redraws hidden information in each simulation, so games may have either (see
`docs/search.md`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tzaar_envs.agents.mcts import MctsAgent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.policies.evaluator import NetworkEvaluator, observe_views, seats_in_turn
from tzaar_envs.policies.network import ILLEGAL_LOGIT, PolicyNetwork
from tzaar_envs.search.mcts.priors import DirichletNoise
from tzaar_envs.search.mcts.results import SearchResults
from tzaar_envs.search.mcts.search import Mcts
from tzaar_envs.training.common.means import Means
from tzaar_envs.training.common.precision import Precision, uses_bfloat16
from tzaar_envs.training.common.replay import Replay
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import Settings, setting
from tzaar_envs.wrappers.symmetry_augmentation import SymmetryAugmentation

_MAX_GRADIENT_NORM = 1.0


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(Settings):
    """Arguments of a run; the defaults train any game in minutes on two cores."""

    algorithm = "alphazero"

    num_envs: int = setting("Number of games played in parallel.", 128, "positive")
    simulations: int = setting(
        "Simulations of a full search; the policy learns from full searches only.", 32, "positive"
    )
    quick_simulations: int = setting(
        "Simulations of a quick search, which only chooses a move.", 8, "positive"
    )
    full_share: float = setting("Share of the moves chosen by a full search.", 0.25, "fraction")
    exploration: float = setting(
        "Exploration constant of the search: weight of the network's priors.", 1.0, "not negative"
    )
    dirichlet: float = setting(
        "Concentration parameter of the Dirichlet noise at the root.", 0.3, "positive"
    )
    noise: float = setting(
        "Weight of the Dirichlet noise in the root priors of full searches.", 0.25, "fraction"
    )
    temperature_plies: int = setting(
        "Number of plies at the start of a game whose action is drawn in proportion to "
        "visits; later the most visited action is played.",
        16,
        "not negative",
    )
    root_value: float = setting(
        "Weight of the search's root value in the value target; the rest is the result "
        "of the game.",
        0.5,
        "fraction",
    )
    replay_mib: float = setting(
        "Maximum size of the replay buffer on disk, in MiB.", 128.0, "positive"
    )
    passes: float = setting(
        "Average number of times that each sample is learnt from.", 4.0, "positive"
    )
    batch_size: int = setting("Samples in each gradient step.", 512, "positive")
    learning_rate: float = setting("Initial learning rate; decays to 10 %.", 1e-3, "positive")
    precision: Precision = setting(
        "Numeric precision of training; auto: bfloat16 if the processor supports it in hardware.",
        "auto",
    )


# --- samples -------------------------------------------------------------------------------------


class Samples:
    """Format of samples in the replay buffer: one seat's view of one position.

    | field         | content                                                                     |
    |---------------|-----------------------------------------------------------------------------|
    | `observation` | int8 `(observation_size,)`                                                  |
    | `mask`        | the legal actions as bits; none for a seat that does not act                |
    | `actions`     | int32 `(most,)`, where `most` is the most actions that a search can visit   |
    | `policy`      | float16 `(most,)`, targets of these actions; 0 for a seat that does not act |
    | `value`       | float32, target of the value                                                |

    Args:
        game: the game.
        simulations: of a full search.
    """

    def __init__(self, game: Game, simulations: int) -> None:
        self.game = game
        self.most = min(simulations, game.num_actions)
        self.dtype = np.dtype(
            [
                ("observation", np.int8, (int(np.prod(game.observation_shape)),)),
                ("mask", np.uint8, ((game.num_actions + 7) // 8,)),
                ("actions", np.int32, (self.most,)),
                ("policy", np.float16, (self.most,)),
                ("value", np.float32),
            ]
        )

    def of_search(
        self,
        seen: NDArray[np.int8],
        seats: NDArray[np.int64],
        masks: NDArray[np.int8],
        result: SearchResults,
    ) -> NDArray[Any]:
        """Return `(n, views)` samples with the values of the search.

        Args:
            seen: observations, int8 `(n, views, *observation_shape)`, the seat to act first.
            seats: their observers, int64 `(n, views)`.
            masks: int8 `(n, num_actions)`.
            result: of the `n` searches.
        """
        samples = np.zeros(seen.shape[:2], self.dtype)
        samples["observation"] = seen.reshape(*seen.shape[:2], -1)
        samples["value"] = np.take_along_axis(result.values, seats, axis=1)
        samples["mask"][:, 0] = np.packbits(masks.view(np.bool_), axis=1)
        policy = policy_target(result, seats[:, 0])
        actions = np.argpartition(policy, -self.most, axis=1)[:, -self.most :]
        samples["actions"][:, 0] = actions
        samples["policy"][:, 0] = np.take_along_axis(policy, actions, axis=1)
        return samples

    def unpack(
        self, samples: NDArray[Any]
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_], NDArray[np.float32], NDArray[np.float32]]:
        """Return observations, masks and policies `(n, num_actions)`, and values `(n,)`."""
        observations = samples["observation"].reshape(-1, *self.game.observation_shape)
        bits = np.unpackbits(samples["mask"], axis=1, count=self.game.num_actions)
        policy = np.zeros(bits.shape, np.float32)
        np.put_along_axis(policy, samples["actions"].astype(np.intp), samples["policy"], axis=1)
        return observations, bits.view(np.bool_), policy, np.ascontiguousarray(samples["value"])


def policy_target(result: SearchResults, seats: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the target of the policy, float64 `(n, num_actions)`: each action's share of visits.

    Where the search has proven that the seat to act need not lose, the target is the proven action
    alone, since the visits were spent before that was known.

    Args:
        result: of the `n` searches.
        seats: the seats to act, int64 `(n,)`.
    """
    policy = result.visits / result.visits.sum(axis=1, keepdims=True)
    rows = np.arange(len(seats))
    sure = rows[result.proven & (result.values[rows, seats] > -1.0)]
    policy[sure] = 0.0
    policy[sure, result.actions[sure]] = 1.0
    return policy


# --- self-play -----------------------------------------------------------------------------------


class SelfPlay:
    """Games in progress, and the samples that wait for their ends.

    What is drawn in a round, one move in every game, follows from the seed and the number of the
    round. A checkpoint holds only the counters: after a resume, other games start.

    Attributes:
        batch: the games.
        plies: int64 `(num_envs,)`.
        rounds: number of moves played in each row, all its games together.
        steps_due: gradient steps that the samples of finished games allow.

    Args:
        game: the game.
        arguments: of the run.
        samples: format of the samples.
        replay: receives the samples of finished games.
    """

    def __init__(self, game: Game, arguments: Arguments, samples: Samples, replay: Replay) -> None:
        self.game = game
        self.arguments = arguments
        self.samples = samples
        self.replay = replay
        self.batch = Batch(game, arguments.num_envs)
        self.rounds = 0
        self.steps_due = 0.0
        self._start_games()

    def rng(self) -> np.random.Generator:
        """Return the generator of the present round."""
        return np.random.Generator(np.random.PCG64([self.arguments.seed, self.rounds]))

    def search_seed(self) -> list[int]:
        """Return the seed of the searches of the present round, apart from that of `rng`."""
        return [self.arguments.seed, self.rounds, 1]

    def keep_samples(self, result: SearchResults) -> None:
        """Keep the results of full searches of all games until these games are over."""
        seen = observe_views(self.game, self.batch.states)
        seats = seats_in_turn(self.game, self.batch.states)[:, : seen.shape[1]]
        samples = self.samples.of_search(seen, seats, self.batch.masks, result)
        for row, waiting in enumerate(self._waiting):
            waiting.append((samples[row], seats[row]))

    def play(self, result: SearchResults, rng: np.random.Generator) -> tuple[int, dict[str, float]]:
        """Play a move in every game; new games take the place of those that end.

        Args:
            result: of the searches of all games.
            rng: source of randomness.

        Returns:
            The number of positions whose samples have joined the replay buffer, and values for the
            log.
        """
        sums = result.visits.cumsum(axis=1)
        drawn = (sums <= rng.random((len(sums), 1)) * sums[:, -1:]).sum(axis=1)
        is_opening = self.plies < self.arguments.temperature_plies
        self.batch.step(np.where(is_opening, drawn, result.actions))
        self.plies += 1
        self.rounds += 1
        over = self.batch.over.nonzero()[0]
        if not len(over):
            return 0, {}
        metrics = {"games/ended": len(over), "games/plies": float(self.plies[over].mean())}
        positions = self._store_samples(over)
        self.plies[over] = 0
        self.batch.reset(self.batch.over.copy())
        return positions, metrics

    def _store_samples(self, rows: NDArray[np.intp]) -> int:
        """Move the samples of finished games to the replay buffer, return their positions.

        The target of a value is a mean of the game's return and the search's value, which is less
        noisy.
        """
        finished: list[NDArray[Any]] = []
        weight = self.arguments.root_value
        for row in rows.tolist():
            for samples, seats in self._waiting[row]:
                samples["value"] *= weight
                samples["value"] += (1.0 - weight) * self.batch.rewards[row, seats]
                finished.append(samples)
            self._waiting[row].clear()
        if finished:
            joined = np.concatenate(finished)
            self.replay.add(joined)
            self.steps_due += len(joined) * self.arguments.passes / self.arguments.batch_size
        return len(finished)

    def _start_games(self) -> None:
        """Start all games, differently in every round in which this is done."""
        rows = self.arguments.num_envs
        for row in range(rows):
            self.batch.seed(row, [self.arguments.seed, self.rounds, row])
        self.batch.reset(np.ones(rows, np.bool_))
        self.plies = np.zeros(rows, np.int64)
        # Of each game: samples `(views,)` and their observers.
        self._waiting: list[list[tuple[NDArray[Any], NDArray[np.int64]]]]
        self._waiting = [[] for _ in range(rows)]

    def state_dict(self) -> dict[str, Any]:
        """Return the counters."""
        return {"rounds": self.rounds, "steps_due": self.steps_due}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the counters with other games.

        Raises:
            LookupError, TypeError, ValueError: they do not fit.
        """
        self.rounds, self.steps_due = int(state["rounds"]), float(state["steps_due"])
        self._start_games()


# --- training ------------------------------------------------------------------------------------


def train(arguments: Arguments) -> None:
    """Train a policy by AlphaZero and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    with Session(arguments, "AlphaZero") as session:
        arguments, game = session.arguments, session.game  # of the resumed run, if there is one

        torch.manual_seed(arguments.seed)
        network = PolicyNetwork(session.network_shape)
        # Convolutions are faster in this layout.
        network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        optimizer = torch.optim.Adam(network.parameters(), arguments.learning_rate)
        use_bfloat16 = uses_bfloat16(arguments.precision)
        evaluator = NetworkEvaluator(game, network, use_bfloat16=use_bfloat16)

        def new_search(simulations: int, noise: DirichletNoise | None) -> Mcts:
            return Mcts(
                game,
                evaluator,
                noise,
                simulations=simulations,
                exploration=arguments.exploration,
                threads=torch.get_num_threads(),
            )

        noise = DirichletNoise(arguments.dirichlet, arguments.noise)
        full = new_search(arguments.simulations, noise)
        quick = new_search(arguments.quick_simulations, None)
        samples = Samples(game, arguments.simulations)
        replay = Replay(session.folder.replay, samples.dtype, arguments.replay_mib)
        self_play = SelfPlay(game, arguments, samples, replay)
        symmetries = SymmetryAugmentation(game)

        session.track(network, optimizer=optimizer, self_play=self_play)
        if session.resumed:
            session.restore()
        else:
            session.warm_start(network)
        session.checkpoint()

        while session.running:
            # --- self-play: one move in every game ---
            network.eval()
            rng = self_play.rng()
            # One draw for all games, which are at different plies: no search waits for others.
            is_full = rng.random() < arguments.full_share
            search = full if is_full else quick
            positions, seed = self_play.batch.states, self_play.search_seed()
            result = search.search(positions, seed, trusted=True)
            if is_full:
                self_play.keep_samples(result)
            positions, metrics = self_play.play(result, rng)
            session.steps += positions

            # --- update: the gradient steps that are due ---
            gradient_steps, self_play.steps_due = divmod(self_play.steps_due, 1.0)
            for group in optimizer.param_groups:
                group["lr"] = arguments.learning_rate * session.learning_rate_factor
            network.train()
            losses = Means()
            for _ in range(int(gradient_steps)):
                drawn = replay.draw(arguments.batch_size, rng)
                images = rng.integers(len(game.symmetries), size=len(drawn))
                observations, masks, policies, returns = samples.unpack(drawn)
                observations = symmetries.observations(images, observations)
                legal = torch.from_numpy(symmetries.values(images, masks))
                target = torch.from_numpy(symmetries.values(images, policies))
                with torch.autocast("cpu", torch.bfloat16, enabled=use_bfloat16):
                    logits, values = network(torch.from_numpy(observations))
                log_policy = logits.float().masked_fill(~legal, ILLEGAL_LOGIT).log_softmax(dim=1)
                policy_loss = -(target * log_policy).sum(dim=1).mean()
                value_loss = (values.float()[:, 0] - torch.from_numpy(returns)).square().mean()
                loss = policy_loss + value_loss
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), _MAX_GRADIENT_NORM)
                optimizer.step()

                # The loss of a policy that is the target itself.
                least = torch.special.entr(target).sum(dim=1).mean()
                losses.add(
                    policy_loss=policy_loss,
                    policy_divergence=policy_loss - least,
                    value_loss=value_loss,
                )

            session.log(metrics | losses.metrics(), f"{len(replay):,} samples in the buffer")
            session.checkpoint()

        trained = NetworkEvaluator(game, network)

        def searcher(game: Game) -> MctsAgent:
            return MctsAgent(
                game,
                evaluator=trained,
                simulations=arguments.simulations,
                exploration=arguments.exploration,
            )

        session.finish({"mcts": searcher})


if __name__ == "__main__":
    from tzaar_envs.training.common.command import main

    main(Arguments, train)
