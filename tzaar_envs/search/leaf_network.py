"""Networks that compiled searches evaluate at their leaves, without a call of Python.

Such a network is compiled code with arrays of its own. A search calls three functions of it, and
hands them the memory in which they find these arrays (see `jit.memory`). How they work is up to the
network.
"""

import functools
from typing import NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numba import types
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.function_table import CompiledFunction, FunctionTable, accessor, function_table

_WORDS = types.int64[::1]

_TABLE = types.Array(types.int64, 1, "C", readonly=True)

VALUE = types.float64(_WORDS, _TABLE, _WORDS)
"""`value(memory, functions, state)`: the expected return of the seat to act; for two players."""

PREDICT = types.void(
    _WORDS, _TABLE, _WORDS, types.int64, _WORDS, types.float64[::1], types.float64[::1]
)
"""`predict(memory, functions, state, seat, actions, priors, values)`: a position as a seat sees it.

Writes the expected return of every seat, and the prior of each of these actions, which are legal if
the seat is to act, and none otherwise. Priors are above 0 and need not add up to 1.
"""

ANCHOR = types.void(_WORDS, _TABLE, _WORDS, types.int64)
"""`anchor(memory, functions, state, seat)`: positions to come are near this one, as a seat sees it.

A hint, which changes no result: a search gives it before it asks for many children of a position.
"""

WORTH_ANCHORING = 4  # children of a position, for which a hint saves more time than it takes

value_of = accessor(0, VALUE)
predict_of = accessor(1, PREDICT)
anchor_of = accessor(2, ANCHOR)


class LeafNetwork(NamedTuple):
    """A network as a compiled search takes it.

    It also holds working memory, so threads must not share one.

    Attributes:
        functions: Table of its functions, see `network_functions`.
        memory: int64, for these functions; empty: there is no network.
    """

    functions: FunctionTable
    memory: NDArray[np.int64]


@runtime_checkable
class CompiledEvaluator(Protocol):
    """The owner of a network's arrays."""

    def leaf_network(self) -> LeafNetwork:
        """Return the network; the owner must outlive it."""

    def copy(self) -> Self:
        """Return the same network with working memory of its own, for another thread."""


def require_game(evaluator: object, game: Game) -> None:
    """Refuse an evaluator that has an attribute `game` which is not this game.

    Raises:
        ValueError: Positions of this game would lead its compiled code out of its arrays.
    """
    own = getattr(evaluator, "game", game)
    if own != game:
        raise ValueError(f"the evaluator is for {own!r}, the search for {game!r}")


def require_position(state: State, game: Game) -> None:
    """Refuse a position that a search for this game cannot begin with.

    Raises:
        ValueError: It is of another game, or its game is over.
    """
    if state.game != game:
        raise ValueError(f"the position is of {state.game!r}, the search is for {game!r}")
    if state.is_terminal:
        raise ValueError("there is no legal action: the game is over")


def network_functions(
    value: CompiledFunction, predict: CompiledFunction, anchor: CompiledFunction
) -> FunctionTable:
    """Return the table of a network's functions, compiled or loaded from the cache."""
    return function_table([value, predict, anchor], [VALUE, PREDICT, ANCHOR])


@functools.cache
def no_network() -> LeafNetwork:
    """Return the placeholder for a search without a network."""
    functions = np.empty(0, np.int64)
    functions.flags.writeable = False  # as a table is: otherwise searches are compiled twice
    return LeafNetwork(functions, np.empty(0, np.int64))
