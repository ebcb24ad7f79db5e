"""Random generator of compiled code: multiply-with-carry, MWC64X (D. B. Thomas, 2011).

A generator is one uint64 in an array of shape `(1,)`: the low half is the number, the high half the
carry. All arithmetic stays within 64 bits, so compiled and uncompiled code agree on every platform.

A *tape* is a longer array whose first word is a generator. It records the outcomes of chance, and
can supply given outcomes in place of drawn ones; see `new_tape`. The generator advances either way,
so a game that is given the outcomes it once drew continues as it did then. Rules do not see the
difference: they call `between`, `pick` or `shuffle`, which accept both.
"""

import operator
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import RngState
from tzaar_envs.jit.compile import compiled

_MULTIPLIER = np.uint64(4294883355)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)

# The words of a tape.
# The first one is the generator.
_USED = 1  # number of outcomes so far, given or drawn
_GIVEN = 2  # number of given outcomes
_FIRST_REFUSED = 3  # 1 + the index of the first given outcome that is impossible; 0: none
_OUTCOMES = 4

TAPE_LENGTH = 128  # outcomes that a tape records; further ones are drawn but not recorded
_LARGEST = 2**31 - 1  # outcome; `below` draws none above it


def new_generator(seed: int | Sequence[int] | None = None) -> RngState:
    """Return a generator, uint64 of shape `(1,)`.

    Args:
        seed: A non-negative integer or a sequence of them; None takes entropy from the system.
    """
    return new_generators(seed, 1)[0]


def seed_sequence(seed: int | Sequence[int] | None) -> np.random.SeedSequence:
    """Return the sequence from which everything follows that a seed determines.

    Raises:
        ValueError: Not a seed.
    """
    try:
        return np.random.SeedSequence(seed)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"seed={seed!r} is not allowed: use an integer from 0 on, a sequence of such integers, "
            "or None"
        ) from None


def random_generator(seed: int | Sequence[int] | None) -> np.random.Generator:
    """Return a generator of NumPy, for choices that are not made in compiled code.

    Raises:
        ValueError: Not a seed.
    """
    return np.random.Generator(np.random.PCG64(seed_sequence(seed)))


def new_generators(seed: int | Sequence[int] | None, count: int) -> NDArray[np.uint64]:
    """Return independent generators, uint64 `(count, 1)`; the first is that of `new_generator`."""
    words = seed_sequence(seed).generate_state(2 * count, np.uint32).astype(np.uint64)
    # The carry lies in 1 .. multiplier - 2, so no generator is stuck.
    carries = words[1::2] % (_MULTIPLIER - np.uint64(2)) + np.uint64(1)
    return ((carries << _HALF) | words[::2])[:, None]


def new_tape(generator: RngState) -> RngState:
    """Return an empty tape that continues from a copy of a generator, or the copy of a tape."""
    tape = np.zeros(_OUTCOMES + TAPE_LENGTH, np.uint64)
    tape[: generator.size] = generator
    return tape


@compiled
def forget(tape: RngState) -> None:
    """Erase a tape; all further outcomes are drawn."""
    tape[_USED] = 0
    tape[_GIVEN] = 0
    tape[_FIRST_REFUSED] = 0


def rewind(tape: RngState, outcomes: Sequence[int] = ()) -> None:
    """Erase a tape and write the outcomes that it supplies before any are drawn.

    Raises:
        TypeError: An outcome is not an integer.
        ValueError: An outcome is below 0 or above 2**31 - 1, or there are more than `TAPE_LENGTH`.
    """
    forget(tape)
    if len(outcomes) == 0:
        return
    outcomes = [operator.index(outcome) for outcome in outcomes]
    tape[_GIVEN] = len(outcomes)
    if len(outcomes) > TAPE_LENGTH or min(outcomes) < 0 or max(outcomes) > _LARGEST:
        raise ValueError(
            f"outcome {tuple(outcomes)!r}: use at most {TAPE_LENGTH} numbers from 0 to {_LARGEST}"
        )
    tape[_OUTCOMES : _OUTCOMES + len(outcomes)] = outcomes


def read_tape(tape: RngState) -> tuple[int, ...]:
    """Return the outcomes since `rewind`, given or drawn, in order."""
    used = min(int(tape[_USED]), TAPE_LENGTH)
    return tuple(tape[_OUTCOMES : _OUTCOMES + used].tolist()) if used else ()


