"""Compiled helpers for the rules of games: sets as bits, planes, returns, weights."""

import json
from collections import namedtuple
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tzaar_envs.core.kernel import NOBODY
from tzaar_envs.jit.arrays import Observation
from tzaar_envs.jit.compile import compiled

Cell: TypeAlias = int
"""The number of a cell of a board."""

Bitboard: TypeAlias = int
"""A set of cells: the bit `1 << cell` is 1 for each member."""


@compiled
def popcount(word: Bitboard) -> int:
    """Return the number of bits of a word that are 1: the size of a set."""
    # Bits are added up in pairs, fours and eights; the product has their sum in its top byte. The
    # compiler recognizes this form and uses the processor's own instruction. Compiled, int() does
    # nothing; uncompiled, it keeps the product from overflowing.
    pairs = word - (word >> 1 & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    eights = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    return int(eights) * 0x0101010101010101 >> 56 & 0xFF


@compiled
def lowest_bit(word: Bitboard) -> int:
    """Return the number of the lowest bit that is 1, a set's first member; 64 if it is empty."""
    return popcount(~word & (word - 1))


@compiled
def fill_plane(out: Observation, plane: int, cells: int, value: int) -> None:
    """Write the same number on all cells of a plane.

    Args:
        out: The observation, int8, planes first.
        plane: The number of the plane.
        cells: Number of cells of a plane.
        value: The number.
    """
    # A loop over indices that might be negative would not be vectorized.
    out[plane * cells : (plane + 1) * cells] = value


ILLEGAL_REWARD = -1.0
"""The reward of a player who plays an illegal action, with `illegal="terminate"`."""


@compiled
def share_win(winner: int, out: np.ndarray) -> None:
    """Write the returns of the seats: +1 for the winner, zeros for all if it is `NOBODY`.

    The n - 1 others share -1: -1/(n - 1) each. `out` is float64 `(n,)`.
    """
    for seat in range(out.size):
        if winner == NOBODY:
            out[seat] = 0.0
        elif seat == winner:
            out[seat] = 1.0
        else:
            out[seat] = -1.0 / (out.size - 1)


@compiled
def share(scores: np.ndarray, out: np.ndarray) -> None:
    """Write the return of every seat from their points: the highest score wins.

    The k winners among n seats share +1, the others share -1: +1/k and -1/(n - k) each; zeros if
    all are tied. Both arrays are float64 `(n,)`; they may be the same.
    """
    best = scores.max()
    winners = 0
    for seat in range(scores.size):
        winners += scores[seat] == best
    losers = scores.size - winners
    for seat in range(scores.size):
        if losers == 0:
            out[seat] = 0.0
        elif scores[seat] == best:
            out[seat] = 1.0 / winners
        else:
            out[seat] = -1.0 / losers


@compiled
def leads(scores: np.ndarray, unit: float, out: np.ndarray) -> None:
    """Write every seat's lead over the best other seat, divided by `unit`; float64 `(n,)` each."""
    for seat in range(scores.size):
        best_other = -np.inf
        for other in range(scores.size):
            if other != seat:
                best_other = max(best_other, scores[other])
        out[seat] = (scores[seat] - best_other) / unit


def load_weights(module_file: str) -> Any:
    """Return the weights in the `weights.json` of a module's folder as a named tuple of floats.

    Compiled code reads the fields of such a tuple, held in a module constant, as constants.

    Args:
        module_file: The module's `__file__`.
    """
    path = Path(module_file).with_name("weights.json")
    weights = json.loads(path.read_text(encoding="utf-8"))["weights"]
    return namedtuple("Weights", weights)(**weights)
