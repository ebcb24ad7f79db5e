"""Fully connected layers for observations that are vectors.

`B` is the batch, `P` the numbers of an observation, `U` the units of a layer, `A` the actions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

UNITS_PER_CHANNEL = 8


class FlatBlock(nn.Module):
    """Two fully connected layers plus the identity (He et al., 2016)."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.first = nn.Linear(units, units)
        self.second = nn.Linear(units, units)

    def forward(self, features: Tensor) -> Tensor:
        """Map `(B, U)` to the same shape."""
        return torch.relu(features + self.second(torch.relu(self.first(features))))


class FlatTrunk(nn.Module):
    """Maps observations `(B, P)`, int8 or float, to features `(B, U)`."""

    scale: Tensor

    def __init__(self, highs: Sequence[int], units: int, blocks: int) -> None:
        super().__init__()
        scale = torch.tensor([1.0 / high for high in highs])
        self.register_buffer("scale", scale, persistent=False)
        self.stem = nn.Linear(len(highs), units)
        self.blocks = nn.Sequential(*[FlatBlock(units) for _ in range(blocks)])
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.orthogonal_(module.weight, gain=math.sqrt(2))
                nn.init.zeros_(module.bias)

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features of a batch of observations."""
        features: Tensor = self.blocks(torch.relu(self.stem(observations.float() * self.scale)))
        return features


class FlatPolicyHead(nn.Linear):
    """Maps features `(B, U)` to one logit per action, `(B, A)`."""

    def __init__(self, units: int, actions: int) -> None:
        super().__init__(units, actions)
        # Nearly equal logits at the start, so that the first games explore evenly.
        nn.init.orthogonal_(self.weight, gain=0.01)
        nn.init.zeros_(self.bias)


class FlatValueHead(nn.Module):
    """Maps features `(B, U)` to the expected return of the observer, `(B, 1)`."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(units, 64)
        self.value = nn.Linear(64, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Map `(B, U)` to `(B, 1)`."""
        value: Tensor = self.value(torch.relu(self.hidden(features)))
        return value
