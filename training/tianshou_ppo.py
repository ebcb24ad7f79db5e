"""Example for Tianshou: PPO in one seat.

    tzaar-envs train --algo tianshou-ppo turm_und_waechter

The network learns by PPO (Schulman et al., 2017) with masked actions in games against its opponents
and its own snapshots (see `common/opponents.py`). Tianshou's own collector asks one environment
object after the other; `collect` steps all games as one batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory, LRSchedulerFactory
from tianshou.data import Batch, VectorReplayBuffer, to_numpy
from tianshou.utils.torch_utils import policy_within_training_step
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

from tzaar_envs.networks.network import ILLEGAL_LOGIT, AnyNetwork
from tzaar_envs.training import run_as_file
from tzaar_envs.training.common.opponents import OneSeatSettings, open_games
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import Fraction, PpoSettings
from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv


@dataclass(kw_only=True)
class TianshouPpoArguments(OneSeatSettings, PpoSettings):
    """Arguments of a run."""

    algorithm = "tianshou-ppo"

    gae_lambda: Fraction = 0.96


class Actor(nn.Module):
    """Logits of the actions; illegal ones have no probability and no gradient.

    Tianshou asks the actor and then the critic about each minibatch: the values of the network are
    kept for the critic, so that it is evaluated once.

    Args:
        network: Network that is shared with the critic.
    """

    def __init__(self, network: AnyNetwork) -> None:
        super().__init__()
        self.network = network
        self.seen: NDArray[np.int8] | None = None
        self.values: Tensor

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Tensor, Any]:
        """Return logits, float32 `(B, num_actions)`, and the state that was given."""
        self.seen = obs.obs
        logits, self.values = self.network(torch.from_numpy(obs.obs))
        is_illegal = torch.from_numpy(~obs.mask).to(logits.device)
        return logits.masked_fill(is_illegal, ILLEGAL_LOGIT), state


class Critic(nn.Module):
    """The expected return.

    Args:
        actor: Actor with the same network.
    """

    def __init__(self, actor: Actor) -> None:
        super().__init__()
        self.actor = actor

    def forward(self, obs: Any) -> Tensor:
        """Return values, float32 `(B, 1)`."""
        seen, self.actor.seen = self.actor.seen, None
        if seen is obs.obs and self.actor.values.requires_grad == torch.is_grad_enabled():
            return self.actor.values
        values: Tensor = self.actor.network(torch.from_numpy(obs.obs))[1]
        return values


@dataclass
class BudgetSchedule(LRSchedulerFactory):
    """A learning rate that decays with the budget of a session."""

    session: Session[Any]

    def create_scheduler(self, optim: Optimizer) -> LambdaLR:
        """Return the schedule of an optimizer."""
        return LambdaLR(optim, lambda _: self.session.learning_rate_factor)


def collect(
    env: SingleAgentVecEnv,
    policy: Any,
    steps: int,
    buffer: VectorReplayBuffer,
) -> int:
    """Play steps of all games into a replay buffer, and return the number of decisions."""
    for _ in range(steps):
        seen = Batch(obs=env.games.batch.observations.copy(), mask=env.action_masks().copy())
        with torch.no_grad():
            actions = to_numpy(policy(Batch(obs=seen, info=Batch())).act)
        following, rewards, over, _ = env.step(actions)
        # A game that a move cap cuts counts as over: its rewards are those of the rules. So nobody
        # looks at the position after it, which is the first one of the next game.
        buffer.add(
            Batch(
                obs=seen,
                act=actions,
                rew=rewards,
                terminated=over,
                truncated=np.zeros_like(over),
                obs_next=Batch(obs=following, mask=env.action_masks().copy()),
                info=Batch(),
            )
        )
    return steps * env.num_envs


def train(arguments: TianshouPpoArguments) -> None:
    """Train a policy by PPO and measure it against the baselines."""
    with Session(arguments, "Tianshou PPO") as session:
        game = session.game

        env, schedule = open_games(session)
        env.reset()
        torch.manual_seed(session.seed)
        np.random.seed(session.seed)  # noqa: NPY002 Tianshou shuffles with it
        buffer = VectorReplayBuffer(
            arguments.num_envs * arguments.rollout, arguments.num_envs, random_seed=session.seed
        )
        network = arguments.new_network(game)
        actor = Actor(network)
        algorithm = PPO(
            policy=DiscreteActorPolicy(actor=actor, action_space=env.action_space),
            critic=Critic(actor),
            optim=AdamOptimizerFactory(arguments.learning_rate).with_lr_scheduler_factory(
                BudgetSchedule(session)
            ),
            eps_clip=arguments.clip_range,
            vf_coef=0.5,
            ent_coef=arguments.entropy,
            max_grad_norm=0.5,
            gae_lambda=arguments.gae_lambda,
            max_batchsize=arguments.batch_size,
            gamma=arguments.gamma,
        )
        # Games start again after a resume; the rest continues.
        session.begin(network, optimizer=algorithm.optim, schedule=schedule)
        schedule.load_snapshots(session)
        session.checkpoint()

        while session.running:
            session.steps += collect(env, algorithm.policy, arguments.rollout, buffer)
            with policy_within_training_step(algorithm.policy):
                statistics = algorithm.update(buffer, arguments.batch_size, arguments.epochs)
            buffer.reset(keep_statistics=True)
            losses = statistics.get_loss_stats_dict()
            schedule.after_update(
                session, {f"train/{name}": value for name, value in losses.items()}
            )

        session.finish()


if __name__ == "__main__":
    run_as_file("tianshou-ppo")
