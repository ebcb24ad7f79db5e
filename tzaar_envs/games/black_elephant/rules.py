"""The rules of Black Elephant, compiled; section numbers are those of the rules document."""

import numpy as np

from tzaar_envs.core.arrays import Randomness, Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED, TRUNCATED
from tzaar_envs.core.outcome import share
from tzaar_envs.games.black_elephant.board import (
    BLACK,
    BLACK_FIELD,
    BOARD,
    BURN_PLANE,
    BURNT,
    BURNT_LEFT,
    BURNT_LOGS,
    CAPTIVES,
    CELLS,
    ELEPHANT,
    ELEPHANTS,
    ENTER_PLANE,
    ENTRY_CELLS,
    ENTRY_FACING,
    EXIT_PLANE,
    FOREIGN_GOAL,
    FREE,
    HELD,
    HOME,
    IDLE,
    IN_PLAY,
    IS_GOAL,
    JUMP_PLANE,
    LINES,
    LOG,
    LOGS,
    LOGS_LEFT,
    MAX_IDLE,
    MAX_PASSES,
    MAX_PLIES,
    OFFSETS,
    OWN_PATH,
    PASS_ACTION,
    PASSES,
    PATH_E,
    PATH_N,
    PATH_S,
    PATH_W,
    PLACE,
    PLIES,
    SEVENTH,
    SHORT_MOVES,
    SIZE,
    SOUTH,
    SOUTH_AREA,
    SOUTH_SEAT,
    START_BIT,
    STEPS,
    TARGET,
    VIA,
    WAITING,
    WATCH_PLANE,
    WEST,
    WEST_AREA,
    WEST_SEAT,
)

MOVES = len(OFFSETS)
UNPAYABLE = LOGS + 1


@compiled
def reset(state: Words, options: Words, rng: Randomness) -> None:
    """Write the start position (section 4)."""
    state[:] = 0
    state[BOARD] = LOG
    state[BOARD][BLACK_FIELD] = BLACK
    state[WAITING + 2 * WEST_SEAT + WEST_AREA] = ELEPHANTS
    state[WAITING + 2 * SOUTH_SEAT + SOUTH_AREA] = ELEPHANTS
    for seat in range(2):
        state[BURNT_LEFT + seat] = BURNT_LOGS
    set_watchers(state, options)
    begin(state)


@compiled
def set_watchers(state: Words, options: Words) -> None:
    """Take owners and start places of the watchers from the options (section 3.3)."""
    for watcher in range(4):
        path = options[2 * watcher]
        state[OWN_PATH + watcher] = path
        state[PLACE + path] = options[2 * watcher + 1]


@compiled
def begin(state: Words) -> None:
    """Complete a position of which all but the sums over the board is set."""
    board = state[BOARD]
    state[LOGS_LEFT] = 0
    for seat in range(2):
        state[IN_PLAY + seat] = (
            state[WAITING + 2 * seat + WEST_AREA] + state[WAITING + 2 * seat + SOUTH_AREA]
        )
    for cell in range(CELLS):
        state[LOGS_LEFT] += has_log(board[cell])
        if board[cell] >= ELEPHANT:
            state[IN_PLAY + owner_of(board[cell])] += 1


@compiled
def elephant_of(seat: int, facing: int) -> int:
    """Return what a cell holds with an elephant and no log."""
    return ELEPHANT + 8 * seat + 2 * facing


@compiled
def owner_of(field: int) -> int:
    """Return the seat of the elephant on a field."""
    return (field - ELEPHANT) // 8


@compiled
def facing_of(field: int) -> int:
    """Return the facing of the elephant on a field."""
    return field // 2 % 4


@compiled
def has_log(field: int) -> int:
    """Return 1 if a beige log lies on a field, else 0."""
    return field & LOG


@compiled
def can_be_entered(field: int) -> bool:
    """Whether one step may lead onto a field: no elephant, no burnt log, not G7."""
    return field <= LOG


