"""The observation of Zatre: the planes of its spec."""

import numpy as np

from tzaar_envs.core.bits import lowest_bit
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.numbering import plane_numbers
from tzaar_envs.core.planes import fill_plane
from tzaar_envs.games.zatre import BOARD_PLANES, TILE_PLANES, seat_planes
from tzaar_envs.games.zatre.board import (
    BAG,
    BOARD,
    CELLS,
    COUNTS,
    CROSS,
    EAST,
    ELEVEN,
    ENTRY_BITS,
    ENTRY_MASK,
    FILLED,
    HANDS,
    HIGHEST_SUM,
    IS_CELL,
    IS_LIGHT,
    NO_CELL,
    NORTH,
    PENDING,
    PLACED_COUNT,
    PLAYERS,
    ROWS_PACKED,
    SET_BITS,
    SET_WORDS,
    SHEET_COLUMNS,
    SHEET_WORDS,
    SHEETS,
    START,
    TEN,
    TOTALS,
    TWELVE,
    VALUES,
)
from tzaar_envs.games.zatre.rules import (
    bag_size,
    hand_size,
    load_of,
    loaded,
    number_of,
    placed_cell,
    sum_beside,
    value_on,
)
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

# Of a game with one seat; every further one adds a plane, or four, to each of the last five.
PLANE = plane_numbers(BOARD_PLANES + TILE_PLANES + seat_planes(1))

# The planes before those of the tiles, which never change.
FIXED_PLANES = np.concatenate([IS_CELL, IS_LIGHT, np.arange(CELLS) == START]).astype(np.int8)

SHEET_ROWS = 32  # in the plane of a sheet
MOST = 127  # of an int8


@compiled
def observe(state: StateArray, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    # One large fill, then writes to cache lines that it has loaded, beats many small fills.
    out[:] = 0
    write_board(state, out)
    write_tiles(state, seat, out)
    write_seats(state, seat, out)


@compiled
def fill(out: Observation, plane: int, number: int) -> None:
    """Write a plane of zeros with the same number everywhere; most numbers are 0."""
    if number != 0:
        fill_plane(out, plane, CELLS, number)


@compiled
def write_board(state: StateArray, out: Observation) -> None:
    """Write the planes that differ from cell to cell, except the sheets."""
    for index in range(FIXED_PLANES.size):
        out[index] = FIXED_PLANES[index]
    for word in range(SET_WORDS):
        write_filled(state, word, out)
        write_beside(state, word, out)
    for index in range(state[PLACED_COUNT]):
        out[CELLS * PLANE.placed + placed_cell(state, index)] = 1
    if state[PENDING] != NO_CELL:
        out[CELLS * PLANE.pending + state[PENDING]] = 1


@compiled
def write_filled(state: StateArray, word: int, out: Observation) -> None:
    """Write the tiles on the filled cells in a word of their set."""
    cells = state[FILLED.start + word]
    while cells != 0:
        cell = SET_BITS * word + lowest_bit(cells)
        out[CELLS * (PLANE.tile_1 + value_on(state, cell) - 1) + cell] = 1
        cells &= cells - 1


@compiled
def write_beside(state: StateArray, word: int, out: Observation) -> None:
    """Write the sums beside the empty cells that have a load, in a word of their set."""
    cells = loaded(state, word, HIGHEST_SUM)
    while cells != 0:
        cell = SET_BITS * word + lowest_bit(cells)
        links = state[BOARD.start + cell]
        out[CELLS * PLANE.across + cell] = sum_beside(links, EAST)
        out[CELLS * PLANE.down + cell] = sum_beside(links, NORTH)
        out[CELLS * PLANE.fitting + cell] = max(0, min(VALUES, HIGHEST_SUM - load_of(links)))
        cells &= cells - 1


@compiled
def write_tiles(state: StateArray, seat: int, out: Observation) -> None:
    """Write the own hand and, as one sum, the tiles that are hidden from the seat."""
    for value in range(1, VALUES + 1):
        unseen = state[BAG.start + value]
        for other in range(state[PLAYERS]):
            if other != seat:
                unseen += number_of(state[HANDS.start + other], value)
        fill(out, PLANE.own_hand + value - 1, number_of(state[HANDS.start + seat], value))
        fill(out, PLANE.unseen + value - 1, unseen)
    tiles = bag_size(state)
    fill(out, PLANE.bag, tiles)
    fill(out, PLANE.last_turn, tiles == 0)


@compiled
def write_seats(state: StateArray, seat: int, out: Observation) -> None:
    """Write the planes of each seat, the observer first, then in turn order."""
    players = state[PLAYERS]
    hand_sizes = PLANE.hand_size
    to_act = hand_sizes + players
    totals = to_act + players
    entries = totals + players
    sheets = entries + SHEET_COLUMNS * players
    for offset in range(players):
        other = (seat + offset) % players
        fill(out, hand_sizes + offset, hand_size(state[HANDS.start + other]))
        fill(out, to_act + offset, state[STATUS] == RUNNING and state[SEAT] == other)
        fill(out, totals + offset, min(MOST, state[TOTALS.start + other] // 4))
        for column in range(SHEET_COLUMNS):
            count = state[COUNTS.start + SHEET_COLUMNS * other + column]
            fill(out, entries + SHEET_COLUMNS * offset + column, min(MOST, count))
        write_sheet(state, other, out[CELLS * (sheets + offset) :])


@compiled
def write_sheet(state: StateArray, seat: int, plane: Observation) -> None:
    """Write the rows of a sheet one after the other, a cell for each box."""
    first = COUNTS.start + SHEET_COLUMNS * seat
    for row in range(min(SHEET_ROWS, state[first + CROSS])):
        plane[SHEET_COLUMNS * row + CROSS] = 1
    rows = max(state[first + TEN], state[first + ELEVEN], state[first + TWELVE])
    for word in range((min(SHEET_ROWS, rows) + ROWS_PACKED - 1) // ROWS_PACKED):
        entries = state[SHEETS.start + SHEET_WORDS * seat + word]
        for row in range(ROWS_PACKED):
            box = SHEET_COLUMNS * (ROWS_PACKED * word + row)
            for column in range(TEN, TWELVE + 1):
                plane[box + column] = entries & ENTRY_MASK
                entries >>= ENTRY_BITS
    # The last word may have a row that does not belong to the plane.
    if rows > SHEET_ROWS:
        plane[SHEET_COLUMNS * SHEET_ROWS : SHEET_COLUMNS * (SHEET_ROWS + 1)] = 0
