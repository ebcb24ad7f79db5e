"""A policy network as a policy of sb3-contrib (needs the extra `sb3`)."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor

from tzaar_envs.core.game import Game
from tzaar_envs.networks.network import AnyNetwork, AnyShape, network_of
from tzaar_envs.training.common.legal_actions import LegalActions, draw


class NetworkPolicy(MaskableActorCriticPolicy):
    """Actor and critic in one network.

    Probabilities are computed of the legal actions alone: the library's own distributions take as
    long as the network, since a board game has a thousand actions of which some twenty are legal.

    Args:
        *args: see the base class.
        shape: of the network.
        game: the game, for how positions are turned.
        **kwargs: see the base class.
    """

    def __init__(self, *args: Any, shape: AnyShape, game: Game, **kwargs: Any) -> None:
        self.shape = shape
        self.game = game
        super().__init__(*args, net_arch=[], **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        self.network = network_of(self.shape, self.game)
        self.optimizer = self.optimizer_class(
            self.network.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def forward(
        self,
        obs: Tensor,
        deterministic: bool = False,
        action_masks: NDArray[np.bool_] | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions `(B,)`, values `(B, 1)` and the log probabilities of the actions `(B,)`.

        Args:
            obs: `(B, *observation_shape)`.
            deterministic: choose the most likely action, else draw.
            action_masks: the legal actions, bool `(B, num_actions)`; None: all.
        """
        logits, values = self.network(obs)
        legal = _legal(logits, action_masks)
        log_policy = legal.log_policy(logits)
        if deterministic:
            columns = log_policy.argmax(dim=1, keepdim=True)
        else:
            columns = draw(log_policy, torch.default_generator)
        actions = legal.actions.gather(1, columns)[:, 0]
        return actions, values, log_policy.gather(1, columns)[:, 0]

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return values `(B, 1)`, log probabilities of actions `(B,)` and entropies `(B,)`.

        Args:
            obs: `(B, *observation_shape)`.
            actions: int64 `(B,)`, legal ones.
            action_masks: the legal actions, `(B, num_actions)`; None: all.
        """
        logits, values = self.network(obs)
        legal = _legal(logits, None if action_masks is None else action_masks.numpy())
        log_policy = legal.log_policy(logits)
        columns = (legal.present & (legal.actions == actions[:, None])).to(torch.int8)
        chosen = log_policy.gather(1, columns.argmax(dim=1, keepdim=True))[:, 0]
        return values, chosen, -(log_policy.exp() * log_policy).sum(dim=1)

    def get_distribution(
        self, obs: Tensor, action_masks: NDArray[np.bool_] | None = None
    ) -> MaskableDistribution:
        """Return the distribution of the actions, which `predict` draws from.

        Args:
            obs: `(B, *observation_shape)`.
            action_masks: the legal actions, bool `(B, num_actions)`; None: all.
        """
        distribution = self.action_dist.proba_distribution(self.network(obs)[0])
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution

    def predict_values(self, obs: Tensor) -> Tensor:
        """Return values `(B, 1)` of observations `(B, *observation_shape)`."""
        values: Tensor = self.network(obs)[1]
        return values

    def copy_network(self) -> AnyNetwork:
        """Return a copy of the present network, in evaluation mode, on the CPU."""
        return copy.deepcopy(self.network).cpu().eval()

    def load_network(self, network: AnyNetwork) -> None:
        """Copy the weights of a network of the same shape."""
        self.network.load_state_dict(network.state_dict())


def _legal(logits: Tensor, masks: NDArray[np.generic] | None) -> LegalActions:
    if masks is None:
        return LegalActions.of(np.ones(tuple(logits.shape), np.bool_))
    return LegalActions.of(np.asarray(masks).astype(np.bool_).reshape(tuple(logits.shape)))
