"""The rules of Black Elephant, compiled; sections are those of docs/rules/black_elephant.md."""

import numpy as np

from tzaar_envs.core.kernel import NO_CODE, RUNNING, SEAT, STATUS, TERMINATED, TRUNCATED
from tzaar_envs.core.toolkit import Bitboard, Cell, lowest_bit
from tzaar_envs.games.black_elephant import board as b
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled

UNPAYABLE = b.LOGS + 1
ENDINGS = (NO_CODE, "logs", "elephants", "passes", "no_progress")


@compiled
def reset(state: StateArray, options: StateArray, rng: RngState) -> None:
    """Write the start position (section 2)."""
    state[:] = 0
    state[b.LOG_CELLS] = b.NOT_BLACK
    state[b.WAITING + 2 * b.WEST_SEAT + b.WEST_AREA] = b.ELEPHANTS
    state[b.WAITING + 2 * b.SOUTH_SEAT + b.SOUTH_AREA] = b.ELEPHANTS
    for seat in range(2):
        state[b.BURNT_LEFT + seat] = b.BURNT_LOGS
    set_watchers(state, options)


@compiled
def set_watchers(state: StateArray, options: StateArray) -> None:
    """Set the owners and start places of the watchers from the options (section 1.4)."""
    for watcher in range(4):
        path = options[2 * watcher]
        state[b.OWN_PATH + watcher] = path
        state[b.PLACE + path] = options[2 * watcher + 1]


@compiled
def contains(cells: Bitboard, cell: Cell) -> int:
    """Return 1 if a cell belongs to a set, else 0."""
    return cells >> cell & 1


@compiled
def elephant_cells(state: StateArray) -> Bitboard:
    """Return the cells with an elephant."""
    return state[b.ELEPHANT_CELLS] | state[b.ELEPHANT_CELLS + 1]


@compiled
def facing_at(state: StateArray, cell: Cell) -> int:
    """Return the facing of the elephant on a cell."""
    return contains(state[b.FACING_CELLS], cell) + 2 * contains(state[b.FACING_CELLS + 1], cell)


@compiled
def facing_cells(state: StateArray, facing: int) -> Bitboard:
    """Return the cells of all elephants with a facing, and some cells without elephants."""
    low = state[b.FACING_CELLS] if facing & 1 else ~state[b.FACING_CELLS]
    high = state[b.FACING_CELLS + 1] if facing & 2 else ~state[b.FACING_CELLS + 1]
    return low & high


@compiled
def set_facing(state: StateArray, cell: Cell, facing: int) -> None:
    """Turn the elephant on a cell."""
    for bit in range(2):
        others = state[b.FACING_CELLS + bit] & ~(1 << cell)
        state[b.FACING_CELLS + bit] = others | (facing >> bit & 1) << cell


@compiled
def enterable_cells(state: StateArray) -> Bitboard:
    """Return the cells onto which one step may lead: no elephant, no burnt log, not G7."""
    return b.NOT_BLACK & ~(elephant_cells(state) | state[b.BURNT_CELLS])


@compiled
def free_cells(state: StateArray) -> Bitboard:
    """Return the cells without elephant, beige log and burnt log, and not G7."""
    return enterable_cells(state) & ~state[b.LOG_CELLS]


@compiled
def legal(state: StateArray, actions: StateArray) -> int:
    """Write the legal actions (section 3), and return how many they are."""
    if state[STATUS] != RUNNING:
        return 0
    seat = state[SEAT]
    enterable = enterable_cells(state)
    count = 0
    for area in range(2):
        if state[b.WAITING + 2 * seat + area] > 0:
            targets = enterable & b.ENTRY_CELLS[area]
            count = write_actions(b.ENTER_PLANE + area, targets, actions, count)
    count = write_actions(b.WATCH_PLANE, payable_crossings(state), actions, count)
    elephants = state[b.ELEPHANT_CELLS + seat]
    while elephants:
        start = lowest_bit(elephants)
        elephants &= elephants - 1
        count = write_moves(state, start, enterable, actions, count)
    jumpers = jumper_cells(state, enterable)
    for new_facing in range(4):
        count = write_actions(b.JUMP_PLANE + new_facing, jumpers, actions, count)
    if state[b.BURNT_LEFT + seat] > 0:
        burnable = free_cells(state) & ~third_cells(state[b.BURNT_CELLS])
        count = write_actions(b.BURN_PLANE, burnable, actions, count)
    if count == 0:
        actions[0] = b.PASS_ACTION
        count = 1
    return count


