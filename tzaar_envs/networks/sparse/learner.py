"""Learning of sparse networks by Adam, in compiled code: ten times as fast as in PyTorch.

The policy loss is the cross entropy of the logits with the target policy, the value loss the mean
squared error of the values. The gradient of the first layer touches only the rows of inputs that
are not zero, and that of the policy head only the legal actions, so a sample takes a few
microseconds. What lies behind the end of a row of weights is 0, and so is its gradient.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import Symmetry
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled, first_compilation
from tzaar_envs.jit.memory import add_rows, borrowed, dot, floats, memory_of, numbers, padded
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse import layout as at
from tzaar_envs.networks.sparse.kernel import add_listed_rows, hidden_layer, output
from tzaar_envs.networks.sparse.lines import image_of_rows
from tzaar_envs.networks.sparse.replay_buffer import Samples

POLICY_LOSS, LEAST_LOSS, VALUE_LOSS, SAMPLES = range(4)  # places in the sums of losses

_SLICE = 1024  # samples: compiled code returns now and then, since only Python notices Ctrl-C


def image_tables(game: Game, shape: SparseShape) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the tables that map samples to their images under the symmetries.

    Returns:
        int32 `(symmetries, inputs)`, the row that takes the place of each row; and int32
        `(symmetries, actions)`, the action that takes the place of each action.
    """
    rows, actions = [], []
    for symmetry in game.symmetries:
        # A turned position is seen by player 0, who stays that player in its images.
        if shape.marker is not None and symmetry.swaps_seats:
            continue
        if (table := _row_table(symmetry, shape)) is not None:
            rows.append(table)
            actions.append(np.argsort(symmetry.actions).astype(np.int32))
    return np.stack(rows), np.stack(actions)


