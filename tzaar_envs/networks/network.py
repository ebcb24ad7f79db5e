"""The networks of trained policies in PyTorch: the residual kind and the sparse one.

Both map observations to logits and values in the same way: `B` is the batch, `P` the observation
planes or numbers, `N` the numbers of a flattened observation, `A` the actions, `R` and `C` rows and
columns, `W` the width of the network. Of a sparse one, `I` are the inputs and `V` the values: one
for two players, one for each of more players. Compiled code evaluates sparse networks without
PyTorch, see `networks.sparse`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tzaar_envs.core.game import Game
from tzaar_envs.networks.device import has_bfloat16
from tzaar_envs.networks.shapes import (
    AnyShape,
    NetworkShape,
    SparseShape,
    StoredNetwork,
    turning_symmetry,
)
from tzaar_envs.networks.sparse.lines import STEPS, Lines, reach_of

ILLEGAL_LOGIT = -1e8
"""The logit of illegal actions. It is not -inf, since 0 * -inf is NaN in an entropy."""


S = TypeVar("S", NetworkShape, SparseShape)


class TurningNetwork(nn.Module, Generic[S]):
    """A network that sees every position as player 0 would, if its shape has a marker.

    Attributes:
        shape: Its shape.
        turned_entries: int64 `(N,)`, where player 1 finds the entries that it sees as player 0;
            only with a marker.
        turned_actions: int64 `(A,)`, the number of each action of player 1 if it were player 0;
            only with a marker.

    Args:
        shape: See `networks.shapes`.
        game: The game, for how it is turned; None if nothing is turned, or a file says how.
    """

    turned_entries: Tensor
    turned_actions: Tensor

    def __init__(self, shape: S, game: Game | None = None) -> None:
        super().__init__()
        self.shape: S = shape
        if shape.marker is None:
            return
        entries, turned = np.arange(shape.size), np.arange(shape.actions)
        if game is not None and (symmetry := turning_symmetry(game)) is not None:
            entries, turned = symmetry.observation, np.argsort(symmetry.actions)
        self.register_buffer("turned_entries", torch.tensor(entries))
        self.register_buffer("turned_actions", torch.tensor(turned))

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self.parameters()).device

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that a file holds of it, by name; views, where its tensors are on the CPU."""
        return {name: tensor.numpy(force=True) for name, tensor in self.state_dict().items()}

    def evaluate(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Map flattened observations, `(B, N)`, none of them turned, to `(B, A)` and `(B, 1)`."""
        raise NotImplementedError

    def forward(self, observations: Tensor, masks: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Map observations, `(B, P)` or `(B, P, R, C)`, to `(B, A)` and `(B, 1)`.

        Args:
            observations: int8 or float, on any device.
            masks: `(B, A)`, 0 at illegal actions, whose logits become minus infinity; None: every
                action has its logit.

        Returns:
            Logits of the actions, and values: the expected return of the observer.
        """
        device = self.device
        # Small integers until they are there. CUDA copies them before the call returns.
        seen = observations.to(device, non_blocking=device.type == "cuda").flatten(1)
        if self.shape.marker is None:
            logits, values = self.evaluate(seen)
        else:
            entry, value = self.shape.marker
            is_turned = seen[:, entry : entry + 1] == value
            logits, values = self.evaluate(_turned(seen, is_turned, self.turned_entries))
            logits = _turned(logits, is_turned, self.turned_actions)
        if masks is not None:
            logits = torch.where(masks != 0, logits, -torch.inf)
        return logits, values


def _turned(rows: Tensor, is_turned: Tensor, places: Tensor) -> Tensor:
    """Return `(B, N)`, in which some rows have what is at other places of them.

    Gathering takes a third of the time of choosing between two whole batches, and its gradient too.
    """
    unchanged = torch.arange(len(places), device=places.device)
    return rows.gather(1, torch.where(is_turned, places, unchanged))


class PolicyNetwork(TurningNetwork[NetworkShape]):
    """A residual network: trunk and heads.

    Attributes:
        allows_bfloat16: Whether the trunk computes in bfloat16 where that is fast. The heads never
            do: advantages can be as small beside values as its rounding.
    """

    allows_bfloat16 = False
    policy: BoardPolicyHead | nn.Linear

    def __init__(self, shape: NetworkShape, game: Game | None = None) -> None:
        super().__init__(shape, game)
        self.trunk = Trunk(shape)
        if shape.is_flat:
            self.policy = nn.Linear(shape.feature_shape[0], shape.actions)
            _make_even(self.policy)
        else:
            self.policy = BoardPolicyHead(shape.feature_shape, shape.action_planes)
        self.value = ValueHead(shape.feature_shape)
        # Convolutions are faster in this layout.
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def evaluate(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Map flattened observations, `(B, N)`, to logits `(B, A)` and values `(B, 1)`."""
        shape, device = self.shape, seen.device.type
        board = seen.view(-1, len(shape.plane_highs), *shape.board_shape)
        if self.allows_bfloat16 and has_bfloat16(device):
            with torch.autocast(device, torch.bfloat16):
                features = self.trunk(board)
            features = features.float()
        else:
            features = self.trunk(board)
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


# --- Sparse networks ------------------------------------------------------------------------------


class SparseNetwork(TurningNetwork[SparseShape]):
    """A sparse network, see `networks.sparse`.

    Attributes:
        table: The first layer, `(I, width)`: a row for each input.
    """

    _scale_of_input: Tensor
    _entry_of_input: Tensor
    _level_of_input: Tensor
    _levels_of_input: Tensor

    def __init__(self, shape: SparseShape, game: Game | None = None) -> None:
        super().__init__(shape, game)
        self.table = nn.Parameter(torch.empty(shape.rows, shape.width))
        self.bias = nn.Parameter(torch.zeros(shape.width))
        self.hidden = nn.Linear(shape.width, shape.hidden)
        self.value_head = nn.Linear(shape.hidden, shape.outputs)
        self.policy_head = nn.Linear(shape.width, shape.actions)
        inputs = [
            (entry, level, plane.levels, plane.scale)
            for entry, _, plane in shape.entries()
            for level in (range(1, plane.levels + 1) if plane.levels else (0,))
        ]
        entry, level, levels, scale = np.array(inputs, np.float64).reshape(-1, 4).T
        # They follow from the shape, so a file need not hold them.
        for name, values, dtype in (
            ("_entry_of_input", entry, torch.int64),
            ("_level_of_input", level, torch.float32),
            ("_levels_of_input", levels, torch.float32),
            ("_scale_of_input", scale, torch.float32),
        ):
            self.register_buffer(name, torch.tensor(values, dtype=dtype), persistent=False)
        # The sum of the rows of a usual position has a variance of 1.
        nn.init.normal_(self.table, std=1 / math.sqrt(max(1.0, shape.active)))
        if shape.lines is not None and shape.lines.pattern:
            with torch.no_grad():  # what is on a pattern's cells may be rare, and then says nothing
                self.table[shape.rows_of_entries :] = 0.0
        for layer, gain in ((self.hidden, 1.4), (self.value_head, 0.1), (self.policy_head, 0.01)):
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)

    def inputs(self, seen: Tensor) -> Tensor:
        """Map flattened observations, `(B, N)`, to inputs, `(B, I)`."""
        values = seen[:, self._entry_of_input].float()
        at_level = torch.minimum(values, self._levels_of_input) == self._level_of_input
        inputs = torch.where(self._levels_of_input == 0, values * self._scale_of_input, at_level)
        if self.shape.lines is None:
            return inputs
        return torch.cat([inputs, self._lines(seen, self.shape.lines)], dim=1)

    def _lines(self, seen: Tensor, lines: Lines) -> Tensor:
        """Map flattened observations, `(B, N)`, to how often each line or pattern is there."""
        rows, columns = self.shape.board_shape
        planes = seen.reshape(-1, len(self.shape.planes), rows, columns) != 0
        sorts = planes[:, list(lines.pieces)]
        marks = planes[:, list(lines.marks)].int().sum(dim=1).clamp(max=lines.most_marks)
        # 1 + the kind of the piece on a cell, 0 if it is empty.
        kind = sorts.int().argmax(dim=1) * (lines.most_marks + 1) + marks
        pieces = torch.where(sorts.any(dim=1), kind + 1, 0)
        reach, kinds = reach_of(self.shape.board_shape), lines.kinds
        padded = nn.functional.pad(pieces, (reach, reach, 0, reach))
        number = self.shape.rows - self.shape.rows_of_entries
        found = []
        if lines.pattern:
            places = [cells for _, cells in lines.places(self.shape.board_shape)]
            cells = torch.tensor(places, device=seen.device)
            weights = (1 + kinds) ** torch.arange(lines.pattern, device=seen.device).flip(0)
            contents = (pieces.flatten(1)[:, cells] * weights).sum(dim=2)
            row = contents + lines.contents * torch.arange(len(cells), device=seen.device)
            found.append(torch.where(contents > 0, row, number))
        for place, direction in enumerate(() if lines.pattern else lines.directions):
            down, right = STEPS[direction]
            is_open = pieces > 0
            for distance in range(1, reach + 1):
                top, left = distance * down, reach + distance * right
                other = padded[:, top : top + rows, left : left + columns]
                row = ((pieces - 1) * kinds + other - 1) * len(lines.directions) + place
                row = row * reach + distance - 1
                found.append(torch.where(is_open & (other > 0), row, number).flatten(1))
                is_open = is_open & (other == 0)
        every = torch.cat(found, dim=1).long()
        # Not len(seen), which torch.export takes for a constant.
        counts = torch.zeros(seen.shape[0], number + 1, device=seen.device)
        return counts.scatter_add(1, every, torch.ones_like(every, dtype=torch.float32))[:, :number]

    def first_layer(self, seen: Tensor) -> Tensor:
        """Map flattened observations, `(B, N)`, to the units of the first layer, `(B, width)`."""
        return torch.relu(self.inputs(seen) @ self.table + self.bias)

    def values(self, units: Tensor) -> Tensor:
        """Map the units of the first layer to the expected returns, `(B, V)`.

        They begin with the observer; for two players it is the only one.
        """
        values = torch.tanh(self.value_head(torch.relu(self.hidden(units))))
        if self.shape.outputs > 1:
            values = values - values.mean(dim=1, keepdim=True)  # returns add up to 0
        return values

    def evaluate(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Map flattened observations, `(B, N)`, to logits `(B, A)` and values `(B, 1)`."""
        units = self.first_layer(seen)
        return self.policy_head(units), self.values(units)[:, :1]


# --- Either kind ----------------------------------------------------------------------------------

AnyNetwork: TypeAlias = PolicyNetwork | SparseNetwork


def network_of(shape: AnyShape, game: Game | None = None) -> AnyNetwork:
    """Return an untrained network.

    Args:
        shape: Says the kind too.
        game: The game, for how it is turned; None if nothing is turned, or a file says how.
    """
    if isinstance(shape, SparseShape):
        return SparseNetwork(shape, game)
    return PolicyNetwork(shape, game)


def network_with(stored: StoredNetwork) -> AnyNetwork:
    """Return the network that a file holds."""
    network = network_of(stored.shape)
    arrays = stored.arrays.items()
    network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays})
    return network


def sizes_of(shape: NetworkShape) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a residual network's parameters, by name; nothing is allocated."""
    with torch.device("meta"):
        network = PolicyNetwork(shape)
    return {name: tuple(parameter.shape) for name, parameter in network.named_parameters()}
