"""The sparse network in compiled code: accumulators updated from what changed, as in NNUE.

The accumulator of the first layer is updated from what changed since the last observation of the
same view (a seat and a perspective, see `layout`). At first, that is the empty observation.

Children of a position differ from each other by two actions, from the position itself by one. So a
search that asks for many of them has their parent anchored: it is then what they are compared with,
and stays so until an observation is far from it.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import SEAT, observe_of
from tzaar_envs.core.toolkit import lowest_bit
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import add_rows, borrowed, dot, floats, numbers, octets
from tzaar_envs.networks.sparse import layout as at
from tzaar_envs.networks.sparse.line_changes import (
    change_piece,
    list_changed_lines,
    put_back_lines,
)

_BYTE = 0xFF
_FAR = 64  # rows by which an observation differs from the one that is anchored


# --- What a search calls --------------------------------------------------------------------------


@compiled
def value(memory: StateArray, functions: FunctionTable, state: StateArray) -> float:
    """Return the expected return of the seat to act, see `search.leaf_network`."""
    memory, functions, state = borrowed(memory), borrowed(functions), borrowed(state)
    update(memory, functions, state, state[SEAT])
    hidden_layer(memory)
    return math.tanh(output(memory, 0))


@compiled
def predict(
    memory: StateArray,
    functions: FunctionTable,
    state: StateArray,
    seat: int,
    actions: StateArray,
    priors: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Write priors of actions and values of all seats, see `search.leaf_network`."""
    memory, functions, state = borrowed(memory), borrowed(functions), borrowed(state)
    actions, priors, values = borrowed(actions), borrowed(priors), borrowed(values)
    view = update(memory, functions, state, seat)
    greatest = -np.inf
    for index in range(actions.size):
        priors[index] = logit(memory, view, actions[index])
        greatest = max(greatest, priors[index])
    for index in range(actions.size):
        priors[index] = math.exp(priors[index] - greatest)
    hidden_layer(memory)
    if values.size == 2:
        values[seat] = math.tanh(output(memory, 0))
        values[1 - seat] = -values[seat]
        return
    mean = 0.0
    for relative in range(values.size):
        values[(seat + relative) % values.size] = math.tanh(output(memory, relative))
        mean += values[(seat + relative) % values.size] / values.size
    for player in range(values.size):
        values[player] -= mean


@compiled
def anchor(memory: StateArray, functions: FunctionTable, state: StateArray, seat: int) -> None:
    """Compare the next observations of a seat with this one, see `search.leaf_network`."""
    memory, functions, state = borrowed(memory), borrowed(functions), borrowed(state)
    if numbers(memory, at.SIZES)[at.DIRECTIONS] == 0:
        return  # without lines, changes are found so fast that this takes longer
    view = observe(memory, functions, state, seat)
    is_anchored = numbers(memory, at.IS_ANCHORED)
    is_anchored[view] = 0
    accumulate(memory, view, list_changes(memory, view))
    is_anchored[view] = 1


@compiled
def refresh(
    memory: StateArray, functions: FunctionTable, state: StateArray, seat: int
) -> tuple[int, int]:
    """List the rows of all features that a seat sees; return how many, and the perspective.

    The accumulator of that view is then wrong.
    """
    view = observe(memory, functions, state, seat)
    forget(memory, view)
    return list_changes(memory, view), view & 1


@compiled
def forget(memory: StateArray, view: int) -> None:
    """Make the empty observation the last one of a view; its accumulator is then wrong."""
    sizes = numbers(memory, at.SIZES)
    numbers(memory, at.IS_ANCHORED)[view] = 0
    clear(numbers(memory, at.SEEN_WORDS), view, sizes[at.BLOCKS] * at.BLOCK)
    clear(numbers(memory, at.BOARD), view, sizes[at.CELLS])
    kinds = numbers(memory, at.KIND)
    for index in range(view * sizes[at.CELLS], (view + 1) * sizes[at.CELLS]):
        kinds[index] = min(kinds[index], 0)
    clear(numbers(memory, at.LINE), view, sizes[at.DIRECTIONS] * sizes[at.CELLS])


@compiled
def clear(array: Any, view: int, length: int) -> None:
    """Set a view's part of an array to zero."""
    for index in range(view * length, (view + 1) * length):
        array[index] = 0


