"""The rules of Zatre, compiled; section numbers are those of the rules document."""

import numpy as np

from tzaar_envs.core.arrays import Randomness, Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED
from tzaar_envs.core.outcome import share
from tzaar_envs.core.rng import pick
from tzaar_envs.games.zatre.board import (
    BAG,
    BOARD,
    CELLS,
    COUNTS,
    CROSS,
    EAST,
    ENTRIES,
    HANDS,
    HIGHEST_SUM,
    IS_CELL,
    IS_LIGHT,
    LOAD,
    LOWEST_SCORE,
    MAX_SEATS,
    NEIGHBOUR,
    NO_CELL,
    NORTH,
    OPEN,
    OUTSIDE,
    PACKED,
    PACKED_BITS,
    PENDING,
    PLACED,
    PLACED_COUNT,
    PLAYERS,
    POINTS,
    ROWS,
    SHEET_COLUMNS,
    START,
    START_LOAD,
    TEN,
    TILES_OF_VALUE,
    TOTALS,
    TWELVE,
    VALUES,
    WEST,
)

FIRST_DRAW = 3
FULL_HAND = 2  # a player draws up to so many tiles
# Of an action: the cell itself, and the four cells at the ends of the lines through it.
CELLS_CHANGED = 5


@compiled
def reset(state: Words, options: Words, rng: Randomness) -> None:
    """Write the start position: three tiles for the first seat (sections 6 and 7.1)."""
    state[:] = 0
    state[PLAYERS] = options[0]
    state[PENDING] = NO_CELL
    begin(state)
    draw_tiles(state, 0, FIRST_DRAW, rng)


@compiled
def begin(state: Words) -> None:
    """Complete a position of which all is set that the notation names (section 14)."""
    board = state[BOARD]
    state[BAG] = TILES_OF_VALUE
    for seat in range(MAX_SEATS):
        state[BAG] -= hand_of(state, seat)
    load = state[LOAD]
    load[:] = 0
    tiles = 0
    for cell in range(CELLS):
        if board[cell] > 0:
            tiles += 1
            state[BAG][board[cell]] -= 1
        elif IS_CELL[cell]:
            load[cell] = max(sum_beside(board, cell, EAST), sum_beside(board, cell, NORTH))
    if tiles == 0:
        load[START] = START_LOAD
    state[OPEN] = 0
    for cell in range(CELLS):
        if 0 < load[cell] < HIGHEST_SUM:
            state[OPEN][load[cell]] += 1
    for seat in range(MAX_SEATS):
        state[TOTALS][seat] = 0
        for row in range(ROWS):
            state[TOTALS][seat] += row_value(state, seat, row)


# Hands, bag and turns.


@compiled
def hand_of(state: Words, seat: int) -> Words:
    """Return a seat's hand, `(7,)`: how many tiles of each value, from index 1 on."""
    return state[HANDS][seat * (VALUES + 1) : (seat + 1) * (VALUES + 1)]


@compiled
def smallest(hand: Words) -> int:
    """Return the smallest value in a hand, 0 if it is empty."""
    for value in range(1, VALUES + 1):
        if hand[value] > 0:
            return value
    return 0


@compiled
def draw_tiles(state: Words, seat: int, number: int, rng: Randomness) -> None:
    """Let a seat draw tiles, or all that there are (section 7.1)."""
    bag = state[BAG]
    hand = hand_of(state, seat)
    for _ in range(min(number, bag.sum())):
        value = pick(rng, bag)
        bag[value] -= 1
        hand[value] += 1


@compiled
def places(state: Words, value: int) -> int:
    """Return on how many cells a value fits."""
    cells = 0
    for load in range(1, HIGHEST_SUM - value + 1):
        cells += state[OPEN][load]
    return cells


@compiled
def can_lay(state: Words, seat: int) -> bool:
    """Whether some tile of the seat fits somewhere; if any does, then its smallest one."""
    value = smallest(hand_of(state, seat))
    return value > 0 and places(state, value) > 0


@compiled
def next_turn(state: Words, rng: Randomness) -> None:
    """Go on to the next turn with a decision, or end the game (sections 7.1, 7.4 and 8)."""
    state[PENDING] = NO_CELL
    state[PLACED_COUNT] = 0
    state[PLACED] = 0
    while state[BAG].sum() > 0:
        state[SEAT] = (state[SEAT] + 1) % state[PLAYERS]
        kept = hand_of(state, state[SEAT]).sum()
        if kept < FULL_HAND:
            draw_tiles(state, state[SEAT], FULL_HAND - kept, rng)
        elif not can_lay(state, state[SEAT]):
            draw_tiles(state, state[SEAT], 1, rng)
        if can_lay(state, state[SEAT]):
            return
    state[SEAT] = 0
    state[STATUS] = TERMINATED


