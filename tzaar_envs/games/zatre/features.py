"""The observation of Zatre: the planes that the game's record names, in its order."""

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
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
    lowest_bit,
    number_of,
    placed_cell,
    sum_beside,
    value_on,
)
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

CELL = 0
LIGHT = 1
START_CELL = 2
TILE = 3  # one plane for each value
FILLED_NOW = TILE + VALUES
PENDING_CELL = FILLED_NOW + 1
ACROSS = FILLED_NOW + 2
DOWN = FILLED_NOW + 3
FITTING = FILLED_NOW + 4
OWN_HAND = FILLED_NOW + 5  # one plane for each value
UNSEEN = OWN_HAND + VALUES
BAG_SIZE = UNSEEN + VALUES
LAST_TURN = BAG_SIZE + 1
BY_SEAT = BAG_SIZE + 2  # hand sizes, to act, totals, entries of four columns, sheets

# The planes up to TILE, which are always the same.
BOARD_PLANES = np.concatenate([IS_CELL, IS_LIGHT, np.arange(CELLS) == START]).astype(np.int8)

SHEET_ROWS = 32  # that the plane of a sheet shows
MOST = 127  # that an int8 holds


@compiled
def observe(state: StateArray, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    # One large fill and writes into lines that are then in the cache beat many small fills.
    out[:] = 0
    write_board(state, out)
    write_tiles(state, seat, out)
    write_seats(state, seat, out)


@compiled
def fill(out: Observation, plane: int, number: int) -> None:
    """Write a plane of zeros with the same number everywhere."""
    if number != 0:
        out[CELLS * plane : CELLS * (plane + 1)] = number


@compiled
def write_board(state: StateArray, out: Observation) -> None:
    """Write the planes that differ from cell to cell, but for the sheets."""
    for index in range(CELLS * TILE):
        out[index] = BOARD_PLANES[index]
    for word in range(SET_WORDS):
        write_filled(state, word, out)
        write_beside(state, word, out)
    for index in range(state[PLACED_COUNT]):
        out[CELLS * FILLED_NOW + placed_cell(state, index)] = 1
    if state[PENDING] != NO_CELL:
        out[CELLS * PENDING_CELL + state[PENDING]] = 1


@compiled
def write_filled(state: StateArray, word: int, out: Observation) -> None:
    """Write the tiles on the filled cells in a word of their set."""
    cells = state[FILLED.start + word]
    while cells != 0:
        cell = SET_BITS * word + lowest_bit(cells)
        out[CELLS * (TILE + value_on(state, cell) - 1) + cell] = 1
        cells &= cells - 1


@compiled
def write_beside(state: StateArray, word: int, out: Observation) -> None:
    """Write the sums beside the empty cells in a word of the set of those that have a load."""
    cells = loaded(state, word, HIGHEST_SUM)
    while cells != 0:
        cell = SET_BITS * word + lowest_bit(cells)
        links = state[BOARD.start + cell]
        out[CELLS * ACROSS + cell] = sum_beside(links, EAST)
        out[CELLS * DOWN + cell] = sum_beside(links, NORTH)
        out[CELLS * FITTING + cell] = max(0, min(VALUES, HIGHEST_SUM - load_of(links)))
        cells &= cells - 1


@compiled
def write_tiles(state: StateArray, seat: int, out: Observation) -> None:
    """Write the own hand, and what is hidden from the seat: only their sum over all places."""
    for value in range(1, VALUES + 1):
        unseen = state[BAG.start + value]
        for other in range(state[PLAYERS]):
            if other != seat:
                unseen += number_of(state[HANDS.start + other], value)
        fill(out, OWN_HAND + value - 1, number_of(state[HANDS.start + seat], value))
        fill(out, UNSEEN + value - 1, unseen)
    tiles = bag_size(state)
    fill(out, BAG_SIZE, tiles)
    fill(out, LAST_TURN, tiles == 0)


@compiled
def write_seats(state: StateArray, seat: int, out: Observation) -> None:
    """Write the planes of each seat, the observer first, then in turn order."""
    players = state[PLAYERS]
    hand_sizes = BY_SEAT
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
    # The last word may hold a row that is not shown.
    if rows > SHEET_ROWS:
        plane[SHEET_COLUMNS * SHEET_ROWS : SHEET_COLUMNS * (SHEET_ROWS + 1)] = 0
