"""The rules of Turm & Wächter, compiled; section numbers are those of the rules document."""

import numpy as np

from tzaar_envs.core.arrays import Randomness, Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED, TRUNCATED
from tzaar_envs.games.turm_und_waechter.board import (
    BLUE,
    BLUE_CASTLE,
    BLUE_TO_MOVE_KEY,
    BOARD,
    CELLS,
    DRAW_OCCURRENCES,
    EMPTY,
    FIGURE_KEY,
    GUARD,
    HISTORY,
    HISTORY_LENGTH,
    MAX_PLIES,
    MAX_RANGE,
    NOBODY,
    OCCURRENCES,
    PLIES,
    RED,
    RED_CASTLE,
    START,
    STEP,
    TO_EDGE,
    WINNER,
)


@compiled
def reset(state: Words, options: Words, rng: Randomness) -> None:
    """Write the start position (section 3)."""
    state[SEAT] = RED
    state[PLIES] = 0
    state[OCCURRENCES] = 1
    state[BOARD] = START
    begin(state)


@compiled
def begin(state: Words) -> None:
    """Complete a position of which only board, side to move and counters are set (section 11)."""
    state[HISTORY][: state[OCCURRENCES]] = position_key(state)
    state[HISTORY_LENGTH] = state[OCCURRENCES]
    judge(state)


@compiled
def position_key(state: Words) -> int:
    """Return the Zobrist key of placement and side to move."""
    board = state[BOARD]
    key = BLUE_TO_MOVE_KEY if state[SEAT] == BLUE else 0
    for cell in range(CELLS):
        key ^= FIGURE_KEY[board[cell] + GUARD, cell]
    return key


@compiled
def reach(board: Words, cell: int, direction: int, side: int) -> int:
    """Return the greatest number of stones that the figure on a cell could move in a direction.

    The bound comes from the figure, the edge and the first figure in the way; the target at that
    distance is judged by `can_land`, all nearer ones are empty.
    """
    figure = board[cell] * side
    furthest = min(1 if figure == GUARD else figure, MAX_RANGE, TO_EDGE[cell, direction])
    target = cell
    for stones in range(1, furthest):
        target += STEP[direction]
        if board[target] != EMPTY:
            return stones
    return furthest


@compiled
def can_land(figure: int, stones: int, target: int) -> bool:
    """Whether `stones` of a figure may land on a target (sections 4.1 and 4.2); own is positive."""
    if target == EMPTY:
        return True
    if figure == GUARD:
        return target < 0
    if target > 0:
        return target != GUARD
    return target == -GUARD or stones >= -target


@compiled
def legal(state: Words, actions: Words) -> int:
    """Write the legal ones of section 9's actions, return how many they are (section 4)."""
    if state[STATUS] != RUNNING:
        return 0
    board = state[BOARD]
    side = 1 - 2 * state[SEAT]
    count = 0
    for cell in range(CELLS):
        figure = board[cell] * side
        if figure <= 0:
            continue
        for direction in range(4):
            furthest = reach(board, cell, direction, side)
            plane = direction * MAX_RANGE - 1
            for stones in range(1, furthest):
                actions[count] = (plane + stones) * CELLS + cell
                count += 1
            if furthest > 0:
                target = board[cell + furthest * STEP[direction]] * side
                if can_land(figure, furthest, target):
                    actions[count] = (plane + furthest) * CELLS + cell
                    count += 1
    return count


@compiled
def can_move(state: Words) -> bool:
    """Whether the side to move has a legal move.

    Whatever can move at all can also move one stone by one field.
    """
    board = state[BOARD]
    side = 1 - 2 * state[SEAT]
    for cell in range(CELLS):
        figure = board[cell] * side
        if figure > 0:
            for direction in range(4):
                if TO_EDGE[cell, direction] > 0:
                    target = board[cell + STEP[direction]] * side
                    if can_land(figure, 1, target):
                        return True
    return False


@compiled
def apply(state: Words, action: int, rng: Randomness) -> None:
    """Move a figure, then see whether the game is over (sections 4 and 5)."""
    board = state[BOARD]
    side = 1 - 2 * state[SEAT]
    plane, cell = divmod(action, CELLS)
    direction, stones = divmod(plane, MAX_RANGE)
    stones += 1
    target = cell + stones * STEP[direction]

    figure = board[cell] * side
    resident = board[target] * side
    key = state[HISTORY][state[HISTORY_LENGTH] - 1] ^ BLUE_TO_MOVE_KEY
    key ^= FIGURE_KEY[board[cell] + GUARD, cell] ^ FIGURE_KEY[board[target] + GUARD, target]
    if figure == GUARD:
        board[cell] = EMPTY
        board[target] = GUARD * side
    else:
        board[cell] = (figure - stones) * side
        board[target] = (stones + max(resident, 0)) * side
    key ^= FIGURE_KEY[board[cell] + GUARD, cell] ^ FIGURE_KEY[board[target] + GUARD, target]

    state[SEAT] = 1 - state[SEAT]
    state[PLIES] += 1
    if resident < 0:
        state[HISTORY_LENGTH] = 0  # no position from before a capture can come back
    remember(state, key)
    judge(state)


@compiled
def remember(state: Words, key: int) -> None:
    """Append a position to the history and count its occurrences."""
    history = state[HISTORY]
    length = state[HISTORY_LENGTH]
    occurrences = 1
    for index in range(length):
        occurrences += history[index] == key
    history[length] = key
    state[HISTORY_LENGTH] = length + 1
    state[OCCURRENCES] = occurrences


@compiled
def judge(state: Words) -> None:
    """Set status and winner, which follow from the position alone (sections 5 and 11)."""
    board = state[BOARD]
    red_guard = False
    blue_guard = False
    for cell in range(CELLS):
        red_guard |= board[cell] == GUARD
        blue_guard |= board[cell] == -GUARD

    state[STATUS] = TERMINATED
    state[WINNER] = NOBODY
    if not blue_guard or board[BLUE_CASTLE] == GUARD:
        state[WINNER] = RED
    elif not red_guard or board[RED_CASTLE] == -GUARD:
        state[WINNER] = BLUE
    elif not can_move(state):
        state[WINNER] = 1 - state[SEAT]
    elif state[OCCURRENCES] < DRAW_OCCURRENCES:
        state[STATUS] = TRUNCATED if state[PLIES] >= MAX_PLIES else RUNNING


@compiled
def returns(state: Words, out: np.ndarray) -> None:
    """Write +1 for the winner and -1 for the loser, zeros otherwise (section 6)."""
    out[:] = 0.0
    if state[WINNER] != NOBODY:
        out[state[WINNER]] = 1.0
        out[1 - state[WINNER]] = -1.0
