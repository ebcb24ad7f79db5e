"""Transposition table: values and best actions of positions that were searched before.

The table is int64 `(entries, 2)`, `entries` a power of two: the key of a position, and packed into
one word its value, the depth to which it was searched in plies, the kind of bound that the value
is, the number of the search, and the best action. An entry of another search counts as empty, so
that a result never depends on earlier searches. Entries form pairs: the first of a pair keeps the
deeper one, the second the newer one.

A key covers the first `Rules.key_size` words of a position, including those of move caps and
repetitions. The words after them are derived, or history. History in a key would hide that two
orders of the same actions lead to one position (in one game, a search to 7 plies took 2.3 times as
many nodes). Without it, a value may be taken over from a path with other repetitions; how often the
position itself has occurred is among the first words.

The hash is multilinear (Lemire and Kaser, "Strongly universal string hashing is fast", 2014): a sum
of products of 32-bit halves with random 64-bit factors, of which the upper 32 bits are kept. Two
such sums make a key; two given positions share one with a probability of 1 in 2**64.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

Table: TypeAlias = NDArray[np.int64]

KEY = 0
DATA = 1

NO_ACTION = (1 << 20) - 1

EXACT, LOWER, UPPER = range(3)  # the value is the true one, a lower bound, an upper bound

# The data from the lowest bit: action, bound, search, depth, value.
_ACTION_BITS = NO_ACTION.bit_length()
_BOUND_BITS = 2
_SEARCH_BITS = 8
_DEPTH_BITS = 8
_BOUND_SHIFT = _ACTION_BITS
_SEARCH_SHIFT = _BOUND_SHIFT + _BOUND_BITS
_DEPTH_SHIFT = _SEARCH_SHIFT + _SEARCH_BITS
_VALUE_SHIFT = _DEPTH_SHIFT + _DEPTH_BITS

LAST_SEARCH = (1 << _SEARCH_BITS) - 1  # searches are numbered from 1
NOT_FOUND = -1


def new_table(entries: int) -> Table:
    """Return an empty table; `entries` is a power of two, at least 2."""
    return np.zeros((entries, 2), np.int64)


@compiled
def find(table: Table, key: int, search: int) -> int:
    """Return the index of a position's entry, `NOT_FOUND` if it has none."""
    first = key & (table.shape[0] - 2)
    for index in range(first, first + 2):
        if table[index, KEY] == key and search_in(table[index, DATA]) == search:
            return index
    return NOT_FOUND


@compiled
def store(
    table: Table, key: int, search: int, depth: int, value: int, bound: int, action: int
) -> None:
    """Store the result of searching a position."""
    index = key & (table.shape[0] - 2)
    kept = table[index, DATA]
    if table[index, KEY] != key and search_in(kept) == search and depth_in(kept) > depth:
        index += 1
    table[index, KEY] = key
    table[index, DATA] = (
        value << _VALUE_SHIFT
        | depth << _DEPTH_SHIFT
        | search << _SEARCH_SHIFT
        | bound << _BOUND_SHIFT
        | action
    )


@compiled
def action_in(data: int) -> int:
    """Return the best action, `NO_ACTION` if none is known."""
    return data & NO_ACTION


@compiled
def bound_in(data: int) -> int:
    """Return the kind of bound that the value is."""
    return data >> _BOUND_SHIFT & ((1 << _BOUND_BITS) - 1)


@compiled
def search_in(data: int) -> int:
    """Return the number of the search."""
    return data >> _SEARCH_SHIFT & LAST_SEARCH


@compiled
def depth_in(data: int) -> int:
    """Return the depth to which the position was searched, in plies."""
    return data >> _DEPTH_SHIFT & ((1 << _DEPTH_BITS) - 1)


@compiled
def value_in(data: int) -> int:
    """Return the value."""
    return data >> _VALUE_SHIFT


_HALF = 32
_LOW = 0xFFFFFFFF


def hash_factors(size: int) -> NDArray[np.int64]:
    """Return the factors for positions of `size` words, int64 `(4, size)`, always the same."""
    generator = np.random.Generator(np.random.PCG64(20140101))
    return generator.integers(-(2**63), 2**63, size=(4, size), dtype=np.int64)


@compiled
def key_of(state: StateArray, factors: NDArray[np.int64]) -> int:
    """Return the key of a position, made of as many of its first words as there are factors."""
    first = 0
    second = 0
    for index in range(factors.shape[1]):
        low = state[index] & _LOW
        high = state[index] >> _HALF
        first += low * factors[0, index] + high * factors[1, index]
        second += low * factors[2, index] + high * factors[3, index]
    return (first >> _HALF & _LOW) | (second & ~_LOW)
