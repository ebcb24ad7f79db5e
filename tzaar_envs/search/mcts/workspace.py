"""The arrays that a simulation writes to: its path through the tree, and scratch space."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.jit.arrays import Observation, RngState, StateArray

_FACTOR_BITS = 40  # so that an infoset key stays within 63 bits


class SearchPath(NamedTuple):
    """The path of a simulation from the root to its leaf.

    Attributes:
        depth: int64 `(1,)`, how many edges it has.
        nodes: int64 `(max_plies + 1,)`.
        seats: int64 `(max_plies + 1,)`, which seat acts at each node.
        edges: int64 `(max_plies + 1,)`, the edge that was taken at each node but the last.
        state: int64 `(state_size,)`, the position at the leaf.
        values: float64 `(seats,)`, the value of the leaf for each seat.
    """

    depth: NDArray[np.int64]
    nodes: NDArray[np.int64]
    seats: NDArray[np.int64]
    edges: NDArray[np.int64]
    state: StateArray
    values: NDArray[np.float64]


class Scratch(NamedTuple):
    """Arrays that hold nothing between two simulations, but for `stamp` and `playout_moves`.

    Attributes:
        actions: int64 `(num_actions,)`.
        priors: float64 `(num_actions,)`.
        trial: int64 `(state_size,)`.
        available: int64 `(num_actions,)`, the stamp of the last node where an action was legal.
        stamp: int64 `(1,)`, the last one used.
        playout_moves: int64 `(1,)`, how many actions playouts have played.
        observation: int8, flat.
        factors: int64, a random factor for each number of an observation.
        luck: uint64 `(1,)`, a generator, see `luck`.
        returns: float64 `(seats,)`.
    """

    actions: StateArray
    priors: NDArray[np.float64]
    trial: StateArray
    available: StateArray
    stamp: NDArray[np.int64]
    playout_moves: NDArray[np.int64]
    observation: Observation
    factors: NDArray[np.int64]
    luck: RngState
    returns: NDArray[np.float64]


def new_path(game: Game) -> SearchPath:
    """Return a path with room for a whole game."""
    return SearchPath(
        depth=np.zeros(1, np.int64),
        nodes=np.empty(game.max_plies + 1, np.int64),
        seats=np.empty(game.max_plies + 1, np.int64),
        edges=np.empty(game.max_plies + 1, np.int64),
        state=np.zeros(game.rules.state_size, np.int64),
        values=np.zeros(game.num_players),
    )


def new_scratch(game: Game) -> Scratch:
    """Return scratch arrays for a game."""
    size = math.prod(game.observation_shape)
    return Scratch(
        actions=np.empty(game.num_actions, np.int64),
        priors=np.empty(game.num_actions),
        trial=np.empty(game.rules.state_size, np.int64),
        available=np.zeros(game.num_actions, np.int64),
        stamp=np.zeros(1, np.int64),
        playout_moves=np.zeros(1, np.int64),
        observation=np.zeros(size, np.int8),
        factors=np.random.Generator(np.random.PCG64(0)).integers(1 << _FACTOR_BITS, size=size),
        luck=np.zeros(1, np.uint64),
        returns=np.zeros(game.num_players),
    )
