"""Masks of legal actions: how to write them, and how to draw from them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import NOBODY, RUNNING, SEAT, STATUS, apply_of, legal_of, observe_of
from tzaar_envs.jit.arrays import Mask, Observation, RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import below, forget, new_generators, seed_sequence

_BLOCK = 64  # entries that are summed at once


@compiled
def fill_mask(functions: FunctionTable, state: StateArray, actions: StateArray, mask: Mask) -> int:
    """Write the 0/1 mask of the seat to act; return how many actions are legal.

    They are then at the beginning of `actions`, which is as long as the mask.
    """
    mask[:] = 0
    count: int = legal_of(functions)(state, actions)
    for index in range(count):
        # An unsigned index is not checked for counting from the end.
        mask[np.uint64(actions[index])] = 1
    return count


@compiled
def write_mask(functions: FunctionTable, state: StateArray, mask: Mask) -> None:
    """Write the 0/1 mask of the seat to act."""
    fill_mask(functions, state, np.empty(mask.size, np.int64), mask)


@compiled
def draw_action(mask: Mask, rng: RngState) -> int:
    """Return a uniformly random action of a 0/1 mask, -1 if none is legal."""
    count = mask.sum()
    if count == 0:
        return -1
    left = below(rng, count)
    start = 0
    ones = mask[:_BLOCK].sum()
    while left >= ones:
        left -= ones
        start += _BLOCK
        ones = mask[start : start + _BLOCK].sum()
    for action in range(start, mask.size):
        left -= mask[action]
        if left < 0:
            return action
    return -1


@compiled
def _draw(masks: NDArray[np.int8], rngs: NDArray[np.uint64], actions: NDArray[np.int64]) -> None:
    for row in range(actions.size):
        actions[row] = draw_action(masks[row], rngs[row])


class ActionSampler:
    """A compiled sampler of uniformly random legal actions, faster than `Discrete.sample(mask)`.

    Each row has its own generator.

    Args:
        seed: Seed for the draws; None takes entropy from the system.

    Raises:
        ValueError: Not a seed.
    """

    def __init__(self, seed: int | Sequence[int] | None = None) -> None:
        self._seed = seed_sequence(seed).entropy
        self._rngs = np.empty((0, 1), np.uint64)

    def sample(self, masks: NDArray[np.integer] | NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return int64 `(n,)`, a legal action for each mask; -1 where none is legal.

        Args:
            masks: Integers or bools `(n, num_actions)`, not 0 where an action is legal.

        Raises:
            ValueError: Masks of another type or shape.
        """
        given = np.asarray(masks)
        if given.ndim != 2 or given.dtype.kind not in "iub":
            raise ValueError(
                f"masks of shape {given.shape} and type {given.dtype} were given: use integers or "
                "bools of shape (n, num_actions)"
            )
        legal = given if given.dtype == np.bool_ else given != 0
        if not legal.flags.carray:
            legal = np.require(legal, requirements=("C", "A", "W"))
        rows = len(legal)
        if rows > len(self._rngs):
            added = new_generators(self._seed, rows)[len(self._rngs) :]
            self._rngs = np.concatenate([self._rngs, added])
        actions = np.empty(rows, np.int64)
        _draw(legal.view(np.int8), self._rngs, actions)
        return actions


ILLEGAL = -2


@compiled
def play(
    functions: FunctionTable, state: StateArray, action: int, tape: RngState, mask: Mask
) -> bool:
    """Play an action of the game; return False, and play nothing, if `mask` does not allow it."""
    if mask[action] == 0:
        return False
    forget(tape)
    apply_of(functions)(state, action, tape)
    return True


@compiled
def play_and_observe(
    functions: FunctionTable,
    state: StateArray,
    action: int,
    tape: RngState,
    mask: Mask,
    observation: Observation,
) -> int:
    """Play an action of the game, write mask and observation of the next seat to act; return it.

    Return `ILLEGAL`, and play nothing, if `mask` does not allow the action; return `NOBODY`,
    without writing an observation, if the game is over.
    """
    if not play(functions, state, action, tape, mask):
        return ILLEGAL
    write_mask(functions, state, mask)
    if state[STATUS] != RUNNING:
        return NOBODY
    observe_of(functions)(state, state[SEAT], observation.reshape(-1))
    return state[SEAT]
