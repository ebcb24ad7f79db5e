"""The rules of Tzaar, compiled; sections are those of docs/rules/tzaar.md.

Code that runs in every action reads and writes single words, `state[KIND.start + point]`: making a
view of a part of the state, `state[KIND]`, costs more than using it.
"""

import numpy as np

from tzaar_envs.core.kernel import NOBODY, RUNNING, SEAT, STATUS, TERMINATED
from tzaar_envs.core.toolkit import Bitboard, lowest_bit, share_win
from tzaar_envs.games.tzaar import board as b
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.rng import shuffle


@compiled
def reset(state: StateArray, options: StateArray, rng: RngState) -> None:
    """Write the start position of the chosen set-up (section 2)."""
    state[b.SETUP] = options[0]
    state[SEAT] = b.WHITE
    if state[b.SETUP] == b.SETUP_TOURNAMENT:
        state[b.PHASE] = b.PLACE
        state[b.KIND] = 0
        state[b.HEIGHT] = 0
        for seat in range(2):
            state[b.RESERVE][3 * seat : 3 * seat + 3] = b.PIECES
    else:
        state[b.PHASE] = b.OPENING
        state[b.KIND] = b.FIXED_KINDS
        state[b.HEIGHT] = 1
        state[b.RESERVE] = 0
        if state[b.SETUP] == b.SETUP_RANDOM:
            shuffle(rng, state[b.KIND])
    derive(state)


@compiled
def derive(state: StateArray) -> None:
    """Complete a position whose board, seat, phase and reserve are set (section 7)."""
    state[b.TOPS] = 0
    state[b.STACKS] = 0
    state[b.TURNED] = 0
    state[b.CAPTURES] = 0
    state[b.STACKINGS] = 0
    for point in range(b.POINTS):
        kind = state[b.KIND.start + point]
        if kind != 0:
            state[b.TOPS.start + top_index(kind)] += 1
            state[b.STACKS.start + (kind < 0)] |= 1 << point
            state[b.TURNED] |= 1 << (b.POINTS - 1 - point)
    stacks = state[b.STACKS.start] | state[b.STACKS.start + 1]
    for point in range(b.POINTS):
        if state[b.KIND.start + point] != 0:
            for axis in range(b.AXES):
                relate(state, axis, 1 << point, ahead(stacks, axis, point))
    update_status(state)


@compiled
def top_index(kind: int) -> int:
    """Return the index of a kind in `TOPS`: White's three types, then Black's."""
    return kind - 1 if kind > 0 else 2 - kind


@compiled
def ahead(stacks: Bitboard, axis: int, point: int) -> Bitboard:
    """Return the bit of the first stack ahead of a point, 0 if there is none up to edge or hole."""
    seen = b.RAYS[point, axis] & stacks
    return seen & -seen


@compiled
def behind(turned: Bitboard, axis: int, point: int) -> Bitboard:
    """Return the bit of the first stack behind a point: the first one ahead on the turned board."""
    seen = ahead(turned, axis, b.POINTS - 1 - point)
    return 1 << b.POINTS - 1 - lowest_bit(seen) if seen != 0 else 0


@compiled
def first_stack(state: StateArray, point: int, direction: int) -> int:
    """Return the first occupied point of a line, -1 if there is none (section 3.2)."""
    if direction < b.AXES:
        bit = ahead(state[b.STACKS.start] | state[b.STACKS.start + 1], direction, point)
    else:
        bit = behind(state[b.TURNED], direction - b.AXES, point)
    return lowest_bit(bit) if bit != 0 else -1


@compiled
def relate(state: StateArray, axis: int, rear: Bitboard, front: Bitboard) -> None:
    """Update what two stacks, each the first one seen from the other, can do to each other.

    They are given by their bits; 0 for a missing stack, to which the other one can do nothing,
    whatever its height.
    """
    white = state[b.STACKS.start]
    black = state[b.STACKS.start + 1]
    colour = white if white & rear != 0 else black  # of the rear stack
    seen = front if rear != 0 else 0
    friends = seen & colour != 0
    enemies = seen & ~colour != 0
    lead = (
        state[b.HEIGHT.start + lowest_bit(rear) % 64]
        - state[b.HEIGHT.start + lowest_bit(front) % 64]
    )
    forth = b.STACKINGS.start + axis
    back = forth + b.AXES
    state[forth] = with_bit(state[forth], rear, friends)
    state[back] = with_bit(state[back], front, friends)
    forth = b.CAPTURES.start + axis
    back = forth + b.AXES
    state[forth] = with_bit(state[forth], rear, enemies & (lead >= 0))
    state[back] = with_bit(state[back], front, enemies & (lead <= 0))


@compiled
def with_bit(points: Bitboard, bit: Bitboard, possible: bool) -> Bitboard:
    """Return a set of points with a bit added if `possible`, else removed."""
    return points | bit if possible else points & ~bit


@compiled
def legal(state: StateArray, actions: StateArray) -> int:
    """Write the legal actions (section 3), and return how many they are."""
    if state[STATUS] != RUNNING:
        return 0
    count = 0
    if state[b.PHASE] == b.PLACE:
        for piece in range(3):
            if state[b.RESERVE.start + 3 * state[SEAT] + piece] > 0:
                for point in range(b.POINTS):
                    if state[b.KIND.start + point] == 0:
                        actions[count] = b.PLACE_ACTION + piece * b.CELLS + b.CELL_OF_POINT[point]
                        count += 1
        return count
    own = state[b.STACKS.start + state[SEAT]]
    may_stack = state[b.PHASE] == b.ACTION_2
    for direction in range(2 * b.AXES):
        starts = state[b.CAPTURES.start + direction]
        if may_stack:
            starts |= state[b.STACKINGS.start + direction]
        starts &= own
        while starts != 0:
            bit = starts & -starts
            starts ^= bit
            actions[count] = direction * b.CELLS + b.CELL_OF_POINT[lowest_bit(bit)]
            count += 1
    if may_stack:
        actions[count] = b.PASS_ACTION
        count += 1
    return count


