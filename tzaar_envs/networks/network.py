"""Networks of trained policies: of either kind by their shapes, and the residual one.

A residual network (`PolicyNetwork`) looks at every cell of the board, a sparse one
(`sparse.network`) only at what is there. Both map observations to logits and values in the same
way: `B` is the batch, `P` the observation planes or numbers, `N` the numbers of a flattened
observation, `A` the actions, `R` and `C` rows and columns, `W` the width of the network.

Where the board looks different from the two sides of the table, a network can see every position
as player 0 would: it learns once what it would otherwise learn for each side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeAlias

import msgspec
import torch
from torch import Tensor, nn
from torch.nn import functional

from tzaar_envs.core.game import Game
from tzaar_envs.networks.sparse.network import SparseNetwork, SparseShape
from tzaar_envs.networks.turning import (
    Marker,
    TurningNetwork,
    check_marker,
    find_marker,
    random_observations,
    turning_symmetry,
)

ILLEGAL_LOGIT = -1e8
"""The logit of illegal actions in a loss. It is not -inf, since 0 * -inf is NaN in an entropy."""

UNITS_PER_CHANNEL = 8
"""Units of a layer for flat observations, for each channel of `NetworkShape.width`."""

# A file that asks for more is not one of ours.
_Size = Annotated[int, msgspec.Meta(ge=1, le=1024)]
_High = Annotated[int, msgspec.Meta(ge=1, lt=2**31)]
_Planes = Annotated[int, msgspec.Meta(ge=1, lt=2**20)]


@dataclass(frozen=True)
class NetworkShape:
    """Everything needed to build a residual network, as plain values that a file can hold.

    Attributes:
        plane_highs: the greatest value of each observation plane or number, 1 or more.
        board_shape: rows and columns; empty for a flat observation.
        action_planes: for each block of actions its number of planes, and whether they cover the
            board (one action per cell) or are single actions.
        width: channels of the trunk; a flat one has `UNITS_PER_CHANNEL` times as many units.
        blocks: residual blocks of the trunk.
        marker: an index of a flattened observation and the value that it has if the observer is
            player 1, who then sees the position turned as if it were player 0 (`turned_entries`
            and `turned_actions` of the network say how); None: no position is turned.
    """

    plane_highs: Annotated[tuple[_High, ...], msgspec.Meta(min_length=1, max_length=2**16)]
    board_shape: Annotated[tuple[_Size, ...], msgspec.Meta(max_length=2)]
    action_planes: Annotated[tuple[tuple[_Planes, bool], ...], msgspec.Meta(max_length=1024)]
    width: _Size
    blocks: Annotated[int, msgspec.Meta(ge=0, le=1024)]
    marker: Marker | None = None

    def __post_init__(self) -> None:
        check_marker(self.marker, self.size)

    @classmethod
    def for_game(cls, game: Game, width: int, blocks: int, *, turned: bool = False) -> NetworkShape:
        """Return the shape for a game's observations and actions.

        Args:
            game: the game.
            width: see the class.
            blocks: see the class.
            turned: show player 1 the position as player 0 would see it, if the game has a symmetry
                for that.
        """
        layout = game.layout
        return cls(
            plane_highs=layout.plane_highs,
            board_shape=layout.board_shape,
            action_planes=tuple((block.planes, block.on_board) for block in layout.actions),
            width=width,
            blocks=blocks,
            marker=find_marker(game, *random_observations(game)) if turned else None,
        )

    @property
    def is_flat(self) -> bool:
        """Whether observations are vectors."""
        return not self.board_shape

    @property
    def size(self) -> int:
        """The number of entries of a flattened observation."""
        return len(self.plane_highs) * math.prod(self.board_shape)

    @property
    def actions(self) -> int:
        """The number of actions."""
        cells = math.prod(self.board_shape)
        return sum(planes * (cells if on_board else 1) for planes, on_board in self.action_planes)

    @property
    def feature_shape(self) -> tuple[int, ...]:
        """The shape of the trunk's output for one observation."""
        if self.is_flat:
            return (self.width * UNITS_PER_CHANNEL,)
        return (self.width, *self.board_shape)


