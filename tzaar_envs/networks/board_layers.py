"""Convolutional layers for observations that are planes of a board.

`B` is the batch, `P` the observation planes, `R` and `C` rows and columns, `W` the width of the
network, `A` the actions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


def by_cell(features: Tensor) -> Tensor:
    """Return features `(B, W, R, C)` as a vector per cell, `(B, R * C, W)`.

    In this form, sums over the board and their gradients are matrix products. In the other form
    they take a quarter to a third of the training time, since PyTorch copies what it sums up.
    """
    return features.permute(0, 2, 3, 1).flatten(1, 2)


def mean_of(cells: Tensor) -> Tensor:
    """Return the mean of `by_cell` over the cells, `(B, 1, W)`."""
    batch, count, _ = cells.shape
    return torch.bmm(cells.new_full((batch, 1, count), 1 / count), cells)


class GlobalBias(nn.Module):
    """Adds a linear map of the mean over all cells, so that every cell sees the whole board."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, features: Tensor) -> Tensor:
        """Map `(B, W, R, C)` to the same shape."""
        cells = by_cell(features)
        bias = self.linear(mean_of(cells))
        everywhere = cells.new_ones(*cells.shape[:2], 1)
        biased: Tensor = cells + torch.bmm(everywhere, bias)
        return biased.unflatten(1, features.shape[2:]).permute(0, 3, 1, 2)


class ResidualBlock(nn.Module):
    """Two 3 x 3 convolutions with a global bias between, plus the identity (He et al., 2016)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1)
        self.bias = GlobalBias(width)
        self.second = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, features: Tensor) -> Tensor:
        """Map `(B, W, R, C)` to the same shape."""
        hidden = torch.relu(self.bias(self.first(features)))
        return torch.relu(features + self.second(hidden))


class BoardTrunk(nn.Module):
    """Maps observations `(B, P, R, C)`, int8 or float, to features `(B, W, R, C)`."""

    scale: Tensor

    def __init__(self, plane_highs: Sequence[int], width: int, blocks: int) -> None:
        super().__init__()
        # In Python: on the meta device, where files are loaded, a division of tensors imports
        # PyTorch's compiler, which takes over a second.
        scale = torch.tensor([1.0 / high for high in plane_highs])
        self.register_buffer("scale", scale[:, None, None], persistent=False)
        self.stem = nn.Conv2d(len(plane_highs), width, 3, padding=1)
        self.blocks = nn.Sequential(*[ResidualBlock(width) for _ in range(blocks)])
        for module in self.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.orthogonal_(module.weight, gain=math.sqrt(2))
                nn.init.zeros_(module.bias)  # type: ignore[arg-type]

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features of a batch of observations."""
        features: Tensor = self.blocks(torch.relu(self.stem(observations.float() * self.scale)))
        return features


class BoardPolicyHead(nn.Module):
    """Maps features to one logit per action, `(B, A)`.

    Actions on the board use 1 x 1 convolutions, so a pattern learned in one place holds everywhere;
    single actions use the mean over the board.
    """

    def __init__(
        self, feature_shape: Sequence[int], action_planes: Sequence[tuple[int, bool]]
    ) -> None:
        super().__init__()
        self.feature_shape = tuple(feature_shape)
        width = feature_shape[0]
        self.parts = nn.ModuleList()
        for planes, on_board in action_planes:
            part = nn.Conv2d(width, planes, 1) if on_board else nn.Linear(width, planes)
            # Nearly equal logits at the start, so that the first games explore evenly.
            nn.init.orthogonal_(part.weight, gain=0.01)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
            self.parts.append(part)

    def forward(self, features: Tensor) -> Tensor:
        """Map `(B, W, R, C)`, or the same flattened, to `(B, A)`."""
        features = features.reshape(-1, *self.feature_shape)
        mean = mean_of(by_cell(features))[:, 0]
        logits = [
            part(features).flatten(1) if isinstance(part, nn.Conv2d) else part(mean)
            for part in self.parts
        ]
        return torch.cat(logits, dim=1)


class BoardValueHead(nn.Module):
    """Maps features to the expected return of the observer, `(B, 1)`."""

    def __init__(self, feature_shape: Sequence[int]) -> None:
        super().__init__()
        self.feature_shape = tuple(feature_shape)
        self.hidden = nn.Linear(2 * feature_shape[0], 64)
        self.value = nn.Linear(64, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Map `(B, W, R, C)`, or the same flattened, to `(B, 1)`."""
        features = features.reshape(-1, *self.feature_shape)
        mean = mean_of(by_cell(features))[:, 0]
        most = functional.max_pool2d(features, features.shape[2:]).flatten(1)
        pooled = torch.cat([mean, most], dim=1)
        value: Tensor = self.value(torch.relu(self.hidden(pooled)))
        return value
