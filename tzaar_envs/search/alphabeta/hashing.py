"""Keys of positions: 64 bits by which the transposition table tells them apart.

A key covers the first `Rules.key_size` words of a position, including those of move caps and
repetitions. The words after them are derived, or history. History in a key would hide that two
orders of the same actions lead to one position (in one game, a search to 7 plies took 2.3 times as
many nodes). Without it, a value may be taken over from a path with other repetitions; how often the
position itself has occurred is among the first words.

The hash is multilinear (Lemire and Kaser, "Strongly universal string hashing is fast", 2014): a sum
of products of 32-bit halves with random 64-bit factors, of which the upper 32 bits are kept. Two
such sums make a key; two given positions share one with a probability of 1 in 2**64.
"""

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

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
