"""Example for TorchRL: PPO in self-play.

    tzaar-envs train --algo torchrl turm_und_waechter

One network plays all seats in one batched environment, with masked actions, and learns by TorchRL's
clipped loss (Schulman et al., 2017). TorchRL's own estimate of advantages follows a game from step
to step, although the next step belongs to another seat. Here each seat has a trajectory of its own,
see `ppo.advantages`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import (
    ProbabilisticTensorDictModule,
    ProbabilisticTensorDictSequential,
    TensorDictModule,
)
from torchrl.collectors import Collector
from torchrl.envs import ExplorationType
from torchrl.modules import MaskedCategorical
from torchrl.objectives import ClipPPOLoss

from tzaar_envs.core.kernel import NOBODY
from tzaar_envs.training import run_as_file
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import PositiveInt, PpoSettings
from tzaar_envs.training.ppo import advantages
from tzaar_envs.wrappers.torchrl_env import TorchRLVectorEnv

_KEPT = ("observation", "action_mask", "player", "action", "action_log_prob", "state_value")


@dataclass(kw_only=True)
class TorchRlArguments(PpoSettings):
    """Arguments of a run."""

    algorithm = "torchrl"

    rollout: PositiveInt = 128


class Trajectories:
    """Turns rollouts of games into decisions of seats with their advantages.

    Args:
        num_players: Number of seats.
        gamma: Discount factor.
        gae_lambda: Decay of the estimate.

    Attributes:
        waiting: Decisions whose future the last rollout did not show, `(num_envs, num_players)`
            with a slot for each seat; None before the first rollout.
    """

    def __init__(self, num_players: int, gamma: float, gae_lambda: float) -> None:
        self.num_players = num_players
        self.gamma = gamma
        self.gae_lambda = gae_lambda
        self.waiting: TensorDict | None = None

    def extend(self, collected: TensorDict) -> TensorDict:
        """Return the decisions whose future is now known, and keep the others.

        Args:
            collected: `(num_envs, rollout)`, from TorchRL's collector.

        Returns:
            `(decisions,)`, with the entries that the loss needs.
        """
        played = TensorDict({key: collected[key] for key in _KEPT}, collected.batch_size)
        played["rewards"] = collected["next", "rewards"]
        played["ends"] = collected["next", "done"][..., 0]
        if self.waiting is None:
            slots = played[:, :1].expand(len(played), self.num_players)
            self.waiting = slots.clone().zero_()
            self.waiting["player"].fill_(NOBODY)
        whole = TensorDict.cat([self.waiting, played], dim=1)
        players = whole["player"].numpy()
        estimates, known = advantages(
            players.T,
            whole["state_value"][..., 0].numpy().T,
            whole["rewards"].numpy().swapaxes(0, 1).astype(np.float64),
            whole["ends"].numpy().T,
            self.gamma,
            self.gae_lambda,
        )
        rows, slots = ((players != NOBODY) & ~known.T).nonzero()
        self.waiting["player"].fill_(NOBODY)
        self.waiting[rows, players[rows, slots]] = whole[rows, slots]
        whole["advantage"] = torch.from_numpy(estimates.T.copy())[..., None]
        whole["value_target"] = whole["advantage"] + whole["state_value"]
        return whole[torch.from_numpy(known.T.copy())]


def train(arguments: TorchRlArguments) -> None:
    """Train a policy by PPO in self-play and measure it against the baselines."""
    with Session(arguments, "TorchRL PPO") as session:
        game = session.game

        torch.manual_seed(session.seed)
        network = arguments.new_network(game)
        actor = ProbabilisticTensorDictSequential(
            TensorDictModule(network, ["observation"], ["logits", "state_value"]),
            ProbabilisticTensorDictModule(
                in_keys={"logits": "logits", "mask": "action_mask"},
                out_keys=["action"],
                distribution_class=MaskedCategorical,
                return_log_prob=True,
            ),
        )
        loss_module = ClipPPOLoss(
            actor,
            # The actor has already written the value.
            TensorDictModule(torch.nn.Identity(), ["state_value"], ["state_value"]),
            clip_epsilon=arguments.clip_range,
            entropy_coeff=arguments.entropy,
            critic_coeff=0.5,
            loss_critic_type="l2",
            normalize_advantage=True,
            functional=False,
        )
        optimizer = torch.optim.Adam(network.parameters(), arguments.learning_rate)
        trajectories = Trajectories(game.num_players, arguments.gamma, arguments.gae_lambda)
        session.begin(network, optimizer=optimizer)  # games start again after a resume
        session.checkpoint()

        collector = Collector(
            TorchRLVectorEnv(game, arguments.num_envs, seed=session.seed),
            actor,
            frames_per_batch=arguments.num_envs * arguments.rollout,
            policy_device=network.device,
            env_device="cpu",
            storing_device="cpu",
            exploration_type=ExplorationType.RANDOM,
            track_traj_ids=False,
            auto_register_policy_transforms=False,  # the network has no memory
        )
        rollouts = iter(collector)
        while session.running:
            decisions = trajectories.extend(next(rollouts))
            session.steps += arguments.num_envs * arguments.rollout
            for group in optimizer.param_groups:
                group["lr"] = arguments.learning_rate * session.learning_rate_factor
            terms = None
            for _ in range(arguments.epochs):
                for rows in torch.randperm(len(decisions)).split(arguments.batch_size):
                    if len(rows) < 2:
                        continue  # a single advantage cannot be normalised
                    terms = loss_module(decisions[rows].to(network.device))
                    loss = terms["loss_objective"] + terms["loss_critic"] + terms["loss_entropy"]
                    optimizer.zero_grad()
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                    optimizer.step()
            losses = {"loss": loss, "entropy": terms["entropy"]} if terms is not None else {}
            session.log({f"train/{name}": value.item() for name, value in losses.items()})
            session.checkpoint()
        collector.shutdown(close_env=False)

        session.finish()


if __name__ == "__main__":
    run_as_file("torchrl")