@compiled
def apply(state: StateArray, action: int, rng: RngState) -> None:
    """Play an action, advance the turn, then check for the end of the game (sections 3 and 4)."""
    if action >= b.PLACE_ACTION:
        put_piece(state, action)
    elif action != b.PASS_ACTION:
        point = b.POINT_OF_CELL[action % b.CELLS]
        move(state, point, first_stack(state, point, action // b.CELLS))

    if state[b.PHASE] == b.PLACE:
        state[SEAT] = 1 - state[SEAT]
        if not state[b.RESERVE].any():
            state[b.PHASE] = b.OPENING
    elif state[b.PHASE] == b.ACTION_1:
        state[b.PHASE] = b.ACTION_2
    else:
        state[SEAT] = 1 - state[SEAT]
        state[b.PHASE] = b.ACTION_1
    update_status(state)


@compiled
def put_piece(state: StateArray, action: int) -> None:
    """Put a piece of the reserve onto an empty point."""
    piece, cell = divmod(action - b.PLACE_ACTION, b.CELLS)
    point = b.POINT_OF_CELL[cell]
    state[b.KIND.start + point] = (piece + 1) * (1 - 2 * state[SEAT])
    state[b.HEIGHT.start + point] = 1
    state[b.STACKS.start + state[SEAT]] |= 1 << point
    state[b.TURNED] |= 1 << (b.POINTS - 1 - point)
    state[b.RESERVE.start + 3 * state[SEAT] + piece] -= 1
    state[b.TOPS.start + 3 * state[SEAT] + piece] += 1
    stacks = state[b.STACKS.start] | state[b.STACKS.start + 1]
    for axis in range(b.AXES):
        relate(state, axis, 1 << point, ahead(stacks, axis, point))
        relate(state, axis, behind(state[b.TURNED], axis, point), 1 << point)


@compiled
def move(state: StateArray, point: int, target: int) -> None:
    """Move a stack onto another: a capture if their colours differ, else a stacking."""
    kind = state[b.KIND.start + point]
    met = state[b.KIND.start + target]
    state[b.TOPS.start + top_index(met)] -= 1
    if kind * met < 0:
        state[b.HEIGHT.start + target] = state[b.HEIGHT.start + point]
        state[b.STACKS.start + 1 - state[SEAT]] ^= 1 << target
        state[b.STACKS.start + state[SEAT]] ^= 1 << point | 1 << target
    else:
        state[b.HEIGHT.start + target] += state[b.HEIGHT.start + point]
        state[b.STACKS.start + state[SEAT]] ^= 1 << point
    state[b.TURNED] ^= 1 << (b.POINTS - 1 - point)
    state[b.KIND.start + target] = kind
    state[b.KIND.start + point] = 0
    state[b.HEIGHT.start + point] = 0
    # The start is empty now, so the stacks on both sides of it see each other. The relations of the
    # target's stack to those around it have changed.
    for direction in range(2 * b.AXES):
        state[b.CAPTURES.start + direction] &= ~(1 << point)
        state[b.STACKINGS.start + direction] &= ~(1 << point)
    stacks = state[b.STACKS.start] | state[b.STACKS.start + 1]
    for axis in range(b.AXES):
        relate(state, axis, behind(state[b.TURNED], axis, point), ahead(stacks, axis, point))
        relate(state, axis, 1 << target, ahead(stacks, axis, target))
        relate(state, axis, behind(state[b.TURNED], axis, target), 1 << target)


@compiled
def update_status(state: StateArray) -> None:
    """Set status and winner, which follow from the position alone (sections 4 and 7).

    The order of the two checks for a missing type does not matter: no action can leave both colours
    without a type, since a capture removes only enemy tops and a stacking covers only own ones.
    """
    state[STATUS] = RUNNING
    state[b.WINNER] = NOBODY
    if state[b.PHASE] == b.PLACE:
        return
    for seat in range(2):
        tops = b.TOPS.start + 3 * seat
        if state[tops] == 0 or state[tops + 1] == 0 or state[tops + 2] == 0:
            state[b.WINNER] = 1 - seat
    if state[b.WINNER] == NOBODY and state[b.PHASE] != b.ACTION_2:
        starts = 0
        for direction in range(2 * b.AXES):
            starts |= state[b.CAPTURES.start + direction]
        if starts & state[b.STACKS.start + state[SEAT]] == 0:
            state[b.WINNER] = 1 - state[SEAT]
    if state[b.WINNER] != NOBODY:
        state[STATUS] = TERMINATED


def end_code(state: StateArray) -> str:
    """Return the case of section 4 that ended the game."""
    tops = state[b.TOPS][3 * (1 - state[b.WINNER]) :]
    for kind, code in enumerate(("no_tzaar", "no_tzarra", "no_tott")):
        if tops[kind] == 0:
            return code
    return "no_capture"


@compiled
def returns(state: StateArray, out: np.ndarray) -> None:
    """Write +1 for the winner and -1 for the loser, zeros while the game runs (section 5)."""
    share_win(state[b.WINNER], out)
