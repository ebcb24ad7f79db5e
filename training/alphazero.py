"""Train a policy by AlphaZero and measure it against the baselines.

    tzaar-envs train --algo alphazero turm_und_waechter
    python training/alphazero.py turm_und_waechter

One network plays all seats of many games at once, with a tree search that it guides, and learns
what the search found and how the games ended (Silver et al., 2018). It first imitates a baseline of
the game (see `imitation`). Everything that a run makes lies in its folder (see `run_folder`), the
replay buffer too.

All games are searched in lockstep, with one call of the network for the leaves of all of them. Most
moves get a quick search only, and are there to bring the games forward: what is learnt are those
with a full one (Wu, 2019, section 3.1). Samples are turned and mirrored at random as far as the
game has symmetries. Chance is sampled by the search, and what is hidden from a seat is drawn anew
in each of its simulations, so the games may have either (see `docs/search.md`).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.search.mcts.priors import DirichletNoise
from tzaar_envs.search.mcts.results import SearchResults
from tzaar_envs.search.mcts.search import Mcts
from tzaar_envs.training.precision import Precision, uses_bfloat16
from tzaar_envs.training.replay import Replay
from tzaar_envs.training.run import Run, run_script
from tzaar_envs.training.settings import Settings, setting
from tzaar_envs.wrappers.symmetry_augmentation import SymmetryAugmentation

if TYPE_CHECKING:
    from tzaar_envs.arena import MatchResult
    from tzaar_envs.policies.network import PolicyNetwork

_NO_LOGIT = -1e8  # not -inf, since 0 * -inf would be no number in the loss
_LARGEST_GRADIENT = 1.0  # norm


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(Settings):
    """What a run can be told; the defaults train any game in minutes on two cores."""

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


def train(arguments: Arguments) -> None:
    """Train a policy by AlphaZero and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is no folder of a run.
        FileExistsError: `folder` holds a run already.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    run_script(AlphaZeroRun, arguments)


# --- samples -------------------------------------------------------------------------------------


class Samples:
    """How what is learnt is stored: a sample is what one seat saw of one position.

    | field         | content                                                                     |
    |---------------|-----------------------------------------------------------------------------|
    | `observation` | int8 `(observation_size,)`                                                  |
    | `mask`        | the legal actions as bits; none for a seat that does not act                |
    | `actions`     | int32 `(most,)`, where `most` is how many actions a search can have visited |
    | `policy`      | float16 `(most,)`, their shares; 0 for a seat that does not act             |
    | `value`       | float32, the return that this seat shall expect                             |

    Args:
        game: the game.
        simulations: of the searches.
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
        """Return `(n, views)` samples with the values that the search has found.

        Args:
            seen: int8 `(n, views, *observation_shape)`, the seat to act first.
            seats: int64 `(n, views)`, who sees that.
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
    """Return what the policy shall be, float64 `(n, num_actions)`: each action's share of visits.

    Where the search has proven that the seat to act need not lose, it is the proven action alone:
    the visits were spent before that was known.

    Args:
        result: of the `n` searches.
        seats: int64 `(n,)`, who acts.
    """
    policy = result.visits / result.visits.sum(axis=1, keepdims=True)
    rows = np.arange(len(seats))
    sure = rows[result.proven & (result.values[rows, seats] > -1.0)]
    policy[sure] = 0.0
    policy[sure, result.actions[sure]] = 1.0
    return policy


# --- the run -------------------------------------------------------------------------------------


