"""`PolicyNetwork` as a policy of sb3-contrib (needs the extra `sb3`)."""

from __future__ import annotations

import copy
import math
from typing import Any

from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor

from tzaar_envs.policies.network import NetworkShape, PolicyNetwork


class TrunkExtractor(BaseFeaturesExtractor):
    """The trunk of a `PolicyNetwork` as a features extractor, with flat features as SB3 wants."""

    def __init__(self, observation_space: spaces.Box, shape: NetworkShape) -> None:
        super().__init__(observation_space, features_dim=math.prod(shape.feature_shape))
        self.trunk = PolicyNetwork(shape).trunk

    def forward(self, observations: Tensor) -> Tensor:
        """Return the flattened features."""
        features: Tensor = self.trunk(observations)
        return features.flatten(1)


class TrunkPolicy(MaskableActorCriticPolicy):
    """Actor and critic with the trunk and the heads of a `PolicyNetwork`.

    Args:
        *args: see the base class.
        shape: of the network.
        **kwargs: see the base class.
    """

    def __init__(self, *args: Any, shape: NetworkShape, **kwargs: Any) -> None:
        self.shape = shape
        super().__init__(
            *args,
            net_arch=[],
            features_extractor_class=TrunkExtractor,
            features_extractor_kwargs={"shape": shape},
            **kwargs,
        )

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        network = PolicyNetwork(self.shape)
        self.action_net = network.policy
        self.value_net = network.value
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def copy_network(self) -> PolicyNetwork:
        """Return a copy of the present network, in evaluation mode, on the CPU."""
        network = PolicyNetwork(self.shape)
        network.trunk = copy.deepcopy(self.features_extractor.trunk)
        network.policy = copy.deepcopy(self.action_net)
        network.value = copy.deepcopy(self.value_net)
        return network.cpu().eval()

    def load_network(self, network: PolicyNetwork) -> None:
        """Copy the weights of a network of the same shape."""
        self.features_extractor.trunk.load_state_dict(network.trunk.state_dict())
        self.action_net.load_state_dict(network.policy.state_dict())
        self.value_net.load_state_dict(network.value.state_dict())