def check_tape(tape: RngState, complete: bool = True) -> None:
    """Raise a ValueError unless the given outcomes were possible and, if `complete`, all."""
    given = tape[_OUTCOMES : _OUTCOMES + int(tape[_GIVEN])].tolist()
    if refused := int(tape[_FIRST_REFUSED]):
        raise ValueError(
            f"outcome {tuple(given)}: number {refused}, {given[refused - 1]}, is impossible here"
        )
    if complete and tape[_USED] != tape[_GIVEN]:
        raise ValueError(
            f"outcome {tuple(given)}: needs {int(tape[_USED])} numbers, not {len(given)}"
        )


@compiled
def next_word(rng: RngState) -> int:
    """Return the next 32 random bits as an integer in 0 .. 2**32 - 1."""
    number = rng[0] & _LOW_HALF
    carry = rng[0] >> _HALF
    rng[0] = number * _MULTIPLIER + carry
    return np.int64(number ^ carry)  # type: ignore[return-value]


def generator_before(word: int, draws: int) -> RngState:
    """Return a generator whose next words are any others, as many as `draws`, and then `word`."""
    multiplier, bits = int(_MULTIPLIER), int(_HALF)
    state = 1 << bits | word ^ 1  # with the carry 1
    for _ in range(draws):  # backwards: a state is number * multiplier + carry of the one before
        number, carry = divmod(state, multiplier)
        state = carry << bits | number
    return np.array([state], np.uint64)


@compiled
def below(rng: RngState, bound: int) -> int:
    """Draw a uniform integer in 0 .. bound - 1, for 1 <= bound < 2**31 (Lemire, 2019).

    Tapes neither supply nor record it: this is for random choices that are not chance events.
    """
    product = next_word(rng) * bound
    if (product & 0xFFFFFFFF) < bound:
        threshold = (0x100000000 - bound) % bound
        while (product & 0xFFFFFFFF) < threshold:
            product = next_word(rng) * bound
    return product >> 32


@compiled
def between(rng: RngState, low: int, high: int) -> int:
    """Return a chance event: a uniform integer in low .. high, both included and not negative."""
    drawn = low + below(rng, high - low + 1)
    if rng.size == 1:  # not a tape
        return drawn
    given = _given(rng)
    return _kept(rng, given if low <= given <= high else drawn)


@compiled
def pick(rng: RngState, weights: np.ndarray) -> int:
    """Return a chance event: an index, with probability proportional to its integer weight.

    The weights are int64 `(n,)`, not negative, and their sum is 1 .. 2**31 - 1.
    """
    left = below(rng, weights.sum())
    drawn = 0
    while left >= weights[drawn]:
        left -= weights[drawn]
        drawn += 1
    if rng.size == 1:
        return drawn
    given = _given(rng)
    possible = 0 <= given < weights.size and weights[given] > 0
    return _kept(rng, given if possible else drawn)


@compiled
def shuffle(rng: RngState, items: np.ndarray) -> None:
    """Shuffle a one-dimensional array uniformly, as chance events (Fisher-Yates).

    From the last place to the second, each outcome is the place, at or before it, whose item the
    place takes.
    """
    for last in range(items.size - 1, 0, -1):
        other = between(rng, 0, last)
        items[last], items[other] = items[other], items[last]


@compiled
def _given(rng: RngState) -> int:
    """Return the next given outcome of a tape, -1 if there is none."""
    if rng[_USED] < rng[_GIVEN]:
        return np.int64(rng[_OUTCOMES + np.int64(rng[_USED])])  # type: ignore[return-value]
    return -1


@compiled
def _kept(rng: RngState, outcome: int) -> int:
    """Record an outcome on a tape; note if it differs from the given one."""
    used = np.int64(rng[_USED])
    given = np.int64(rng[_GIVEN])
    if used < given:
        if np.int64(rng[_OUTCOMES + used]) != outcome and rng[_FIRST_REFUSED] == 0:
            rng[_FIRST_REFUSED] = np.uint64(used + 1)
    elif used < TAPE_LENGTH:
        rng[_OUTCOMES + used] = np.uint64(outcome)
    rng[_USED] = np.uint64(used + 1)
    return outcome