# Lines on the board.


@compiled
def run(board: Words, cell: int, direction: int) -> tuple[int, int]:
    """Return the first empty cell in a direction, and the sum of the tiles before it.

    That cell is `OUTSIDE` if the tiles reach up to the edge.
    """
    total = 0
    end = NEIGHBOUR[cell, direction]
    while board[end] > 0:
        total += board[end]
        end = NEIGHBOUR[end, direction]
    return end, total


@compiled
def sum_beside(board: Words, cell: int, direction: int) -> int:
    """Return the sum of the tiles that follow in a direction and in the opposite one."""
    return run(board, cell, direction)[1] + run(board, cell, direction ^ 2)[1]


@compiled
def extension(board: Words, cell: int, value: int, direction: int) -> tuple[int, int]:
    """Return where the line through a cell can be extended in a direction, and what it adds up to.

    The sum is that of all tiles beside that end, once a tile of the value lies on the cell (which
    may be laid already or not). There is no extension if the end is `OUTSIDE`.
    """
    end, near = run(board, cell, direction)
    behind = run(board, cell, direction ^ 2)[1]
    beyond = run(board, end, direction)[1]
    return end, value + near + behind + beyond


@compiled
def completing(board: Words, cell: int, value: int, direction: int) -> tuple[int, int, int]:
    """Return an extension, and the least and the greatest value that make a scoring line there."""
    end, along = extension(board, cell, value, direction)
    if end == OUTSIDE:
        return end, 1, 0
    across = sum_beside(board, end, direction ^ 1)
    least = max(1, LOWEST_SCORE - along)
    return end, least, min(VALUES, HIGHEST_SUM - max(along, across))


@compiled
def is_completed(board: Words, hand: Words, cell: int, value: int) -> bool:
    """Whether a tile of the hand can complete the line of a value on a cell to a scoring one."""
    for direction in range(4):
        _, least, most = completing(board, cell, value, direction)
        for other in range(least, most + 1):
            if hand[other] > 0:
                return True
    return False


# The legal placements.


@compiled
def legal(state: Words, actions: Words) -> int:
    """Write the legal ones of section 11's actions, return how many they are (section 7.2)."""
    if state[STATUS] != RUNNING:
        return 0
    hand = hand_of(state, state[SEAT])
    if state[PENDING] != NO_CELL:
        count = completions(state, hand, actions)
    else:
        count = fitting(state, hand, actions, False)
        if count == 0:
            count = fitting(state, hand, actions, True)
    if hand.sum() >= 2:
        count = keep_from_stranding(state, hand, actions, count)
    return count


@compiled
def action_of(value: int, cell: int) -> int:
    """Return the number of an action."""
    return (value - 1) * CELLS + cell


@compiled
def completions(state: Words, hand: Words, actions: Words) -> int:
    """Write the placements that complete the line of the pending cell."""
    board = state[BOARD]
    pending = state[PENDING]
    count = 0
    for direction in range(4):
        end, least, most = completing(board, pending, board[pending], direction)
        for value in range(least, most + 1):
            if hand[value] > 0:
                actions[count] = action_of(value, end)
                count += 1
    return count


@compiled
def fitting(state: Words, hand: Words, actions: Words, forced: bool) -> int:
    """Write the regular placements while nothing is pending, or all that fit if `forced`."""
    load = state[LOAD]
    count = 0
    for cell in range(CELLS):
        if load[cell] == 0:
            continue
        for value in range(1, min(VALUES, HIGHEST_SUM - load[cell]) + 1):
            if hand[value] > 0 and (
                forced
                or not IS_LIGHT[cell]
                or load[cell] + value >= LOWEST_SCORE
                or is_completed_by_next(state, hand, cell, value)
            ):
                actions[count] = action_of(value, cell)
                count += 1
    return count


@compiled
def is_completed_by_next(state: Words, hand: Words, cell: int, value: int) -> bool:
    """Whether the hand without a tile of this value completes its line on a light cell."""
    hand[value] -= 1
    result = is_completed(state[BOARD], hand, cell, value)
    hand[value] += 1
    return result


