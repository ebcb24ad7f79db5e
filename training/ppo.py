"""Train a policy by PPO in self-play, all in this file, and measure it against the baselines.

    tzaar-envs train --algo ppo turm_und_waechter
    python training/ppo.py turm_und_waechter

One network plays all seats of many games at once (`make_vec`) and learns from every decision by PPO
(Schulman et al., 2017) with masked actions (Huang and Ontañón, 2020). It first imitates a baseline
of the game (see `imitation`). Everything that a run makes lies in its folder (see `run_folder`).

The decisions of a seat are a thread of their own through its game. What follows a decision is the
next one of the *same* seat, whatever the others do in between, or the end of the game with that
seat's reward. Values are those of the observer, so a seat bootstraps from its own value and no sign
is ever flipped: -V of the opponent's next observation would be the same only for two seats, zero
sum and no hidden information. So seats may be two or six, and move once or many times in a row.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.envs.vector import VectorGameEnv
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.make_env import make_vec
from tzaar_envs.training.precision import Precision, uses_bfloat16
from tzaar_envs.training.run import Run, run_script
from tzaar_envs.training.settings import Settings, setting

if TYPE_CHECKING:
    from torch import Tensor

    from tzaar_envs.policies.network import PolicyNetwork

_NOBODY = -1  # has decided anything in this slot
_NO_LOGIT = -1e8  # not -inf, since 0 * -inf would be no number in the entropy
_VALUE_WEIGHT = 0.5  # of the loss
_LARGEST_GRADIENT = 0.5  # norm


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(Settings):
    """What a run can be told; the defaults train any game in minutes on two cores."""

    algorithm = "ppo"

    num_envs: int = setting("Number of games played in parallel.", 512, "positive")
    rollout: int = setting("Steps of each game between two updates of the network.", 32, "positive")
    batch_size: int = setting("Samples in each gradient step.", 1024, "positive")
    epochs: int = setting("Passes over the samples in each update.", 1, "positive")
    learning_rate: float = setting("Initial learning rate; decays to 10 %.", 1e-3, "positive")
    gamma: float = setting(
        "Discount factor of future rewards, from one decision of a player to its next.",
        0.99,
        "fraction",
    )
    gae_lambda: float = setting(
        "Smoothing factor (lambda) of generalized advantage estimation.", 0.95, "fraction"
    )
    clip_range: float = setting(
        "PPO clipping range: how far the probability ratio may move from 1.", 0.2, "fraction"
    )
    entropy: float = setting(
        "Weight of the entropy bonus, which rewards exploration.", 0.005, "not negative"
    )
    precision: Precision = setting(
        "Numeric precision of training; auto: bfloat16 if the processor supports it in hardware.",
        "auto",
    )


def train(arguments: Arguments) -> None:
    """Train a policy by PPO in self-play and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is no folder of a run.
        FileExistsError: `folder` holds a run already.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    run_script(PPORun, arguments)


# --- decisions and their advantages --------------------------------------------------------------


class Decisions:
    """What the seats have seen and done in some steps of all games.

    The first `num_players` slots hold decisions that the rollout before left open: the seat had not
    decided again, nor was its game over, so what followed was not yet known. Slot i is for seat i.
    The slots after them are the steps of this rollout. `T` is the number of slots, `N` of games.

    Attributes:
        players: int64 `(T, N)`, who decided; `_NOBODY` in an empty slot.
        observations: int8 `(T, N, *observation_shape)`, what this seat saw.
        masks: bool `(T, N, num_actions)`, its legal actions.
        columns: int64 `(T, N)`, which of its legal actions it chose.
        log_probabilities: float32 `(T, N)`, of that action when it was drawn.
        values: float32 `(T, N)`, the return that this seat expected.
        rewards: float64 `(T, N, num_players)`, every seat's reward after that step.
        ends: bool `(T, N)`, whether the game ended with that step, by the rules or by a move cap.
    """

    CARRIED = ("players", "observations", "masks", "columns", "log_probabilities", "values")

    def __init__(self, game: Game, num_envs: int, rollout: int) -> None:
        self.seats = game.num_players
        shape = (self.seats + rollout, num_envs)
        self.players = np.full(shape, _NOBODY)
        self.observations = np.zeros((*shape, *game.observation_shape), np.int8)
        self.masks = np.zeros((*shape, game.num_actions), np.bool_)
        self.columns = np.zeros(shape, np.int64)
        self.log_probabilities = np.zeros(shape, np.float32)
        self.values = np.zeros(shape, np.float32)
        self.rewards = np.zeros((*shape, self.seats))
        self.ends = np.zeros(shape, np.bool_)

    def carry(self, known: NDArray[np.bool_]) -> None:
        """Move decisions whose future is not known to the first slots, forget the others.

        Args:
            known: bool `(T, N)`, see `advantages`.
        """
        slots, rows = ((self.players != _NOBODY) & ~known).nonzero()
        seats = self.players[slots, rows]
        for name in self.CARRIED:
            array = getattr(self, name)
            array[seats, rows] = array[slots, rows]
        self.players[:] = _NOBODY
        self.players[seats, rows] = seats


