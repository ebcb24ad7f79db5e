"""Positions and actions of Zatre as text (docs/rules/zatre.md, section 7)."""

import itertools

import numpy as np

from tzaar_envs.core import notation
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED
from tzaar_envs.games.zatre import board as b
from tzaar_envs.games.zatre import lines, rules
from tzaar_envs.jit.arrays import StateArray

FIELDS = ("board", "seat", "hands", "placed", "pending", "sheets")
NAMES = notation.CellNames(b.COLUMNS, b.SIZE)
COLUMN_NAMES = ("x2", "10", "11", "12")
MOST_CROSSES = 999

VALUES = {"#": 0, ".": 0} | {str(value): value for value in range(1, b.VALUES + 1)}
CELLS = {NAMES.name(int(cell)): int(cell) for cell in np.flatnonzero(b.IS_CELL)}
ACTIONS = {
    f"{value + 1}@{name}": value * b.CELLS + cell
    for value in range(b.VALUES)
    for name, cell in CELLS.items()
}


def placed_cells(state: StateArray) -> list[int]:
    """Return the cells filled in the current turn, in order."""
    return [int(rules.placed_cell(state, index)) for index in range(state[b.PLACED_COUNT])]


def hand_name(state: StateArray, seat: int) -> str:
    """Return the values of a hand in ascending order, `-` for none."""
    hand = state[b.HANDS][seat]
    values = (str(value) * int(rules.number_of(hand, value)) for value in range(1, b.VALUES + 1))
    return "".join(values) or "-"


def format_position(state: StateArray) -> str:
    """Return the six fields: board, seat to move, hands, placed, pending, sheets."""
    characters = [
        (str(value) if value else ".") if is_cell else "#"
        for value, is_cell in zip(state[b.BOARD] & b.VALUE_MASK, b.IS_CELL, strict=True)
    ]
    seats = range(state[b.PLAYERS])
    return " ".join(
        (
            "/".join("".join(characters[at : at + b.SIZE]) for at in range(0, b.CELLS, b.SIZE)),
            str(state[SEAT]) if state[STATUS] == RUNNING else "-",
            "/".join(hand_name(state, seat) for seat in seats),
            ",".join(NAMES.name(cell) for cell in placed_cells(state)) or "-",
            NAMES.name(int(state[b.PENDING])) if state[b.PENDING] != b.NO_CELL else "-",
            "/".join(_format_sheet(state, seat) for seat in seats),
        )
    )


def _format_sheet(state: StateArray, seat: int) -> str:
    counts = state[b.COUNTS].reshape(-1, b.SHEET_COLUMNS)[seat]
    columns = [str(counts[b.CROSS])]
    for column in range(b.TEN, b.TWELVE + 1):
        entries = [
            str(b.POINTS[column] * rules.lines_in(state, seat, column, row))
            for row in range(counts[column])
        ]
        columns.append(",".join(entries) or "-")
    return ":".join(columns)


def parse_position(text: str, options: StateArray) -> StateArray:
    """Read the six fields; ValueError that names field and reason."""
    board, seat, hands, placed, pending, sheets = notation.split_position(text, FIELDS)
    state = np.zeros(b.STATE_SIZE, np.int64)
    players = int(options[0])
    state[b.PLAYERS] = players
    state[b.PENDING] = b.NO_CELL
    state[b.BOARD] = _parse_board(board)
    if seat == "-":
        state[STATUS] = TERMINATED
    else:
        seats = [str(number) for number in range(players)]
        state[SEAT] = notation.parse_symbol("seat", seat, seats, ", or '-' when the game is over")
    _parse_hands(state, hands)
    if state[STATUS] == RUNNING:
        _parse_placed(state, placed, pending)
    for number, sheet in enumerate(notation.split_list("sheets", sheets, "/", players, "sheets")):
        _parse_sheet(state, number, sheet)
    rules.derive(state)
    notation.check_canonical(FIELDS, text, format_position(state))
    if state[STATUS] == RUNNING and not rules.can_act(state):
        raise ValueError(
            f"seat {seat!r}, pending {pending!r}: there is no legal placement with the hand "
            f"{hand_name(state, int(state[SEAT]))!r}, so it is not its turn"
        )
    return state


