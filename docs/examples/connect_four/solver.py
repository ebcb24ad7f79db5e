"""An exact solver of connect four: is a position won, drawn or lost?

It asks whether the player to act gets at least a draw, or a win: an alpha-beta search with two
answers. A transposition table remembers them, moves that make the most threats come first, and a
move that lets the opponent complete a line at once is never tried.

A position is two sets of cells as bits: the stones of the player to act, and all stones. A column
has seven bits, from its lowest cell up; the seventh is always 0, so that no line leaves the board.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.authoring import compiled
from tzaar_envs.core.state import State
from tzaar_envs.core.toolkit import popcount

ROWS, COLUMNS = 6, 7
HEIGHT = ROWS + 1  # bits of a column
BOTTOM = sum(1 << HEIGHT * column for column in range(COLUMNS))
BOARD = BOTTOM * ((1 << ROWS) - 1)
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)


def new_table(bits: int = 23) -> NDArray[np.int64]:
    """Return an empty transposition table of `2**bits` entries, 8 bytes each."""
    return np.zeros(1 << bits, np.int64)


def bitboards(state: State) -> tuple[int, int]:
    """Return the stones of the player to act, and all stones, of a position."""
    own, enemy = state.observation(state.current_player)[:2, ::-1].astype(bool)
    columns, rows = np.indices((COLUMNS, ROWS))
    bits = np.int64(1) << HEIGHT * columns + rows
    return int(bits[own.T].sum()), int(bits[(own | enemy).T].sum())


@compiled
def moves_that_keep(
    own: int, stones: int, worth: int, table: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which columns keep what a position is worth, its `value`; bool `(COLUMNS,)`."""
    keep = np.zeros(COLUMNS, np.bool_)
    wins = completing(own, stones)
    for column in range(COLUMNS):
        move = (stones + BOTTOM) & BOARD & column_bits(column)
        if move & wins:
            keep[column] = True
        elif move:
            enemy, after = stones ^ own, stones | move
            keep[column] = worth == -1 or not (
                wins_at_once(enemy, after) or gets(enemy, after, 1 - worth, table)
            )
    return keep


@compiled
def wins_at_once(own: int, stones: int) -> bool:
    """Return whether the player to act can complete four in a row."""
    return completing(own, stones) & (stones + BOTTOM) != 0


@compiled
def value(own: int, stones: int, table: NDArray[np.int64]) -> int:
    """Return 1, 0 or -1: the player to act wins, draws or loses, if both play perfectly."""
    if wins_at_once(own, stones):
        return 1
    if not gets(own, stones, 0, table):
        return -1
    return int(gets(own, stones, 1, table))


@compiled
def gets(own: int, stones: int, goal: int, table: NDArray[np.int64]) -> bool:
    """Return whether the player to act gets the goal, 0 for a draw or 1 for a win.

    It must have no move that wins at once.
    """
    enemy = stones ^ own
    moves = (stones + BOTTOM) & BOARD
    if moves == 0:
        return goal == 0
    dangers = completing(enemy, stones)
    forced = moves & dangers
    if forced:
        if forced & (forced - 1):  # two lines cannot be stopped by one stone
            return False
        moves = forced
    moves &= ~(dangers >> 1)  # a stone just below a danger makes it playable
    if moves == 0:
        return False
    key = (own + stones) << 1 | goal
    slot = (key * 0x9E3779B97F4A7C1 >> 20) & (table.size - 1)
    if table[slot] >> 1 == key:
        return table[slot] & 1 == 1
    threats = 0  # after each move, four bits a column
    for column in range(COLUMNS):
        move = moves & column_bits(column)
        if move:
            threats |= popcount(completing(own | move, stones | move)) << 4 * column
    found = False
    while moves and not found:
        best, most = 0, -1
        for column in CENTRE_FIRST:
            move, count = moves & column_bits(column), threats >> 4 * column & 15
            if move and count > most:
                best, most = move, count
        moves ^= best
        found = not gets(enemy, stones | best, 1 - goal, table)
    table[slot] = key << 1 | found
    return found


@compiled
def completing(own: int, stones: int) -> int:
    """Return the empty cells that complete four in a row, whether they can be played now or not."""
    cells = (own << 1) & (own << 2) & (own << 3)  # upright
    for step in (HEIGHT - 1, HEIGHT, HEIGHT + 1):
        pair = (own << step) & (own << 2 * step)
        cells |= pair & (own << 3 * step) | pair & (own >> step)
        pair = (own >> step) & (own >> 2 * step)
        cells |= pair & (own >> 3 * step) | pair & (own << step)
    return cells & (BOARD ^ stones)


@compiled
def column_bits(column: int) -> int:
    """Return all cells of a column."""
    return ((1 << ROWS) - 1) << HEIGHT * column