def advantages(
    players: NDArray[np.int64],
    values: NDArray[np.float32],
    rewards: NDArray[np.float64],
    ends: NDArray[np.bool_],
    gamma: float,
    gae_lambda: float,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the generalised advantage estimate of every decision (Schulman et al., 2016).

    For decisions k = 0, 1, … of one seat in one game, with `r_k` what the seat receives from then
    until before its next decision:

        delta_k = r_k + gamma * V_(k+1) - V_k        V after the game is 0
        A_k     = delta_k + gamma * gae_lambda * A_(k+1)

    A seat's last decision before the slots end, in a game that goes on, has no known future: its
    value bootstraps the decision before it, and that is all. In these games rewards come with the
    end, so it has not received anything yet.

    Args:
        players: int64 `(T, N)`, who decided, `_NOBODY` for nobody.
        values: float32 `(T, N)`, expected by that seat.
        rewards: float64 `(T, N, seats)`, of every seat after that step.
        ends: bool `(T, N)`, whether the game ended with that step.
        gamma: discount.
        gae_lambda: smoothing.

    Returns:
        Advantages, float32 `(T, N)`, 0 where the future is not known; and bool `(T, N)`, where it
        is.
    """
    slots, games, seats = rewards.shape
    result = np.zeros((slots, games), np.float32)
    known = np.zeros((slots, games), np.bool_)
    # Of each seat in each game, seen from the present slot on: what comes later.
    reward = np.zeros((games, seats))
    next_value = np.zeros((games, seats))
    next_advantage = np.zeros((games, seats))
    has_future = np.zeros((games, seats), np.bool_)
    for slot in reversed(range(slots)):
        over = ends[slot]
        for array in (reward, next_value, next_advantage):
            array[over] = 0.0
        has_future[over] = True
        reward += rewards[slot]
        rows = (players[slot] != _NOBODY).nonzero()[0]
        at = rows, players[slot, rows]
        value = values[slot, rows]
        delta = reward[at] + gamma * next_value[at] - value
        advantage = (delta + gamma * gae_lambda * next_advantage[at]) * has_future[at]
        result[slot, rows] = advantage
        known[slot, rows] = has_future[at]
        reward[at] = 0.0
        next_value[at] = value
        next_advantage[at] = advantage
        has_future[at] = True
    return result, known


class LegalActions(NamedTuple):
    """The legal actions of a batch, packed: far fewer than all actions.

    Attributes:
        actions: int64 `(B, most)`, ascending in each row, then 0.
        present: bool `(B, most)`, where there is one.
    """

    actions: Tensor
    present: Tensor

    @classmethod
    def of(cls, masks: NDArray[np.bool_]) -> LegalActions:
        """Pack masks, bool `(B, num_actions)`, with a legal action in each row."""
        import torch

        rows, actions = masks.nonzero()
        counts = np.bincount(rows, minlength=len(masks))
        columns = np.arange(len(rows)) - np.repeat(counts.cumsum() - counts, counts)
        packed = np.zeros((len(masks), counts.max()), np.int64)
        packed[rows, columns] = actions
        present = np.arange(counts.max()) < counts[:, None]
        return cls(torch.from_numpy(packed), torch.from_numpy(present))

    def log_policy(self, logits: Tensor) -> Tensor:
        """Return the logarithms of the probabilities of the packed actions, `(B, most)`.

        The other actions have no probability and no gradient.

        Args:
            logits: `(B, num_actions)`, of the network.
        """
        packed = logits.gather(1, self.actions).masked_fill(~self.present, _NO_LOGIT)
        return packed.log_softmax(dim=1)


def draw(log_probabilities: Tensor, generator: Any) -> Tensor:
    """Draw a column for each row of `log_policy`, int64 `(B, 1)`; never one without probability.

    Args:
        log_probabilities: float32 `(B, most)`.
        generator: a `torch.Generator`.
    """
    import torch

    # The first column where the sum exceeds a random number; torch.multinomial takes ten times as
    # long. The factor keeps rounding from reaching the whole sum, behind which there is nothing.
    sums = log_probabilities.exp().cumsum(dim=1)
    drawn = torch.rand(len(sums), 1, generator=generator) * sums[:, -1:] * (1 - 1e-6)
    return torch.searchsorted(sums, drawn, right=True)


# --- the run -------------------------------------------------------------------------------------


class PPORun(Run[Arguments]):
    """PPO in self-play.

    Between two updates the run is in a state from which it goes on as if nothing had happened, on
    the same machine; `boundary` is the last one of these.
    """

    title = "PPO"

    def build(self) -> None:
        """Make games, network and optimizer."""
        import torch

        from tzaar_envs.policies.network import PolicyNetwork

        arguments = self.settings
        env = make_vec(
            self.game.spec.env_id,
            num_envs=arguments.num_envs,
            seed=arguments.seed,
            autoreset="same_step",
            copy=False,
            illegal="raise",
            **self.game.options,
        )
        assert isinstance(env, VectorGameEnv)
        self.env = env
        self.observations, self.infos = env.reset()
        self.decisions = Decisions(self.game, arguments.num_envs, arguments.rollout)
        torch.manual_seed(arguments.seed)
        self.learner = PolicyNetwork(self.shape)
        # Convolutions are faster in this layout.
        self.learner.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.optimizer = torch.optim.Adam(self.learner.parameters(), arguments.learning_rate)
        self.generator = torch.Generator().manual_seed(arguments.seed)  # of actions and batches
        self.use_bfloat16 = uses_bfloat16(arguments.precision)
        self.boundary = self._copy_state()

    def take(self, network: PolicyNetwork) -> None:
        """Go on from the weights of a network of the same shape."""
        super().take(network)
        self.boundary = self._copy_state()

    def learn(self) -> None:
        """Play and learn until the budget is used; an update that is half done is undone."""
        try:
            while self.used < 1.0:
                games = self._collect()
                losses = self._update()
                self.boundary = self._copy_state()
                self.after_update(games | losses)
        except KeyboardInterrupt:
            self.restore(self.boundary)
            raise

    def _forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits and values, float32 `(B, num_actions)` and `(B,)`."""
        import torch

        with torch.autocast("cpu", torch.bfloat16, enabled=self.use_bfloat16):
            logits, values = self.learner(observations)
        return logits.float(), values.float()[:, 0]

    def _collect(self) -> dict[str, float]:
        """Play a rollout into `decisions`, return what to log of its games."""
        import torch

        decisions = self.decisions
        self.learner.eval()
        for slot in range(decisions.seats, decisions.seats + self.settings.rollout):
            decisions.players[slot] = self.infos["player"]
            decisions.observations[slot] = self.observations
            decisions.masks[slot] = self.infos["action_mask"]
            with torch.inference_mode():
                logits, values = self._forward(torch.from_numpy(decisions.observations[slot]))
                legal = LegalActions.of(decisions.masks[slot])
                log_probabilities = legal.log_policy(logits)
                drawn = draw(log_probabilities, self.generator)
                decisions.columns[slot] = drawn[:, 0].numpy()
                actions = legal.actions.gather(1, drawn)[:, 0].numpy()
                chosen = log_probabilities.gather(1, drawn)
                decisions.log_probabilities[slot] = chosen[:, 0].numpy()
                decisions.values[slot] = values.numpy()
            self.observations, _, terminated, truncated, self.infos = self.env.step(actions)
            decisions.rewards[slot] = self.infos["rewards"]
            decisions.ends[slot] = terminated | truncated
        self.steps += self.settings.num_envs * self.settings.rollout
        ended = int(decisions.ends.sum())
        played = self.settings.num_envs * self.settings.rollout
        return {"games/ended": ended} | ({"games/plies": played / ended} if ended else {})

    def _update(self) -> dict[str, float]:
        """Learn from the decisions whose future is known, return what to log."""
        import torch

        arguments, decisions = self.settings, self.decisions
        estimates, known = advantages(
            decisions.players,
            decisions.values,
            decisions.rewards,
            decisions.ends,
            arguments.gamma,
            arguments.gae_lambda,
        )
        chosen = torch.from_numpy(known.ravel().nonzero()[0])

        def flat(array: NDArray[Any]) -> Tensor:
            return torch.from_numpy(array).flatten(0, 1)

        observations, masks = flat(decisions.observations), flat(decisions.masks).numpy()
        columns, old = flat(decisions.columns), flat(decisions.log_probabilities)
        estimate, returns = flat(estimates), flat(estimates + decisions.values)
        for group in self.optimizer.param_groups:
            group["lr"] = arguments.learning_rate * self.decay
        self.learner.train()
        sums: dict[str, Tensor] = {}
        batches = 0
        for _ in range(arguments.epochs):
            order = torch.randperm(len(chosen), generator=self.generator)
            for batch in chosen[order].split(arguments.batch_size):
                if len(batch) < 2:
                    continue  # a single sample has no spread to be scaled by
                logits, values = self._forward(observations[batch])
                log_probabilities = LegalActions.of(masks[batch.numpy()]).log_policy(logits)
                difference = log_probabilities.gather(1, columns[batch, None])[:, 0] - old[batch]
                ratio = difference.exp()
                advantage = estimate[batch]
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                clipped = ratio.clamp(1 - arguments.clip_range, 1 + arguments.clip_range)
                policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
                value_loss = (values - returns[batch]).square().mean()
                entropy = -(log_probabilities.exp() * log_probabilities).sum(dim=1).mean()
                loss = policy_loss + _VALUE_WEIGHT * value_loss - arguments.entropy * entropy
                self.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.learner.parameters(), _LARGEST_GRADIENT)
                self.optimizer.step()
                with torch.no_grad():
                    record = {
                        "train/policy_loss": policy_loss,
                        "train/value_loss": value_loss,
                        "train/entropy": entropy,
                        "train/approx_kl": (ratio - 1 - difference).mean(),
                        "train/clip_fraction": (clipped != ratio).float().mean(),
                    }
                    for name, value in record.items():
                        sums[name] = sums.get(name, 0.0) + value.detach()
                batches += 1
        self.learner.eval()
        decisions.carry(known)
        return {name: float(total) / batches for name, total in sums.items()}

    # --- checkpoints ---

    def _copy_state(self) -> dict[str, Any]:
        """Return copies of all that the run goes on from."""
        import torch

        carried = {
            name: torch.from_numpy(getattr(self.decisions, name)[: self.decisions.seats].copy())
            for name in Decisions.CARRIED
        }
        return {
            "network": copy.deepcopy(self.learner.state_dict()),
            "optimizer": copy.deepcopy(self.optimizer.state_dict()),
            "generator": self.generator.get_state(),
            "chance": torch.from_numpy(self.env.batch.generators.view(np.int64).copy()),
            "positions": self.env.batch.states.copy(),
            "carried": carried,
            "steps": self.steps,
        }

    def state(self) -> dict[str, Any]:
        """Return the boundary; its positions as text, since words from a file are not trusted."""
        states = [State(self.game, words, new_generator(0)) for words in self.boundary["positions"]]
        return self.boundary | {"positions": [str(state) for state in states]}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned, or from the boundary."""
        positions = state["positions"]
        if not isinstance(positions, np.ndarray):
            positions = self._read_positions(positions)
        self.learner.load_state_dict(state["network"])
        self.learner.eval()
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["generator"])
        batch, decisions = self.env.batch, self.decisions
        batch.set_positions(np.ones(len(batch.over), np.bool_), positions)
        batch.generators[:] = state["chance"].numpy().view(np.uint64)
        self.observations = batch.observations
        self.infos = {"player": batch.players, "action_mask": batch.masks}
        decisions.players[:] = _NOBODY
        for name in Decisions.CARRIED:
            getattr(decisions, name)[: decisions.seats] = state["carried"][name].numpy()
        carried = decisions.players[: decisions.seats]
        own = np.arange(decisions.seats)[:, None]
        if not ((carried == _NOBODY) | (carried == own)).all():
            raise ValueError("an open decision is not in the slot of its seat")
        self.steps = int(state["steps"])
        self.boundary = self._copy_state()

    def _read_positions(self, texts: list[str]) -> NDArray[np.int64]:
        states = [self.game.parse(text) for text in texts]
        if len(states) != self.settings.num_envs or any(state.is_terminal for state in states):
            raise ValueError("it does not hold one running game for each row")
        return np.stack([state.words for state in states])


if __name__ == "__main__":
    from tzaar_envs.training.command import main

    main(Arguments, train)
