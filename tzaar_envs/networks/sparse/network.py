"""The sparse network in PyTorch.

`B` is the batch, `N` the size of a flattened observation, `I` the inputs, `A` the actions, `V` the
values: one for two players, one for each of more players.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tzaar_envs.core.game import Game
from tzaar_envs.networks.sparse.lines import STEPS, Lines, reach_of
from tzaar_envs.networks.sparse.shape import SparseShape
from tzaar_envs.networks.turning import require_permutations, turning_symmetry


class SparseNetwork(nn.Module):
    """Maps observations to logits of the actions and values of the players.

    Attributes:
        shape: its shape.
        table: the first layer, `(I, width)`: a row for each input.
        turned_entries: int64 `(N,)`, where player 1 finds the entries that it sees as player 0;
            only with a marker.
        turned_actions: int64 `(A,)`, the number of each action of player 1 if it were player 0;
            only with a marker.
        input_scale: float32 `(I,)`, the factor of each input.

    Args:
        shape: see `SparseShape`.
        game: the game, for how it is turned; None if a file says it.
    """

    turned_entries: Tensor
    turned_actions: Tensor
    input_scale: Tensor
    _entry_of_input: Tensor
    _level_of_input: Tensor
    _levels_of_input: Tensor

    def __init__(self, shape: SparseShape, game: Game | None = None) -> None:
        super().__init__()
        self.shape = shape
        self.table = nn.Parameter(torch.empty(shape.rows, shape.width))
        self.bias = nn.Parameter(torch.zeros(shape.width))
        self.hidden = nn.Linear(shape.width, shape.hidden)
        self.value_head = nn.Linear(shape.hidden, shape.outputs)
        self.policy_head = nn.Linear(shape.width, shape.actions)
        if shape.marker is not None:
            entries, actions = np.arange(shape.size), np.arange(shape.actions)
            symmetry = None if game is None else turning_symmetry(game)
            if symmetry is not None:
                entries, actions = symmetry.observation, np.argsort(symmetry.actions)
            self.register_buffer("turned_entries", torch.tensor(entries))
            self.register_buffer("turned_actions", torch.tensor(actions))
        self._register_inputs()
        # The meta device, where files are loaded, has no numbers to draw, and imports PyTorch's
        # compiler to find out, which takes over a second.
        if not self.table.is_meta:
            # The sum of the rows of a usual position has a variance of 1.
            nn.init.normal_(self.table, std=1 / math.sqrt(max(1.0, shape.active)))
        for layer, gain in ((self.hidden, 1.4), (self.value_head, 0.1), (self.policy_head, 0.01)):
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)

    def _register_inputs(self) -> None:
        entry, level, levels, scale = [], [], [], []
        for index, plane in self.shape.entries():
            for each in range(1, plane.levels + 1) if plane.levels else (0,):
                entry.append(index)
                level.append(each)
                levels.append(plane.levels)
                scale.append(plane.scale)
        # They follow from the shape, so a file need not hold them.
        self.register_buffer("_entry_of_input", torch.tensor(entry), persistent=False)
        self.register_buffer("_level_of_input", torch.tensor(level, dtype=torch.float32), False)
        self.register_buffer("_levels_of_input", torch.tensor(levels, dtype=torch.float32), False)
        lines = self.shape.rows - self.shape.rows_of_entries
        self.register_buffer("input_scale", torch.tensor(scale + lines * [1.0]), persistent=False)

    def fits(self, game: Game) -> bool:
        """Whether it has the shape of a game's observations and actions."""
        return self.shape.fits(game)

    def load_state_dict(self, state_dict: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Load the weights.

        Raises:
            ValueError: a table that says how a position is turned is not a permutation.
        """
        if self.shape.marker is not None:
            require_permutations(state_dict)
        return super().load_state_dict(state_dict, *args, **kwargs)

    def inputs(self, observations: Tensor) -> Tensor:
        """Map observations, `(B, N)` or `(B, planes, rows, columns)`, to inputs, `(B, I)`."""
        seen = observations.flatten(1)
        if self.shape.marker is not None:
            turned = self._is_turned(seen)
            seen = torch.where(turned, seen[:, self.turned_entries], seen)
        values = seen[:, self._entry_of_input].float()
        at_level = torch.minimum(values, self._levels_of_input) == self._level_of_input
        scale = self.input_scale[: len(self._entry_of_input)]
        inputs = torch.where(self._levels_of_input == 0, values * scale, at_level)
        if self.shape.lines is None:
            return inputs
        return torch.cat([inputs, self._lines(seen, self.shape.lines)], dim=1)

    def _lines(self, seen: Tensor, lines: Lines) -> Tensor:
        """Map turned observations, `(B, N)`, to the number of lines of each row, `(B, rows)`."""
        rows, columns = self.shape.board_shape
        planes = seen.reshape(-1, len(self.shape.planes), rows, columns) != 0
        sorts = planes[:, list(lines.pieces)]
        marks = planes[:, list(lines.marks)].int().sum(dim=1).clamp(max=lines.most_marks)
        # 1 + the kind of the piece on a cell, 0 if it is empty.
        kind = sorts.int().argmax(dim=1) * (lines.most_marks + 1) + marks
        pieces = torch.where(sorts.any(dim=1), kind + 1, 0)
        reach, kinds = reach_of(self.shape.board_shape), lines.kinds
        padded = nn.functional.pad(pieces, (reach, reach, 0, reach))
        number = len(self.input_scale) - len(self._entry_of_input)
        found = []
        for place, direction in enumerate(lines.directions):
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
        counts = torch.zeros(seen.shape[0], number + 1)
        return counts.scatter_add(1, every, torch.ones_like(every, dtype=torch.float32))[:, :number]

    def first_layer(self, inputs: Tensor) -> Tensor:
        """Map inputs, `(B, I)`, to the units of the first layer, `(B, width)`."""
        return torch.relu(inputs @ self.table + self.bias)

    def values(self, units: Tensor) -> Tensor:
        """Map the units of the first layer to the expected returns, `(B, V)`.

        They begin with the observer; for two players it is the only one.
        """
        values = torch.tanh(self.value_head(torch.relu(self.hidden(units))))
        if self.shape.outputs > 1:
            values = values - values.mean(dim=1, keepdim=True)  # returns add up to 0
        return values

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Map observations, `(B, N)` or `(B, planes, rows, columns)`, to `(B, A)` and `(B, 1)`.

        Returns:
            Logits of the actions, and values: the expected return of the observer.
        """
        units = self.first_layer(self.inputs(observations))
        logits: Tensor = self.policy_head(units)
        if self.shape.marker is not None:
            turned = self._is_turned(observations.flatten(1))
            logits = torch.where(turned, logits[:, self.turned_actions], logits)
        return logits, self.values(units)[:, :1]

    def _is_turned(self, seen: Tensor) -> Tensor:
        assert self.shape.marker is not None
        entry, value = self.shape.marker
        return seen[:, entry : entry + 1] == value