# Functions that write actions take the number of actions written before, and return that after.


@compiled
def write_actions(plane: int, cells: Bitboard, actions: StateArray, count: int) -> int:
    """Write the action of a plane for each cell of a set."""
    while cells:
        actions[count] = plane * b.CELLS + lowest_bit(cells)
        cells &= cells - 1
        count += 1
    return count


@compiled
def write_moves(
    state: StateArray, start: Cell, enterable: Bitboard, actions: StateArray, count: int
) -> int:
    """Write MOVE and EXIT of an elephant (sections 3.2 and 3.3)."""
    here = 1 << start
    targets = one_step(here) & enterable
    passed = here  # and all cells, up to two steps away, from which the elephant may continue
    if not state[b.LOG_CELLS] & here:
        free = enterable & ~state[b.LOG_CELLS]
        may_pass = free & ~b.GOALS[state[SEAT]]
        first = targets & may_pass
        second = one_step(first) & free
        targets |= second | one_step(second & may_pass) & free
        passed |= first | second & may_pass
    while targets:
        actions[count] = b.MOVE_ACTION[start, lowest_bit(targets)]
        targets &= targets - 1
        count += 1
    actions[count] = b.EXIT_PLANE * b.CELLS + start  # kept only if it is legal
    return count + int(passed & b.EXIT_CELLS[facing_at(state, start)] != 0)


@compiled
def one_step(cells: Bitboard) -> Bitboard:
    """Return the cells one step away from any cell of a set; bits above G7 have no meaning."""
    along_files = cells << b.SIZE | cells >> b.SIZE
    return along_files | (cells & ~b.FILE_G) << 1 | (cells & ~b.FILE_A) >> 1


@compiled
def area_ahead(facing: int) -> int:
    """Return the start area that an elephant with this facing exits into."""
    return b.WEST_AREA if facing == b.WEST else b.SOUTH_AREA


@compiled
def jumper_cells(state: StateArray, enterable: Bitboard) -> Bitboard:
    """Return the cells of own elephants that can jump over the one ahead (section 3.4)."""
    over = elephant_cells(state) & ~state[b.LOG_CELLS]
    north = facing_cells(state, b.NORTH) & over >> b.SIZE & enterable >> 2 * b.SIZE
    south = facing_cells(state, b.SOUTH) & over << b.SIZE & enterable << 2 * b.SIZE
    # Within a rank: not from the two files where the shifts would wrap to another rank.
    east = facing_cells(state, b.EAST) & over >> 1 & enterable >> 2 & ~(b.FILE_G | b.FILE_G >> 1)
    west = facing_cells(state, b.WEST) & over << 1 & enterable << 2 & ~(b.FILE_A | b.FILE_A << 1)
    return state[b.ELEPHANT_CELLS + state[SEAT]] & (north | south | east | west)


@compiled
def payable_crossings(state: StateArray) -> Bitboard:
    """Return the pairs of places to which the seat to act can afford its watchers (section 3.8).

    A cell encodes two places: its file is the first watcher's, its rank the second watcher's.
    """
    seat = state[SEAT]
    first = state[b.PLACE + state[b.OWN_PATH + 2 * seat]]
    second = state[b.PLACE + state[b.OWN_PATH + 2 * seat + 1]]
    here = second * b.SIZE + first
    reach = b.REACH[1, 1, here, min(state[b.HELD + seat], b.FARTHEST)]
    return reach & ~(1 << here)  # at least one of them moves


@compiled
def third_cells(burnt: Bitboard) -> Bitboard:
    """Return the cells where a burnt log makes three in a line (section 3.9)."""
    cells = 0
    for step, lowest in b.LINES:
        # The lowest cell of a line is the third, then the middle one, then the highest.
        cells |= burnt >> step & burnt >> 2 * step & lowest
        cells |= (burnt & burnt >> 2 * step & lowest) << step
        cells |= (burnt & burnt >> step & lowest) << 2 * step
    return cells


