"""The random generator of the compiled code: multiply-with-carry, MWC64X (D. B. Thomas, 2011).

A generator is one uint64 in an array of shape `(1,)`: the low half is the number, the high half the
carry. Its arithmetic never leaves 64 bits, so compiled and uncompiled code agree on every platform.
"""

from collections.abc import Sequence

import numpy as np

from tzaar_envs.core.arrays import Randomness
from tzaar_envs.core.compile import compiled

_MULTIPLIER = np.uint64(4294883355)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def new_generator(seed: int | Sequence[int] | None = None) -> Randomness:
    """Return a generator, uint64 of shape `(1,)`.

    Args:
        seed: a non-negative integer or a sequence of them; None takes entropy from the system.
    """
    number, carry = np.random.SeedSequence(seed).generate_state(2, np.uint32)
    # The carry lies in 1 .. multiplier - 2, which leaves out the generator's two fixed points.
    carry = np.uint64(int(carry) % (int(_MULTIPLIER) - 2) + 1)
    return np.array([(carry << _HALF) | np.uint64(number)], dtype=np.uint64)


@compiled
def next_word(rng: Randomness) -> int:
    """Return the next 32 random bits as an integer in 0 .. 2**32 - 1."""
    number = rng[0] & _LOW_HALF
    carry = rng[0] >> _HALF
    rng[0] = number * _MULTIPLIER + carry
    return np.int64(number ^ carry)  # type: ignore[return-value]


@compiled
def below(rng: Randomness, bound: int) -> int:
    """Return a uniform integer in 0 .. bound - 1, for 1 <= bound < 2**31 (Lemire, 2019)."""
    product = next_word(rng) * bound
    if (product & 0xFFFFFFFF) < bound:
        threshold = (0x100000000 - bound) % bound
        while (product & 0xFFFFFFFF) < threshold:
            product = next_word(rng) * bound
    return product >> 32


@compiled
def shuffle(rng: Randomness, items: np.ndarray) -> None:
    """Put the items of a one-dimensional array into a uniformly random order (Fisher-Yates)."""
    for last in range(items.size - 1, 0, -1):
        other = below(rng, last + 1)
        items[last], items[other] = items[other], items[last]
