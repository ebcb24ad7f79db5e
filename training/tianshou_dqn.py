"""Example for Tianshou: DQN in one seat.

    tzaar-envs train --algo tianshou-dqn turm_und_waechter

The network learns the values of legal actions by DQN (Mnih et al., 2015), with targets that the
value head gives (DQV, see `common/q_values.py`), in games against its opponents and its own
snapshots (see `common/opponents.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy, SimpleLossTrainingStats
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, VectorReplayBuffer
from tianshou.utils.torch_utils import policy_within_training_step
from torch import Tensor, nn

from tzaar_envs.training import run_as_file
from tzaar_envs.training.common.opponents import open_games
from tzaar_envs.training.common.q_values import DqnSettings, dqv_loss, draw_softmax, q_values
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.tianshou_ppo import BudgetSchedule, collect


@dataclass(kw_only=True)
class TianshouDqnArguments(DqnSettings):
    """Arguments of a run."""

    algorithm = "tianshou-dqn"


class SoftmaxPolicy(DiscreteQLearningPolicy):
    """Draws an action from the softmax of the values of the legal ones.

    Args:
        *args: See the base class.
        seed: Seed of what is drawn.
        **kwargs: See the base class.

    Attributes:
        temperature: Temperature of the softmax; 0: the action of the highest value.
    """

    def __init__(self, *args: Any, seed: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.temperature = 0.0
        self._rng = np.random.default_rng(seed)

    def forward(self, batch: Any, state: Any = None, model: nn.Module | None = None) -> Any:
        """Return actions, `act`, and the values of all actions, `logits`."""
        network = self.model if model is None else model
        observations, masks = torch.from_numpy(batch.obs.obs), torch.from_numpy(batch.obs.mask)
        values = q_values(network, observations, masks)
        actions = draw_softmax(values, self.temperature, self._rng).numpy(force=True)
        return Batch(logits=values, act=actions, state=state)


class DQV(DQN[SoftmaxPolicy]):
    """DQN with the loss of `common/q_values.py`, without a target network.

    Args:
        advantage_weight: See `dqv_loss`.
        **kwargs: See the base class.
    """

    def __init__(self, *, advantage_weight: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.advantage_weight = advantage_weight

    def _target_q(self, buffer: Any, indices: NDArray[np.int64]) -> Tensor:
        """Return the values of the positions after these decisions, float32 `(B, 1)`."""
        values: Tensor = self.policy.model(torch.from_numpy(buffer[indices].obs_next.obs))[1]
        return values.contiguous()  # what Tianshou's compiled code asks for

    def _preprocess_batch(self, batch: Any, buffer: Any, indices: NDArray[np.int64]) -> Any:
        """Add the targets of positions, `returns`, and those of actions, `action_returns`."""
        for name, steps in (("action_returns", 1), ("returns", self.n_step)):
            found = self.compute_nstep_return(
                batch, buffer, indices, self._target_q, gamma=self.gamma, n_step=steps
            )
            batch[name] = found.returns
        return batch

    def _update_with_batch(self, batch: Any) -> SimpleLossTrainingStats:
        loss = dqv_loss(
            self.policy.model,
            torch.from_numpy(batch.obs.obs),
            torch.from_numpy(batch.obs.mask),
            torch.from_numpy(batch.act)[:, None].to(batch.returns.device),
            batch.returns,
            batch.action_returns,
            self.advantage_weight,
        )
        self.optim.step(loss)
        return SimpleLossTrainingStats(loss=loss.item())


def train(arguments: TianshouDqnArguments) -> None:
    """Train a policy by DQN and measure it against the baselines."""
    with Session(arguments, "Tianshou DQN") as session:
        game = session.game

        env, schedule = open_games(session)
        env.reset()
        torch.manual_seed(session.seed)
        np.random.seed(session.seed)  # noqa: NPY002 Tianshou draws with it
        games = arguments.num_envs
        size = max(arguments.buffer_size // games, 1) * games
        buffer = VectorReplayBuffer(size, games, random_seed=session.seed)
        network = arguments.new_network(game)
        policy = SoftmaxPolicy(model=network, action_space=env.action_space, seed=session.seed)
        algorithm = DQV(
            policy=policy,
            optim=AdamOptimizerFactory(arguments.learning_rate).with_lr_scheduler_factory(
                BudgetSchedule(session)
            ),
            gamma=arguments.gamma,
            n_step_return_horizon=arguments.n_steps,
            advantage_weight=arguments.advantage_weight,
        )
        # Games and replay buffer start again after a resume; the rest continues.
        session.begin(network, optimizer=algorithm.optim, schedule=schedule)
        schedule.load_snapshots(session)
        session.checkpoint()

        first_update = session.steps + arguments.learning_starts
        while session.running:
            policy.temperature = arguments.temperature * session.learning_rate_factor
            session.steps += collect(env, policy, arguments.rollout, buffer)
            losses = []
            if session.steps >= first_update:
                with policy_within_training_step(policy):
                    for _ in range(arguments.gradient_steps):
                        losses.append(algorithm.update(buffer, arguments.batch_size).loss)
            schedule.after_update(session, {"train/loss": np.mean(losses)} if losses else {})

        session.finish()


if __name__ == "__main__":
    run_as_file("tianshou-dqn")