@compiled
def legal(state: Words, actions: Words) -> int:
    """Write the legal ones of section 10's actions, return how many they are (section 5)."""
    if state[STATUS] != RUNNING:
        return 0
    board = state[BOARD]
    seat = state[SEAT]
    may_burn = state[BURNT_LEFT + seat] > 0
    count = legal_entries(state, actions)
    count += legal_watches(state, actions[count:])
    for cell in range(CELLS):
        field = board[cell]
        if field >= ELEPHANT:
            if owner_of(field) == seat:
                count += legal_moves(board, cell, actions[count:])
                count += legal_jumps(board, cell, actions[count:])
        elif field == FREE and may_burn and not completes_line(board, cell):
            actions[count] = BURN_PLANE * CELLS + cell
            count += 1
    if count == 0:
        actions[0] = PASS_ACTION
        count = 1
    return count


@compiled
def legal_entries(state: Words, actions: Words) -> int:
    """Write ENTER from each start area in which an own elephant waits (5.1)."""
    board = state[BOARD]
    count = 0
    for area in range(2):
        if state[WAITING + 2 * state[SEAT] + area] > 0:
            for target in ENTRY_CELLS[area]:
                if can_be_entered(board[target]):
                    actions[count] = (ENTER_PLANE + area) * CELLS + target
                    count += 1
    return count


@compiled
def legal_moves(board: Words, start: int, actions: Words) -> int:
    """Write MOVE and EXIT of an elephant (5.2, 5.3)."""
    field = board[start]
    seat = owner_of(field)
    facing = facing_of(field)
    may_exit = leads_out(start, facing)
    count = 0
    passed = START_BIT  # and the bits of destinations from which a further step may be taken
    for move in range(STEPS if has_log(field) else MOVES):
        target = TARGET[start, move]
        if target < 0 or not passed & VIA[move]:
            continue
        if board[target] == FREE:
            actions[count] = move * CELLS + start
            count += 1
            if not has_log(field) and not IS_GOAL[seat, target]:
                passed |= 1 << move
                if move < SHORT_MOVES and leads_out(target, facing):
                    may_exit = True
        elif board[target] == LOG and move < STEPS:
            actions[count] = move * CELLS + start
            count += 1
    if may_exit:
        actions[count] = EXIT_PLANE * CELLS + start
        count += 1
    return count


@compiled
def leads_out(cell: int, facing: int) -> bool:
    """Whether one step forward from a cell leads into a start area."""
    return facing in (WEST, SOUTH) and TARGET[cell, facing] < 0


@compiled
def area_ahead(facing: int) -> int:
    """Return the start area that elephants with this facing leave the board into."""
    return WEST_AREA if facing == WEST else SOUTH_AREA


@compiled
def legal_jumps(board: Words, start: int, actions: Words) -> int:
    """Write JUMP of an elephant, once for each new facing of the one jumped over (5.4)."""
    facing = facing_of(board[start])
    over = TARGET[start, facing]
    if over < 0 or board[over] < ELEPHANT or has_log(board[over]):
        return 0
    target = TARGET[over, facing]
    if target < 0 or not can_be_entered(board[target]):
        return 0
    for new_facing in range(4):
        actions[new_facing] = (JUMP_PLANE + new_facing) * CELLS + start
    return 4


@compiled
def legal_watches(state: Words, actions: Words) -> int:
    """Write WATCH to all places that the seat to act can pay for (5.8)."""
    seat = state[SEAT]
    held = state[HELD + seat]
    if held == 0:
        return 0
    first = state[PLACE + state[OWN_PATH + 2 * seat]]
    second = state[PLACE + state[OWN_PATH + 2 * seat + 1]]
    count = 0
    for to_second in range(max(0, second - held), min(SIZE - 1, second + held) + 1):
        left = held - abs(to_second - second)
        for to_first in range(max(0, first - left), min(SIZE - 1, first + left) + 1):
            if to_second != second or to_first != first:  # at least one of them moves
                actions[count] = WATCH_PLANE * CELLS + to_second * SIZE + to_first
                count += 1
    return count


