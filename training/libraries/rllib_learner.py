"""PPO learner of RLlib with a learning rate from outside (needs the extra `rllib`)."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import torch
from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from torch import Tensor

from tzaar_envs.training.libraries.rllib_league import LEARNER


class LeagueLearner(PPOTorchLearner):
    """Trains the learner of a league; the other members only receive weights.

    RLlib's own schedules know only steps, the session's budget may be in minutes.
    """

    def configure_optimizers_for_module(
        self, module_id: str, config: AlgorithmConfig | None = None
    ) -> None:
        """Make an optimizer for the learner."""
        if module_id == LEARNER:
            parameters = self.get_parameters(self.module[LEARNER])
            self.register_optimizer(
                module_id=LEARNER, optimizer=torch.optim.Adam(parameters), params=parameters
            )

    def set_rate(self, rate: float) -> None:
        """Set the learning rate of the updates from now on."""
        for group in self.get_optimizer(LEARNER).param_groups:
            group["lr"] = rate

    def weights_of(self, module_id: str) -> dict[str, Tensor]:
        """Return copies of the weights of a member of the league, on the CPU."""
        network = self.module[module_id].unwrapped().network
        return {name: tensor.cpu().clone() for name, tensor in network.state_dict().items()}

    def optimizer_state(self) -> dict[str, Any]:
        """Return a copy of the optimizer's state: numbers, tensors and plain containers."""
        return copy.deepcopy(self.get_optimizer(LEARNER).state_dict())

    def set_optimizer_state(self, state: dict[str, Any]) -> None:
        """Continue from a state that `optimizer_state` returned.

        Raises:
            LookupError, ValueError: it does not fit.
        """
        self.get_optimizer(LEARNER).load_state_dict(state)

    def replace(self, weights: Mapping[str, Mapping[str, Tensor]]) -> dict[str, Any]:
        """Give members of the league other weights.

        Returns:
            The new states of their modules.

        Raises:
            RuntimeError: they do not fit the network.
        """
        for module_id, values in weights.items():
            self.module[module_id].unwrapped().network.load_state_dict(values)
        return {module_id: self.module[module_id].get_state() for module_id in weights}
