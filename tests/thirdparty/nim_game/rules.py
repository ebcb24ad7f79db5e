"""The rules of Nim, compiled."""

import numpy as np

from nim_game.sizes import LEAST_MATCHES, MOST_MATCHES
from tzaar_envs.authoring import HEADER, RUNNING, SEAT, STATUS, TERMINATED, between, compiled

COUNT = HEADER
MISERE = HEADER + 1
HEAPS = slice(HEADER + 2, HEADER + 7)
STATE_SIZE = HEAPS.stop


@compiled
def reset(state: np.ndarray, options: np.ndarray, rng: np.ndarray) -> None:
    """Fill the heaps at random."""
    state[:] = 0
    state[COUNT] = options[0]
    state[MISERE] = options[1]
    for heap in range(options[0]):
        state[HEAPS][heap] = between(rng, LEAST_MATCHES, MOST_MATCHES)


@compiled
def legal(state: np.ndarray, actions: np.ndarray) -> int:
    """Take one to three matches of a heap."""
    count = 0
    for heap in range(state[COUNT]):
        for taken in range(1, min(3, state[HEAPS][heap]) + 1):
            actions[count] = 3 * heap + taken - 1
            count += 1
    return count


@compiled
def apply(state: np.ndarray, action: int, rng: np.ndarray) -> None:
    """Take the matches and pass the turn on."""
    heap, taken = divmod(action, 3)
    state[HEAPS][heap] -= taken + 1
    state[SEAT] = 1 - state[SEAT]
    update_status(state)


@compiled
def update_status(state: np.ndarray) -> None:
    """End the game when nothing is left."""
    state[STATUS] = RUNNING if state[HEAPS].sum() > 0 else TERMINATED


@compiled
def observe(state: np.ndarray, seat: int, out: np.ndarray) -> None:
    """Write who observes, who is to act, and the heaps."""
    out[0] = 1 + seat
    out[1] = state[SEAT] == seat
    for heap in range(state[COUNT]):
        out[2 + heap] = state[HEAPS][heap]


@compiled
def returns(state: np.ndarray, out: np.ndarray) -> None:
    """The player who would be next has lost, with misere has won."""
    out[:] = 0.0
    if state[STATUS] != RUNNING:
        winner = state[SEAT] if state[MISERE] == 1 else 1 - state[SEAT]
        out[winner] = 1.0
        out[1 - winner] = -1.0