def _parse_board(text: str) -> StateArray:
    rows = []
    for number, row in enumerate(notation.split_list("board", text, "/", b.SIZE, "rows"), start=1):
        if len(row) != b.SIZE or not set(row) <= VALUES.keys():
            raise ValueError(f"board, row {number} {row!r}: expected {b.SIZE} of '#.123456'")
        rows.append([VALUES[character] for character in row])
    board = np.array(rows, np.int64)
    names = [*range(1, b.SIZE + 1), *b.COLUMNS]
    for name, line in zip(names, [*board, *board.T], strict=True):
        total = 0
        for value in line.tolist():
            total = total + value if value else 0
            if total > b.HIGHEST_SUM:
                raise ValueError(
                    f"board: the sum of a line in {name} is {total}, expected at most "
                    f"{b.HIGHEST_SUM}"
                )
    return board.ravel() * b.IS_CELL


def _parse_hands(state: StateArray, text: str) -> None:
    """Read the hands, and check that there are not more tiles than the game has."""
    hands = notation.split_list("hands", text, "/", int(state[b.PLAYERS]), "hands")
    tiles = [
        []
        if hand == "-"
        else [notation.parse_symbol(f"hand of seat {seat}", value, "123456") + 1 for value in hand]
        for seat, hand in enumerate(hands)
    ]
    used = np.bincount([*state[b.BOARD], *itertools.chain(*tiles)], minlength=b.VALUES + 1)
    if (used[1:] > b.TILES_OF_VALUE[1:]).any():
        raise ValueError(
            f"board and hands together have {used[1:].tolist()} tiles of the values from 1, "
            f"expected at most {b.TILES_OF_VALUE[1:].tolist()}"
        )
    for seat, values in enumerate(tiles):
        state[b.HANDS.start + seat] = sum(rules.tile(value) for value in values)


def _parse_placed(state: StateArray, placed: str, pending: str) -> None:
    """Read the cells filled in this turn, and the pending one."""
    cells = [] if placed == "-" else placed.split(",")
    for name in cells:
        cell = notation.parse_name("placed", name, CELLS, "cells with tiles, such as H8")
        if lines.value_on(state, cell) == 0 or cells.count(name) > 1:
            raise ValueError(f"placed {name!r}: expected cells with tiles, each once")
        rules.add_placed(state, cell)
    if pending != "-":
        if pending not in cells[-1:] or not b.IS_LIGHT[CELLS[pending]]:
            raise ValueError(f"pending {pending!r}: expected '-', or the last placed cell if light")
        state[b.PENDING] = CELLS[pending]


def _parse_sheet(state: StateArray, seat: int, text: str) -> None:
    most = np.count_nonzero(state[b.BOARD]) - state[b.PLACED_COUNT] + b.SPARE_ROWS
    columns = notation.split_list(
        f"sheet {text!r} of seat {seat}", text, ":", b.SHEET_COLUMNS, "columns"
    )
    for column, content in enumerate(columns):
        where = f"sheet of seat {seat}, column {COLUMN_NAMES[column]} {content!r}"
        entries = [] if content == "-" else content.split(",")
        count = (
            notation.parse_number(where, content, MOST_CROSSES)
            if column == b.CROSS
            else len(entries)
        )
        if count > most:
            raise ValueError(
                f"{where}: {count} entries, expected at most {most}, {b.SPARE_ROWS} more than "
                "tiles were laid in earlier turns"
            )
        state[b.COUNTS.start + b.SHEET_COLUMNS * seat + column] = count
        if column != b.CROSS:
            points = int(b.POINTS[column])
            for row, entry in enumerate(entries):
                number = notation.parse_number(where, entry, points * b.MAX_LINES, points)
                rules.write_entry(state, seat, column, row, number // points)


def format_action(state: StateArray, action: int) -> str:
    """Return a placement as `5@H8`."""
    value, cell = divmod(action, b.CELLS)
    return f"{value + 1}@{NAMES.name(cell)}"


def parse_action(state: StateArray, text: str) -> int:
    """Read `5@H8`; the placement need not be legal."""
    return notation.parse_name("action", text, ACTIONS, "VALUE@CELL, for instance 5@H8")
