"""PPO in self-play, in a single file.

    tzaar-envs train --algo ppo turm_und_waechter
    python training/ppo.py turm_und_waechter

One network plays all seats of many games at once (`make_vec`) and learns from
every decision by PPO (Schulman et al., 2017) with masked actions (Huang and Ontañón, 2020).

The decisions of a seat form a trajectory of their own: a decision is followed by the next one of
the *same* seat, whatever the others do in between, or by the end of the game with that seat's
reward. Values are those of the observer, so a seat bootstraps from its own value and no sign is
flipped: -V of the opponent's next observation would be the same only with two seats, zero sum and
no hidden information. So games may have two to six seats, which move once or many times in a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tzaar_envs.core.kernel import NOBODY
from tzaar_envs.envs.vector import VectorGameEnv
from tzaar_envs.make_env import make_vec
from tzaar_envs.networks.network import ILLEGAL_LOGIT
from tzaar_envs.training import run_as_file
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import (
    NonNegativeInt,
    PositiveInt,
    PpoSettings,
    RewardSettings,
)

_VALUE_WEIGHT = 0.5  # in the loss
_MAX_GRADIENT_NORM = 0.5
_LOSSES = (
    "train/policy_loss",
    "train/value_loss",
    "train/entropy",
    "train/approx_kl",
    "train/clip_fraction",
)


# --- arguments -----------------------------------------------------------------------------------


@dataclass(kw_only=True)
class PpoArguments(RewardSettings, PpoSettings):
    """Arguments of a run; the defaults train any game in minutes on two cores.

    Attributes:
        opening: Random plies at the start of a game, at most; they count as steps, but are not
            learnt from.
    """

    algorithm = "ppo"

    rollout: PositiveInt = 128
    opening: NonNegativeInt = 0


# --- legal actions, decisions and their advantages -----------------------------------------------


class LegalActions(NamedTuple):
    """The legal actions of a batch.

    On the CPU they are packed, since they are far fewer than all actions. On an accelerator they
    are all actions, some of them masked, so that it does not wait for the CPU to pack them.

    Attributes:
        actions: Int64 `(B, most)`, ascending in each row; packed ones are padded with 0.
        present: The columns that are legal actions, bool `(B, most)`.
    """

    actions: Tensor
    present: Tensor

    @classmethod
    def of(cls, masks: Tensor) -> LegalActions:
        """Return the legal actions of masks, where the masks are.

        Args:
            masks: Bool `(B, num_actions)`, with a legal action in each row.
        """
        if masks.device.type != "cpu":
            return cls(torch.arange(masks.shape[1], device=masks.device).expand_as(masks), masks)
        rows, actions = masks.numpy().nonzero()
        counts = np.bincount(rows, minlength=len(masks))
        columns = np.arange(len(rows)) - np.repeat(counts.cumsum() - counts, counts)
        packed = np.zeros((len(masks), counts.max()), np.int64)
        packed[rows, columns] = actions
        present = np.arange(counts.max()) < counts[:, None]
        return cls(torch.from_numpy(packed), torch.from_numpy(present))

    def log_policy(self, logits: Tensor) -> Tensor:
        """Return the log probabilities of the actions, `(B, most)`.

        Those that are not legal have no probability and no gradient.

        Args:
            logits: Logits of the network, `(B, num_actions)`.
        """
        packed = logits.gather(1, self.actions).masked_fill(~self.present, ILLEGAL_LOGIT)
        return packed.log_softmax(dim=1)

    def draw(
        self, log_policy: Tensor, generator: torch.Generator = torch.default_generator
    ) -> tuple[Tensor, Tensor]:
        """Draw an action for each row; return them, int64 `(B,)`, and their log probabilities.

        Args:
            log_policy: See the method.
            generator: Source of randomness, on the CPU: the same on every device.
        """
        # The first column whose cumulative sum exceeds a random number: torch.multinomial takes ten
        # times as long. The factor keeps rounding from reaching the whole sum, past the last one of
        # a probability above 0.
        sums = log_policy.exp().cumsum(dim=1)
        drawn = torch.rand(len(sums), 1, generator=generator).to(sums.device)
        columns = torch.searchsorted(sums, drawn * sums[:, -1:] * (1 - 1e-6), right=True)
        return self.actions.gather(1, columns)[:, 0], log_policy.gather(1, columns)[:, 0]

    def of_actions(self, log_policy: Tensor, actions: Tensor) -> Tensor:
        """Return the log probabilities of legal actions, one in each row, `(B,)`."""
        columns = (self.present & (self.actions == actions[:, None])).to(torch.int8)
        return log_policy.gather(1, columns.argmax(dim=1, keepdim=True))[:, 0]


class Decisions:
    """Games in progress and the rollout buffer: the decisions of all seats in some steps of them.

    The first `num_players` slots hold decisions that the previous rollout left open: the seat has
    not decided again and its game is not over, so their future was unknown. Slot i is for seat i.
    The other slots are the steps of this rollout. `T` is the number of slots, `N` that of games.
    As a part of checkpoints it has the games, and the decisions in them that are still open.

    Tensors are on the device, so that nothing waits for it while the games are played but for the
    actions; arrays on the CPU, where advantages are estimated.

    Args:
        env: The games.
        rollout: Number of steps.
        generator: Source of actions and batches.
        device: Where the tensors are.
        opening: Random plies at the start of a game, at most; their slots are empty.

    Attributes:
        rollout_slots: The slots of this rollout.
        random_plies: The random plies that each game still begins with, int64 `(N,)`.
        players: The seat that decided, int64 `(T, N)`; `NOBODY` in an empty slot.
        potentials: The game's evaluation for this seat, float32 `(T, N)`; 0 without shaping.
        observations: Observation of this seat, int8 tensor `(T, N, *observation_shape)`.
        masks: Its legal actions, bool tensor `(T, N, num_actions)`.
        actions: The chosen action, int64 tensor `(T, N)`.
        log_probabilities: Log probability of that action when it was drawn, float32 tensor
            `(T, N)`.
        values: The return that this seat expected, float32 tensor `(T, N)`.
        rewards: Reward of every seat after that step, float64 `(T, N, num_players)`.
        ends: Whether that step ended the game, by the rules or by a move cap, bool `(T, N)`.
    """

    TENSORS = ("observations", "masks", "actions", "log_probabilities", "values")
    CARRIED = ("players", "potentials", *TENSORS)

    def __init__(
        self,
        env: VectorGameEnv,
        rollout: int,
        generator: torch.Generator,
        device: str | torch.device = "cpu",
        opening: int = 0,
    ) -> None:
        self.env, self.generator, self._opening = env, generator, opening
        game = env.game
        self.seats = game.num_players
        self.rollout_slots = range(self.seats, self.seats + rollout)
        shape = (self.seats + rollout, env.num_envs)
        self.players = np.full(shape, NOBODY)
        self.potentials = np.zeros(shape, np.float32)
        self.rewards = np.zeros((*shape, self.seats))
        self.ends = np.zeros(shape, np.bool_)
        seen = (*shape, *game.observation_shape)
        self.observations = torch.zeros(seen, dtype=torch.int8, device=device)
        self.masks = torch.zeros((*shape, game.num_actions), dtype=torch.bool, device=device)
        self.actions = torch.zeros(shape, dtype=torch.int64, device=device)
        self.log_probabilities = torch.zeros(shape, device=device)
        self.values = torch.zeros(shape, device=device)
        self.random_plies = np.zeros(env.num_envs, np.int64)
        self.draw_openings(np.ones(env.num_envs, np.bool_))

    def draw_openings(self, begins: NDArray[np.bool_]) -> None:
        """Draw the number of random plies for the games that begin, bool `(N,)`."""
        size = (int(begins.sum()),)
        plies = torch.randint(self._opening + 1, size, generator=self.generator)
        self.random_plies[begins] = plies.numpy()

    def flat(self, estimates: NDArray[np.float32]) -> dict[str, Tensor]:
        """Return the tensors that are learnt from, with one axis for slots and games.

        Args:
            estimates: Advantages, see `advantages`.

        Returns:
            Observations, masks, actions and log probabilities as above, `advantages`, and the
            targets of the values, `returns`.
        """
        found = torch.from_numpy(estimates).to(self.values.device)
        tensors = {name: getattr(self, name) for name in self.TENSORS}
        tensors |= {"advantages": found, "returns": found + tensors.pop("values")}
        return {name: tensor.flatten(0, 1) for name, tensor in tensors.items()}

    def carry(self, known: NDArray[np.bool_]) -> None:
        """Move the decisions whose future is unknown to the first slots, and drop the others.

        Args:
            known: Bool `(T, N)`, see `advantages`.
        """
        slots, rows = ((self.players != NOBODY) & ~known).nonzero()
        seats = self.players[slots, rows]
        for name in self.CARRIED:
            array = getattr(self, name)
            array[seats, rows] = array[slots, rows]
        self.players[:] = NOBODY
        self.players[seats, rows] = seats

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the games and of what is drawn."""
        batch = self.env.batch
        return {
            "generator": self.generator.get_state(),
            "chance": torch.from_numpy(batch.generators.view(np.int64).copy()),
            "positions": torch.from_numpy(batch.states.copy()),
            "random_plies": torch.from_numpy(self.random_plies.copy()),
            "open": {
                name: torch.as_tensor(getattr(self, name)[: self.seats]).clone()
                for name in self.CARRIED
            },
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a state."""
        batch = self.env.batch
        self.generator.set_state(state["generator"])
        batch.set_positions(np.ones(len(batch.over), np.bool_), state["positions"].numpy())
        batch.set_generators(state["chance"].numpy().view(np.uint64))
        self.random_plies[:] = state["random_plies"]
        self.players[:] = NOBODY
        for name, tensor in state["open"].items():
            getattr(self, name)[: self.seats] = tensor


def advantages(
    players: NDArray[np.int64],
    values: NDArray[np.float32],
    rewards: NDArray[np.float64],
    ends: NDArray[np.bool_],
    gamma: float,
    gae_lambda: float,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Estimate the advantage of every decision by GAE (Schulman et al., 2016).

    For decisions k = 0, 1, … of one seat in one game, with `r_k` the rewards of the seat from
    decision k until before its next:

        delta_k = r_k + gamma * V_(k+1) - V_k        V after the game is 0
        A_k     = delta_k + gamma * gae_lambda * A_(k+1)

    The last decision of a seat in a game that continues after the last slot has an unknown future:
    its value only bootstraps the decision before it. Rewards come at the end of these games, so it
    has not received any yet.

    Args:
        players: The seat that decided, int64 `(T, N)`; `NOBODY` in an empty slot.
        values: The return that this seat expected, float32 `(T, N)`.
        rewards: Reward of every seat after that step, float64 `(T, N, seats)`.
        ends: Whether that step ended the game, bool `(T, N)`.
        gamma: Discount factor.
        gae_lambda: Decay of the estimate.

    Returns:
        Advantages, float32 `(T, N)`, 0 where the future is unknown; and where it is known, bool
        `(T, N)`.
    """
    slots, games, seats = rewards.shape
    result = np.zeros((slots, games), np.float32)
    known = np.zeros((slots, games), np.bool_)
    # Of each seat in each game, from the present slot on.
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
        rows = (players[slot] != NOBODY).nonzero()[0]
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


# --- training ------------------------------------------------------------------------------------


def train(arguments: PpoArguments) -> None:
    """Train a policy by PPO in self-play and measure it against the baselines.

    Raises:
        ValueError: An argument that is not allowed.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
    """
    with Session(arguments, "PPO") as session:
        game = session.game
        device = session.device

        env = make_vec(
            game.spec.env_id,
            num_envs=arguments.num_envs,
            num_threads=1 if device == "cpu" else torch.get_num_threads(),
            seed=session.seed,
            autoreset="same_step",
            copy=False,
            illegal="raise",
            **game.options,
        )
        torch.manual_seed(session.seed)
        network = arguments.new_network(game)
        optimizer = torch.optim.Adam(network.parameters(), arguments.learning_rate)
        generator = torch.Generator().manual_seed(session.seed)
        decisions = Decisions(env, arguments.rollout, generator, device, arguments.opening)
        # Arrays of the env, which every step and a resume overwrite.
        observations, infos = env.reset()

        session.begin(network, optimizer=optimizer, games=decisions)
        session.checkpoint()

        while session.running:
            # --- rollout: the network plays all seats, after random openings ---
            network.eval()
            for slot in decisions.rollout_slots:
                is_random = decisions.random_plies > 0
                decisions.players[slot] = np.where(is_random, NOBODY, infos["player"])
                # Copies: arrays of the env are read-only.
                decisions.observations[slot] = torch.tensor(observations)
                decisions.masks[slot] = torch.tensor(infos["action_mask"])
                if arguments.shaping:
                    decisions.potentials[slot] = env.batch.evaluate(infos["player"])
                with torch.inference_mode():
                    logits, values = network(decisions.observations[slot])
                    decisions.values[slot] = values[:, 0]
                    # Equal logits make an action random.
                    logits[torch.from_numpy(is_random).to(device)] = 0.0
                    legal = LegalActions.of(decisions.masks[slot])
                    log_policy = legal.log_policy(logits)
                    actions, decisions.log_probabilities[slot] = legal.draw(log_policy, generator)
                    decisions.actions[slot] = actions
                observations, _, terminated, truncated, infos = env.step(actions.numpy(force=True))
                decisions.rewards[slot] = infos["rewards"]
                decisions.ends[slot] = terminated | truncated
                decisions.random_plies -= is_random
                decisions.draw_openings(decisions.ends[slot])
                is_draw = decisions.ends[slot][:, None] & (decisions.rewards[slot] == 0)
                decisions.rewards[slot][is_draw] = arguments.draw
            steps, ended = arguments.num_envs * arguments.rollout, int(decisions.ends.sum())
            session.steps += steps
            metrics = {"games/ended": ended} | ({"games/plies": steps / ended} if ended else {})

            # --- update, from the decisions whose future is known ---
            estimates, known = advantages(
                decisions.players,
                decisions.values.numpy(force=True) + arguments.shaping * decisions.potentials,
                decisions.rewards,
                decisions.ends,
                arguments.gamma,
                arguments.gae_lambda,
            )
            for group in optimizer.param_groups:
                group["lr"] = arguments.learning_rate * session.learning_rate_factor
            network.train()
            samples, losses = decisions.flat(estimates), []
            learnt = torch.from_numpy(known.ravel().nonzero()[0])
            for _ in range(arguments.epochs):
                order = learnt[torch.randperm(len(learnt), generator=generator)].to(device)
                for rows in order.split(arguments.batch_size):
                    if len(rows) < 2:
                        continue  # a single advantage has no deviation
                    batch = {name: tensor[rows] for name, tensor in samples.items()}
                    logits, values = network(batch["observations"])
                    legal = LegalActions.of(batch["masks"])
                    log_policy = legal.log_policy(logits)
                    chosen = legal.of_actions(log_policy, batch["actions"])
                    log_ratio = chosen - batch["log_probabilities"]
                    ratio = log_ratio.exp()
                    clipped = ratio.clamp(1 - arguments.clip_range, 1 + arguments.clip_range)
                    centred = batch["advantages"] - batch["advantages"].mean()
                    advantage = centred / (batch["advantages"].std() + 1e-8)
                    policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
                    value_loss = (values[:, 0] - batch["returns"]).square().mean()
                    entropy = -(log_policy.exp() * log_policy).sum(dim=1).mean()
                    loss = policy_loss + _VALUE_WEIGHT * value_loss - arguments.entropy * entropy
                    optimizer.zero_grad()
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(network.parameters(), _MAX_GRADIENT_NORM)
                    optimizer.step()

                    approx_kl = (ratio - 1 - log_ratio).mean()
                    clip_fraction = (clipped != ratio).float().mean()
                    terms = (policy_loss, value_loss, entropy, approx_kl, clip_fraction)
                    losses.append(torch.stack(terms).detach())
            decisions.carry(known)

            if losses:
                means = torch.stack(losses).mean(dim=0).tolist()
                metrics |= dict(zip(_LOSSES, means, strict=True))
            session.log(metrics)
            session.checkpoint()

        session.finish()


if __name__ == "__main__":
    run_as_file("ppo")