class AlphaZeroRun(Run[Arguments]):
    """Self-play by tree search, learning from a replay buffer.

    A round is one move in every game and the gradient steps that are due then. All that a round
    draws follows from the seed and the number of the round. `boundary` is the state after the last
    one.
    """

    title = "AlphaZero"

    def build(self) -> None:
        """Make games, searches, network, optimizer and replay buffer."""
        import torch

        from tzaar_envs.policies.evaluator import NetworkEvaluator
        from tzaar_envs.policies.network import PolicyNetwork

        arguments = self.settings
        torch.manual_seed(arguments.seed)
        self.learner = PolicyNetwork(self.shape)
        # Convolutions are faster in this layout.
        self.learner.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.optimizer = torch.optim.Adam(self.learner.parameters(), arguments.learning_rate)
        self.use_bfloat16 = uses_bfloat16(arguments.precision)
        evaluator = NetworkEvaluator(self.game, self.learner, use_bfloat16=self.use_bfloat16)

        def search(simulations: int, noise: DirichletNoise | None) -> Mcts:
            return Mcts(
                self.game,
                evaluator,
                noise,
                simulations=simulations,
                exploration=arguments.exploration,
                threads=torch.get_num_threads(),
            )

        noise = DirichletNoise(arguments.dirichlet, arguments.noise)
        self.full_search = search(arguments.simulations, noise)
        self.quick_search = search(arguments.quick_simulations, None)
        self.samples = Samples(self.game, arguments.simulations)
        self.replay = Replay(self.folder.replay, self.samples.dtype, arguments.replay_mib)
        self.symmetries = SymmetryAugmentation(self.game)
        self.batch = Batch(self.game, arguments.num_envs)
        self.rounds = 0
        self.due = 0.0  # gradient steps
        self._start_games()
        self.boundary = self._copy_state()

    def take(self, network: PolicyNetwork) -> None:
        """Go on from the weights of a network of the same shape."""
        super().take(network)
        self.boundary = self._copy_state()

    def learn(self) -> None:
        """Play and learn until the budget is used; gradient steps that are half done are undone."""
        try:
            while self.used < 1.0:
                rng = np.random.Generator(np.random.PCG64([self.settings.seed, self.rounds]))
                games = self._play(rng)
                losses = self._update(rng)
                self.rounds += 1
                self.boundary = self._copy_state()
                self.after_update(games | losses, f"{len(self.replay):,} in the buffer")
        except KeyboardInterrupt:
            self.restore(self.boundary)
            raise

    # --- self-play ---

    def _start_games(self) -> None:
        """Begin all games anew, differently in every round that this is done in."""
        for row in range(self.settings.num_envs):
            self.batch.seed(row, [self.settings.seed, self.rounds, row])
        self.batch.reset(np.ones(self.settings.num_envs, np.bool_))
        self.plies = np.zeros(self.settings.num_envs, np.int64)
        # Of each running game: samples `(views,)` that wait for its end, and whose they are.
        self.waiting: list[list[tuple[NDArray[Any], NDArray[np.int64]]]]
        self.waiting = [[] for _ in range(self.settings.num_envs)]

    def _play(self, rng: np.random.Generator) -> dict[str, float]:
        """Play a move in every game, return what to log of games that ended."""
        batch, arguments = self.batch, self.settings
        # One draw for all games, which are at different plies: then no search waits for others.
        is_full = rng.random() < arguments.full_share
        search = self.full_search if is_full else self.quick_search
        # The third number keeps them apart from the generator of the round.
        result = search.search(batch.states, [arguments.seed, self.rounds, 1])
        if is_full:
            self._take_down(result)
        sums = result.visits.cumsum(axis=1)
        drawn = (sums <= rng.random((len(sums), 1)) * sums[:, -1:]).sum(axis=1)
        batch.step(np.where(self.plies < arguments.temperature_plies, drawn, result.actions))
        self.plies += 1
        over = batch.over.nonzero()[0]
        if not len(over):
            return {}
        record = {"games/ended": float(len(over)), "games/plies": float(self.plies[over].mean())}
        self._finish_games(over)
        return record

    def _take_down(self, result: SearchResults) -> None:
        """Keep what the searches of all games have found until these games are over."""
        from tzaar_envs.policies.evaluator import observe_views, seats_in_turn

        seen = observe_views(self.game, self.batch.states)
        seats = seats_in_turn(self.game, self.batch.states)[:, : seen.shape[1]]
        samples = self.samples.of_search(seen, seats, self.batch.masks, result)
        for row, waiting in enumerate(self.waiting):
            waiting.append((samples[row], seats[row]))

    def _finish_games(self, rows: NDArray[np.intp]) -> None:
        """Say how the games in some rows ended, move their samples to the buffer, begin new ones.

        A value to be learnt is a mean of how the game ended and what the search expected, which is
        less noisy.
        """
        finished: list[NDArray[Any]] = []
        weight = self.settings.root_value
        for row in rows.tolist():
            for samples, seats in self.waiting[row]:
                samples["value"] *= weight
                samples["value"] += (1.0 - weight) * self.batch.rewards[row, seats]
                finished.append(samples)
            self.waiting[row].clear()
        self.plies[rows] = 0
        self.batch.reset(self.batch.over.copy())
        if finished:
            samples = np.concatenate(finished)
            self.replay.add(samples)
            self.steps += len(finished)
            self.due += len(samples) * self.settings.passes / self.settings.batch_size

    # --- learning ---

    def _update(self, rng: np.random.Generator) -> dict[str, float]:
        """Do the gradient steps that are due, return what to log."""
        import torch

        arguments = self.settings
        steps, self.due = divmod(self.due, 1.0)
        if steps == 0.0:
            return {}
        for group in self.optimizer.param_groups:
            group["lr"] = arguments.learning_rate * self.decay
        self.learner.train()
        sums: dict[str, float] = {}
        for _ in range(int(steps)):
            samples = self.replay.draw(arguments.batch_size, rng)
            drawn = rng.integers(len(self.game.symmetries), size=len(samples))
            observations, masks, policies, returns = self.samples.unpack(samples)
            observations = self.symmetries.observations(drawn, observations)
            legal = torch.from_numpy(self.symmetries.values(drawn, masks))
            policy = torch.from_numpy(self.symmetries.values(drawn, policies))
            with torch.autocast("cpu", torch.bfloat16, enabled=self.use_bfloat16):
                logits, values = self.learner(torch.from_numpy(observations))
            log_policy = logits.float().masked_fill(~legal, _NO_LOGIT).log_softmax(dim=1)
            policy_loss = -(policy * log_policy).sum(dim=1).mean()
            value_loss = (values.float()[:, 0] - torch.from_numpy(returns)).square().mean()
            loss = policy_loss + value_loss
            self.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.learner.parameters(), _LARGEST_GRADIENT)
            self.optimizer.step()
            # What is left of the loss when the policy is the target itself.
            least = torch.special.entr(policy).sum(dim=1).mean()
            record = {
                "train/policy_loss": policy_loss,
                "train/policy_divergence": policy_loss - least,
                "train/value_loss": value_loss,
            }
            for name, value in record.items():
                sums[name] = sums.get(name, 0.0) + value.item()
        self.learner.eval()
        return {name: total / steps for name, total in sums.items()}

    # --- evaluation ---

    def final_matches(self) -> Iterator[tuple[str, MatchResult]]:
        """Yield the matches of the policy, then that of a search with it against `greedy`."""
        from tzaar_envs.agents.mcts import MctsAgent
        from tzaar_envs.policies.evaluator import NetworkEvaluator

        yield from super().final_matches()
        evaluator = NetworkEvaluator(self.game, self.network())

        def searching(game: Game) -> MctsAgent:
            return MctsAgent(
                game,
                evaluator=evaluator,
                simulations=self.settings.simulations,
                exploration=self.settings.exploration,
            )

        yield "mcts_greedy", self.play_against("greedy", self.settings.final_games, 2, searching)

    # --- checkpoints ---

    def _copy_state(self) -> dict[str, Any]:
        return {
            "network": copy.deepcopy(self.learner.state_dict()),
            "optimizer": copy.deepcopy(self.optimizer.state_dict()),
            "rounds": self.rounds,
            "steps": self.steps,
            "due": self.due,
        }

    def state(self) -> dict[str, Any]:
        """Return the boundary; samples are in the replay buffer, and the games begin anew."""
        return self.boundary

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned."""
        self.learner.load_state_dict(state["network"])
        self.learner.eval()
        self.optimizer.load_state_dict(state["optimizer"])
        self.rounds = int(state["rounds"])
        self.steps = int(state["steps"])
        self.due = float(state["due"])
        self._start_games()
        self.boundary = self._copy_state()


if __name__ == "__main__":
    from tzaar_envs.training.command import main

    main(Arguments, train)
