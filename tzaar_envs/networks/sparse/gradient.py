"""Gradients of a sparse network in compiled code: losses, their gradient, one sample at a time.

The policy loss is the cross entropy of the logits with the target policy, the value loss the mean
squared error of the values. The gradient of the first layer touches only the rows of inputs that
are not zero, and that of the policy head only the legal actions, so a sample takes a few
microseconds.

Weights and gradients are memories (see `jit.memory`) of the arrays below, in which rows are whole
vectors; what lies behind the end of a row is 0, and so is its gradient.
"""

import math

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.memory import add_rows, borrowed, dot, floats, numbers

# Places in a memory of weights or gradients, all float32.
TABLE = 0  # (I, width)
BIAS = 1  # (width,)
HIDDEN = 2  # (hidden, width)
HIDDEN_BIAS = 3
VALUE = 4  # (outputs, hidden)
VALUE_BIAS = 5
POLICY = 6  # (actions, width)
POLICY_BIAS = 7
WEIGHTS = 8

# Places in the working memory.
SIZES = 0  # int64: width and hidden in whole vectors, outputs, hidden, length of `ROWS`
ROWS = 1  # int64, the first places of the rows of the inputs in `TABLE`
FACTORS = 2  # float32, what they are multiplied by
SUMS = 3  # float32 (width,), the first layer before its activation
UNITS = 4  # float32 (width,), and after it
UNIT_SLOPES = 5  # float32 (width,), derivatives by `UNITS`, then by `SUMS`
HIDDEN_UNITS = 6  # float32 (hidden,)
HIDDEN_SLOPES = 7  # float32 (hidden,), derivatives by them
VALUES = 8  # float32 (outputs,)
VALUE_SLOPES = 9  # float32 (outputs,), derivatives by what `tanh` is taken of
LOGITS = 10  # float32 (legal,), then derivatives by them
LEGAL = 11  # int64 (legal,), rows of the legal actions in `POLICY`
PLACES = 12

POLICY_LOSS, LEAST_LOSS, VALUE_LOSS, SAMPLES = range(4)  # places in the sums of losses


@compiled(nogil=True)
def add_gradients(
    weights: StateArray,
    gradients: StateArray,
    working: StateArray,
    input_scale: NDArray[np.float32],
    rows: NDArray[np.int32],
    factors: NDArray[np.int8],
    actions: NDArray[np.int32],
    policy: NDArray[np.float32],
    values: NDArray[np.float32],
    chosen: StateArray,
    images: StateArray,
    share: float,
    row_images: NDArray[np.int32],
    action_images: NDArray[np.int32],
    policy_weight: float,
    value_weight: float,
    losses: NDArray[np.float64],
) -> int:
    """Add a part of the gradient of the mean loss of some samples, and their losses.

    Returns:
        The first place in `chosen` that would lead out of an array, at which this has stopped; -1
        if there is none.

    Args:
        weights: memory of the weights.
        gradients: memory of the gradients.
        working: working memory.
        input_scale: of the network.
        rows: of all samples, see `Samples`.
        factors: of all samples.
        actions: of all samples.
        policy: of all samples.
        values: of all samples.
        chosen: the samples to learn from.
        images: the symmetry by which each of them is seen.
        share: of each of them in the mean.
        row_images: see `SampleSymmetries.rows`.
        action_images: see `SampleSymmetries.actions`.
        policy_weight: of the policy loss.
        value_weight: of the value loss.
        losses: float64 `(4,)`, sums over samples.
    """
    weights, gradients, working = borrowed(weights), borrowed(gradients), borrowed(working)
    most_inputs = numbers(working, SIZES)[4]
    symmetries, row_count = row_images.shape
    action_count = action_images.shape[1]
    for index in range(chosen.size):
        sample = chosen[index]
        image = images[index]
        if not (0 <= sample < rows.shape[0] and 0 <= image < symmetries):
            return index
        if not is_possible(
            rows[sample], factors[sample], actions[sample], row_count, action_count, most_inputs
        ):
            return index
        inputs = first_layer(
            weights, working, rows[sample], factors[sample], row_images[image], input_scale
        )
        losses[VALUE_LOSS] += value_gradient(
            weights, gradients, working, values[sample], np.float32(value_weight * share)
        )
        loss, least = policy_gradient(
            weights, gradients, working, actions[sample], policy[sample], action_images[image],
            np.float32(policy_weight * share),
        )  # fmt: skip
        losses[POLICY_LOSS] += loss
        losses[LEAST_LOSS] += least
        losses[SAMPLES] += 1.0
        first_layer_gradient(gradients, working, inputs)
    return -1