@compiled
def keep_from_stranding(state: Words, hand: Words, actions: Words, count: int) -> int:
    """Drop the placements that leave no place for the other tiles, unless all of them do.

    What fits where depends on sums alone, so of the other tiles the smallest one decides.
    """
    first = smallest(hand)
    second = first if hand[first] > 1 else smallest_above(hand, first)
    if places(state, second) > CELLS_CHANGED:
        return count
    kept = 0
    for index in range(count):
        action = actions[index]
        value, cell = divmod(action, CELLS)
        value += 1
        if fits_afterwards(state, cell, value, second if value == first else first):
            actions[index] = actions[kept]
            actions[kept] = action
            kept += 1
    return count if kept == 0 else kept


@compiled
def smallest_above(hand: Words, value: int) -> int:
    """Return the smallest value in a hand that is greater than another one, 0 if there is none."""
    for other in range(value + 1, VALUES + 1):
        if hand[other] > 0:
            return other
    return 0


@compiled
def fits(load: int, value: int) -> bool:
    """Whether a value fits on a cell with this load (section 5)."""
    return load > 0 and load + value <= HIGHEST_SUM


@compiled
def fits_afterwards(state: Words, cell: int, value: int, other: int) -> bool:
    """Whether another tile fits somewhere, once a value lies on a cell."""
    load = state[LOAD]
    count = places(state, other) - fits(load[cell], other)
    for direction in range(4):
        end, along = extension(state[BOARD], cell, value, direction)
        if end != OUTSIDE:
            count -= fits(load[end], other)
            count += fits(max(load[end], along), other)
    return count > 0


# Playing.


@compiled
def apply(state: Words, action: int, rng: Randomness) -> None:
    """Lay a tile; after the last one of a turn score it and go on to the next (section 7)."""
    seat = state[SEAT]
    hand = hand_of(state, seat)
    value, cell = divmod(action, CELLS)
    value += 1
    is_open = (
        state[PENDING] == NO_CELL
        and IS_LIGHT[cell]
        and state[LOAD][cell] + value < LOWEST_SCORE
        and is_completed_by_next(state, hand, cell, value)
    )
    state[PENDING] = cell if is_open else NO_CELL
    hand[value] -= 1
    lay(state, cell, value)
    write_packed(state[PLACED], state[PLACED_COUNT], cell)
    state[PLACED_COUNT] += 1
    if not can_lay(state, seat):
        score_turn(state)
        next_turn(state, rng)


@compiled
def lay(state: Words, cell: int, value: int) -> None:
    """Put a tile on a cell and bring the loads up to date."""
    board = state[BOARD]
    state[OPEN][state[LOAD][cell]] -= 1
    state[LOAD][cell] = 0
    board[cell] = value
    for direction in range(4):
        end, along = extension(board, cell, value, direction)
        if end != OUTSIDE:
            raise_load(state, end, along)


@compiled
def raise_load(state: Words, cell: int, least: int) -> None:
    """See that the load of a cell is at least as great as a sum beside it."""
    before = state[LOAD][cell]
    if least <= before:
        return
    if 0 < before < HIGHEST_SUM:
        state[OPEN][before] -= 1
    if least < HIGHEST_SUM:
        state[OPEN][least] += 1
    state[LOAD][cell] = least


@compiled
def score_turn(state: Words) -> None:
    """Enter the lines and the crosses of a turn (section 7.3)."""
    seat = state[SEAT]
    tens, elevens, twelves, crosses = count_lines(state)
    if tens > 0:
        enter(state, seat, TEN, tens)
    if elevens > 0:
        enter(state, seat, TEN + 1, elevens)
    if twelves > 0:
        enter(state, seat, TWELVE, twelves)
    for _ in range(crosses):
        enter(state, seat, CROSS, 1)


@compiled
def count_lines(state: Words) -> tuple[int, int, int, int]:
    """Return how many lines of 10, 11, 12 and how many crosses the turn has made so far."""
    board = state[BOARD]
    lines = np.zeros(3, np.int64)
    crosses = 0
    for index in range(state[PLACED_COUNT]):
        cell = read_packed(state[PLACED], index)
        scores_once = False
        for direction in (NORTH, WEST):
            total = board[cell] + sum_beside(board, cell, direction)
            if total >= LOWEST_SCORE:
                scores_once = True
                lines[total - LOWEST_SCORE] += is_first_of_turn(state, cell, direction)
        crosses += scores_once and IS_LIGHT[cell]
    return lines[0], lines[1], lines[2], crosses


@compiled
def is_first_of_turn(state: Words, cell: int, direction: int) -> bool:
    """Whether no tile that follows without gap in a direction was laid in this turn."""
    other = NEIGHBOUR[cell, direction]
    while state[BOARD][other] > 0:
        if was_placed(state, other):
            return False
        other = NEIGHBOUR[other, direction]
    return True


