"""The neural network of trained policies: a trunk, a policy head and a value head.

Their layers depend on the observation: `board_layers` for planes of a board, `flat_layers` for a
vector. `B` is the batch, `P` the observation planes or numbers, `A` the actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec
from torch import Tensor, nn

from tzaar_envs.core.game import Game
from tzaar_envs.policies.board_layers import BoardPolicyHead, BoardTrunk, BoardValueHead
from tzaar_envs.policies.flat_layers import (
    UNITS_PER_CHANNEL,
    FlatPolicyHead,
    FlatTrunk,
    FlatValueHead,
)

ILLEGAL_LOGIT = -1e8
"""The logit of illegal actions in a loss. It is not -inf, since 0 * -inf is NaN in an entropy."""

# A file that asks for more is not one of ours.
_Size = Annotated[int, msgspec.Meta(ge=1, le=1024)]
_High = Annotated[int, msgspec.Meta(ge=1, lt=2**31)]
_Planes = Annotated[int, msgspec.Meta(ge=1, lt=2**20)]


@dataclass(frozen=True)
class NetworkShape:
    """Everything needed to build a network, as plain values that a file can hold.

    Attributes:
        plane_highs: the greatest value of each observation plane or number, 1 or more.
        board_shape: rows and columns; empty for a flat observation.
        action_planes: for each block of actions its number of planes, and whether they cover the
            board (one action per cell) or are single actions.
        width: channels of the trunk; a flat one has `flat_layers.UNITS_PER_CHANNEL` times as many
            units.
        blocks: residual blocks of the trunk.
    """

    plane_highs: Annotated[tuple[_High, ...], msgspec.Meta(min_length=1, max_length=2**16)]
    board_shape: Annotated[tuple[_Size, ...], msgspec.Meta(max_length=2)]
    action_planes: Annotated[tuple[tuple[_Planes, bool], ...], msgspec.Meta(max_length=1024)]
    width: _Size
    blocks: Annotated[int, msgspec.Meta(ge=0, le=1024)]

    def __post_init__(self) -> None:
        if len(self.board_shape) == 1:
            raise ValueError(f"board_shape={self.board_shape} is not allowed: use 0 or 2 sizes")

    @classmethod
    def for_game(cls, game: Game, width: int, blocks: int) -> NetworkShape:
        """Return the shape for a game's observations and actions."""
        layout = game.layout
        return cls(
            plane_highs=layout.plane_highs,
            board_shape=layout.board_shape,
            action_planes=tuple((block.planes, block.on_board) for block in layout.actions),
            width=width,
            blocks=blocks,
        )

    @property
    def is_flat(self) -> bool:
        """Whether observations are vectors."""
        return not self.board_shape

    @property
    def feature_shape(self) -> tuple[int, ...]:
        """The shape of the trunk's output for one observation."""
        if self.is_flat:
            return (self.width * UNITS_PER_CHANNEL,)
        return (self.width, *self.board_shape)


class PolicyNetwork(nn.Module):
    """Trunk and heads together, as a policy file holds them."""

    trunk: BoardTrunk | FlatTrunk
    policy: BoardPolicyHead | FlatPolicyHead
    value: BoardValueHead | FlatValueHead

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.shape = shape
        highs, planes, features = shape.plane_highs, shape.action_planes, shape.feature_shape
        if shape.is_flat:
            self.trunk = FlatTrunk(highs, features[0], shape.blocks)
            self.policy = FlatPolicyHead(features[0], sum(count for count, _ in planes))
            self.value = FlatValueHead(features[0])
        else:
            self.trunk = BoardTrunk(highs, shape.width, shape.blocks)
            self.policy = BoardPolicyHead(features, planes)
            self.value = BoardValueHead(features)

    def fits(self, game: Game) -> bool:
        """Whether it has the shape of a game's observations and actions."""
        shape = self.shape
        return shape == shape.for_game(game, shape.width, shape.blocks)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Map observations, `(B, P)` or `(B, P, rows, columns)`, to `(B, A)` and `(B, 1)`.

        Returns:
            Logits of the actions, and values: the expected return of the observer.
        """
        features = self.trunk(observations)
        return self.policy(features), self.value(features)