@compiled
def is_possible(
    rows: NDArray[np.int32],
    factors: NDArray[np.int8],
    actions: NDArray[np.int32],
    row_count: int,
    action_count: int,
    most_inputs: int,
) -> bool:
    """Whether the gradient of a sample stays inside all arrays.

    The loops have no branches, and what they read is read by the gradient too, so that they take
    a two-hundredth of its time.

    Args:
        rows: of this sample.
        factors: of this sample.
        actions: of this sample.
        row_count: the number of rows of the network's first layer.
        action_count: the number of its actions.
        most_inputs: how many inputs of a sample can differ from zero.
    """
    if actions.size == 0 or actions[0] < 0:
        return False
    inputs = legal = outside = np.int32(0)
    for place in range(rows.size):
        used = np.int32(factors[place] != 0)
        inputs += used
        # Negative ones are the largest here.
        outside |= used & np.int32(np.uint32(rows[place]) >= np.uint32(row_count))
    for place in range(actions.size):
        legal += np.int32(actions[place] >= 0)
        outside |= np.int32(actions[place] >= np.int32(action_count))
    return bool(outside == 0 and inputs <= most_inputs and legal <= action_count)


@compiled
def first_layer(
    weights: StateArray,
    working: StateArray,
    rows: NDArray[np.int32],
    factors: NDArray[np.int8],
    image: NDArray[np.int32],
    input_scale: NDArray[np.float32],
) -> int:
    """Compute the first layer, return the number of inputs that are not zero."""
    width = numbers(working, SIZES)[0]
    starts, by = numbers(working, ROWS), floats(working, FACTORS)
    sums, units, slopes = (
        floats(working, SUMS),
        floats(working, UNITS),
        floats(working, UNIT_SLOPES),
    )
    table, bias = floats(weights, TABLE), floats(weights, BIAS)
    for unit in range(width):
        sums[unit] = bias[unit]
        slopes[unit] = np.float32(0.0)
    count = 0
    for place in range(rows.size):
        if factors[place] != 0:
            row = image[rows[place]]
            starts[count] = row * width
            by[count] = factors[place] * input_scale[row]
            add_rows(sums, 0, table, (starts[count],), (by[count],), width)
            count += 1
    for unit in range(width):
        units[unit] = max(sums[unit], np.float32(0.0))
    return count


@compiled
def value_gradient(
    weights: StateArray,
    gradients: StateArray,
    working: StateArray,
    targets: NDArray[np.float32],
    share: np.float32,
) -> float:
    """Add the gradients of the value loss above the first layer, return the loss."""
    sizes = numbers(working, SIZES)
    width, hidden, outputs, hidden_count = sizes[0], sizes[1], sizes[2], sizes[3]
    units, slopes = floats(working, UNITS), floats(working, UNIT_SLOPES)
    hidden_units, hidden_slopes = floats(working, HIDDEN_UNITS), floats(working, HIDDEN_SLOPES)
    hidden_weights, hidden_bias = floats(weights, HIDDEN), floats(weights, HIDDEN_BIAS)
    value_weights = floats(weights, VALUE)
    for unit in range(hidden_count):
        total = dot(hidden_weights, unit * width, units, 0, width) + hidden_bias[unit]
        hidden_units[unit] = max(total, np.float32(0.0))
        hidden_slopes[unit] = np.float32(0.0)
    loss = value_slopes(weights, working, targets, share)
    by_output = floats(working, VALUE_SLOPES)
    for place in range(outputs):
        by = (by_output[place],)
        floats(gradients, VALUE_BIAS)[place] += by_output[place]
        add_rows(floats(gradients, VALUE), place * hidden, hidden_units, (0,), by, hidden)
        add_rows(hidden_slopes, 0, value_weights, (place * hidden,), by, hidden)
    for unit in range(hidden_count):
        if hidden_units[unit] > 0.0:
            slope = (hidden_slopes[unit],)
            floats(gradients, HIDDEN_BIAS)[unit] += hidden_slopes[unit]
            add_rows(floats(gradients, HIDDEN), unit * width, units, (0,), slope, width)
            add_rows(slopes, 0, hidden_weights, (unit * width,), slope, width)
    return loss


