"""The observation of Zatre: the planes that the game's record names, in its order."""

from tzaar_envs.core.arrays import Observation, Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.zatre.board import (
    BAG,
    BOARD,
    CELLS,
    COUNTS,
    CROSS,
    EAST,
    HIGHEST_SUM,
    IS_CELL,
    IS_LIGHT,
    LOAD,
    NO_CELL,
    NORTH,
    PENDING,
    PLACED,
    PLACED_COUNT,
    PLAYERS,
    SHEET_COLUMNS,
    START,
    TEN,
    TILES_OF_VALUE,
    TOTALS,
    TWELVE,
    VALUES,
)
from tzaar_envs.games.zatre.rules import hand_of, lines_in, read_packed, sum_beside

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

SHEET_ROWS = 32  # that the plane of a sheet shows
MOST = 127  # that an int8 holds


@compiled
def observe(state: Words, seat: int, out: Observation) -> None:
    """Write all planes; the board is not turned, so that cells match the action numbering."""
    planes = out.reshape(-1, CELLS)
    write_board(state, planes)
    write_tiles(state, seat, planes)
    write_seats(state, seat, planes)


@compiled
def write_board(state: Words, planes: Observation) -> None:
    """Write the planes that differ from cell to cell, but for the sheets."""
    board = state[BOARD]
    load = state[LOAD]
    planes[:OWN_HAND] = 0
    for cell in range(CELLS):
        planes[CELL, cell] = IS_CELL[cell]
        planes[LIGHT, cell] = IS_LIGHT[cell]
        if board[cell] > 0:
            planes[TILE + board[cell] - 1, cell] = 1
        elif load[cell] > 0:
            planes[ACROSS, cell] = sum_beside(board, cell, EAST)
            planes[DOWN, cell] = sum_beside(board, cell, NORTH)
            planes[FITTING, cell] = max(0, min(VALUES, HIGHEST_SUM - load[cell]))
    planes[START_CELL, START] = 1
    for index in range(state[PLACED_COUNT]):
        planes[FILLED_NOW, read_packed(state[PLACED], index)] = 1
    if state[PENDING] != NO_CELL:
        planes[PENDING_CELL, state[PENDING]] = 1


@compiled
def write_tiles(state: Words, seat: int, planes: Observation) -> None:
    """Write the own hand, and what is hidden from the seat: only their sum over all places."""
    board = state[BOARD]
    hand = hand_of(state, seat)
    unseen = TILES_OF_VALUE - hand
    for cell in range(CELLS):
        unseen[board[cell]] -= 1
    for value in range(1, VALUES + 1):
        planes[OWN_HAND + value - 1] = hand[value]
        planes[UNSEEN + value - 1] = unseen[value]
    bag_size = state[BAG].sum()
    planes[BAG_SIZE] = bag_size
    planes[LAST_TURN] = bag_size == 0


@compiled
def write_seats(state: Words, seat: int, planes: Observation) -> None:
    """Write the planes of each seat, the observer first, then in turn order."""
    players = state[PLAYERS]
    hand_sizes = BY_SEAT
    to_act = hand_sizes + players
    totals = to_act + players
    entries = totals + players
    sheets = entries + SHEET_COLUMNS * players
    planes[sheets:] = 0
    for offset in range(players):
        other = (seat + offset) % players
        planes[hand_sizes + offset] = hand_of(state, other).sum()
        planes[to_act + offset] = state[STATUS] == RUNNING and state[SEAT] == other
        planes[totals + offset] = min(MOST, state[TOTALS][other] // 4)
        for column in range(SHEET_COLUMNS):
            count = state[COUNTS][SHEET_COLUMNS * other + column]
            planes[entries + SHEET_COLUMNS * offset + column] = min(MOST, count)
        write_sheet(state, other, planes[sheets + offset])


@compiled
def write_sheet(state: Words, seat: int, plane: Observation) -> None:
    """Write the rows of a sheet one after the other, a cell for each box."""
    counts = state[COUNTS][SHEET_COLUMNS * seat : SHEET_COLUMNS * (seat + 1)]
    for row in range(min(SHEET_ROWS, counts.max())):
        plane[SHEET_COLUMNS * row] = row < counts[CROSS]
        for column in range(TEN, TWELVE + 1):
            plane[SHEET_COLUMNS * row + column] = lines_in(state, seat, column, row)