def _row_table(symmetry: Symmetry, shape: SparseShape) -> NDArray[np.int32] | None:
    """Return the image of each row; None if the network does not read the image as the position."""
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

    Attributes:
        images: The rows and actions of `image_tables`; each sample is seen by a random symmetry.
        gradients: Since the last step, by place, in the form of `layout.packed_weights`.

    Args:
        game: The game.
        network: The network whose weights it begins with.
        policy_weight: The weight of the policy loss.
        value_weight: The weight of the value loss.
    """

    def __init__(
        self, game: Game, network: SparseNetwork, policy_weight: float, value_weight: float
    ) -> None:
        self.images = image_tables(game, network.shape)
        self._policy_weight, self._value_weight = policy_weight, value_weight
        shape = network.shape
        self._arrays = at.arrays_of(shape, network.arrays)  # keeps alive what the memory points to
        self._weights = [self._arrays[place] for place in range(len(shape.weights))]
        self.gradients, self._means, self._squares = (
            [*map(np.zeros_like, self._weights)] for _ in range(3)
        )
        self._steps = 0
        self._losses = np.zeros(4)
        lengths = {
            at.SLOPES: padded(shape.width),
            at.HIDDEN_SLOPES: padded(shape.hidden),
            at.VALUES: shape.outputs,
            at.VALUE_SLOPES: shape.outputs,
            at.LOGITS: shape.actions,
        }
        self._arrays |= {place: np.zeros(size, np.float32) for place, size in lengths.items()}
        self._arrays[at.LEGAL] = np.zeros(shape.actions, np.int64)
        self._arrays[at.INPUT_SCALE] = shape.input_scale
        self._memory = at.memory_with(self._arrays)
        self._memory_of_gradients = memory_of(self.gradients)

    def load(self, network: SparseNetwork) -> None:
        """Take over the weights of a network of the same shape."""
        for place, weights in at.packed_weights(network.shape, network.arrays).items():
            self._weights[place][:] = weights

    def store(self, network: SparseNetwork) -> None:
        """Write the weights into a network of the same shape."""
        arrays = network.arrays
        for place, (name, shape) in enumerate(network.shape.weights.items()):
            arrays[name][:] = at.unpacked(place, self._weights[place], shape)

    def step(
        self, samples: Samples, count: int, rng: np.random.Generator, learning_rate: float
    ) -> None:
        """Take one gradient step.

        Args:
            samples: The samples of which some are drawn.
            count: The number of samples, drawn uniformly, with replacement.
            rng: Draws them and the symmetries.
            learning_rate: The learning rate of this step.
        """
        chosen = rng.integers(len(samples.values), size=count)
        images = rng.integers(len(self.images[0]), size=count)
        self.add_gradients(samples, chosen, images)
        self._steps += 1
        for arrays in zip(self._weights, self.gradients, self._means, self._squares, strict=True):
            weights, gradients, means, squares = (array.reshape(-1) for array in arrays)
            adam_step(weights, gradients, means, squares, self._steps, learning_rate)

    def add_gradients(
        self, samples: Samples, chosen: NDArray[np.int64], images: NDArray[np.int64]
    ) -> None:
        """Add the gradient of the mean loss of some samples, seen by some symmetries.

        Args:
            samples: All samples.
            chosen: int64 `(count,)`, which of them.
            images: int64 `(count,)`, the symmetry by which each is seen.
        """
        with first_compilation("learner", add_gradients):
            for first in range(0, len(chosen), _SLICE):
                part = slice(first, first + _SLICE)
                add_gradients(
                    self._memory,
                    self._memory_of_gradients,
                    samples,
                    chosen[part],
                    images[part],
                    self.images,
                    self._policy_weight / len(chosen),
                    self._value_weight / len(chosen),
                    self._losses,
                )

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
        """Continue from the state of an optimizer."""
        for name, arrays in (("means", self._means), ("squares", self._squares)):
            for array, tensor in zip(arrays, state[name], strict=True):
                array[:] = tensor.numpy()
        self._steps = state["steps"]


# --- In compiled code -----------------------------------------------------------------------------


@compiled(nogil=True)
def add_gradients(
    memory: StateArray,
    gradients: StateArray,
    samples: Samples,
    chosen: StateArray,
    images: StateArray,
    tables: tuple[NDArray[np.int32], NDArray[np.int32]],
    policy_weight: float,
    value_weight: float,
    losses: NDArray[np.float64],
) -> None:
    """Add the gradient of the loss of some samples, and their losses.

    Args:
        memory: The memory of weights and of what is computed.
        gradients: The memory of the gradients.
        samples: All samples.
        chosen: The samples to learn from.
        images: The symmetry by which each of them is seen.
        tables: Those of `image_tables`.
        policy_weight: The weight of a sample's policy loss.
        value_weight: The weight of a sample's value loss.
        losses: float64 `(4,)`, sums over samples.
    """
    memory, gradients, samples = borrowed(memory), borrowed(gradients), borrowed(samples)
    rows, actions = tables
    width = numbers(memory, at.SIZES)[at.WIDTH]
    listed, by = numbers(memory, at.CHANGED_ROWS), floats(memory, at.CHANGED_FACTORS)
    units, slopes = floats(memory, at.UNITS), floats(memory, at.SLOPES)
    transformer, bias = floats(gradients, at.TRANSFORMER), floats(gradients, at.TRANSFORMER_BIAS)
    for index in range(chosen.size):
        sample = chosen[index]
        image = images[index]
        inputs = first_layer(memory, samples.rows[sample], samples.factors[sample], rows[image])
        losses[VALUE_LOSS] += value_gradient(
            memory, gradients, samples.values[sample], np.float32(value_weight)
        )
        loss, least = policy_gradient(
            memory, gradients, samples.actions[sample], samples.policy[sample], actions[image],
            np.float32(policy_weight),
        )  # fmt: skip
        losses[POLICY_LOSS] += loss
        losses[LEAST_LOSS] += least
        losses[SAMPLES] += 1.0
        for unit in range(width):
            if units[unit] <= 0.0:
                slopes[unit] = np.float32(0.0)
            bias[unit] += slopes[unit]
        for place in range(inputs):
            add_rows(transformer, listed[place] * width, slopes, (0,), (by[place],), width)


@compiled
def first_layer(
    memory: StateArray,
    rows: NDArray[np.int32],
    factors: NDArray[np.int8],
    image: NDArray[np.int32],
) -> int:
    """Compute the first layer, return the number of inputs that are not zero."""
    listed, by = numbers(memory, at.CHANGED_ROWS), floats(memory, at.CHANGED_FACTORS)
    scale = floats(memory, at.INPUT_SCALE)
    count = 0
    for index in range(rows.size):
        if factors[index] != 0:
            listed[count] = image[rows[index]]
            by[count] = factors[index] * scale[listed[count]]
            count += 1
    width = numbers(memory, at.SIZES)[at.WIDTH]
    sums, bias = floats(memory, at.ACCUMULATORS), floats(memory, at.TRANSFORMER_BIAS)
    units, slopes = floats(memory, at.UNITS), floats(memory, at.SLOPES)
    for unit in range(width):
        sums[unit] = bias[unit]
        slopes[unit] = np.float32(0.0)
    add_listed_rows(memory, sums, 0, count)
    for unit in range(width):
        units[unit] = max(sums[unit], np.float32(0.0))
    return count


@compiled
def value_gradient(
    memory: StateArray,
    gradients: StateArray,
    targets: NDArray[np.float32],
    share: np.float32,
) -> float:
    """Add the gradients of the value loss above the first layer, return the loss."""
    sizes = numbers(memory, at.SIZES)
    width, hidden, outputs = sizes[at.WIDTH], sizes[at.HIDDEN_WIDTH], sizes[at.OUTPUTS]
    hidden_layer(memory)
    # The derivatives of the loss by what `tanh` is taken of; with two players nothing is centred.
    values, by_output = floats(memory, at.VALUES), floats(memory, at.VALUE_SLOPES)
    is_centred = outputs > 1
    mean = mean_slope = loss = 0.0
    for index in range(outputs):
        values[index] = math.tanh(output(memory, index))
        mean += is_centred * values[index] / outputs
    for index in range(outputs):
        error = values[index] - mean - targets[index]
        loss += error * error / outputs
        by_output[index] = 2.0 * error / outputs * share
        mean_slope += is_centred * by_output[index] / outputs
    for index in range(outputs):
        slope = by_output[index] - mean_slope
        by_output[index] = slope * (1.0 - values[index] * values[index])
    units, slopes = floats(memory, at.UNITS), floats(memory, at.SLOPES)
    hidden_units, hidden_slopes = floats(memory, at.HIDDEN_UNITS), floats(memory, at.HIDDEN_SLOPES)
    for unit in range(hidden):
        hidden_slopes[unit] = np.float32(0.0)
    for index in range(outputs):
        by = (by_output[index],)
        floats(gradients, at.VALUE_BIAS)[index] += by_output[index]
        add_rows(floats(gradients, at.VALUE), index * hidden, hidden_units, (0,), by, hidden)
        add_rows(hidden_slopes, 0, floats(memory, at.VALUE), (index * hidden,), by, hidden)
    for unit in range(hidden):
        if hidden_units[unit] <= 0.0:
            hidden_slopes[unit] = np.float32(0.0)
    add_rows(floats(gradients, at.HIDDEN_BIAS), 0, hidden_slopes, (0,), (np.float32(1.0),), hidden)
    for unit in range(width):
        if units[unit] > 0.0:
            row = unit * hidden
            by = (units[unit],)
            add_rows(floats(gradients, at.HIDDEN), row, hidden_slopes, (0,), by, hidden)
            slopes[unit] += dot(floats(memory, at.HIDDEN), row, hidden_slopes, 0, hidden)
    return loss


@compiled
def policy_gradient(
    memory: StateArray,
    gradients: StateArray,
    actions: NDArray[np.int32],
    policy: NDArray[np.float32],
    image: NDArray[np.int32],
    share: np.float32,
) -> tuple[float, float]:
    """Add the gradients of the policy loss above the first layer, return it and its least value."""
    width = numbers(memory, at.SIZES)[at.WIDTH]
    units, slopes = floats(memory, at.UNITS), floats(memory, at.SLOPES)
    head, bias = floats(memory, at.POLICY), floats(memory, at.POLICY_BIAS)
    logits, legal = floats(memory, at.LOGITS), numbers(memory, at.LEGAL)
    count = 0
    greatest = np.float32(-np.inf)
    while count < actions.size and actions[count] >= 0:
        row = image[actions[count]]
        legal[count] = row
        logits[count] = dot(head, row * width, units, 0, width) + bias[row]
        greatest = max(greatest, logits[count])
        count += 1
    total = 0.0
    for index in range(count):
        total += math.exp(logits[index] - greatest)
    log_total = math.log(total) + greatest
    loss = 0.0
    least = 0.0
    for index in range(count):
        target = policy[index]
        log_probability = logits[index] - log_total
        loss -= target * log_probability
        if target > 0.0:
            least -= target * math.log(target)
        slope = np.float32((math.exp(log_probability) - target) * share)
        row = legal[index]
        floats(gradients, at.POLICY_BIAS)[row] += slope
        add_rows(floats(gradients, at.POLICY), row * width, units, (0,), (slope,), width)
        add_rows(slopes, 0, head, (row * width,), (slope,), width)
    return loss, least


@compiled(nogil=True)
def adam_step(
    weights: NDArray[np.float32],
    gradients: NDArray[np.float32],
    means: NDArray[np.float32],
    squares: NDArray[np.float32],
    step: int,
    learning_rate: float,
) -> None:
    """Change weights by Adam (Kingma and Ba, 2015), and set the gradients to zero.

    Args:
        weights: The weights of one array, flat.
        gradients: The gradients of these weights.
        means: The moving means of the gradients.
        squares: The moving means of their squares.
        step: The number of the step, from 1 on.
        learning_rate: The learning rate of this step.
    """
    decay, square_decay = np.float32(0.9), np.float32(0.999)
    rest, square_rest = np.float32(1.0) - decay, np.float32(1.0) - square_decay
    rate = np.float32(learning_rate / (1.0 - 0.9**step))
    scale = np.float32(1.0 / (1.0 - 0.999**step))
    epsilon = np.float32(1e-8)
    for index in range(weights.size):
        gradient = gradients[index]
        gradients[index] = np.float32(0.0)
        means[index] = decay * means[index] + rest * gradient
        squares[index] = square_decay * squares[index] + square_rest * gradient * gradient
        weights[index] -= rate * means[index] / (np.sqrt(squares[index] * scale) + epsilon)
