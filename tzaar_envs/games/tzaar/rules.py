"""The rules of Tzaar, compiled; section numbers are those of the rules document."""

import numpy as np

from tzaar_envs.core.arrays import Randomness, Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED
from tzaar_envs.core.rng import shuffle
from tzaar_envs.games.tzaar.board import (
    ACTION_1,
    ACTION_2,
    CELL_OF_POINT,
    CELLS,
    FIXED_KINDS,
    HEIGHT,
    KIND,
    NEIGHBOUR,
    NOBODY,
    OPENING,
    PASS_ACTION,
    PHASE,
    PIECES,
    PLACE,
    PLACE_ACTION,
    POINT_OF_CELL,
    POINTS,
    RESERVE,
    SETUP,
    SETUP_RANDOM,
    SETUP_TOURNAMENT,
    TOPS,
    WHITE,
    WINNER,
)


@compiled
def reset(state: Words, options: Words, rng: Randomness) -> None:
    """Write the start position of the chosen set-up (section 4)."""
    state[SETUP] = options[0]
    state[SEAT] = WHITE
    if state[SETUP] == SETUP_TOURNAMENT:
        state[PHASE] = PLACE
        state[KIND] = 0
        state[HEIGHT] = 0
        for seat in range(2):
            state[RESERVE][3 * seat : 3 * seat + 3] = PIECES
    else:
        state[PHASE] = OPENING
        state[KIND] = FIXED_KINDS
        state[HEIGHT] = 1
        state[RESERVE] = 0
        if state[SETUP] == SETUP_RANDOM:
            shuffle(rng, state[KIND])
    begin(state)


@compiled
def begin(state: Words) -> None:
    """Complete a position of which board, seat, phase and reserve are set (section 12)."""
    kind = state[KIND]
    state[TOPS] = 0
    for point in range(POINTS):
        if kind[point] != 0:
            state[TOPS][top_index(kind[point])] += 1
    judge(state)


@compiled
def top_index(kind: int) -> int:
    """Return where `TOPS` counts a kind: White's three types, then Black's."""
    return kind - 1 if kind > 0 else 2 - kind


@compiled
def lacks_a_type(state: Words, seat: int) -> bool:
    """Whether no stack of the seat shows one of the three types (section 6)."""
    tops = state[TOPS]
    return tops[3 * seat] == 0 or tops[3 * seat + 1] == 0 or tops[3 * seat + 2] == 0


@compiled
def first_stack(kind: Words, point: int, direction: int) -> int:
    """Return the first occupied point of a line, -1 if edge or hole come first (section 5)."""
    target = NEIGHBOUR[point, direction]
    while target >= 0 and kind[target] == 0:
        target = NEIGHBOUR[target, direction]
    return target


@compiled
def can_capture(state: Words) -> bool:
    """Whether the seat to act has a capture."""
    kind = state[KIND]
    height = state[HEIGHT]
    colour = 1 - 2 * state[SEAT]
    for point in range(POINTS):
        if kind[point] * colour > 0:
            for direction in range(6):
                target = first_stack(kind, point, direction)
                if target >= 0 and kind[target] * colour < 0 and height[target] <= height[point]:
                    return True
    return False


@compiled
def legal(state: Words, actions: Words) -> int:
    """Write the legal ones of section 10's actions, return how many they are."""
    if state[STATUS] != RUNNING:
        return 0
    if state[PHASE] == PLACE:
        return legal_placements(state, actions)
    kind = state[KIND]
    height = state[HEIGHT]
    colour = 1 - 2 * state[SEAT]
    may_stack = state[PHASE] == ACTION_2
    count = 0
    for point in range(POINTS):
        if kind[point] * colour <= 0:
            continue
        for direction in range(6):
            target = first_stack(kind, point, direction)
            if target < 0:
                continue
            own = kind[target] * colour > 0
            if (own and may_stack) or (not own and height[target] <= height[point]):
                actions[count] = direction * CELLS + CELL_OF_POINT[point]
                count += 1
    if state[PHASE] == ACTION_2:
        actions[count] = PASS_ACTION
        count += 1
    return count


@compiled
def legal_placements(state: Words, actions: Words) -> int:
    """Write the placements: any own piece in reserve onto any empty point (section 4)."""
    count = 0
    for piece in range(3):
        if state[RESERVE][3 * state[SEAT] + piece] > 0:
            for point in range(POINTS):
                if state[KIND][point] == 0:
                    actions[count] = PLACE_ACTION + piece * CELLS + CELL_OF_POINT[point]
                    count += 1
    return count


@compiled
def apply(state: Words, action: int, rng: Randomness) -> None:
    """Play an action, pass the turn on, then see whether the game is over (sections 5 and 6)."""
    if action >= PLACE_ACTION:
        place(state, action)
    elif action != PASS_ACTION:
        direction, cell = divmod(action, CELLS)
        point = POINT_OF_CELL[cell]
        move(state, point, first_stack(state[KIND], point, direction))

    if state[PHASE] == PLACE:
        state[SEAT] = 1 - state[SEAT]
        if state[RESERVE].sum() == 0:
            state[PHASE] = OPENING
    elif state[PHASE] == ACTION_1:
        state[PHASE] = ACTION_2
    else:
        state[SEAT] = 1 - state[SEAT]
        state[PHASE] = ACTION_1
    judge(state)


@compiled
def place(state: Words, action: int) -> None:
    """Put a piece of the reserve onto an empty point."""
    piece, cell = divmod(action - PLACE_ACTION, CELLS)
    point = POINT_OF_CELL[cell]
    state[KIND][point] = (piece + 1) * (1 - 2 * state[SEAT])
    state[HEIGHT][point] = 1
    state[RESERVE][3 * state[SEAT] + piece] -= 1
    state[TOPS][3 * state[SEAT] + piece] += 1


@compiled
def move(state: Words, point: int, target: int) -> None:
    """Move a whole stack onto another: a capture or a stacking, as the colours have it."""
    kind = state[KIND]
    height = state[HEIGHT]
    state[TOPS][top_index(kind[target])] -= 1
    captures = kind[point] * kind[target] < 0
    height[target] = height[point] if captures else height[target] + height[point]
    kind[target] = kind[point]
    kind[point] = 0
    height[point] = 0


@compiled
def judge(state: Words) -> None:
    """Set status and winner, which follow from the position alone (sections 6 and 12).

    That the check of the mover comes first needs no code: no action can leave both colours without
    a type, since a capture only removes enemy tops and a stacking only covers own ones.
    """
    state[STATUS] = RUNNING
    state[WINNER] = NOBODY
    if state[PHASE] == PLACE:
        return
    if lacks_a_type(state, 0):
        state[WINNER] = 1
    elif lacks_a_type(state, 1):
        state[WINNER] = 0
    elif state[PHASE] != ACTION_2 and not can_capture(state):
        state[WINNER] = 1 - state[SEAT]
    if state[WINNER] != NOBODY:
        state[STATUS] = TERMINATED


@compiled
def returns(state: Words, out: np.ndarray) -> None:
    """Write +1 for the winner and -1 for the loser, zeros while the game runs (section 7)."""
    out[:] = 0.0
    if state[WINNER] != NOBODY:
        out[state[WINNER]] = 1.0
        out[1 - state[WINNER]] = -1.0
