"""Transposition table: values and best actions of positions that were searched before.

An entry of another search counts as empty, so that a result never depends on earlier searches.
Entries form pairs: the first of a pair keeps the deeper one, the second the newer one.

A key covers the first `Rules.key_size` words of a position, including those of move caps and
repetitions. The words after them are derived, or history. History in a key would hide that two
orders of the same actions lead to one position (in one game, a search to 7 plies took 2.3 times as
many nodes). Without it, a value may be taken over from a path with other repetitions; how often the
position itself has occurred is among the first words.

The hash is multilinear (Lemire and Kaser, "Strongly universal string hashing is fast", 2014): a sum
of products of 32-bit halves with random 64-bit factors, of which the upper 32 bits are kept. Two
such sums make a key; two given positions share one with a probability of 1 in 2**64.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

Table: TypeAlias = Any
"""A record array of entries, whose number is a power of two."""

NO_ACTION = (1 << 20) - 1

EXACT, LOWER, UPPER = range(3)  # the value is the true one, a lower bound, an upper bound

NOT_FOUND = -1

_ENTRY = np.dtype(
    [
        ("key", np.int64),
        ("search", np.int32),  # the number of the search, from 1 on; 0: the entry is empty
        ("value", np.int32),
        ("action", np.int32),  # the best one, `NO_ACTION` if none is known
        ("depth", np.int16),  # in plies
        ("bound", np.int16),  # what kind of bound the value is
    ]
)


def new_table(entries: int) -> Table:
    """Return an empty table; `entries` is a power of two, at least 2."""
    return np.zeros(entries, _ENTRY).view(np.recarray)


@compiled
def find(table: Table, key: int, search: int) -> int:
    """Return the index of a position's entry, `NOT_FOUND` if it has none."""
    first = key & (table.size - 2)
    for index in range(first, first + 2):
        if table[index].key == key and table[index].search == search:
            return index
    return NOT_FOUND


@compiled
def store(
    table: Table, key: int, search: int, depth: int, value: int, bound: int, action: int
) -> None:
    """Store the result of searching a position."""
    index = key & (table.size - 2)
    kept = table[index]
    if kept.key != key and kept.search == search and kept.depth > depth:
        index += 1
    table[index].key = key
    table[index].search = search
    table[index].value = value
    table[index].action = action
    table[index].depth = depth
    table[index].bound = bound


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
