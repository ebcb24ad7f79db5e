"""The rules of Zatre, compiled; sections are those of docs/rules/zatre.md."""

import numpy as np

from tzaar_envs.core.kernel import NO_CODE, RUNNING, SEAT, STATUS, TERMINATED
from tzaar_envs.core.toolkit import Bitboard, Cell, lowest_bit
from tzaar_envs.games.zatre import board as b
from tzaar_envs.games.zatre.lines import (
    completing_filled,
    end_of,
    extension,
    holds,
    is_completed,
    linked,
    load_of,
    loaded,
    places,
    run,
    set_load,
    sum_of,
    value_on,
)
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.rng import pick

FIRST_DRAW = 3
FULL_HAND = 2  # a player draws until there are so many tiles
# By an action: the cell itself, and the four cells at the ends of the lines through it.
CELLS_CHANGED = 5


@compiled
def reset(state: StateArray, options: StateArray, rng: RngState) -> None:
    """Write the start position: three tiles for the first seat (sections 2 and 3.1)."""
    state[:] = 0
    state[b.PLAYERS] = options[0]
    state[b.PENDING] = b.NO_CELL
    derive(state)
    draw_tiles(state, 0, FIRST_DRAW, rng)


@compiled
def derive(state: StateArray) -> None:
    """Complete a position whose words in the notation are set, all others 0 (section 7)."""
    for value in range(b.VALUES + 1):
        state[b.BAG.start + value] = b.TILES_OF_VALUE[value]
    values = np.empty(b.CELLS, np.int64)
    any_tile = False
    for cell in range(b.CELLS):
        values[cell] = state[b.BOARD.start + cell] & b.VALUE_MASK
        any_tile |= values[cell] > 0
        state[b.BOARD.start + cell] = b.EMPTY_BOARD[cell]
    if not any_tile:
        set_load(state, b.START, b.START_LOAD)
    for cell in range(b.CELLS):
        if values[cell] > 0:
            state[b.BAG.start + values[cell]] -= 1
            lay(state, cell, values[cell])
    for seat in range(state[b.PLAYERS]):
        for value in range(1, b.VALUES + 1):
            state[b.BAG.start + value] -= number_of(state[b.HANDS.start + seat], value)
        rows = 0
        for column in range(b.SHEET_COLUMNS):
            rows = max(rows, state[b.COUNTS.start + b.SHEET_COLUMNS * seat + column])
        for row in range(rows):
            state[b.TOTALS.start + seat] += row_value(state, seat, row)


# Hands, bag and turns.


@compiled
def tile(value: int) -> int:
    """Return the hand that is one tile; hands can be added to and subtracted from each other."""
    return (1 << b.HAND_BITS * value) + 1


@compiled
def hand_size(hand: int) -> int:
    """Return the number of tiles in a hand."""
    return hand & b.HAND_MASK


@compiled
def number_of(hand: int, value: int) -> int:
    """Return the number of tiles of a value in a hand."""
    return hand >> b.HAND_BITS * value & b.HAND_MASK


@compiled
def smallest_above(hand: int, value: int) -> int:
    """Return the smallest value in a hand that is greater than another one, 0 if there is none."""
    rest = hand >> b.HAND_BITS * (value + 1)
    return value + 1 + lowest_bit(rest) // b.HAND_BITS if rest > 0 else 0


@compiled
def bag_size(state: StateArray) -> int:
    """Return the number of tiles in the bag."""
    tiles = 0
    for value in range(1, b.VALUES + 1):
        tiles += state[b.BAG.start + value]
    return tiles


@compiled
def draw_tiles(state: StateArray, seat: int, number: int, rng: RngState) -> None:
    """Let a seat draw tiles, at most all that are in the bag (section 3.1)."""
    bag = state[b.BAG]
    for _ in range(min(number, bag_size(state))):
        value = pick(rng, bag)
        bag[value] -= 1
        state[b.HANDS.start + seat] += tile(value)


@compiled
def can_lay(state: StateArray, seat: int) -> bool:
    """Return whether some tile of the seat fits somewhere; if any does, its smallest one does."""
    value = smallest_above(state[b.HANDS.start + seat], 0)
    if value == 0:
        return False
    cells = 0
    for word in range(b.SET_WORDS):
        cells |= loaded(state, word, b.HIGHEST_SUM - value)
    return cells != 0


