"""The neural network of trained policies: a convolutional trunk, a policy head and a value head.

`B` is the batch, `P` the observation planes, `R` and `C` rows and columns, `W` the width of the
network, `A` the actions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tzaar_envs.core.game import Game


@dataclass(frozen=True)
class NetworkShape:
    """All that is needed to build a network; plain values, so that it can stand in a file.

    Attributes:
        plane_highs: the greatest value of each observation plane.
        board_shape: rows and columns.
        action_planes: for each block of actions its number of planes, and whether they cover the
            board (one action per cell) or are single actions.
        width: channels of the trunk.
        blocks: residual blocks of the trunk.
    """

    plane_highs: tuple[int, ...]
    board_shape: tuple[int, int]
    action_planes: tuple[tuple[int, bool], ...]
    width: int
    blocks: int

    @classmethod
    def for_game(cls, game: Game, width: int, blocks: int) -> NetworkShape:
        """Return the shape for a game's observations and actions.

        Raises:
            ValueError: the game's observation has no board.
        """
        layout = game.layout
        if len(layout.board_shape) != 2:
            raise ValueError(f"{game.name} has no board, so this network cannot play it")
        rows, columns = layout.board_shape
        return cls(
            plane_highs=tuple(plane.high for plane in layout.planes),
            board_shape=(rows, columns),
            action_planes=tuple((block.planes, block.on_board) for block in layout.actions),
            width=width,
            blocks=blocks,
        )


class GlobalBias(nn.Module):
    """Lets every cell know the whole board: adds a linear map of the mean over all cells."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, features: Tensor) -> Tensor:
        """Map `(B, W, R, C)` to the same shape."""
        bias: Tensor = self.linear(features.mean(dim=(2, 3)))
        return features + bias[:, :, None, None]


class ResidualBlock(nn.Module):
    """Two 3 x 3 convolutions beside the identity (He et al., 2016), with a global bias between."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1)
        self.bias = GlobalBias(width)
        self.second = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, features: Tensor) -> Tensor:
        """Map `(B, W, R, C)` to the same shape."""
        hidden = torch.relu(self.bias(self.first(features)))
        return torch.relu(features + self.second(hidden))


class Trunk(nn.Module):
    """From observations `(B, P, R, C)`, int8 or float, to features `(B, W, R, C)`."""

    scale: Tensor

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        highs = torch.tensor(shape.plane_highs, dtype=torch.float32)
        self.register_buffer("scale", 1.0 / highs[:, None, None], persistent=False)
        self.stem = nn.Conv2d(len(shape.plane_highs), shape.width, 3, padding=1)
        self.blocks = nn.Sequential(*[ResidualBlock(shape.width) for _ in range(shape.blocks)])
        for module in self.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.orthogonal_(module.weight, gain=math.sqrt(2))
                nn.init.zeros_(module.bias)  # type: ignore[arg-type]

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features of a batch of observations."""
        features: Tensor = self.blocks(torch.relu(self.stem(observations.float() * self.scale)))
        return features


class PolicyHead(nn.Module):
    """From features to one logit per action, `(B, A)`.

    Actions on the board come from 1 x 1 convolutions, so a pattern that is learnt in one place is
    known everywhere; single actions come from the mean over the board.
    """

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.feature_shape = (shape.width, *shape.board_shape)
        self.parts = nn.ModuleList()
        for planes, on_board in shape.action_planes:
            part = nn.Conv2d(shape.width, planes, 1) if on_board else nn.Linear(shape.width, planes)
            # Nearly equal logits at the start: the first games explore evenly.
            nn.init.orthogonal_(part.weight, gain=0.01)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
            self.parts.append(part)

    def forward(self, features: Tensor) -> Tensor:
        """Map `(B, W, R, C)`, or the same flattened, to `(B, A)`."""
        features = features.reshape(-1, *self.feature_shape)
        mean = features.mean(dim=(2, 3))
        logits = [
            part(features).flatten(1) if isinstance(part, nn.Conv2d) else part(mean)
            for part in self.parts
        ]
        return torch.cat(logits, dim=1)


class ValueHead(nn.Module):
    """From features to the expected return of the observer, `(B, 1)`."""

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.feature_shape = (shape.width, *shape.board_shape)
        self.hidden = nn.Linear(2 * shape.width, 64)
        self.value = nn.Linear(64, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Map `(B, W, R, C)`, or the same flattened, to `(B, 1)`."""
        features = features.reshape(-1, *self.feature_shape)
        pooled = torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)
        value: Tensor = self.value(torch.relu(self.hidden(pooled)))
        return value


class BoardNetwork(nn.Module):
    """Trunk and heads together: what a saved policy holds."""

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.shape = shape
        self.trunk = Trunk(shape)
        self.policy = PolicyHead(shape)
        self.value = ValueHead(shape)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Map observations `(B, P, R, C)` to logits `(B, A)` and values `(B, 1)`."""
        features = self.trunk(observations)
        return self.policy(features), self.value(features)