@compiled
def write_logits(
    memory: StateArray, observations: NDArray[np.int8], logits: NDArray[np.float32]
) -> None:
    """Write the logits of all actions for flattened observations, int8 `(n, N)`."""
    width = numbers(memory, at.SIZES)[at.WIDTH]
    bias, sums = floats(memory, at.TRANSFORMER_BIAS), floats(memory, at.ACCUMULATORS)
    for row in range(observations.shape[0]):
        entries = octets(memory, at.OBSERVATION, 0, observations.shape[1])
        entries[:] = observations[row]
        view = view_of(memory, 0)  # any seat will do: nothing is kept
        forget(memory, view)
        for unit in range(width):
            sums[view * width + unit] = bias[unit]
        accumulate(memory, view, list_changes(memory, view))
        for action in range(logits.shape[1]):
            logits[row, action] = logit(memory, view, action)


# --- From an observation to the accumulator -------------------------------------------------------


@compiled
def update(memory: StateArray, functions: FunctionTable, state: StateArray, seat: int) -> int:
    """Compute the first layer for what a seat sees; return its view."""
    view = observe(memory, functions, state, seat)
    count = list_changes(memory, view)
    accumulate(memory, view, count)
    is_anchored = numbers(memory, at.IS_ANCHORED)
    if is_anchored[view] != 0:
        put_back_lines(memory, view)
        if count > _FAR:
            is_anchored[view] = 0
    return view


@compiled
def observe(memory: StateArray, functions: FunctionTable, state: StateArray, seat: int) -> int:
    """Write what a seat sees; return its view."""
    entries = numbers(memory, at.SIZES)[at.ENTRIES]
    observe_of(functions)(state, seat, octets(memory, at.OBSERVATION, 0, entries))
    return view_of(memory, seat)


@compiled
def view_of(memory: StateArray, seat: int) -> int:
    """Return the view to which the observation belongs that a seat has now."""
    sizes = numbers(memory, at.SIZES)
    observation = octets(memory, at.OBSERVATION, 0, sizes[at.ENTRIES])
    marker = sizes[at.MARKER]
    is_turned = marker >= 0 and observation[marker] == sizes[at.MARKER_VALUE]
    return 2 * seat + int(is_turned)


@compiled
def list_changes(memory: StateArray, view: int) -> int:
    """List the rows that an observation adds to the one that is known; return how many.

    The observation takes its place, unless that one is anchored. If so, `put_back_lines` is due.
    """
    sizes = numbers(memory, at.SIZES)
    scanned = sizes[at.SCANNED]
    perspective = view & 1
    scan = numbers(memory, at.SCAN)
    masks = numbers(memory, at.SCAN_MASK)
    now = numbers(memory, at.OBSERVATION)
    seen = numbers(memory, at.SEEN_WORDS)
    is_anchored = numbers(memory, at.IS_ANCHORED)[view] != 0
    numbers(memory, at.CHANGED_PIECES)[0] = 0
    numbers(memory, at.CHANGED_LINES)[0] = 0
    count = 0
    for index in range(scanned):
        new = scan[index] * at.BLOCK
        old = view * sizes[at.BLOCKS] * at.BLOCK + new
        mask = (perspective * scanned + index) * at.BLOCK
        changed = 0
        for word in range(at.BLOCK):
            changed |= (now[new + word] ^ seen[old + word]) & masks[mask + word]
        if changed == 0:
            continue
        for word in range(at.BLOCK):
            new_word = now[new + word]
            old_word = seen[old + word]
            changed = (new_word ^ old_word) & masks[mask + word]
            if changed != 0:
                first_byte = perspective * sizes[at.ENTRIES] + 8 * (new + word)
                count = list_changed_bytes(
                    memory, view, first_byte, changed, new_word, old_word, count
                )
        if not is_anchored:
            for word in range(at.BLOCK):
                seen[old + word] = now[new + word]
    return list_changed_lines(memory, view, count)