@compiled
def next_turn(state: StateArray, rng: RngState) -> None:
    """Advance to the next turn with a decision, or end the game (sections 3.1, 3.4 and 4)."""
    state[b.PENDING] = b.NO_CELL
    state[b.PLACED_COUNT] = 0
    state[b.PLACED] = 0
    while bag_size(state) > 0:
        seat = state[SEAT] + 1 if state[SEAT] + 1 < state[b.PLAYERS] else 0
        state[SEAT] = seat
        kept = hand_size(state[b.HANDS.start + seat])
        if kept < FULL_HAND:
            draw_tiles(state, seat, FULL_HAND - kept, rng)
        elif not can_lay(state, seat):
            draw_tiles(state, seat, 1, rng)
        if can_lay(state, seat):
            return
    state[SEAT] = 0
    state[STATUS] = TERMINATED


# The legal placements.


@compiled
def legal(state: StateArray, actions: StateArray) -> int:
    """Write the legal actions (section 3.2), and return how many they are."""
    if state[STATUS] != RUNNING:
        return 0
    hand = state[b.HANDS.start + state[SEAT]]
    if state[b.PENDING] != b.NO_CELL:
        count = completions(state, hand, actions)
    else:
        count = placements(state, hand, False, actions)
        if count == 0:
            count = placements(state, hand, True, actions)
    if hand_size(hand) >= 2:
        count = keep_from_stranding(state, hand, actions, count)
    return count


@compiled
def write_actions(actions: StateArray, count: int, value: int, word: int, cells: Bitboard) -> int:
    """Append the actions of a value on the cells in a word of a set, return the new count."""
    first = (value - 1) * b.CELLS + b.SET_BITS * word
    while cells != 0:
        actions[count] = first + lowest_bit(cells)
        count += 1
        cells &= cells - 1
    return count


@compiled
def completions(state: StateArray, hand: int, actions: StateArray) -> int:
    """Write the placements that complete the line of the pending cell."""
    count = 0
    for direction in range(4):
        end, least, most = completing_filled(state, state[b.PENDING], direction)
        for value in range(least, most + 1):
            if number_of(hand, value) > 0:
                actions[count] = (value - 1) * b.CELLS + end
                count += 1
    return count


@compiled
def placements(state: StateArray, hand: int, forced: bool, actions: StateArray) -> int:
    """Write the placements while nothing is pending: regular ones, or all that fit if `forced`."""
    count = 0
    value = smallest_above(hand, 0)
    while value > 0:
        rest = hand - tile(value)
        for word in range(b.SET_WORDS):
            cells = loaded(state, word, b.HIGHEST_SUM - value)
            if not forced:
                # Where it fits, but does not score at once, on light cells.
                low = cells & b.LIGHT_SET[word] & loaded(state, word, b.LOWEST_SCORE - 1 - value)
                cells ^= low
                while low != 0 and rest != 0:
                    if is_completed(state, rest, b.SET_BITS * word + lowest_bit(low), value):
                        cells |= low & -low
                    low &= low - 1
            count = write_actions(actions, count, value, word, cells)
        value = smallest_above(hand, value)
    return count


@compiled
def keep_from_stranding(state: StateArray, hand: int, actions: StateArray, count: int) -> int:
    """Drop the placements that leave no place for the other tiles, unless all of them do.

    Only sums determine whether a tile fits, so the smallest of the other tiles decides.
    """
    first = smallest_above(hand, 0)
    second = smallest_above(hand - tile(first), 0)
    second_places = places(state, second)
    if second_places > CELLS_CHANGED:
        return count
    first_places = places(state, first)
    kept = 0
    for index in range(count):
        action = actions[index]
        value = action // b.CELLS + 1
        other = second if value == first else first
        left = second_places if value == first else first_places
        if left + places_changed(state, action % b.CELLS, value, other) > 0:
            actions[index] = actions[kept]
            actions[kept] = action
            kept += 1
    return count if kept == 0 else kept


@compiled
def fits(load: int, value: int) -> bool:
    """Return whether a value fits on a cell with this load (section 1.4)."""
    return load > 0 and load + value <= b.HIGHEST_SUM


@compiled
def places_changed(state: StateArray, cell: Cell, value: int, other: int) -> int:
    """Return by how much the cells for another value increase once a value is laid on a cell."""
    links = state[b.BOARD.start + cell]
    more = -1 if load_of(links) + other <= b.HIGHEST_SUM else 0
    for direction in range(4):
        end, beyond, along = extension(state, cell, value, direction)
        if end != b.OUTSIDE:
            before = load_of(beyond)
            more -= fits(before, other)
            more += fits(max(before, along), other)
    return more


# Playing.


