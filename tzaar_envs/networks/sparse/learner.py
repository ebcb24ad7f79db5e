"""Learning of sparse networks by Adam, in compiled code: ten times as fast as in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import Symmetry
from tzaar_envs.core.validation import array_of, integer, integers_of
from tzaar_envs.jit.compile import first_compilation
from tzaar_envs.jit.memory import memory_of, padded
from tzaar_envs.networks.sparse import gradient as place
from tzaar_envs.networks.sparse.gradient import adam_step, add_gradients
from tzaar_envs.networks.sparse.lines import image_of_rows
from tzaar_envs.networks.sparse.network import SparseNetwork, SparseShape
from tzaar_envs.networks.sparse.samples import Samples

_NAMES = {
    place.TABLE: "table",
    place.BIAS: "bias",
    place.HIDDEN: "hidden.weight",
    place.HIDDEN_BIAS: "hidden.bias",
    place.VALUE: "value_head.weight",
    place.VALUE_BIAS: "value_head.bias",
    place.POLICY: "policy_head.weight",
    place.POLICY_BIAS: "policy_head.bias",
}


_MOST = 1_000_000  # samples of a step
_SLICE = 1024  # samples: compiled code returns now and then, since only Python notices Ctrl-C


class SampleSymmetries:
    """What turns samples into their images, which are as true as they are.

    Attributes:
        rows: int32 `(symmetries, inputs)`, the row that takes the place of each row.
        actions: int32 `(symmetries, actions)`, the action that takes the place of each action.

    Args:
        game: the game.
        shape: of the network.
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
    first_row, row = {}, 0
    for entry, plane in shape.entries():
        first_row[entry] = row
        row += max(1, plane.levels)
    table = np.zeros(shape.rows, np.int32)
    for entry, plane in shape.entries():
        image = int(image_of[entry])
        image_plane = shape.planes[image // shape.cells]
        if image_plane.reading == "uniform":
            image -= image % shape.cells  # all cells are the same, the first one is read
        if image_plane != plane or image not in first_row:
            return None
        for level in range(max(1, plane.levels)):
            table[first_row[entry] + level] = first_row[image] + level
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
        network: whose weights it begins with.
        symmetries: of the game; each sample is seen by a random one.
        policy_weight: of the policy loss.
        value_weight: of the value loss.

    Raises:
        ValueError: the symmetries are of another game's network, or damaged.
    """

    def __init__(
        self,
        network: SparseNetwork,
        symmetries: SampleSymmetries,
        policy_weight: float,
        value_weight: float,
    ) -> None:
        shape = network.shape
        self._shape = shape
        self._row_images = _table("rows", symmetries.rows, shape.rows)
        self._action_images = _table("actions", symmetries.actions, shape.actions)
        self._loss_weights = float(policy_weight), float(value_weight)
        self._input_scale = network.input_scale.numpy()
        named = dict(network.named_parameters())
        self._parameters = [named[_NAMES[each]] for each in range(place.WEIGHTS)]
        self._weights = [_whole_vectors(each) for each in self._parameters]
        self._gradients = [np.zeros_like(each) for each in self._weights]
        self._means = [np.zeros_like(each) for each in self._weights]
        self._squares = [np.zeros_like(each) for each in self._weights]
        self._steps = 0
        self._losses = np.zeros(4)
        width, hidden = padded(shape.width), padded(shape.hidden)
        self._working: dict[int, NDArray[Any]] = {
            place.SIZES: np.array([width, hidden, shape.outputs, shape.hidden, shape.most_inputs]),
            place.ROWS: np.zeros(shape.most_inputs, np.int64),
            place.FACTORS: np.zeros(shape.most_inputs, np.float32),
            place.SUMS: np.zeros(width, np.float32),
            place.UNITS: np.zeros(width, np.float32),
            place.UNIT_SLOPES: np.zeros(width, np.float32),
            place.HIDDEN_UNITS: np.zeros(hidden, np.float32),
            place.HIDDEN_SLOPES: np.zeros(hidden, np.float32),
            place.VALUES: np.zeros(shape.outputs, np.float32),
            place.VALUE_SLOPES: np.zeros(shape.outputs, np.float32),
            place.LOGITS: np.zeros(shape.actions, np.float32),
            place.LEGAL: np.zeros(shape.actions, np.int64),
        }
        self._memories = [
            memory_of(arrays)
            for arrays in (
                self._weights,
                self._gradients,
                [self._working[each] for each in range(place.PLACES)],
            )
        ]

    def load(self, network: SparseNetwork) -> None:
        """Take over the weights of a network of the same shape.

        Raises:
            ValueError: it has another shape.
        """
        for array, parameter in self._pairs(network):
            array[:] = _whole_vectors(parameter)

    def store(self, network: SparseNetwork) -> None:
        """Write the weights into a network of the same shape.

        Raises:
            ValueError: it has another shape.
        """
        with torch.no_grad():
            for array, parameter in self._pairs(network):
                rows = torch.from_numpy(np.atleast_2d(array)[:, : parameter.shape[-1]])
                parameter.copy_(rows.reshape(parameter.shape))

    def _pairs(self, network: SparseNetwork) -> list[tuple[NDArray[np.float32], torch.Tensor]]:
        if network.shape != self._shape:
            raise ValueError("the network has another shape than the learner's")
        named = dict(network.named_parameters())
        return [(self._weights[each], named[_NAMES[each]]) for each in range(place.WEIGHTS)]

    def step(
        self, samples: Samples, count: int, rng: np.random.Generator, learning_rate: float
    ) -> None:
        """Take one gradient step.

        Args:
            samples: of which some are drawn.
            count: how many, uniformly, with replacement.
            rng: draws them and the symmetries.
            learning_rate: of this step.

        Raises:
            TypeError: `count` is no integer.
            ValueError: `count` is not allowed; or see `add_gradients`.
        """
        count, learning_rate = integer("count", count), float(learning_rate)
        if not 1 <= count <= _MOST:
            raise ValueError(f"count={count} is not allowed: draw 1 to {_MOST:,} samples")
        chosen = rng.integers(len(samples), size=count)
        images = rng.integers(len(self._row_images), size=count)
        self.add_gradients(samples, chosen, images)
        self._steps += 1
        for weights, gradients, means, squares in zip(
            self._weights, self._gradients, self._means, self._squares, strict=True
        ):
            adam_step(
                weights.reshape(-1),
                gradients.reshape(-1),
                means.reshape(-1),
                squares.reshape(-1),
                self._steps,
                learning_rate,
            )

    def add_gradients(
        self, samples: Samples, chosen: NDArray[np.int64], images: NDArray[np.int64]
    ) -> None:
        """Add the gradient of the mean loss of some samples, seen by some symmetries.

        Args:
            samples: all samples.
            chosen: int64 `(count,)`, which of them.
            images: int64 `(count,)`, the symmetry by which each is seen.

        Raises:
            ValueError: arrays of other shapes or types; or a sample, input, action or symmetry that
                does not exist, and then the gradients since the last step are gone.
        """
        samples = self._checked(samples)
        chosen = integers_of("chosen", chosen, np.size(chosen))
        images = integers_of("images", images, len(chosen))
        weights, gradients, working = self._memories
        losses = self._losses.copy()
        with first_compilation("learner", add_gradients):
            for first in range(0, len(chosen), _SLICE):
                part = slice(first, first + _SLICE)
                impossible = add_gradients(
                    weights,
                    gradients,
                    working,
                    self._input_scale,
                    samples.rows,
                    samples.factors,
                    samples.actions,
                    samples.policy,
                    samples.values,
                    chosen[part],
                    images[part],
                    1.0 / len(chosen),
                    self._row_images,
                    self._action_images,
                    *self._loss_weights,
                    losses,
                )
                if impossible >= 0:
                    for each in self._gradients:
                        each[:] = 0.0
                    raise self._refusal(samples, chosen[part][impossible], images[part][impossible])
        self._losses = losses

    def _checked(self, given: Samples) -> Samples:
        """Return samples whose arrays fit together."""
        count, inputs, legal = len(given.values), np.shape(given.rows)[-1:], np.shape(given.actions)
        return Samples(
            array_of("rows", given.rows, np.int32, (count, *inputs)),
            array_of("factors", given.factors, np.int8, (count, *inputs)),
            array_of("actions", given.actions, np.int32, (count, *legal[-1:])),
            array_of("policy", given.policy, np.float32, (count, *legal[-1:])),
            array_of("values", given.values, np.float32, (count, self._shape.players)),
        )

    def _refusal(self, samples: Samples, chosen: int, image: int) -> ValueError:
        return ValueError(
            f"sample {chosen}, seen by symmetry {image}, cannot be learnt from: there are "
            f"{len(samples)} samples, {len(self._row_images)} symmetries, {self._shape.rows} "
            f"inputs and {self._shape.actions} actions"
        )

    def gradients(self) -> dict[str, NDArray[np.float32]]:
        """Return the gradients since the last step, by the names of the network's parameters."""
        return {
            _NAMES[each]: np.atleast_2d(self._gradients[each])[
                :, : self._parameters[each].shape[-1]
            ].reshape(self._parameters[each].shape)
            for each in range(place.WEIGHTS)
        }

    def mean_losses(self) -> dict[str, float]:
        """Return the mean losses since the last call, by their names; nothing without a step."""
        samples = self._losses[place.SAMPLES]
        if samples == 0:
            return {}
        policy, least, value, _ = (self._losses / samples).tolist()
        self._losses[:] = 0.0
        return {"policy_loss": policy, "policy_divergence": policy - least, "value_loss": value}

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the optimizer."""
        return {
            "steps": self._steps,
            "means": [torch.from_numpy(each) for each in self._means],
            "squares": [torch.from_numpy(each) for each in self._squares],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of an optimizer.

        Raises:
            LookupError, TypeError, ValueError: it does not fit.
        """
        for name, arrays in (("means", self._means), ("squares", self._squares)):
            for array, tensor in zip(arrays, state[name], strict=True):
                if tuple(tensor.shape) != array.shape:
                    raise ValueError(f"{name} of the optimizer do not fit its network")
                if not tensor.isfinite().all() or (name == "squares" and (tensor < 0).any()):
                    raise ValueError(f"{name} of the optimizer are out of range")
                array[:] = tensor.numpy()
        if not isinstance(state["steps"], int) or state["steps"] < 0:
            raise ValueError(f"steps={state['steps']!r:.40} is not a number of steps")
        self._steps = state["steps"]


def _table(name: str, given: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Return a copy of a table of symmetries, which nobody else can change."""
    if np.ndim(given) != 2 or not len(given) or np.shape(given)[1] != count:
        raise ValueError("the symmetries are of a network of another shape")
    table = array_of(f"{name} of the symmetries", given, np.int32, (len(given), count)).copy()
    if table.min() < 0 or table.max() >= count:
        raise ValueError(f"{name} of the symmetries do not all exist: use 0 to {count - 1}")
    return table


def _whole_vectors(parameter: torch.Tensor) -> NDArray[np.float32]:
    """Return weights with zeros at the ends of their rows, so that these are whole vectors."""
    weights = parameter.detach().numpy()
    whole = np.zeros((*weights.shape[:-1], padded(weights.shape[-1])), np.float32)
    whole[..., : weights.shape[-1]] = weights
    return whole
