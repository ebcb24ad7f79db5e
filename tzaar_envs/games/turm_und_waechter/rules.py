"""The rules of Turm & Wächter, compiled; sections are those of docs/rules/turm_und_waechter.md."""

import numpy as np

from tzaar_envs.core.kernel import NOBODY, RUNNING, SEAT, STATUS, TERMINATED, TRUNCATED
from tzaar_envs.core.toolkit import Bitboard, Cell, lowest_bit, share_win
from tzaar_envs.games.turm_und_waechter import board as b
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled


@compiled
def reset(state: StateArray, options: StateArray, rng: RngState) -> None:
    """Write the start position (section 2)."""
    state[SEAT] = b.RED
    state[b.PLIES] = 0
    state[b.OCCURRENCES] = 1
    state[b.FIGURES] = b.START
    derive(state)


@compiled
def derive(state: StateArray) -> None:
    """Complete a position whose figures, side to move and counters are set (section 7.3)."""
    state[b.HISTORY][: state[b.OCCURRENCES]] = position_key(state)
    state[b.HISTORY_LENGTH] = state[b.OCCURRENCES]
    update_status(state)


@compiled
def position_key(state: StateArray) -> int:
    """Return the Zobrist key of placement and side to move."""
    key = b.BLUE_TO_MOVE_KEY if state[SEAT] == b.BLUE else 0
    for index in range(2 * b.SETS):
        cells = state[b.RED_FIGURES + index]
        while cells:
            key ^= b.BIT_KEY[index, lowest_bit(cells)]
            cells &= cells - 1
    return key


@compiled
def figures_of(seat: int) -> int:
    """Return the first word of a seat's figures: that of the guard, before the heights 1 to 7."""
    return b.RED_FIGURES + seat * b.SETS


@compiled
def shifted(cells: Bitboard, by: int) -> Bitboard:
    """Return a set with `by` added to each cell; the caller handles the edges of the board."""
    return cells << by if by >= 0 else cells >> -by


@compiled
def starts(state: StateArray, direction: int, stones: int, fewer: Bitboard) -> Bitboard:
    """Return the cells from which so many stones, or a guard as one, may move (sections 3.1, 3.2).

    All fields before the target must be empty, so a tower that can move n stones can also move
    n - 1, to an empty field: `fewer` is the result for one stone less (not used for 1 stone).
    """
    own = figures_of(state[SEAT])
    enemy = figures_of(1 - state[SEAT])
    step = b.STEP[direction]
    too_tall = state[enemy + stones + 1]
    cells = state[own + stones] & shifted(~(state[own] | too_tall), -stones * step)
    if stones == 1:
        cells |= state[own] & shifted(~state[own + 1], -step)
    else:
        occupied = state[own] | state[own + 1] | state[enemy] | state[enemy + 1]
        cells &= fewer & shifted(~occupied, -(stones - 1) * step)
    return cells & b.ON_BOARD[direction, stones]


@compiled
def legal(state: StateArray, actions: StateArray) -> int:
    """Write the legal actions (section 3), and return how many they are."""
    if state[STATUS] != RUNNING:
        return 0
    own = figures_of(state[SEAT])
    count = 0
    for direction in range(4):
        cells = 0
        for stones in range(1, b.MAX_RANGE + 1):
            cells = starts(state, direction, stones, cells)
            first_action = (direction * b.MAX_RANGE + stones - 1) * b.CELLS
            left = cells
            while left:
                actions[count] = first_action + lowest_bit(left)
                count += 1
                left &= left - 1
            if not cells & state[own + stones + 1]:
                break  # none of these towers has one stone more
    return count


@compiled
def can_move(state: StateArray) -> bool:
    """Return whether the side to move has a legal move.

    A figure that can move at all can also move one stone by one field.
    """
    direction = 0
    while direction < 4 and not starts(state, direction, 1, 0):
        direction += 1
    return direction < 4


@compiled
def apply(state: StateArray, action: int, rng: RngState) -> None:
    """Move a figure, then check for the end of the game (sections 3 and 4)."""
    plane, cell = divmod(action, b.CELLS)
    direction, stones = divmod(plane, b.MAX_RANGE)
    stones += 1
    target = cell + stones * b.STEP[direction]
    own = figures_of(state[SEAT])
    enemy = figures_of(1 - state[SEAT])

    key = state[b.HISTORY][state[b.HISTORY_LENGTH] - 1] ^ b.BLUE_TO_MOVE_KEY
    captured = height(state, enemy, target)
    for level in range(1, captured + 1):
        key ^= toggle(state, enemy + level, target)
    if state[enemy] >> target & 1:
        key ^= toggle(state, enemy, target)
        captured = 1
    if state[own] >> cell & 1:
        key ^= toggle(state, own, cell) ^ toggle(state, own, target)
    else:
        # The topmost stones leave the tower and become the topmost ones on the target.
        top = height(state, own, cell)
        new_top = height(state, own, target) + stones
        for index in range(stones):
            key ^= toggle(state, own + top - index, cell)
            key ^= toggle(state, own + new_top - index, target)

    state[SEAT] = 1 - state[SEAT]
    state[b.PLIES] += 1
    if captured:
        state[b.HISTORY_LENGTH] = 0  # no position from before a capture can recur
    history = state[b.HISTORY]
    length = state[b.HISTORY_LENGTH]
    occurrences = 1
    for index in range(length):
        occurrences += history[index] == key
    history[length] = key
    state[b.HISTORY_LENGTH] = length + 1
    state[b.OCCURRENCES] = occurrences
    update_status(state)


@compiled
def height(state: StateArray, figures: int, cell: Cell) -> int:
    """Return the number of stones of a side on a cell."""
    count = 0
    for level in range(1, b.SETS):
        count += state[figures + level] >> cell & 1
    return count


@compiled
def toggle(state: StateArray, index: int, cell: Cell) -> int:
    """Add a cell to a set, or remove it; return the change of the position's key."""
    state[index] ^= 1 << cell
    return b.BIT_KEY[index - b.RED_FIGURES, cell]


@compiled
def update_status(state: StateArray) -> None:
    """Set status and winner, which follow from the position alone (sections 4 and 7.3)."""
    red_guard = state[b.RED_FIGURES]
    blue_guard = state[b.BLUE_FIGURES]
    state[STATUS] = TERMINATED
    state[b.WINNER] = NOBODY
    if not blue_guard or red_guard == 1 << b.BLUE_CASTLE:
        state[b.WINNER] = b.RED
    elif not red_guard or blue_guard == 1 << b.RED_CASTLE:
        state[b.WINNER] = b.BLUE
    elif not can_move(state):
        state[b.WINNER] = 1 - state[SEAT]
    elif state[b.OCCURRENCES] < b.DRAW_OCCURRENCES:
        state[STATUS] = TRUNCATED if state[b.PLIES] >= b.MAX_PLIES else RUNNING


def end_code(state: StateArray) -> str:
    """Return the case of section 4 that ended the game, 1 to 4."""
    red_guard, blue_guard = state[b.RED_FIGURES], state[b.BLUE_FIGURES]
    if not red_guard or not blue_guard:
        return "guard"
    if red_guard == 1 << b.BLUE_CASTLE or blue_guard == 1 << b.RED_CASTLE:
        return "castle"
    return "repetition" if state[b.WINNER] == NOBODY else "no_move"


@compiled
def returns(state: StateArray, out: np.ndarray) -> None:
    """Write +1 for the winner and -1 for the loser, zeros otherwise (section 5)."""
    share_win(state[b.WINNER], out)
