"""The rules of connect four, compiled."""

import numpy as np

from connect_four import PLANES
from tzaar_envs.authoring import (
    HEADER,
    NOBODY,
    RUNNING,
    SEAT,
    STATUS,
    TERMINATED,
    Field,
    Observation,
    RngState,
    StateArray,
    compiled,
    plane_numbers,
    share_win,
)

ROWS, COLUMNS, CELLS = 6, 7, 42

# The state array: the cells, row by row from the top (0 empty, else 1 + player), and the winner.
BOARD = slice(HEADER, HEADER + CELLS)
WINNER = BOARD.stop
STATE_SIZE = WINNER + 1
FIELDS = (Field("board", BOARD, symbols=".xo", columns=COLUMNS),)

PLANE = plane_numbers(PLANES)
LINES = np.array(
    [
        [(row + down * step) * COLUMNS + column + right * step for step in range(4)]
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        for row in range(ROWS - 3 * down)
        for column in range(COLUMNS)
        if 0 <= column + 3 * right < COLUMNS
    ]
)


@compiled
def reset(state: StateArray, options: StateArray, rng: RngState) -> None:
    """Write the empty board."""
    state[:] = 0
    update_status(state)


def derive(state: StateArray) -> None:
    """Complete a position of which board and player are given, or say why it is impossible."""
    board = state[BOARD].reshape(ROWS, COLUMNS)
    if ((board[:-1] > 0) & (board[1:] == 0)).any():
        raise ValueError("board: a stone is above an empty cell")
    first, second = (board == 1).sum(), (board == 2).sum()
    if first - second != state[SEAT]:
        raise ValueError(f"player {state[SEAT]}: not to act with {first} and {second} stones")
    update_status(state)


@compiled
def update_status(state: StateArray) -> None:
    """Set status and winner, which follow from the board."""
    board = state[BOARD]
    state[WINNER] = NOBODY
    for line in range(LINES.shape[0]):
        stone = board[LINES[line, 0]]
        if stone > 0 and (board[LINES[line, 1:]] == stone).all():
            state[WINNER] = stone - 1
    is_over = state[WINNER] != NOBODY or (board[:COLUMNS] > 0).all()
    state[STATUS] = TERMINATED if is_over else RUNNING


@compiled
def legal(state: StateArray, actions: StateArray) -> int:
    """Write the columns that are not full."""
    count = 0
    for column in range(COLUMNS):
        if state[STATUS] == RUNNING and state[BOARD.start + column] == 0:
            actions[count] = column
            count += 1
    return count


@compiled
def apply(state: StateArray, action: int, rng: RngState) -> None:
    """Drop a stone into a column."""
    cell = BOARD.stop - COLUMNS + action
    while state[cell] > 0:
        cell -= COLUMNS
    state[cell] = 1 + state[SEAT]
    state[SEAT] = 1 - state[SEAT]
    update_status(state)


@compiled
def observe(state: StateArray, seat: int, out: Observation) -> None:
    """Write the three planes."""
    for cell in range(CELLS):
        out[PLANE.own * CELLS + cell] = state[BOARD.start + cell] == 1 + seat
        out[PLANE.enemy * CELLS + cell] = state[BOARD.start + cell] == 2 - seat
        out[PLANE.to_act * CELLS + cell] = state[SEAT] == seat


@compiled
def returns(state: StateArray, out: np.ndarray) -> None:
    """Write +1 for the winner and -1 for the loser; zeros without a winner."""
    share_win(state[WINNER], out)
