"""The neural network of trained policies: a trunk, a policy head and a value head.

Their layers depend on the observation: `board_layers` for planes of a board, `flat_layers` for a
vector. `B` is the batch, `P` the observation planes or numbers, `N` the numbers of a flattened
observation, `A` the actions.

Where the board looks different from the two sides of the table, a network can see every position
as player 0 would: it learns once what it would otherwise learn for each side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from tzaar_envs.core.game import Game
from tzaar_envs.networks.board_layers import BoardPolicyHead, BoardTrunk, BoardValueHead
from tzaar_envs.networks.flat_layers import (
    UNITS_PER_CHANNEL,
    FlatPolicyHead,
    FlatTrunk,
    FlatValueHead,
)
from tzaar_envs.networks.turning import Marker, marker_of, require_permutations, turning_symmetry

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
        if len(self.board_shape) == 1:
            raise ValueError(f"board_shape={self.board_shape} is not allowed: use 0 or 2 sizes")
        if self.marker is not None and not 0 <= self.marker[0] < self.size:
            raise ValueError(f"marker={self.marker} is not allowed: use an index below {self.size}")

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
            marker=marker_of(game) if turned else None,
        )

    @property
    def is_flat(self) -> bool:
        """Whether observations are vectors."""
        return not self.board_shape

    @property
    def size(self) -> int:
        """The number of entries of a flattened observation."""
        return len(self.plane_highs) * int(np.prod(self.board_shape, dtype=np.int64))

    @property
    def actions(self) -> int:
        """The number of actions."""
        cells = int(np.prod(self.board_shape, dtype=np.int64))
        return sum(planes * (cells if on_board else 1) for planes, on_board in self.action_planes)

    @property
    def feature_shape(self) -> tuple[int, ...]:
        """The shape of the trunk's output for one observation."""
        if self.is_flat:
            return (self.width * UNITS_PER_CHANNEL,)
        return (self.width, *self.board_shape)


class PolicyNetwork(nn.Module):
    """Trunk and heads together, as a policy file holds them.

    Attributes:
        shape: its shape.
        turned_entries: int64 `(N,)`, where player 1 finds the entries that it sees as player 0;
            only with a marker.
        turned_actions: int64 `(A,)`, the number of each action of player 1 if it were player 0;
            only with a marker.

    Args:
        shape: see `NetworkShape`.
        game: the game, for how it is turned; None if nothing is turned, or a file says how.
    """

    trunk: BoardTrunk | FlatTrunk
    policy: BoardPolicyHead | FlatPolicyHead
    value: BoardValueHead | FlatValueHead
    turned_entries: Tensor
    turned_actions: Tensor

    def __init__(self, shape: NetworkShape, game: Game | None = None) -> None:
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
        if shape.marker is not None:
            entries, actions = np.arange(shape.size), np.arange(shape.actions)
            symmetry = None if game is None else turning_symmetry(game)
            if symmetry is not None:
                entries, actions = symmetry.observation, np.argsort(symmetry.actions)
            self.register_buffer("turned_entries", torch.tensor(entries))
            self.register_buffer("turned_actions", torch.tensor(actions))
        # Convolutions are faster in this layout.
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def fits(self, game: Game) -> bool:
        """Whether it has the shape of a game's observations and actions."""
        shape = self.shape
        if shape.marker is not None and turning_symmetry(game) is None:
            return False
        needed = shape.for_game(game, shape.width, shape.blocks)
        return replace(shape, marker=None) == needed

    def load_state_dict(self, state_dict: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Load the weights.

        Raises:
            ValueError: a table that says how a position is turned is not a permutation.
        """
        if self.shape.marker is not None:
            require_permutations(state_dict)
        return super().load_state_dict(state_dict, *args, **kwargs)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Map observations, `(B, P)` or `(B, P, rows, columns)`, to `(B, A)` and `(B, 1)`.

        Returns:
            Logits of the actions, and values: the expected return of the observer.
        """
        if self.shape.marker is None:
            features = self.trunk(observations)
            return self.policy(features), self.value(features)
        entry, value = self.shape.marker
        seen = observations.flatten(1)
        is_turned = seen[:, entry : entry + 1] == value
        seen = torch.where(is_turned, seen[:, self.turned_entries], seen)
        features = self.trunk(seen.view_as(observations))
        logits = self.policy(features)
        logits = torch.where(is_turned, logits[:, self.turned_actions], logits)
        return logits, self.value(features)
