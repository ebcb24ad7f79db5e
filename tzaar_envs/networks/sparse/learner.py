"""Learning of sparse networks by Adam, in compiled code: ten times as fast as in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import Symmetry
from tzaar_envs.jit.compile import first_compilation
from tzaar_envs.jit.memory import memory_of
from tzaar_envs.networks.sparse import layout as at
from tzaar_envs.networks.sparse.gradient import SAMPLES, adam_step, add_gradients
from tzaar_envs.networks.sparse.lines import image_of_rows
from tzaar_envs.networks.sparse.network import SparseNetwork, SparseShape
from tzaar_envs.networks.sparse.replay_buffer import Samples

_SLICE = 1024  # samples: compiled code returns now and then, since only Python notices Ctrl-C


class SampleSymmetries:
    """What turns samples into their images, which are as true as they are.

    Attributes:
        rows: int32 `(symmetries, inputs)`, the row that takes the place of each row.
        actions: int32 `(symmetries, actions)`, the action that takes the place of each action.

    Args:
        game: the game.
        shape: the shape of the network.
    """

    def __init__(self, game: Game, shape: SparseShape) -> None:
        tables = []
        for symmetry in game.symmetries:
            # A turned position is seen by player 0, who stays that player in its images.
            if shape.marker is not None and symmetry.swaps_seats:
                continue
            rows = _row_table(symmetry, shape)
            if rows is not None:
                tables.append((rows, np.argsort(symmetry.actions).astype(np.int32)))
        self.rows = np.stack([rows for rows, _ in tables])
        self.actions = np.stack([actions for _, actions in tables])


def _row_table(symmetry: Symmetry, shape: SparseShape) -> NDArray[np.int32] | None:
    """Return where each row goes, None if the network does not read the image as the position."""
    image_of = np.argsort(symmetry.observation)
    first_rows = {entry: row for entry, row, _ in shape.entries()}
    table = np.zeros(shape.rows, np.int32)
    for entry, row, plane in shape.entries():
        image = int(image_of[entry])
        image_plane = shape.planes[image // shape.cells]
        if image_plane.reading == "uniform":
            image -= image % shape.cells  # all cells are the same, the first one is read
        if image_plane != plane or image not in first_rows:
            return None
        levels = np.arange(max(1, plane.levels))
        table[row + levels] = first_rows[image] + levels
    if shape.lines is not None:
        images = image_of_rows(symmetry, shape.lines, shape.board_shape)
        if images is None:
            return None
        table[shape.rows_of_entries :] = shape.rows_of_entries + images
    return table


class Learner:
    """Changes the weights of a sparse network by samples of self-play.

    It has weights of its own, see `load` and `store`. A state holds only what the optimizer knows.

    Args:
        network: the network whose weights it begins with.
        symmetries: the symmetries of the game; each sample is seen by a random one.
        policy_weight: the weight of the policy loss.
        value_weight: the weight of the value loss.
    """

    def __init__(
        self,
        network: SparseNetwork,
        symmetries: SampleSymmetries,
        policy_weight: float,
        value_weight: float,
    ) -> None:
        self._shape = network.shape
        self._symmetries = symmetries
        self._policy_weight, self._value_weight = policy_weight, value_weight
        state = network.state_dict()
        self._weights = [
            at.packed(place, state[name].numpy()) for place, name in enumerate(at.WEIGHTS)
        ]
        self._gradients, self._means, self._squares = (
            [np.zeros_like(weights) for weights in self._weights] for _ in range(3)
        )
        self._parameter_shapes = [tuple(state[name].shape) for name in at.WEIGHTS]
        self._steps = 0
        self._losses = np.zeros(4)
        # Keeps alive what the memory points to.
        self._arrays = dict(enumerate(self._weights)) | at.learning_memory(network)
        self._memory = at.memory_with(self._arrays)
        self._memory_of_gradients = memory_of(self._gradients)

    def load(self, network: SparseNetwork) -> None:
        """Take over the weights of a network of the same shape.

        Raises:
            ValueError: it has another shape.
        """
        for place, parameter in self._parameters(network):
            self._weights[place][:] = at.packed(place, parameter.numpy())

    def store(self, network: SparseNetwork) -> None:
        """Write the weights into a network of the same shape.

        Raises:
            ValueError: it has another shape.
        """
        for place, parameter in self._parameters(network):
            weights = at.unpacked(place, self._weights[place], tuple(parameter.shape))
            parameter.copy_(torch.from_numpy(weights))

    def _parameters(self, network: SparseNetwork) -> list[tuple[int, torch.Tensor]]:
        if network.shape != self._shape:
            raise ValueError("the network has another shape than the learner's")
        state = network.state_dict()  # without gradients
        return [(place, state[name]) for place, name in enumerate(at.WEIGHTS)]

    def step(
        self, samples: Samples, count: int, rng: np.random.Generator, learning_rate: float
    ) -> None:
        """Take one gradient step.

        Args:
            samples: the samples of which some are drawn.
            count: how many, uniformly, with replacement.
            rng: draws them and the symmetries.
            learning_rate: the learning rate of this step.
        """
        chosen = rng.integers(len(samples), size=count)
        images = rng.integers(len(self._symmetries.rows), size=count)
        self.add_gradients(samples, chosen, images)
        self._steps += 1
        for arrays in zip(self._weights, self._gradients, self._means, self._squares, strict=True):
            weights, gradients, means, squares = (array.reshape(-1) for array in arrays)
            adam_step(weights, gradients, means, squares, self._steps, learning_rate)

    def add_gradients(
        self, samples: Samples, chosen: NDArray[np.int64], images: NDArray[np.int64]
    ) -> None:
        """Add the gradient of the mean loss of some samples, seen by some symmetries.

        Args:
            samples: all samples.
            chosen: int64 `(count,)`, which of them.
            images: int64 `(count,)`, the symmetry by which each is seen.
        """
        with first_compilation("learner", add_gradients):
            for first in range(0, len(chosen), _SLICE):
                part = slice(first, first + _SLICE)
                add_gradients(
                    self._memory,
                    self._memory_of_gradients,
                    samples.rows,
                    samples.factors,
                    samples.actions,
                    samples.policy,
                    samples.values,
                    chosen[part],
                    images[part],
                    self._symmetries.rows,
                    self._symmetries.actions,
                    self._policy_weight / len(chosen),
                    self._value_weight / len(chosen),
                    self._losses,
                )

    def gradients(self) -> dict[str, NDArray[np.float32]]:
        """Return the gradients since the last step, by the names of the network's parameters."""
        return {
            name: at.unpacked(place, self._gradients[place], self._parameter_shapes[place])
            for place, name in enumerate(at.WEIGHTS)
        }

    def mean_losses(self) -> dict[str, float]:
        """Return the mean losses since the last call, by their names; nothing without a step."""
        samples = self._losses[SAMPLES]
        if samples == 0:
            return {}
        policy, least, value, _ = (self._losses / samples).tolist()
        self._losses[:] = 0.0
        return {"policy_loss": policy, "policy_divergence": policy - least, "value_loss": value}

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the optimizer."""
        return {
            "steps": self._steps,
            "means": [torch.from_numpy(array) for array in self._means],
            "squares": [torch.from_numpy(array) for array in self._squares],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of an optimizer.

        Raises:
            ValueError: it is of a network of another shape.
        """
        for name, arrays in (("means", self._means), ("squares", self._squares)):
            for array, tensor in zip(arrays, state[name], strict=True):
                if tuple(tensor.shape) != array.shape:
                    raise ValueError(f"{name} of the optimizer do not fit its network")
                array[:] = tensor.numpy()
        self._steps = state["steps"]
