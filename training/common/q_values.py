"""Action values from a policy network, for scripts that learn Q values, and how they learn them.

The value head gives the value of a position, the logits how much better or worse an action is than
the mean of the legal ones (the dueling form of Wang et al., 2016, equation 9):

    Q(s, a) = V(s) + SCALE * (logit(s, a) - mean_b logit(s, b))         a, b legal in s

So a saved policy is an ordinary one: its likeliest legal action is the greedy one, its value is
that of the play that taught it, and to draw from it, as snapshots do, is to draw from the softmax
of Q with temperature `SCALE`.

Both heads learn by DQV (Deep Quality-Value learning; Sabatelli et al., 2018): the target of a
position and that of an action are rewards and the value of a later position, not the highest of its
action values. The position's is many decisions later, so a reward at the end of a game is soon
known everywhere; the action's is one, so it has little noise of all that comes after.

Actions are drawn from the softmax of their values, with a temperature that falls: as long as the
values of actions hardly differ, all are tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tzaar_envs.networks.network import ILLEGAL_LOGIT
from tzaar_envs.training.common.opponents import OneSeatSettings
from tzaar_envs.training.common.settings import Fraction, NonNegativeInt, PositiveFloat, PositiveInt

Network = Callable[[Tensor], tuple[Tensor, Tensor]]

SCALE = 0.1  # difference in value of two actions of which one is e times as likely


@dataclass(kw_only=True)
class DqnSettings(OneSeatSettings):
    """Settings of the scripts that learn by DQN, found by trials in all games.

    Attributes:
        num_envs: Number of games played in parallel.
        rollout: Steps of each game between two updates of the network.
        batch_size: Samples in each gradient step.
        learning_rate: Initial learning rate; decays to 10 %.
        gamma: Discount factor of future rewards, per decision.
        gradient_steps: Gradient steps in each update.
        buffer_size: Capacity of the replay buffer, in decisions.
        learning_starts: Decisions in the replay buffer before the first update.
        n_steps: Decisions whose rewards are summed before bootstrapping from a later value.
        advantage_weight: Weight of the error of advantages, beside that of values.
        temperature: Initial temperature of the softmax of action values from which actions are
            drawn; decays to 10 %.
    """

    num_envs: PositiveInt = 64
    rollout: PositiveInt = 16
    batch_size: PositiveInt = 512
    learning_rate: PositiveFloat = 2e-3
    gamma: Fraction = 0.99
    gradient_steps: PositiveInt = 4
    buffer_size: PositiveInt = 50_000
    learning_starts: NonNegativeInt = 4096
    n_steps: PositiveInt = 64
    advantage_weight: PositiveFloat = 100.0
    temperature: PositiveFloat = 0.1


def q_values(network: Network, observations: Tensor, masks: Tensor) -> Tensor:
    """Return the values of all actions, float32 `(B, num_actions)`; illegal: `ILLEGAL_LOGIT`.

    Args:
        network: A `PolicyNetwork`, or a function like it.
        observations: int8 `(B, *observation_shape)`.
        masks: Bool `(B, num_actions)`; a row without legal actions has no values.
    """
    values, advantages = _parts(network, observations, masks)
    return (values + advantages).masked_fill(~masks.to(values.device), ILLEGAL_LOGIT)


def dqv_loss(
    network: Network,
    observations: Tensor,
    masks: Tensor,
    actions: Tensor,
    value_targets: Tensor,
    action_targets: Tensor,
    advantage_weight: float,
) -> Tensor:
    """Return the mean loss of both heads, float32 `()`.

    It is the squared error of the values, and `advantage_weight` times that of the advantages.
    Advantages have no part in the error of values, nor values in that of advantages.

    Args:
        network: See `q_values`.
        observations: See `q_values`.
        masks: See `q_values`.
        actions: Actions that were played, int64 `(B, 1)`.
        value_targets: Targets of the positions, float32 `(B, 1)`.
        action_targets: Targets of the actions, float32 `(B, 1)`.
        advantage_weight: Differences between actions are small beside those between positions, so
            without a great weight they are not learnt.
    """
    values, advantages = _parts(network, observations, masks)
    errors = value_targets - values
    advantage_errors = action_targets - values.detach() - advantages.gather(1, actions)
    return errors.square().mean() + advantage_weight * advantage_errors.square().mean()


def _parts(network: Network, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
    """Return values `(B, 1)`, and advantages of the actions `(B, num_actions)`."""
    logits, values = network(observations)
    masks = masks.to(logits.device)
    legal = logits.masked_fill(~masks, 0.0)
    means = legal.sum(dim=1, keepdim=True) / masks.sum(dim=1, keepdim=True).clamp(min=1)
    return values, SCALE * (logits - means)


def draw_softmax(values: Tensor, temperature: float, rng: np.random.Generator) -> Tensor:
    """Draw an action of each row from the softmax of its values, int64 `(B,)`.

    Drawn with Gumbel noise: the action of the highest sum of value and noise (Gumbel, 1954).

    Args:
        values: Result of `q_values`, with a legal action in each row.
        temperature: Difference in value of two actions of which one is e times as likely; 0: the
            action of the highest value.
        rng: Source of randomness.
    """
    noise = torch.from_numpy(rng.gumbel(size=values.shape).astype(np.float32))
    return (values + temperature * noise.to(values.device)).argmax(dim=1)
