"""Sparse networks in compiled code, as evaluators of searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, legal_of
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled, first_compilation
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import memory_of, padded
from tzaar_envs.networks.sparse import memory as place
from tzaar_envs.networks.sparse.kernel import hold, judge, value
from tzaar_envs.networks.sparse.lines import find_tracks
from tzaar_envs.networks.sparse.network import SparseNetwork, SparseShape
from tzaar_envs.search.leaf_network import LeafNetwork, network_functions

_LARGEST_WEIGHT = 10_000
_SLICE = 2048  # positions: compiled code returns now and then, since only Python notices Ctrl-C


class CompiledNetwork:
    """A sparse network in compiled code; a search calls it without Python.

    Called as a function it is an `Evaluator`, see `search.mcts.answers`.

    Args:
        game: the game of the positions.
        network: its weights are copied.
        name: what errors call it.

    Raises:
        ValueError: the network is of another game's shape; a weight is not a number, or too large
            for sums of them to be finite.
    """

    def __init__(self, game: Game, network: SparseNetwork, name: str = "the network") -> None:
        if not network.fits(game):
            raise ValueError(f"{name} does not have the shape of {game!r}")
        self.game = game
        self.name = name
        self.shape = network.shape
        self._width = padded(network.shape.width)
        self._tables = _tables(network)
        with first_compilation("sparse network", value):
            self._functions = network_functions(value, judge, hold)
        self.load(network)

    def load(self, network: SparseNetwork) -> None:
        """Copy the weights of a network of the same shape; a search must ask for them again.

        Raises:
            ValueError: a network of another shape; a weight is not a number, or too large for sums
                of them to be finite.
        """
        if network.shape != self.shape:
            raise ValueError(f"{self.name} has another shape than the weights to load")
        weights = {name: each.numpy(force=True) for name, each in network.state_dict().items()}
        for name, weight in weights.items():
            if name.startswith("turned_"):
                continue
            if not (np.abs(weight) <= _LARGEST_WEIGHT).all():  # written so that NaN does not pass
                raise ValueError(
                    f"{self.name} has a weight in {name!r} that is not a number from "
                    f"-{_LARGEST_WEIGHT:,} to {_LARGEST_WEIGHT:,}: it has diverged"
                )
        scale = network.input_scale.numpy(force=True)[:, None]
        table = _in_steps(weights["table"] * scale)
        self._weights = {
            place.TABLE: _with_whole_vectors(table),
            place.BIAS: _with_whole_vectors(_in_steps(weights["bias"])),
            place.HIDDEN: _with_whole_vectors(weights["hidden.weight"].T, self._width),
            place.HIDDEN_BIAS: _with_whole_vectors(weights["hidden.bias"]),
            place.VALUE: _with_whole_vectors(weights["value_head.weight"]),
            place.VALUE_BIAS: weights["value_head.bias"].copy(),
            place.POLICY: _with_whole_vectors(weights["policy_head.weight"]),
            place.POLICY_BIAS: weights["policy_head.bias"].copy(),
        }
        self._network = network
        self._forget()

    def _forget(self) -> None:
        """Forget the last observations: their sums are of other weights."""
        working = _working_memory(self.shape, int(self._tables[place.SIZES][place.TRACKS]))
        working[place.SUMS].reshape(-1, self._width)[:] = self._weights[place.BIAS]
        # Keeps alive what the memory points to.
        self._arrays = {**self._tables, **self._weights, **working}
        memory = memory_of([self._arrays[each] for each in range(place.PLACES)])
        self._leaf_network = LeafNetwork(self._functions, memory)

    def leaf_network(self) -> LeafNetwork:
        """Return the network as a search takes it, valid until `load` or the end of this object."""
        return self._leaf_network

    def copy(self) -> CompiledNetwork:
        """Return a network with working memory of its own, for another thread."""
        other = object.__new__(CompiledNetwork)
        other.game, other.shape, other._network = self.game, self.shape, self._network
        other.name = self.name
        other._functions, other._tables = self._functions, self._tables
        other._width, other._weights = self._width, self._weights
        other._forget()
        return other

    def __call__(
        self, states: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return priors of the seat to act and values of all seats.

        Args:
            states: int64 `(n, state_size)`, positions of running games. Checking them takes some
                0.1 ms each; a compiled search, which makes its positions itself, does without.

        Returns:
            float64 `(n, num_actions)`, priors that are not scaled, 0 for illegal actions; and
            float64 `(n, num_players)`, -1 to 1.

        Raises:
            ValueError: another shape or type, words that no position has, or a game that is over.
        """
        states = self.game.checked_positions(states)
        if (states[:, STATUS] != RUNNING).any():
            raise ValueError("there is no legal action: the game is over")
        priors = np.zeros((len(states), self.game.num_actions))
        values = np.zeros((len(states), self.game.num_players))
        actions, listed = np.empty(self.game.num_actions, np.int64), np.empty(self.game.num_actions)
        for first in range(0, len(states), _SLICE):
            part = slice(first, first + _SLICE)
            _judge_rows(
                self.game.rules.functions,
                self._leaf_network,
                states[part],
                actions,
                listed,
                priors[part],
                values[part],
            )
        return priors, values

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledNetwork, (self.game, self._network, self.name)


