"""The observation of Zatre: the planes of its spec."""

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.layout import plane_numbers
from tzaar_envs.core.toolkit import fill_plane, lowest_bit
from tzaar_envs.games.zatre import BOARD_PLANES, TILE_PLANES, lines, rules, seat_planes
from tzaar_envs.games.zatre import board as b
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

# Of a game with one seat; every further one adds a plane, or four, to each of the last five.
PLANE = plane_numbers(BOARD_PLANES + TILE_PLANES + seat_planes(1))

# The planes before those of the tiles, which never change.
FIXED_PLANES = np.concatenate([b.IS_CELL, b.IS_LIGHT, np.arange(b.CELLS) == b.START]).astype(
    np.int8
)

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
        fill_plane(out, plane, b.CELLS, number)


@compiled
def write_board(state: StateArray, out: Observation) -> None:
    """Write the planes that differ from cell to cell, except the sheets."""
    for index in range(FIXED_PLANES.size):
        out[index] = FIXED_PLANES[index]
    for word in range(b.SET_WORDS):
        cells = state[b.FILLED.start + word]
        while cells != 0:
            cell = b.SET_BITS * word + lowest_bit(cells)
            out[b.CELLS * (PLANE.tile_1 + lines.value_on(state, cell) - 1) + cell] = 1
            cells &= cells - 1
        cells = lines.loaded(state, word, b.HIGHEST_SUM)
        while cells != 0:
            cell = b.SET_BITS * word + lowest_bit(cells)
            links = state[b.BOARD.start + cell]
            room = b.HIGHEST_SUM - lines.load_of(links)
            out[b.CELLS * PLANE.across + cell] = lines.sum_beside(links, b.EAST)
            out[b.CELLS * PLANE.down + cell] = lines.sum_beside(links, b.NORTH)
            out[b.CELLS * PLANE.fitting + cell] = max(0, min(b.VALUES, room))
            cells &= cells - 1
    for index in range(state[b.PLACED_COUNT]):
        out[b.CELLS * PLANE.placed + rules.placed_cell(state, index)] = 1
    if state[b.PENDING] != b.NO_CELL:
        out[b.CELLS * PLANE.pending + state[b.PENDING]] = 1


@compiled
def write_tiles(state: StateArray, seat: int, out: Observation) -> None:
    """Write the own hand and, as one sum, the tiles that are hidden from the seat."""
    for value in range(1, b.VALUES + 1):
        unseen = state[b.BAG.start + value]
        for other in range(state[b.PLAYERS]):
            if other != seat:
                unseen += rules.number_of(state[b.HANDS.start + other], value)
        fill(out, PLANE.own_hand + value - 1, rules.number_of(state[b.HANDS.start + seat], value))
        fill(out, PLANE.unseen + value - 1, unseen)
    tiles = rules.bag_size(state)
    fill(out, PLANE.bag, tiles)
    fill(out, PLANE.last_turn, tiles == 0)


@compiled
def write_seats(state: StateArray, seat: int, out: Observation) -> None:
    """Write the planes of each seat, the observer first, then in turn order."""
    players = state[b.PLAYERS]
    hand_sizes = PLANE.hand_size
    to_act = hand_sizes + players
    totals = to_act + players
    entries = totals + players
    sheets = entries + b.SHEET_COLUMNS * players
    for offset in range(players):
        other = (seat + offset) % players
        fill(out, hand_sizes + offset, rules.hand_size(state[b.HANDS.start + other]))
        fill(out, to_act + offset, state[STATUS] == RUNNING and state[SEAT] == other)
        fill(out, totals + offset, min(MOST, state[b.TOTALS.start + other] // 4))
        for column in range(b.SHEET_COLUMNS):
            count = state[b.COUNTS.start + b.SHEET_COLUMNS * other + column]
            fill(out, entries + b.SHEET_COLUMNS * offset + column, min(MOST, count))
        write_sheet(state, other, out[b.CELLS * (sheets + offset) :])


@compiled
def write_sheet(state: StateArray, seat: int, plane: Observation) -> None:
    """Write the rows of a sheet one after the other, a cell for each box."""
    first = b.COUNTS.start + b.SHEET_COLUMNS * seat
    for row in range(min(SHEET_ROWS, state[first + b.CROSS])):
        plane[b.SHEET_COLUMNS * row + b.CROSS] = 1
    rows = max(state[first + b.TEN], state[first + b.ELEVEN], state[first + b.TWELVE])
    for word in range((min(SHEET_ROWS, rows) + b.ROWS_PACKED - 1) // b.ROWS_PACKED):
        entries = state[b.SHEETS.start + b.SHEET_WORDS * seat + word]
        for row in range(b.ROWS_PACKED):
            box = b.SHEET_COLUMNS * (b.ROWS_PACKED * word + row)
            for column in range(b.TEN, b.TWELVE + 1):
                plane[box + column] = entries & b.ENTRY_MASK
                entries >>= b.ENTRY_BITS
    # The last word may have a row that does not belong to the plane.
    if rows > SHEET_ROWS:
        plane[b.SHEET_COLUMNS * SHEET_ROWS : b.SHEET_COLUMNS * (SHEET_ROWS + 1)] = 0
