"""The arrays of a sparse network as compiled code sees them, for evaluation and for learning.

They are the entries of one memory, see `jit.memory`. Weights never change while code evaluates;
working memory belongs to one thread.

For each player that may observe, and each perspective (as player 0, or turned as player 1), working
memory keeps a *view*: the last observation and its accumulator, the sums of the first layer (NNUE's
feature transformer). Its number is twice the seat, plus the perspective. For evaluation all rows of
that layer are multiples of 2**-15, so their sums, up to 256, are exact: they do not depend on the
order in which rows are added and taken away again.

`width` and `hidden` are rounded up to whole vectors, see `jit.memory`; the weights there are 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.memory import memory_of, padded
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse.lines import STEPS, reach_of

# Places in a memory. First come the weights, in the order of `SparseShape.weights`; a memory of
# gradients has them alone.
(
    TRANSFORMER,  # float32 (I, width)
    TRANSFORMER_BIAS,  # float32 (width,)
    HIDDEN,  # float32 (width, hidden)
    HIDDEN_BIAS,
    VALUE,  # float32 (outputs, hidden)
    VALUE_BIAS,
    POLICY,  # float32 (actions, width)
    POLICY_BIAS,
    SIZES,  # int64, see below
    CHANGED_ROWS,  # int64, rows of `TRANSFORMER` to add to an accumulator
    CHANGED_FACTORS,  # float32, and how often
    ACCUMULATORS,  # float32 (views, width), the first layer of each view before the activation
    UNITS,  # float32 (width,), the first layer
    HIDDEN_UNITS,  # float32 (hidden,), the second one
    # Evaluation. What has two perspectives begins with that of player 0, then comes the turned one.
    ENTRY,  # int64 (2, N): first row of an entry << LEVEL_BITS | levels
    SCAN,  # int64, the blocks of an observation of which anything is read
    SCAN_MASK,  # int64 (2, blocks, BLOCK), their bytes that are read
    ACTION_ROW,  # int64 (2, actions): row of an action in `POLICY`
    OBSERVATION,  # int64 (blocks, BLOCK), what is seen now, whose bytes are the entries
    SEEN_WORDS,  # int64 (views, blocks, BLOCK), the observation that each accumulator belongs to
    IS_ANCHORED,  # int64 (views,): 1 if that one stays as it is, 0 if it is always the last one
    # Lines of sight, see `lines`.
    PIECE,  # int64 (2, N): cell << CELL_SHIFT | bit in `BOARD`; -1: none
    STEP,  # int64 (directions,): from a cell to the next one there
    BOARD,  # int64 (views, cells): the pieces on each cell as bits, then their marks
    KIND,  # int64 (views, cells): 1 + the kind of the piece there; 0: none; -1: beyond the edge
    LINE,  # int64 (views, directions, cells): 1 + the row of the line that begins there, 0: none;
    # or the number of the pattern that begins there
    PATTERN,  # int64 (directions, cells): the first row of the pattern that begins there
    HOLDERS,  # int64 (cells, 1 + 2 * directions * length): how many patterns hold a cell; of each
    # its place in `LINE`, of one view, and what the cell's kind counts in its number
    CHANGED_CELLS,  # int64: how many cells have changed, and which
    CHANGED_PIECES,  # int64: how many pieces and marks have, and which, as in `PIECE`
    CHANGED_LINES,  # int64: how many lines have; of each the place in `LINE`, and what was there
    # Learning.
    INPUT_SCALE,  # float32 (I,), factors of the rows of `TRANSFORMER`
    SLOPES,  # float32 (width,), derivatives by `UNITS`
    HIDDEN_SLOPES,  # float32 (hidden,), by `HIDDEN_UNITS`
    VALUES,  # float32 (outputs,)
    VALUE_SLOPES,  # float32 (outputs,), by what `tanh` is taken of
    LOGITS,  # float32 (legal,), of the legal actions
    LEGAL,  # int64 (legal,), their rows in `POLICY`
    PLACES,
) = range(39)

# The numbers in `SIZES`.
(
    WIDTH,
    HIDDEN_WIDTH,
    OUTPUTS,
    ACTIONS,
    ENTRIES,  # of an observation
    BLOCKS,  # of an observation
    MARKER,  # see `SparseShape`; -1: none
    MARKER_VALUE,
    SCANNED,  # length of `SCAN`
    DIRECTIONS,  # of lines; 0: there are none
    CELLS,  # of a board with lines, with an edge around it
    PIECES,  # sorts of pieces, the lowest bits in `BOARD`
    MOST_MARKS,  # so many marks of a piece count, at most
    REACH,  # the greatest length of a line
    FIRST_LINE,  # row of the first line in `TRANSFORMER`
    LENGTH,  # of a pattern; 0: there are lines of sight
) = range(16)

STEPS_PER_UNIT = 2**15
LEVEL_BITS = 5
CELL_SHIFT = 6
BLOCK = 8  # words that are compared at once: a line of the processor's cache

Arrays = dict[int, NDArray[Any]]
"""Arrays by their places."""


def memory_with(arrays: Mapping[int, NDArray[Any]]) -> NDArray[np.int64]:
    """Return the memory of arrays, which must outlive it; the other places are not to be read."""
    nothing = np.empty(0, np.int64)
    return memory_of([arrays.get(place, nothing) for place in range(PLACES)])


def arrays_of(shape: SparseShape, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """Return the arrays of one network for one thread: weights, tables, working memory.

    Args:
        shape: the shape of the network.
        arrays: what a file holds of it.
    """
    tables = tables_of(shape, arrays)
    return packed_weights(shape, arrays) | tables | working_memory(shape, tables[SIZES])


def packed_weights(shape: SparseShape, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """Return the parameters of a network as they are in a memory: in rows of whole vectors."""
    found = Arrays()
    for place, name in enumerate(shape.weights):
        weights = arrays[name]
        table = np.atleast_2d(weights.T if place == HIDDEN else weights)
        rows, columns = table.shape
        whole = np.zeros((padded(rows) if place == HIDDEN else rows, padded(columns)), np.float32)
        whole[:rows, :columns] = table
        found[place] = whole
    return found


def unpacked(place: int, array: NDArray[np.float32], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return a parameter, or its gradient, as PyTorch has it.

    Args:
        place: The place of the parameter.
        array: The parameter as it is in a memory.
        shape: The shape that it has in PyTorch.
    """
    table = array.T if place == HIDDEN else array
    rows = shape[0] if len(shape) > 1 else 1
    return table[:rows, : shape[-1]].reshape(shape)