@compiled
def value_slopes(
    weights: StateArray, working: StateArray, targets: NDArray[np.float32], share: np.float32
) -> float:
    """Write the derivatives of the value loss by what `tanh` is taken of, return the loss."""
    sizes = numbers(working, SIZES)
    hidden, outputs = sizes[1], sizes[2]
    values, slopes = floats(working, VALUES), floats(working, VALUE_SLOPES)
    mean = 0.0
    for place in range(outputs):
        total = dot(
            floats(weights, VALUE), place * hidden, floats(working, HIDDEN_UNITS), 0, hidden
        )
        values[place] = math.tanh(total + floats(weights, VALUE_BIAS)[place])
        mean += values[place] / outputs
    if outputs == 1:
        mean = 0.0
    loss = 0.0
    mean_slope = 0.0
    for place in range(outputs):
        error = values[place] - mean - targets[place]
        loss += error * error / outputs
        slopes[place] = 2.0 * error / outputs * share
        mean_slope += slopes[place] / outputs
    if outputs == 1:
        mean_slope = 0.0
    for place in range(outputs):
        slopes[place] = (slopes[place] - mean_slope) * (1.0 - values[place] * values[place])
    return loss


@compiled
def policy_gradient(
    weights: StateArray,
    gradients: StateArray,
    working: StateArray,
    actions: NDArray[np.int32],
    policy: NDArray[np.float32],
    image: NDArray[np.int32],
    share: np.float32,
) -> tuple[float, float]:
    """Add the gradients of the policy loss above the first layer, return it and its least value."""
    width = numbers(working, SIZES)[0]
    units, slopes = floats(working, UNITS), floats(working, UNIT_SLOPES)
    head, bias = floats(weights, POLICY), floats(weights, POLICY_BIAS)
    logits, legal = floats(working, LOGITS), numbers(working, LEGAL)
    count = 0
    most = np.float32(-np.inf)
    while count < actions.size and actions[count] >= 0:
        row = image[actions[count]]
        legal[count] = row
        logits[count] = dot(head, row * width, units, 0, width) + bias[row]
        most = max(most, logits[count])
        count += 1
    total = 0.0
    for index in range(count):
        total += math.exp(logits[index] - most)
    log_total = math.log(total) + most
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
        floats(gradients, POLICY_BIAS)[row] += slope
        add_rows(floats(gradients, POLICY), row * width, units, (0,), (slope,), width)
        add_rows(slopes, 0, head, (row * width,), (slope,), width)
    return loss, least


@compiled
def first_layer_gradient(gradients: StateArray, working: StateArray, inputs: int) -> None:
    """Add the gradients of the first layer, from the derivatives by its units."""
    width = numbers(working, SIZES)[0]
    starts, by = numbers(working, ROWS), floats(working, FACTORS)
    sums, slopes = floats(working, SUMS), floats(working, UNIT_SLOPES)
    table, bias = floats(gradients, TABLE), floats(gradients, BIAS)
    for unit in range(width):
        if sums[unit] <= 0.0:
            slopes[unit] = np.float32(0.0)
        bias[unit] += slopes[unit]
    for place in range(inputs):
        add_rows(table, starts[place], slopes, (0,), (by[place],), width)


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
        weights: of one array, flat.
        gradients: of these weights.
        means: moving means of the gradients.
        squares: moving means of their squares.
        step: number of the step, from 1 on.
        learning_rate: of this step.
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