@compiled
def apply(state: StateArray, action: int, rng: RngState) -> None:
    """Play an action, capture, then check for the end of the game (sections 3.11 and 4)."""
    state[b.PLIES] += 1
    state[b.IDLE] += 1  # set to 0 by all progress below
    state[b.PASSES] = state[b.PASSES] + 1 if action == b.PASS_ACTION else 0
    plane, cell = divmod(action, b.CELLS)
    if plane < b.EXIT_PLANE:
        move(state, cell, plane)
    elif plane < b.JUMP_PLANE:
        leave(state, cell)
    elif plane < b.ENTER_PLANE:
        jump(state, cell, plane - b.JUMP_PLANE)
    elif plane < b.WATCH_PLANE:
        enter(state, cell, plane - b.ENTER_PLANE)
    elif plane < b.BURN_PLANE:
        watch(state, cell % b.SIZE, cell // b.SIZE)
    elif action != b.PASS_ACTION:
        burn(state, cell)
    capture(state)
    state[SEAT] = 1 - state[SEAT]
    update_status(state)


@compiled
def move(state: StateArray, start: Cell, plane: int) -> None:
    """Move an elephant (section 3.2); a step forward collects (section 3.7)."""
    facing = facing_at(state, start)
    lift(state, start)
    target = b.TARGET[start, plane]
    if plane == facing:
        collect(state, target)
    arrive(state, target, turned(state[SEAT], facing, start, target))


@compiled
def leave(state: StateArray, start: Cell) -> None:
    """Move an elephant into the start area that it faces (section 3.3)."""
    area = area_ahead(facing_at(state, start))
    lift(state, start)
    state[b.WAITING + 2 * state[SEAT] + area] += 1


@compiled
def jump(state: StateArray, start: Cell, new_facing: int) -> None:
    """Jump over the elephant ahead and set its facing (section 3.4)."""
    facing = facing_at(state, start)
    lift(state, start)
    over = b.TARGET[start, facing]
    set_facing(state, over, new_facing)
    target = b.TARGET[over, facing]
    arrive(state, target, turned(state[SEAT], facing, start, target))


@compiled
def enter(state: StateArray, target: Cell, area: int) -> None:
    """Move an elephant from an area onto the board (section 3.1), which collects (section 3.7)."""
    state[b.WAITING + 2 * state[SEAT] + area] -= 1
    collect(state, target)
    arrive(state, target, b.ENTRY_FACING[area])


@compiled
def watch(state: StateArray, to_first: int, to_second: int) -> None:
    """Move the own watchers and pay for it (section 3.8)."""
    seat = state[SEAT]
    first = b.PLACE + state[b.OWN_PATH + 2 * seat]
    second = b.PLACE + state[b.OWN_PATH + 2 * seat + 1]
    state[b.HELD + seat] -= abs(to_first - state[first]) + abs(to_second - state[second])
    state[first] = to_first
    state[second] = to_second
    state[b.IDLE] = 0


@compiled
def burn(state: StateArray, cell: Cell) -> None:
    """Put a burnt log on a free field (section 3.9)."""
    state[b.BURNT_LEFT + state[SEAT]] -= 1
    state[b.BURNT_CELLS] |= 1 << cell
    state[b.IDLE] = 0


@compiled
def lift(state: StateArray, cell: Cell) -> None:
    """Remove the elephant of either seat from a cell; a log stays."""
    for word in range(b.ELEPHANT_CELLS, b.ELEPHANT_CELLS + 2):
        state[word] &= ~(1 << cell)
    set_facing(state, cell, 0)


@compiled
def collect(state: StateArray, cell: Cell) -> None:
    """Take the log, if there is one, from a field that is about to be entered (section 3.7)."""
    if contains(state[b.LOG_CELLS], cell):
        state[b.LOG_CELLS] ^= 1 << cell
        state[b.HELD + state[SEAT]] += 1
        state[b.IDLE] = 0


@compiled
def turned(seat: int, facing: int, start: Cell, target: Cell) -> int:
    """Return the facing after a move or jump: the other goal line may turn it (section 3.6)."""
    foreign = b.GOALS[1 - seat]
    arrives = contains(foreign, target) and not contains(foreign, start)
    if arrives and facing == b.FOREIGN_GOAL[seat]:
        return (facing + 2) % 4
    return facing


@compiled
def arrive(state: StateArray, target: Cell, facing: int) -> None:
    """Put an elephant of the seat to act on a field; an own goal is home (section 3.5)."""
    seat = state[SEAT]
    if not contains(b.GOALS[seat], target):
        put_elephant(state, seat, target, facing)
        return
    state[b.HOME + seat] += 1
    state[b.IDLE] = 0
    if state[b.HOME + seat] == b.SEVENTH and state[b.CAPTIVES + 1 - seat] > 0:
        state[b.CAPTIVES + 1 - seat] -= 1
        state[b.HOME + seat] += 1


@compiled
def put_elephant(state: StateArray, seat: int, cell: Cell, facing: int) -> None:
    """Put an elephant on a cell without one."""
    state[b.ELEPHANT_CELLS + seat] |= 1 << cell
    set_facing(state, cell, facing)


@compiled
def capture(state: StateArray) -> None:
    """Capture all elephants on danger fields (section 3.10)."""
    caught = danger_cells(state) & elephant_cells(state)
    while caught:
        cell = lowest_bit(caught)
        caught &= caught - 1
        owner = contains(state[b.ELEPHANT_CELLS + 1], cell)
        lift(state, cell)
        state[b.CAPTIVES + 1 - owner] += 1
        state[b.IDLE] = 0


@compiled
def watched_cells(state: StateArray, path: int) -> Bitboard:
    """Return the file or rank that the watcher of a path watches (section 1.4)."""
    place = state[b.PLACE + path]
    return b.FILE_A << place if path < b.FIRST_RANK_PATH else b.RANK_1 << place * b.SIZE


@compiled
def danger_cells(state: StateArray) -> Bitboard:
    """Return the cells whose file and rank are watched, including G7 (section 1.4)."""
    files = watched_cells(state, b.PATH_N) | watched_cells(state, b.PATH_S)
    ranks = watched_cells(state, b.PATH_W) | watched_cells(state, b.PATH_E)
    return files & ranks


@compiled
def threatened_cells(state: StateArray, seat: int) -> Bitboard:
    """Return the danger fields, and the cells that the seat can pay to make such (section 3.8)."""
    steps = min(state[b.HELD + seat], b.FARTHEST)
    cells = 0
    for file_path in (b.PATH_N, b.PATH_S):
        for rank_path in (b.PATH_W, b.PATH_E):
            crossing = state[b.PLACE + rank_path] * b.SIZE + state[b.PLACE + file_path]
            file_moves = owns_path(state, seat, file_path)
            rank_moves = owns_path(state, seat, rank_path)
            cells |= b.REACH[file_moves, rank_moves, crossing, steps]
    return cells


@compiled
def danger_cost(state: StateArray, seat: int, cell: Cell) -> int:
    """Return the cost, in logs, for the seat to make a cell a danger field (sections 3.8 and 1.4).

    0 if it is one already; `UNPAYABLE` or more if the seat's watchers cannot get there.
    """
    file_cost = line_cost(state, seat, b.PATH_N, b.PATH_S, cell % b.SIZE)
    return file_cost + line_cost(state, seat, b.PATH_W, b.PATH_E, cell // b.SIZE)


@compiled
def line_cost(state: StateArray, seat: int, path: int, parallel: int, line: int) -> int:
    """Return the cost, in logs, for the seat to have a file or a rank watched."""
    cost = UNPAYABLE
    for other in (path, parallel):
        steps = abs(state[b.PLACE + other] - line)
        if steps == 0 or owns_path(state, seat, other):
            cost = min(cost, steps)
    return cost


@compiled
def owns_path(state: StateArray, seat: int, path: int) -> int:
    """Return 1 if the watcher of a path belongs to the seat, else 0."""
    first = b.OWN_PATH + 2 * seat
    return int(state[first] == path) | int(state[first + 1] == path)


@compiled
def update_status(state: StateArray) -> None:
    """Set the status after an action (section 4)."""
    if ending(state) > 0:
        state[STATUS] = TERMINATED
    elif state[b.PLIES] >= b.MAX_PLIES:
        state[STATUS] = TRUNCATED


@compiled
def ending(state: StateArray) -> int:
    """Return the case of section 4 that has ended the game, 1 to 4; 0 if none holds."""
    if state[b.LOG_CELLS] == 0:
        return 1
    for seat in range(2):
        first_area = b.WAITING + 2 * seat
        if state[b.ELEPHANT_CELLS + seat] | state[first_area] | state[first_area + 1] == 0:
            return 2
    if state[b.PASSES] >= b.MAX_PASSES:
        return 3
    return 4 if state[b.IDLE] >= b.MAX_IDLE else 0


@compiled
def points(state: StateArray, seat: int) -> int:
    """Return the points of a seat, without the rule for ties (section 5)."""
    return state[b.HELD + seat] + 2 * state[b.CAPTIVES + seat] + 3 * state[b.HOME + seat]


@compiled
def scores(state: StateArray, out: np.ndarray) -> None:
    """Write the points; at the end the starting player loses one if they are equal (section 5)."""
    for seat in range(2):
        out[seat] = points(state, seat)
    if state[STATUS] != RUNNING and out[0] == out[1]:
        out[b.WEST_SEAT] -= 1.0


def end_code(state: StateArray) -> str:
    """Return the case of section 4 that ended the game; a position alone may not tell."""
    return ENDINGS[ending(state)]