def tables_of(shape: SparseShape, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """Return the arrays that follow from the shape and from how positions are turned."""
    entry, piece = np.zeros(shape.size, np.int64), np.full(shape.size, -1, np.int64)
    is_read = np.zeros(shape.size, np.bool_)
    for index, first_row, plane in shape.entries():
        entry[index] = first_row << LEVEL_BITS | plane.levels
        is_read[index] = True
    tables, sizes_of_lines = Arrays(), [0] * 7
    if (lines := shape.lines) is not None:
        edged = edged_board(shape)
        steps = [STEPS[direction] for direction in lines.directions]
        tables[STEP] = np.array([down * edged.shape[1] + right for down, right in steps])
        cells = np.flatnonzero(edged == 0)
        for bit, first in enumerate(shape.cells * np.array([*lines.pieces, *lines.marks])):
            piece[first : first + shape.cells] = cells << CELL_SHIFT | bit
        sizes_of_lines = [
            len(lines.directions),
            edged.size,
            len(lines.pieces),
            lines.most_marks,
            reach_of(shape.board_shape),
            shape.rows_of_entries,
            lines.pattern,
        ]
        if lines.pattern:
            tables[PATTERN] = np.zeros((len(steps), edged.size), np.int64)
            tables[HOLDERS] = np.zeros((edged.size, 1 + 2 * len(steps) * lines.pattern), np.int64)
            for number, (index, places) in enumerate(lines.places(shape.board_shape)):
                first = cells[places[0]]
                tables[PATTERN][index, first] = number * lines.contents
                for place, held in enumerate(places):
                    factor = (1 + lines.kinds) ** (lines.pattern - 1 - place)
                    holders = tables[HOLDERS][cells[held]]
                    begin = 1 + 2 * holders[0]
                    holders[begin : begin + 2] = index * edged.size + first, factor
                    holders[0] += 1
    seen_as, actions = np.arange(shape.size)[None], np.arange(shape.actions)
    if shape.marker is not None:
        turned = np.argsort(arrays["turned_entries"])
        seen_as = np.stack([seen_as[0], turned])
        actions = np.append(actions, arrays["turned_actions"])
    blocks = -(-shape.size // (8 * BLOCK))
    bytes_read = np.zeros((len(seen_as), 8 * BLOCK * blocks), np.uint8)
    bytes_read[:, : shape.size] = np.where(is_read[seen_as], 255, 0)
    masks = bytes_read.view(np.int64).reshape(len(seen_as), blocks, BLOCK)
    scan = np.flatnonzero(masks.any(axis=(0, 2)))
    sizes = [padded(shape.width), padded(shape.hidden), shape.outputs, shape.actions, shape.size]
    marker = shape.marker or (-1, 0)
    return tables | {
        SIZES: np.array([*sizes, blocks, *marker, len(scan), *sizes_of_lines]),
        ENTRY: entry[seen_as],
        SCAN: scan,
        SCAN_MASK: masks[:, scan].ravel(),
        ACTION_ROW: actions,
        PIECE: piece[seen_as],
    }


def edged_board(shape: SparseShape) -> NDArray[np.int64]:
    """Return a board with an edge around it: 0 for each cell, -1 for each one beyond; int64."""
    if shape.lines is None:
        return np.zeros((0, 0), np.int64)
    return np.pad(np.zeros(shape.board_shape, np.int64), 1, constant_values=-1)


def working_memory(shape: SparseShape, sizes: NDArray[np.int64]) -> Arrays:
    """Return the arrays in which a network is evaluated; no accumulator has a bias yet.

    Args:
        shape: The shape of the network.
        sizes: The array in `SIZES`.
    """
    words, cells, views = int(sizes[BLOCKS]) * BLOCK, int(sizes[CELLS]), 2 * shape.players
    lines = int(sizes[DIRECTIONS]) * cells
    most_changes = 2 * (shape.size + lines)
    lengths = {
        OBSERVATION: words,
        CHANGED_ROWS: most_changes,
        SEEN_WORDS: views * words,
        IS_ANCHORED: views,
        BOARD: views * cells,
        LINE: views * lines,
        CHANGED_CELLS: 1 + shape.size,
        CHANGED_PIECES: 1 + shape.size,
        CHANGED_LINES: 1 + 2 * lines,
    }
    return {place: np.zeros(length, np.int64) for place, length in lengths.items()} | {
        KIND: np.tile(edged_board(shape).ravel(), views),
        CHANGED_FACTORS: np.zeros(most_changes, np.float32),
        ACCUMULATORS: np.zeros((views, padded(shape.width)), np.float32),
        UNITS: np.zeros(padded(shape.width), np.float32),
        HIDDEN_UNITS: np.zeros(padded(shape.hidden), np.float32),
    }