@compiled
def list_changed_bytes(
    memory: StateArray,
    view: int,
    first_byte: int,
    changed: int,
    new_word: int,
    old_word: int,
    count: int,
) -> int:
    """Add the rows of a word's changed bytes to the list, return its new length."""
    entries = numbers(memory, at.ENTRY)
    has_lines = numbers(memory, at.SIZES)[at.DIRECTIONS] > 0
    pieces = numbers(memory, at.CHANGED_PIECES)
    rows = numbers(memory, at.CHANGED_ROWS)
    factors = floats(memory, at.CHANGED_FACTORS)
    while changed != 0:
        byte = lowest_bit(changed) >> 3
        changed = changed >> 8 * byte >> 8 << 8 * byte << 8  # it was the lowest one
        new = new_word >> 8 * byte & _BYTE
        old = old_word >> 8 * byte & _BYTE
        entry = entries[first_byte + byte]
        first_row = entry >> at.LEVEL_BITS
        levels = entry & (1 << at.LEVEL_BITS) - 1
        if has_lines and (new != 0) != (old != 0):
            piece = numbers(memory, at.PIECE)[first_byte + byte]
            if piece >= 0:
                pieces[0] += 1
                pieces[pieces[0]] = piece
                change_piece(memory, view, piece)
        if levels == 0:
            rows[count] = first_row
            factors[count] = new - old
            count += 1
            continue
        if new != 0:
            rows[count] = first_row + min(new, levels) - 1
            factors[count] = 1.0
            count += 1
        if old != 0:
            rows[count] = first_row + min(old, levels) - 1
            factors[count] = -1.0
            count += 1
    return count


@compiled
def accumulate(memory: StateArray, view: int, count: int) -> None:
    """Add the listed rows to the accumulator of a view, and write the first layer.

    If the view is anchored, its accumulator stays as it is.
    """
    width = numbers(memory, at.SIZES)[at.WIDTH]
    sums = floats(memory, at.ACCUMULATORS)
    units = floats(memory, at.UNITS)
    own = view * width
    if numbers(memory, at.IS_ANCHORED)[view] != 0:
        for unit in range(width):
            units[unit] = sums[own + unit]
        sums, own = units, 0
    add_listed_rows(memory, sums, own, count)
    for unit in range(width):
        units[unit] = max(sums[own + unit], np.float32(0.0))


@compiled
def add_listed_rows(memory: StateArray, sums: Any, start: int, count: int) -> None:
    """Add the listed rows of the transformer to sums."""
    width = numbers(memory, at.SIZES)[at.WIDTH]
    rows = numbers(memory, at.CHANGED_ROWS)
    factors = floats(memory, at.CHANGED_FACTORS)
    transformer = floats(memory, at.TRANSFORMER)
    index = 0
    # Four rows at once: the sums are read and written a quarter as often.
    while index + 4 <= count:
        four = (
            rows[index] * width,
            rows[index + 1] * width,
            rows[index + 2] * width,
            rows[index + 3] * width,
        )
        by = factors[index], factors[index + 1], factors[index + 2], factors[index + 3]
        add_rows(sums, start, transformer, four, by, width)
        index += 4
    while index < count:
        add_rows(sums, start, transformer, (rows[index] * width,), (factors[index],), width)
        index += 1


# --- The layers after the first -------------------------------------------------------------------


@compiled
def hidden_layer(memory: StateArray) -> None:
    """Compute the second layer from the first."""
    sizes = numbers(memory, at.SIZES)
    width = sizes[at.WIDTH]
    hidden = sizes[at.HIDDEN_WIDTH]
    weights = floats(memory, at.HIDDEN)
    bias = floats(memory, at.HIDDEN_BIAS)
    units = floats(memory, at.UNITS)
    out = floats(memory, at.HIDDEN_UNITS)
    for unit in range(hidden):
        out[unit] = bias[unit]
    for index in range(0, width, 4):
        row = index * hidden
        rows = row, row + hidden, row + 2 * hidden, row + 3 * hidden
        by = units[index], units[index + 1], units[index + 2], units[index + 3]
        add_rows(out, 0, weights, rows, by, hidden)
    for unit in range(hidden):
        out[unit] = max(out[unit], np.float32(0.0))


@compiled
def output(memory: StateArray, index: int) -> float:
    """Return a value before its activation: the first one is that of the observer."""
    hidden = numbers(memory, at.SIZES)[at.HIDDEN_WIDTH]
    weights = floats(memory, at.VALUE)
    units = floats(memory, at.HIDDEN_UNITS)
    total = dot(weights, index * hidden, units, 0, hidden)
    return float(total + floats(memory, at.VALUE_BIAS)[index])


@compiled
def logit(memory: StateArray, view: int, action: int) -> float:
    """Return the logit of an action for the first layer that was computed for a view."""
    sizes = numbers(memory, at.SIZES)
    width = sizes[at.WIDTH]
    row = numbers(memory, at.ACTION_ROW)[(view & 1) * sizes[at.ACTIONS] + action]
    total = dot(floats(memory, at.POLICY), row * width, floats(memory, at.UNITS), 0, width)
    return float(total + floats(memory, at.POLICY_BIAS)[row])
