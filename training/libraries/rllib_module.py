"""A policy network as RLModules of RLlib (needs the extra `rllib`).

All modules read batches of `{"observations": int8 (B, *observation_shape), "action_mask": int8
(B, num_actions)}` and give illegal actions a logit so low that their probability is 0: when actions
are drawn, when they are learnt, and in the entropy.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from gymnasium import spaces
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from tzaar_envs.networks.network import ILLEGAL_LOGIT, AnyNetwork, AnyShape, network_of, shape_of


def _masked(logits: Tensor, mask: Tensor) -> dict[str, Tensor]:
    return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(mask == 0, ILLEGAL_LOGIT)}


class UniformModule(TorchRLModule):
    """Draws uniformly from the legal actions, without weights."""

    def setup(self) -> None:
        """Do nothing: it has no weights."""

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Tensor]:
        mask = batch[Columns.OBS]["action_mask"]
        return _masked(torch.zeros(mask.shape), mask)


class PolicyModule(TorchRLModule):
    """Plays by a policy network, for members that do not learn and need no value.

    Attributes:
        network: of `model_config["shape"]`.
    """

    network: AnyNetwork

    def setup(self) -> None:
        """Make the network."""
        self.network = network_of(shape_of(self.model_config["shape"]))

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Tensor]:
        seen = batch[Columns.OBS]
        logits, _ = self.network(seen["observations"])
        return _masked(logits, seen["action_mask"])


class LearningModule(PolicyModule, ValueFunctionAPI):
    """Policy and value of one network, for an actor-critic algorithm such as PPO."""

    def _forward_train(self, batch: dict[str, Any], **_: Any) -> dict[str, Tensor]:
        seen = batch[Columns.OBS]
        logits, values = self.network(seen["observations"])
        return {**_masked(logits, seen["action_mask"]), Columns.EMBEDDINGS: values}

    def compute_values(self, batch: dict[str, Any], embeddings: Tensor | None = None) -> Tensor:
        """Return the expected returns of the observers, `(B,)`.

        Args:
            batch: their observations.
            embeddings: the values, `(B, 1)`, if they are known already; without them the values
                have no gradient.
        """
        if embeddings is None:
            with torch.no_grad():
                _, embeddings = self.network(batch[Columns.OBS]["observations"])
        return embeddings[:, 0]


def spec_of(
    kind: type[TorchRLModule],
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    shape: AnyShape,
) -> RLModuleSpec:
    """Return the specification from which RLlib builds a module, here and on other machines."""
    return RLModuleSpec(
        module_class=kind,
        observation_space=observation_space,
        action_space=action_space,
        model_config={"shape": dataclasses.asdict(shape)},
    )