@compiled
def was_placed(state: Words, cell: int) -> bool:
    """Whether a cell was filled in this turn."""
    found = False
    for index in range(state[PLACED_COUNT]):
        found |= read_packed(state[PLACED], index) == cell
    return found


# The sheets. Rows count from 0 here.


@compiled
def read_packed(words: Words, index: int) -> int:
    """Return one of the small numbers that are packed into words."""
    return words[index // PACKED] >> (index % PACKED * PACKED_BITS) & ((1 << PACKED_BITS) - 1)


@compiled
def write_packed(words: Words, index: int, number: int) -> None:
    """Write one of the small numbers that are packed into words; it was 0."""
    words[index // PACKED] |= number << (index % PACKED * PACKED_BITS)


@compiled
def entry_index(seat: int, column: int, row: int) -> int:
    """Return the index of an entry of the columns 10, 11, 12 among all packed ones."""
    return ((SHEET_COLUMNS - 1) * seat + column - TEN) * ROWS + row


@compiled
def lines_in(state: Words, seat: int, column: int, row: int) -> int:
    """Return how many lines an entry of the columns 10, 11, 12 stands for, 0 if there is none."""
    return read_packed(state[ENTRIES], entry_index(seat, column, row))


@compiled
def enter(state: Words, seat: int, column: int, lines: int) -> None:
    """Make an entry in the topmost free box of a column, or a cross (section 4)."""
    row = state[COUNTS][SHEET_COLUMNS * seat + column]
    state[TOTALS][seat] -= row_value(state, seat, row)
    if column != CROSS:
        write_packed(state[ENTRIES], entry_index(seat, column, row), lines)
    state[COUNTS][SHEET_COLUMNS * seat + column] += 1
    state[TOTALS][seat] += row_value(state, seat, row)


@compiled
def bonus(row: int) -> int:
    """Return the bonus that is printed in a row."""
    return min(6, 3 + row // 4)


@compiled
def row_value(state: Words, seat: int, row: int) -> int:
    """Return the value of a row of a sheet (section 4)."""
    value = 0
    is_complete = True
    for column in range(TEN, TWELVE + 1):
        lines = lines_in(state, seat, column, row)
        value += POINTS[column] * lines
        is_complete &= lines > 0
    if is_complete:
        value += bonus(row)
    return 2 * value if row < state[COUNTS][SHEET_COLUMNS * seat + CROSS] else value


# The result.


@compiled
def scores(state: Words, out: np.ndarray) -> None:
    """Write the sheet totals, in the end less the tiles left in the hands (section 8)."""
    for seat in range(state[PLAYERS]):
        out[seat] = state[TOTALS][seat]
        if state[STATUS] != RUNNING:
            hand = hand_of(state, seat)
            for value in range(1, VALUES + 1):
                out[seat] -= value * hand[value]


@compiled
def returns(state: Words, out: np.ndarray) -> None:
    """Write what the winners and the others share, zeros while the game runs (section 8)."""
    if state[STATUS] == RUNNING:
        out[:] = 0.0
    else:
        scores(state, out)
        share(out, out)


# Hidden information.


@compiled
def determinize(state: Words, seat: int, rng: Randomness) -> None:
    """Redraw the hands of the other seats from what the seat cannot see (section 10).

    Every hand keeps its size. If another seat is to act, its hand is drawn again until it can act
    here: some tile of it fits, and completes the line of the pending cell if there is one. What
    could be inferred from earlier choices, for instance that a kept tile did not fit, is not
    modelled. A finished game stays as it is: its hands have been counted.
    """
    if state[STATUS] != RUNNING:
        return
    actor = state[SEAT]
    sizes = np.zeros(MAX_SEATS, np.int64)
    for other in range(state[PLAYERS]):
        if other != seat:
            sizes[other] = hand_of(state, other).sum()
            put_back(state, other)
    if actor != seat:
        draw_tiles(state, actor, sizes[actor], rng)
        while not can_act(state):
            put_back(state, actor)
            draw_tiles(state, actor, sizes[actor], rng)
    for other in range(state[PLAYERS]):
        if other != seat and other != actor:
            draw_tiles(state, other, sizes[other], rng)


@compiled
def put_back(state: Words, seat: int) -> None:
    """Put a hand back into the bag."""
    hand = hand_of(state, seat)
    state[BAG] += hand
    hand[:] = 0


@compiled
def can_act(state: Words) -> bool:
    """Whether the seat to act has a legal placement."""
    pending = state[PENDING]
    if pending == NO_CELL:
        return can_lay(state, state[SEAT])
    board = state[BOARD]
    return is_completed(board, hand_of(state, state[SEAT]), pending, board[pending])
