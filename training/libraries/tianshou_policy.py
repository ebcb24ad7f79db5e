"""A policy network as policies of Tianshou with masked actions (needs the extra `tianshou`).

Observations are batches with the entries `obs`, int8 `(B, *observation_shape)`, and `mask`, bool
`(B, num_actions)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tianshou.algorithm.modelfree.dqn import (
    DQN,
    DiscreteQLearningPolicy,
    SimpleLossTrainingStats,
)
from tianshou.algorithm.optim import LRSchedulerFactory
from tianshou.data import Batch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

from tzaar_envs.networks.network import ILLEGAL_LOGIT, AnyNetwork
from tzaar_envs.training.common.q_values import dqv_loss, draw_softmax, q_values
from tzaar_envs.training.common.session import Session


class QPolicy(DiscreteQLearningPolicy):
    """Draws an action from the softmax of the values of the legal ones.

    Args:
        *args: see the base class.
        seed: fixes what is drawn.
        **kwargs: see the base class.

    Attributes:
        temperature: of the softmax; 0: the action of the highest value.
    """

    def __init__(self, *args: Any, seed: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.temperature = 0.0
        self._rng = np.random.default_rng(seed)

    def forward(self, batch: Any, state: Any = None, model: nn.Module | None = None) -> Any:
        """Return actions, `act`, and the values of all actions, `logits`.

        Args:
            batch: with the entry `obs`.
            state: of a recurrent network, not used.
            model: the network to use instead of the policy's own.
        """
        network = self.model if model is None else model
        observations, masks = torch.from_numpy(batch.obs.obs), torch.from_numpy(batch.obs.mask)
        values = q_values(network, observations, masks)
        actions = draw_softmax(values, self.temperature, self._rng).numpy()
        return Batch(logits=values, act=actions, state=state)


class DQV(DQN[QPolicy]):
    """DQN with the loss of `common/q_values.py`, without a target network.

    Args:
        advantage_weight: see `dqv_loss`.
        **kwargs: see the base class.
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

        def returns_after(steps: int) -> Tensor:
            given = self.compute_nstep_return(
                batch, buffer, indices, self._target_q, gamma=self.gamma, n_step=steps
            )
            returns: Tensor = given.returns
            return returns

        batch.action_returns = returns_after(1)
        batch.returns = returns_after(self.n_step)
        return batch

    def _update_with_batch(self, batch: Any) -> SimpleLossTrainingStats:
        loss = dqv_loss(
            self.policy.model,
            torch.from_numpy(batch.obs.obs),
            torch.from_numpy(batch.obs.mask),
            torch.from_numpy(batch.act)[:, None],
            batch.returns,
            batch.action_returns,
            self.advantage_weight,
        )
        self.optim.step(loss)
        return SimpleLossTrainingStats(loss=loss.item())


class Actor(nn.Module):
    """Logits of the actions; illegal ones have no probability and no gradient.

    Args:
        network: shared with the critic.
    """

    def __init__(self, network: AnyNetwork) -> None:
        super().__init__()
        self.network = network
        self._seen: NDArray[np.int8] | None = None
        self._values: Tensor

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Tensor, Any]:
        """Return logits, float32 `(B, num_actions)`, and the state that was given."""
        self._seen = obs.obs
        logits, self._values = self.network(torch.from_numpy(obs.obs))
        return logits.masked_fill(~torch.from_numpy(obs.mask), ILLEGAL_LOGIT), state

    def take_values(self, obs: Any) -> Tensor | None:
        """Return, once, what the network said of the latest positions; None if these are others."""
        is_known = self._seen is obs.obs and self._values.requires_grad == torch.is_grad_enabled()
        self._seen = None
        return self._values if is_known else None


class Critic(nn.Module):
    """The expected return.

    Tianshou asks the actor and then the critic about each minibatch: that is one evaluation of the
    network, and one backward pass.

    Args:
        actor: of the same network.
    """

    def __init__(self, actor: Actor) -> None:
        super().__init__()
        self.actor = actor

    def forward(self, obs: Any) -> Tensor:
        """Return values, float32 `(B, 1)`."""
        known = self.actor.take_values(obs)
        if known is not None:
            return known
        values: Tensor = self.actor.network(torch.from_numpy(obs.obs))[1]
        return values


class BudgetSchedule(LRSchedulerFactory):
    """A learning rate that decays with the budget of a session.

    Args:
        session: of the run.
    """

    def __init__(self, session: Session[Any]) -> None:
        self.session = session

    def create_scheduler(self, optim: Optimizer) -> LambdaLR:
        """Return the schedule of an optimizer."""
        return LambdaLR(optim, lambda _: self.session.learning_rate_factor)