@compiled
def apply(state: StateArray, action: int, rng: RngState) -> None:
    """Lay a tile; after the last one of a turn, score it and start the next turn (section 3)."""
    seat = state[SEAT]
    value = action // b.CELLS + 1
    cell = action % b.CELLS
    hand = state[b.HANDS.start + seat] - tile(value)
    is_open = (
        state[b.PENDING] == b.NO_CELL
        and b.IS_LIGHT[cell]
        and load_of(state[b.BOARD.start + cell]) + value < b.LOWEST_SCORE
        and is_completed(state, hand, cell, value)
    )
    state[b.PENDING] = cell if is_open else b.NO_CELL
    state[b.HANDS.start + seat] = hand
    lay(state, cell, value)
    add_placed(state, cell)
    if not can_lay(state, seat):
        score_turn(state)
        next_turn(state, rng)


@compiled
def lay(state: StateArray, cell: Cell, value: int) -> None:
    """Put a tile on a cell, and link the ends of the lines through it over the tile."""
    links = state[b.BOARD.start + cell]
    for direction in range(4):
        end, beyond, along = extension(state, cell, value, direction)
        if end != b.OUTSIDE:
            back = direction ^ 2
            total = along - sum_of(beyond, direction)
            beyond = linked(beyond, back, end_of(links, back), total)
            state[b.BOARD.start + end] = beyond
            set_load(state, end, min(load_of(beyond), b.HIGHEST_SUM))
    state[b.BOARD.start + cell] = value
    state[b.FILLED.start + cell // b.SET_BITS] |= 1 << cell % b.SET_BITS
    set_load(state, cell, b.NO_LOAD)


@compiled
def score_turn(state: StateArray) -> None:
    """Enter the lines and the crosses of a turn (section 3.3)."""
    seat = state[SEAT]
    lines, crosses = count_lines(state)
    for column in range(b.TEN, b.TWELVE + 1):
        if entry_in(lines, column) > 0:
            enter(state, seat, column, entry_in(lines, column))
    for _ in range(crosses):
        enter(state, seat, b.CROSS, 1)


@compiled
def count_lines(state: StateArray) -> tuple[int, int]:
    """Return the lines of 10, 11, 12, packed, and the crosses that the turn has made so far."""
    lines = 0
    crosses = 0
    for index in range(state[b.PLACED_COUNT]):
        cell = placed_cell(state, index)
        scores_once = False
        for direction in (b.NORTH, b.WEST):
            before = run(state, cell, direction)[1]
            total = before + value_on(state, cell) + run(state, cell, direction ^ 2)[1]
            if total >= b.LOWEST_SCORE:
                scores_once = True
                if is_first_of_turn(state, cell, direction):
                    lines += packed_entry(total - b.LOWEST_SCORE + b.TEN, 1)
        crosses += scores_once and b.IS_LIGHT[cell]
    return lines, crosses


@compiled
def is_first_of_turn(state: StateArray, cell: Cell, direction: int) -> bool:
    """Return whether no tile that follows without gap in a direction was laid in this turn."""
    other = b.NEIGHBOUR[cell, direction]
    while value_on(state, other) > 0:
        for index in range(state[b.PLACED_COUNT]):
            if placed_cell(state, index) == other:
                return False
        other = b.NEIGHBOUR[other, direction]
    return True


@compiled
def placed_cell(state: StateArray, index: int) -> int:
    """Return one of the cells that were filled in this turn."""
    word = state[b.PLACED.start + index // b.CELLS_PACKED]
    return word >> index % b.CELLS_PACKED * b.CELL_BITS & b.CELL_MASK


@compiled
def add_placed(state: StateArray, cell: Cell) -> None:
    """Add a cell to those that were filled in this turn."""
    index = state[b.PLACED_COUNT]
    state[b.PLACED.start + index // b.CELLS_PACKED] |= cell << index % b.CELLS_PACKED * b.CELL_BITS
    state[b.PLACED_COUNT] = index + 1


# The sheets. Rows are numbered from 0; a packed row has the entries of the columns 10, 11, 12.


@compiled
def packed_entry(column: int, lines: int) -> int:
    """Return the packed row with a single entry."""
    return lines << b.ENTRY_BITS * (column - b.TEN)


@compiled
def entry_in(packed: int, column: int) -> int:
    """Return the number of lines of an entry of a packed row, 0 if there is none."""
    return packed >> b.ENTRY_BITS * (column - b.TEN) & b.ENTRY_MASK


@compiled
def packed_row(state: StateArray, seat: int, row: int) -> int:
    """Return the packed row of a sheet."""
    word = state[b.SHEETS.start + b.SHEET_WORDS * seat + row // b.ROWS_PACKED]
    return word >> b.ROW_BITS * (row % b.ROWS_PACKED) & ((1 << b.ROW_BITS) - 1)


@compiled
def lines_in(state: StateArray, seat: int, column: int, row: int) -> int:
    """Return the number of lines of an entry in the columns 10, 11, 12, 0 if there is none."""
    return entry_in(packed_row(state, seat, row), column)


@compiled
def write_entry(state: StateArray, seat: int, column: int, row: int, lines: int) -> None:
    """Write an entry into an empty box of the columns 10, 11, 12."""
    word = b.SHEETS.start + b.SHEET_WORDS * seat + row // b.ROWS_PACKED
    state[word] |= packed_entry(column, lines) << b.ROW_BITS * (row % b.ROWS_PACKED)


@compiled
def enter(state: StateArray, seat: int, column: int, lines: int) -> None:
    """Make an entry in the topmost free box of a column, or a cross (section 1.3)."""
    count = b.COUNTS.start + b.SHEET_COLUMNS * seat + column
    row = state[count]
    before = row_value(state, seat, row)
    if column != b.CROSS:
        write_entry(state, seat, column, row, lines)
    state[count] = row + 1
    state[b.TOTALS.start + seat] += row_value(state, seat, row) - before


@compiled
def bonus(row: int) -> int:
    """Return the printed bonus of a row."""
    return min(6, 3 + row // 4)


@compiled
def row_value(state: StateArray, seat: int, row: int) -> int:
    """Return the value of a row of a sheet (section 1.3)."""
    entries = packed_row(state, seat, row)
    value = 0
    is_complete = True
    for column in range(b.TEN, b.TWELVE + 1):
        lines = entry_in(entries, column)
        value += b.POINTS[column] * lines
        is_complete &= lines > 0
    if is_complete:
        value += bonus(row)
    return 2 * value if row < state[b.COUNTS.start + b.SHEET_COLUMNS * seat + b.CROSS] else value


# The result.


@compiled
def scores(state: StateArray, out: np.ndarray) -> None:
    """Write the sheet totals; at the end less the tiles left in the hands (section 5)."""
    for seat in range(state[b.PLAYERS]):
        out[seat] = state[b.TOTALS][seat]
        if state[STATUS] != RUNNING:
            for value in range(1, b.VALUES + 1):
                out[seat] -= value * number_of(state[b.HANDS.start + seat], value)


def end_code(state: StateArray) -> str:
    """Return the only case of section 4; a position may be over with tiles in the bag."""
    return "empty_bag" if bag_size(state) == 0 else NO_CODE


# Hidden information.


@compiled
def determinize(state: StateArray, seat: int, rng: RngState) -> None:
    """Redraw the hands of the other seats from what the seat cannot see (section 8).

    Every hand keeps its size. If another seat is to act, its hand is drawn again until it can act:
    some tile of it fits, and completes the line of the pending cell if there is one. Inferences
    from earlier choices, for instance that a kept tile did not fit, are not modelled. A finished
    game does not change: its hands have been counted.
    """
    if state[STATUS] != RUNNING:
        return
    actor = state[SEAT]
    sizes = np.zeros(b.MAX_SEATS, np.int64)
    for other in range(state[b.PLAYERS]):
        if other != seat:
            sizes[other] = hand_size(state[b.HANDS.start + other])
            put_back(state, other)
    if actor != seat:
        draw_tiles(state, actor, sizes[actor], rng)
        while not can_act(state):
            put_back(state, actor)
            draw_tiles(state, actor, sizes[actor], rng)
    for other in range(state[b.PLAYERS]):
        if other != seat and other != actor:
            draw_tiles(state, other, sizes[other], rng)


@compiled
def put_back(state: StateArray, seat: int) -> None:
    """Put a hand back into the bag."""
    for value in range(1, b.VALUES + 1):
        state[b.BAG.start + value] += number_of(state[b.HANDS.start + seat], value)
    state[b.HANDS.start + seat] = 0


@compiled
def can_act(state: StateArray) -> bool:
    """Return whether the seat to act has a legal placement."""
    if state[b.PENDING] == b.NO_CELL:
        return can_lay(state, state[SEAT])
    for direction in range(4):
        _, least, most = completing_filled(state, state[b.PENDING], direction)
        if holds(state[b.HANDS.start + state[SEAT]], least, most):
            return True
    return False