class PolicyNetwork(TurningNetwork):
    """Trunk and heads together, as a policy file holds them.

    Attributes:
        shape: its shape.

    Args:
        shape: see `NetworkShape`.
        game: the game, for how it is turned; None if nothing is turned, or a file says how.
    """

    policy: BoardPolicyHead | nn.Linear

    def __init__(self, shape: NetworkShape, game: Game | None = None) -> None:
        super().__init__(shape.marker, shape.size, shape.actions, game)
        self.shape = shape
        self.trunk = Trunk(shape)
        if shape.is_flat:
            self.policy = nn.Linear(shape.feature_shape[0], shape.actions)
            _make_even(self.policy)
        else:
            self.policy = BoardPolicyHead(shape.feature_shape, shape.action_planes)
        self.value = ValueHead(shape.feature_shape)
        # Convolutions are faster in this layout.
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def fits(self, game: Game) -> bool:
        """Whether it has the shape of a game's observations and actions."""
        shape = self.shape
        if shape.marker is not None and turning_symmetry(game) is None:
            return False
        needed = shape.for_game(game, shape.width, shape.blocks)
        return replace(shape, marker=None) == needed

    def evaluate(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Map flattened observations, `(B, N)`, to logits `(B, A)` and values `(B, 1)`."""
        shape = self.shape
        features = self.trunk(seen.view(-1, len(shape.plane_highs), *shape.board_shape))
        return self.policy(features), self.value(features)


class Trunk(nn.Module):
    """Maps observations, int8 or float, to features: a first layer, then residual blocks.

    Of a board `(B, P, R, C)` these are `(B, W, R, C)`, of a vector `(B, P)` some units `(B, U)`.
    """

    scale: Tensor

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        # In Python: on the meta device, where files are loaded, a division of tensors imports
        # PyTorch's compiler, which takes over a second.
        scale = torch.tensor([1.0 / high for high in shape.plane_highs])
        scale = scale.view(-1, *[1] * len(shape.board_shape))
        self.register_buffer("scale", scale, persistent=False)
        width, is_flat = shape.feature_shape[0], shape.is_flat
        self.stem = _layer(len(shape.plane_highs), width, is_flat)
        blocks = [ResidualBlock(width, is_flat) for _ in range(shape.blocks)]
        self.blocks = nn.Sequential(*blocks)
        for module in self.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.orthogonal_(module.weight, gain=math.sqrt(2))
                nn.init.zeros_(module.bias)  # type: ignore[arg-type]

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features of a batch of observations."""
        features: Tensor = self.blocks(torch.relu(self.stem(observations.float() * self.scale)))
        return features


class ResidualBlock(nn.Module):
    """Two layers plus the identity (He et al., 2016); on a board with a global bias between.

    Args:
        width: Units of a flat layer, channels of one on a board.
        is_flat: Whether its layers are fully connected; else they are 3 x 3 convolutions.
    """

    def __init__(self, width: int, is_flat: bool) -> None:
        super().__init__()
        self.first = _layer(width, width, is_flat)
        self.bias = nn.Identity() if is_flat else GlobalBias(width)
        self.second = _layer(width, width, is_flat)

    def forward(self, features: Tensor) -> Tensor:
        """Map `(B, U)` or `(B, W, R, C)` to the same shape."""
        hidden = torch.relu(self.bias(self.first(features)))
        return torch.relu(features + self.second(hidden))


def _layer(inputs: int, outputs: int, is_flat: bool) -> nn.Linear | nn.Conv2d:
    return nn.Linear(inputs, outputs) if is_flat else nn.Conv2d(inputs, outputs, 3, padding=1)


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


class BoardPolicyHead(nn.Module):
    """Maps features `(B, W, R, C)` to one logit per action, `(B, A)`.

    Actions on the board use 1 x 1 convolutions, so a pattern learned in one place holds everywhere;
    single actions use the mean over the board.
    """

    def __init__(
        self, feature_shape: Sequence[int], action_planes: Sequence[tuple[int, bool]]
    ) -> None:
        super().__init__()
        width = feature_shape[0]
        self.parts = nn.ModuleList()
        for planes, on_board in action_planes:
            part = nn.Conv2d(width, planes, 1) if on_board else nn.Linear(width, planes)
            _make_even(part)
            self.parts.append(part)

    def forward(self, features: Tensor) -> Tensor:
        """Return the logits of a batch of features."""
        mean = mean_of(by_cell(features))[:, 0]
        logits = [
            part(features).flatten(1) if isinstance(part, nn.Conv2d) else part(mean)
            for part in self.parts
        ]
        return torch.cat(logits, dim=1)


def _make_even(layer: nn.Conv2d | nn.Linear) -> None:
    """Give nearly equal logits at the start, so that the first games explore evenly."""
    nn.init.orthogonal_(layer.weight, gain=0.01)
    nn.init.zeros_(layer.bias)  # type: ignore[arg-type]


class ValueHead(nn.Module):
    """Maps features, `(B, W, R, C)` or `(B, U)`, to the expected return of the observer, `(B, 1)`.

    Of a board it sees the mean and the maximum over all cells.
    """

    def __init__(self, feature_shape: Sequence[int]) -> None:
        super().__init__()
        is_flat = len(feature_shape) == 1
        self.hidden = nn.Linear(feature_shape[0] if is_flat else 2 * feature_shape[0], 64)
        self.value = nn.Linear(64, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Return the values of a batch of features."""
        if features.dim() > 2:
            mean = mean_of(by_cell(features))[:, 0]
            greatest = functional.max_pool2d(features, features.shape[2:]).flatten(1)
            features = torch.cat([mean, greatest], dim=1)
        value: Tensor = self.value(torch.relu(self.hidden(features)))
        return value


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


# --- Either kind ----------------------------------------------------------------------------------

AnyShape: TypeAlias = NetworkShape | SparseShape
AnyNetwork: TypeAlias = PolicyNetwork | SparseNetwork


def shape_of(values: Mapping[str, Any]) -> AnyShape:
    """Return the shape that `dataclasses.asdict` has turned into plain values.

    Raises:
        ValueError: there is no such shape; says why.
    """
    kind = values.get("kind", "residual")
    if kind not in ("residual", "sparse"):
        raise ValueError(f"its network is of the unknown kind {kind!r}")
    shape: type[AnyShape] = SparseShape if kind == "sparse" else NetworkShape
    return msgspec.convert(values, shape)


def network_of(shape: AnyShape, game: Game | None = None) -> AnyNetwork:
    """Return an untrained network.

    Args:
        shape: says the kind too.
        game: the game, for how it is turned; None if nothing is turned, or a file says how.
    """
    if isinstance(shape, SparseShape):
        return SparseNetwork(shape, game)
    return PolicyNetwork(shape, game)