@compiled
def _judge_rows(
    functions: FunctionTable,
    network: LeafNetwork,
    states: NDArray[np.int64],
    actions: StateArray,
    listed: NDArray[np.float64],
    priors: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    for row in range(states.shape[0]):
        state = states[row]
        count = legal_of(functions)(state, actions)
        judge(network.memory, functions, state, state[SEAT], actions[:count], listed, values[row])
        for index in range(count):
            priors[row, actions[index]] = listed[index]


def _in_steps(weights: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return weights of the first layer as sums of them are exact, see `policies.sparse.memory`."""
    return np.rint(weights * place.STEPS_PER_UNIT) / place.STEPS_PER_UNIT


def _with_whole_vectors(weights: NDArray[np.floating], rows: int = 0) -> NDArray[np.float32]:
    """Return weights `(..., n)` with zeros after them, so that a row is made of whole vectors.

    The first dimension becomes at least `rows`.
    """
    table = np.atleast_2d(weights)
    count, width = table.shape
    whole = np.zeros((max(rows, count), padded(width)), np.float32)
    whole[:count, :width] = table
    return whole


def _tables(network: SparseNetwork) -> dict[int, NDArray[Any]]:
    """Return the arrays that follow from the shape and from how positions are turned."""
    shape = network.shape
    blocks = _blocks(shape)
    entry = np.zeros(shape.size, np.int64)
    is_read = np.zeros(blocks * place.BLOCK * 8, np.bool_)
    row = 0
    for index, plane in shape.entries():
        entry[index] = row << place.LEVEL_BITS | plane.levels
        is_read[index] = True
        row += max(1, plane.levels)
    piece, track, track_cell, of_lines = _lines(shape)
    entries, read, actions, pieces = [entry], [is_read], [np.arange(shape.actions)], [piece]
    if shape.marker is not None:
        entry_seen_as = np.argsort(network.turned_entries.numpy(force=True))
        entries.append(entry[entry_seen_as])
        read.append(np.append(is_read[entry_seen_as], is_read[shape.size :]))
        actions.append(network.turned_actions.numpy(force=True))
        pieces.append(piece[entry_seen_as])
    masks = np.stack([np.where(each, np.uint8(255), np.uint8(0)).view(np.int64) for each in read])
    masks = masks.reshape(len(read), blocks, place.BLOCK)
    scan = np.flatnonzero(masks.any(axis=(0, 2)))
    marker = shape.marker or (-1, 0)
    width, hidden = padded(shape.width), padded(shape.hidden)
    sizes = [width, hidden, shape.outputs, shape.actions, shape.size, blocks, *marker]
    return {
        place.SIZES: np.array([*sizes, shape.players, len(scan), *of_lines]),
        place.ENTRY: np.concatenate(entries),
        place.SCAN: scan,
        place.SCAN_MASK: masks[:, scan].ravel(),
        place.ACTION_ROW: np.concatenate(actions),
        place.PIECE: np.concatenate(pieces),
        place.TRACK: track,
        place.TRACK_CELL: track_cell,
    }


def _lines(
    shape: SparseShape,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], list[int]]:
    """Return the arrays `PIECE`, of player 0, `TRACK`, `TRACK_CELL`, and the numbers in `SIZES`."""
    piece = np.full(shape.size, -1, np.int64)
    if shape.lines is None:
        return piece, np.zeros(1, np.int64), np.zeros(1, np.int64), [0, shape.cells, *[0] * 5]
    tracks = find_tracks(shape.lines, shape.board_shape)
    cells = np.arange(shape.cells)
    for bit, plane in enumerate((*shape.lines.pieces, *shape.lines.marks)):
        piece[plane * shape.cells + cells] = cells << place.CELL_SHIFT | bit
    sizes = [
        len(shape.lines.directions),
        shape.cells,
        len(shape.lines.pieces),
        shape.lines.most_marks,
        max(shape.board_shape),
        len(tracks.cells),
        shape.rows_of_entries,
    ]
    track = tracks.number << place.TRACK_SHIFT | tracks.position
    return piece, track.ravel(), tracks.cells.ravel(), sizes


def _blocks(shape: SparseShape) -> int:
    return -(-shape.size // (8 * place.BLOCK))


def _working_memory(shape: SparseShape, tracks: int) -> dict[int, NDArray[Any]]:
    words = _blocks(shape) * place.BLOCK
    slots = shape.players * (1 if shape.marker is None else 2)
    now = np.zeros(words, np.int64)
    directions = 0 if shape.lines is None else len(shape.lines.directions)
    most_changes = 2 * (shape.size + directions * shape.cells)
    return {
        place.NOW: now.view(np.int8),
        place.NOW_WORDS: now,
        place.SEEN_WORDS: np.zeros(slots * words, np.int64),
        place.SUMS: np.zeros(slots * padded(shape.width), np.float32),
        place.CHANGED_ROWS: np.zeros(most_changes, np.int64),
        place.FACTORS: np.zeros(most_changes, np.float32),
        place.UNITS: np.zeros(padded(shape.width), np.float32),
        place.HIDDEN_UNITS: np.zeros(padded(shape.hidden), np.float32),
        place.BOARD: np.zeros(slots * shape.cells, np.int64),
        place.KIND: np.zeros(slots * shape.cells, np.int64),
        place.OCCUPIED: np.zeros(slots * 2 * max(1, tracks), np.int64),
        place.LINE: np.zeros(slots * max(1, directions) * shape.cells, np.int64),
        place.CHANGED_CELLS: np.zeros(1 + shape.size, np.int64),
        place.CHANGED_PIECES: np.zeros(1 + shape.size, np.int64),
        place.CHANGED_LINES: np.zeros(1 + 2 * max(1, directions) * shape.cells, np.int64),
        place.HELD: np.zeros(slots, np.int64),
    }