@compiled
def completes_line(board: Words, cell: int) -> bool:
    """Whether a burnt log on a cell makes three in a line (5.9)."""
    for line in range(LINES.shape[1]):
        if board[LINES[cell, line, 0]] == BURNT and board[LINES[cell, line, 1]] == BURNT:
            return True
    return False


@compiled
def apply(state: Words, action: int, rng: Randomness) -> None:
    """Play an action, capture, then see whether the game is over (5.11 and section 6)."""
    state[PLIES] += 1
    state[IDLE] += 1  # until something below is progress
    state[PASSES] = state[PASSES] + 1 if action == PASS_ACTION else 0
    plane, cell = divmod(action, CELLS)
    if plane < MOVES:
        move(state, cell, plane)
    elif plane < JUMP_PLANE:
        leave(state, cell)
    elif plane < ENTER_PLANE:
        jump(state, cell, plane - JUMP_PLANE)
    elif plane < WATCH_PLANE:
        enter(state, cell, plane - ENTER_PLANE)
    elif plane < BURN_PLANE:
        watch(state, cell % SIZE, cell // SIZE)
    elif action != PASS_ACTION:
        burn(state, cell)
    capture(state)
    state[SEAT] = 1 - state[SEAT]
    judge(state)


@compiled
def move(state: Words, start: int, plane: int) -> None:
    """Move an elephant (5.2); a step forward collects (5.7)."""
    facing = lift(state, start)
    target = TARGET[start, plane]
    if plane == facing:
        collect(state, target)
    arrive(state, target, turned(state[SEAT], facing, start, target))


@compiled
def leave(state: Words, start: int) -> None:
    """Take an elephant into the start area that it faces (5.3)."""
    facing = lift(state, start)
    state[WAITING + 2 * state[SEAT] + area_ahead(facing)] += 1


@compiled
def jump(state: Words, start: int, new_facing: int) -> None:
    """Jump over the elephant ahead and set its facing (5.4)."""
    board = state[BOARD]
    facing = lift(state, start)
    over = TARGET[start, facing]
    board[over] = elephant_of(owner_of(board[over]), new_facing)
    target = TARGET[over, facing]
    arrive(state, target, turned(state[SEAT], facing, start, target))


@compiled
def enter(state: Words, target: int, area: int) -> None:
    """Bring an elephant from a start area onto the board (5.1), which collects (5.7)."""
    state[WAITING + 2 * state[SEAT] + area] -= 1
    collect(state, target)
    arrive(state, target, ENTRY_FACING[area])


@compiled
def watch(state: Words, to_first: int, to_second: int) -> None:
    """Move the own watchers and pay for it (5.8)."""
    seat = state[SEAT]
    first = PLACE + state[OWN_PATH + 2 * seat]
    second = PLACE + state[OWN_PATH + 2 * seat + 1]
    state[HELD + seat] -= abs(to_first - state[first]) + abs(to_second - state[second])
    state[first] = to_first
    state[second] = to_second
    state[IDLE] = 0


@compiled
def burn(state: Words, cell: int) -> None:
    """Put a burnt log on a free field (5.9)."""
    state[BURNT_LEFT + state[SEAT]] -= 1
    state[BOARD][cell] = BURNT
    state[IDLE] = 0


@compiled
def lift(state: Words, cell: int) -> int:
    """Take an elephant off the board, a log stays; return its facing."""
    board = state[BOARD]
    facing = facing_of(board[cell])
    board[cell] = has_log(board[cell])
    return facing


@compiled
def collect(state: Words, cell: int) -> None:
    """Take the log, if one lies there, from a field that is about to be entered (5.7)."""
    board = state[BOARD]
    if board[cell] == LOG:
        board[cell] = FREE
        state[LOGS_LEFT] -= 1
        state[HELD + state[SEAT]] += 1
        state[IDLE] = 0


@compiled
def turned(seat: int, facing: int, start: int, target: int) -> int:
    """Return the facing after a move or jump, which the other seat's goal line may turn (5.6)."""
    foreign = IS_GOAL[1 - seat]
    if facing == FOREIGN_GOAL[seat] and foreign[target] and not foreign[start]:
        return (facing + 2) % 4
    return facing


@compiled
def arrive(state: Words, target: int, facing: int) -> None:
    """Put an elephant of the seat to act on a field; on an own goal field it is home (5.5)."""
    seat = state[SEAT]
    if not IS_GOAL[seat, target]:
        state[BOARD][target] += elephant_of(seat, facing)
        return
    state[IN_PLAY + seat] -= 1
    state[HOME + seat] += 1
    state[IDLE] = 0
    if state[HOME + seat] == SEVENTH and state[CAPTIVES + 1 - seat] > 0:
        state[CAPTIVES + 1 - seat] -= 1
        state[HOME + seat] += 1


@compiled
def capture(state: Words) -> None:
    """Capture all elephants on danger fields (5.10)."""
    board = state[BOARD]
    for file_path in (PATH_N, PATH_S):
        for rank_path in (PATH_W, PATH_E):
            cell = state[PLACE + rank_path] * SIZE + state[PLACE + file_path]
            if board[cell] >= ELEPHANT:
                owner = owner_of(board[cell])
                board[cell] = has_log(board[cell])
                state[IN_PLAY + owner] -= 1
                state[CAPTIVES + 1 - owner] += 1
                state[IDLE] = 0


@compiled
def danger_cost(state: Words, seat: int, cell: int) -> int:
    """Return for how many logs the seat can make a cell a danger field (5.8 and 3.3).

    0 if it is one already; `UNPAYABLE` or more if the seat's own watchers cannot get there.
    """
    file_cost = line_cost(state, seat, PATH_N, PATH_S, cell % SIZE)
    return file_cost + line_cost(state, seat, PATH_W, PATH_E, cell // SIZE)


@compiled
def line_cost(state: Words, seat: int, path: int, parallel: int, line: int) -> int:
    """Return for how many logs the seat can have a file or a rank watched."""
    cost = UNPAYABLE
    for other in (path, parallel):
        steps = abs(state[PLACE + other] - line)
        if steps == 0 or owns_path(state, seat, other):
            cost = min(cost, steps)
    return cost


@compiled
def owns_path(state: Words, seat: int, path: int) -> bool:
    """Whether the watcher of a path belongs to the seat."""
    first = OWN_PATH + 2 * seat
    return state[first] == path or state[first + 1] == path


@compiled
def judge(state: Words) -> None:
    """See whether the game is over after an action (section 6)."""
    if has_ended(state):
        state[STATUS] = TERMINATED
    elif state[PLIES] >= MAX_PLIES:
        state[STATUS] = TRUNCATED
    else:
        state[STATUS] = RUNNING


@compiled
def has_ended(state: Words) -> bool:
    """Whether one of the cases 1 to 4 of section 6 holds."""
    return (
        state[LOGS_LEFT] == 0
        or state[IN_PLAY + WEST_SEAT] == 0
        or state[IN_PLAY + SOUTH_SEAT] == 0
        or state[PASSES] >= MAX_PASSES
        or state[IDLE] >= MAX_IDLE
    )


@compiled
def points(state: Words, seat: int) -> int:
    """Return the points of a seat, without the rule for ties (section 7)."""
    return state[HELD + seat] + 2 * state[CAPTIVES + seat] + 3 * state[HOME + seat]


@compiled
def scores(state: Words, out: np.ndarray) -> None:
    """Write the points; at the end the starting player loses one if they are equal (section 7)."""
    for seat in range(2):
        out[seat] = points(state, seat)
    if state[STATUS] != RUNNING and out[0] == out[1]:
        out[WEST_SEAT] -= 1.0


@compiled
def returns(state: Words, out: np.ndarray) -> None:
    """Write +1 for the winner and -1 for the loser, zeros while the game runs (section 7)."""
    out[:] = 0.0
    if state[STATUS] != RUNNING:
        scores(state, out)
        share(out, out)
