"""Sparse networks in compiled code, as evaluators of searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, legal_of
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled, first_compilation
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.networks.shapes import SparseShape, StoredNetwork, check_weights
from tzaar_envs.networks.sparse import layout as at
from tzaar_envs.networks.sparse.kernel import anchor, predict, value, write_logits
from tzaar_envs.search.leaf_network import LeafNetwork, network_functions

if TYPE_CHECKING:
    from tzaar_envs.networks.network import SparseNetwork

_SLICE = 2048  # positions: compiled code returns now and then, since only Python notices Ctrl-C


class CompiledNetwork:
    """A sparse network in compiled code; a search calls it without Python.

    Called as a function it is an `Evaluator`, see `search.batched`. It has working memory, so
    each thread needs a `copy`.

    Args:
        game: The game of the positions.
        network: The network; its weights are copied.
        name: Its name in error messages.

    Raises:
        ValueError: The network is of another game's shape; a weight is not a number, or too large
            for sums of them to be finite.
    """

    def __init__(
        self, game: Game, network: SparseNetwork | StoredNetwork, name: str = "the network"
    ) -> None:
        shape = network.shape
        if not isinstance(shape, SparseShape) or not shape.fits(game):
            raise ValueError(f"{name} does not have the shape of {game!r}")
        self.game = game
        self.name = name
        self.shape = shape
        self._tables = at.tables_of(shape, network.arrays)
        with first_compilation("sparse network", value):
            self._functions = network_functions(value, predict, anchor)
        self.load(network)

    def load(self, network: SparseNetwork | StoredNetwork) -> None:
        """Copy the weights of a network of the same shape; a search must ask for them again.

        Raises:
            ValueError: A network of another shape; a weight is not a number, or too large for sums
                of them to be finite.
        """
        if network.shape != self.shape:
            raise ValueError(f"{self.name} has another shape than the weights to load")
        check_weights(network.arrays, self.name)
        weights = at.packed_weights(self.shape, network.arrays)
        weights[at.TRANSFORMER] *= self.shape.input_scale[:, None]
        for place in (at.TRANSFORMER, at.TRANSFORMER_BIAS):  # so that sums are exact, see `layout`
            weights[place] = np.rint(weights[place] * at.STEPS_PER_UNIT) / at.STEPS_PER_UNIT
        self._network, self._weights = network, weights
        self._renew()

    def _renew(self) -> None:
        """Take new working memory, whose accumulators are those of the empty observation."""
        working = at.working_memory(self.shape, self._tables[at.SIZES])
        working[at.ACCUMULATORS][:] = self._weights[at.TRANSFORMER_BIAS]
        # Keeps alive what the memory points to.
        self._arrays = self._tables | self._weights | working
        self._leaf_network = LeafNetwork(self._functions, at.memory_with(self._arrays))

    def leaf_network(self) -> LeafNetwork:
        """Return the network as a search takes it, valid until `load` or the end of this object."""
        return self._leaf_network

    def copy(self) -> Self:
        """Return a network with working memory of its own, for another thread."""
        other = object.__new__(type(self))
        other.__dict__ |= vars(self)
        other._renew()
        return other

    def __call__(
        self, states: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return priors of the seat to act and values of all seats.

        Args:
            states: int64 `(n, state_size)`, the `words` of positions of running games. Words that
                no position has are not noticed, and can crash the process.

        Returns:
            float64 `(n, num_actions)`, priors that are not scaled, 0 for illegal actions; and
            float64 `(n, num_players)`, from -1 to 1 with two players; with more, of sum 0, they can
            lie beyond.

        Raises:
            ValueError: Another shape or type, or a game that is over.
        """
        states = self.game.checked_positions(states)
        if (states[:, STATUS] != RUNNING).any():
            raise ValueError("there is no legal action: the game is over")
        priors = np.zeros((len(states), self.game.num_actions))
        values = np.zeros((len(states), self.game.num_players))
        functions, memory = self.game.rules.functions, self._leaf_network.memory
        for first in range(0, len(states), _SLICE):
            part = slice(first, first + _SLICE)
            _predict_rows(functions, memory, states[part], priors[part], values[part])
        return priors, values

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledNetwork, (self.game, self._network, self.name)


@compiled
def _predict_rows(
    functions: FunctionTable,
    memory: StateArray,
    states: NDArray[np.int64],
    priors: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    actions, listed = np.empty(priors.shape[1], np.int64), np.empty(priors.shape[1])
    for row in range(states.shape[0]):
        state = states[row]
        count = legal_of(functions)(state, actions)
        legal = actions[:count]
        predict(memory, functions, state, state[SEAT], legal, listed, values[row])
        for index in range(count):
            priors[row, actions[index]] = listed[index]


class SparsePolicy:
    """The logits of a sparse network for observations, in compiled code.

    Its weights are not rounded, so the logits are those of PyTorch but for the rounding of sums.

    Args:
        network: The network.
    """

    def __init__(self, network: StoredNetwork) -> None:
        shape = network.shape
        assert isinstance(shape, SparseShape)
        self._arrays = at.arrays_of(shape, network.arrays)  # keeps alive what the memory points to
        self._arrays[at.TRANSFORMER] *= shape.input_scale[:, None]
        self._memory = at.memory_with(self._arrays)
        self._network, self._shape = network, shape

    def __call__(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Map observations, int8 `(B, *observation_shape)`, to logits, `(B, num_actions)`."""
        seen = observations.reshape(-1, self._shape.size)
        logits = np.empty((len(seen), self._shape.actions), np.float32)
        with first_compilation("sparse policy", write_logits):
            for first in range(0, len(seen), _SLICE):
                part = slice(first, first + _SLICE)
                write_logits(self._memory, seen[part], logits[part])
        return logits

    def __reduce__(self) -> tuple[Any, ...]:
        return SparsePolicy, (self._network,)
