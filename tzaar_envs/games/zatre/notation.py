"""Positions and actions of Zatre as text (docs/rules/zatre.md, section 7)."""

import re

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED
from tzaar_envs.core.notation import (
    CellNames,
    parse_number,
    parse_symbol,
    split_list,
    split_position,
)
from tzaar_envs.games.zatre import board as b
from tzaar_envs.games.zatre import rules
from tzaar_envs.jit.arrays import StateArray

FIELDS = ("board", "seat", "hands", "placed", "pending", "sheets")
NAMES = CellNames(b.COLUMNS, b.SIZE)
COLUMN_NAMES = ("x2", "10", "11", "12")
MOST_CROSSES = 999

_CELL = re.compile(NAMES.pattern)
_ACTION = re.compile(rf"([1-6])@({NAMES.pattern})")
_HAND = re.compile(r"1*2*3*4*5*6*")


def placed_cells(state: StateArray) -> list[int]:
    """Return the cells filled in the current turn, in order."""
    if not 0 <= state[b.PLACED_COUNT] <= b.TILES:
        raise ValueError(f"{state[b.PLACED_COUNT]} cells filled in a turn, expected 0 to {b.TILES}")
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
    if not (counts.min() >= 0 and counts.max() <= b.ROWS):
        raise ValueError(f"{counts.max()} entries in a column, expected 0 to {b.ROWS}")
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
    board, seat, hands, placed, pending, sheets = split_position(text, FIELDS)
    state = np.zeros(b.STATE_SIZE, np.int64)
    state[b.PLAYERS] = options[0]
    state[b.PENDING] = b.NO_CELL
    state[b.BOARD] = _parse_board(board)
    _parse_seat(state, seat)
    numbers = _parse_hands(state, hands)
    _parse_placed(state, placed)
    _parse_sheets(state, sheets)
    _check_tiles(state, numbers)
    state[b.HANDS] = [
        sum(int(number) * rules.tile(value) for value, number in enumerate(hand))
        for hand in numbers
    ]
    rules.derive(state)
    _parse_pending(state, pending)
    if state[STATUS] == RUNNING and not rules.can_act(state):
        raise ValueError(
            f"seat {seat!r}: there is no legal placement with the hand "
            f"{hand_name(state, int(state[SEAT]))!r}, so it is not its turn"
        )
    return state


def _parse_board(text: str) -> StateArray:
    board = np.zeros(b.CELLS, np.int64)
    for number, row in enumerate(split_list("board", text, "/", b.SIZE, "rows")):
        characters = split_list(f"board row {number + 1} {row!r}", row, "", b.SIZE, "characters")
        for column, character in enumerate(characters):
            cell = b.SIZE * number + column
            board[cell] = _parse_character(cell, character)
    _check_lines(board)
    return board


def _parse_character(cell: int, character: str) -> int:
    where = f"board {NAMES.name(cell)} {character!r}"
    if character not in tuple("#.123456"):
        raise ValueError(f"{where}: expected '#', '.' or a value from 1 to {b.VALUES}")
    if not b.IS_CELL[cell] and character != "#":
        raise ValueError(f"{where}: there is no cell, expected '#'")
    if b.IS_CELL[cell] and character == "#":
        raise ValueError(f"{where}: there is a cell, expected '.' or a value from 1 to {b.VALUES}")
    return int(character) if character not in "#." else 0


def _check_lines(board: StateArray) -> None:
    grid = board.reshape(b.SIZE, b.SIZE)
    lines = [(f"row {number + 1}", line) for number, line in enumerate(grid)]
    lines += [(f"column {b.COLUMNS[number]}", line) for number, line in enumerate(grid.T)]
    for name, line in lines:
        total = 0
        for value in line:
            total = total + int(value) if value else 0
            if total > b.HIGHEST_SUM:
                raise ValueError(f"board: a line in {name} has a sum over {b.HIGHEST_SUM}")


def _parse_seat(state: StateArray, text: str) -> None:
    if text == "-":
        state[STATUS] = TERMINATED
        return
    seats = [str(seat) for seat in range(state[b.PLAYERS])]
    state[SEAT] = parse_symbol("seat", text, seats, ", or '-' when the game is over")


def _parse_hands(state: StateArray, text: str) -> StateArray:
    """Return how many tiles of each value each seat holds, `(MAX_SEATS, 7)`."""
    hands = split_list(f"hands {text!r}", text, "/", int(state[b.PLAYERS]), "hands")
    numbers = np.zeros((b.MAX_SEATS, b.VALUES + 1), np.int64)
    for seat, hand in enumerate(hands):
        if hand == "-":
            continue
        if not hand or not _HAND.fullmatch(hand):
            raise ValueError(
                f"hands: {hand!r} of seat {seat}, expected values from 1 to {b.VALUES} in "
                "ascending order, or '-' for none"
            )
        for value in hand:
            numbers[seat, int(value)] += 1
    return numbers


def _check_tiles(state: StateArray, numbers: StateArray) -> None:
    for value in range(1, b.VALUES + 1):
        used = np.count_nonzero(state[b.BOARD] == value) + numbers[:, value].sum()
        if used > b.TILES_OF_VALUE[value]:
            raise ValueError(
                f"hands: board and hands together have {used} tiles of value {value}, but there "
                f"are only {b.TILES_OF_VALUE[value]}"
            )


def _parse_filled(state: StateArray, field: str, text: str) -> int:
    """Return the cell of a name; it must hold a tile."""
    cell = _parse_cell(f"{field} {text!r}", text)
    if rules.value_on(state, cell) == 0:
        raise ValueError(f"{field} {text!r}: the cell holds no tile")
    return cell


def _parse_cell(where: str, text: str) -> int:
    if not _CELL.fullmatch(text):
        raise ValueError(f"{where}: expected a cell such as H8, a letter A-O and a number 1-15")
    cell = NAMES.cell(text)
    if not b.IS_CELL[cell]:
        raise ValueError(f"{where}: the board has no cell {text}")
    return cell


def _parse_placed(state: StateArray, text: str) -> None:
    if text == "-":
        return
    if state[STATUS] != RUNNING:
        raise ValueError(f"placed {text!r}: expected '-' when the game is over")
    cells: list[int] = []
    for name in text.split(","):
        cell = _parse_filled(state, "placed", name)
        if cell in cells:
            raise ValueError(f"placed {name!r}: the cell is named twice")
        rules.add_placed(state, cell)
        cells.append(cell)


def _parse_pending(state: StateArray, text: str) -> None:
    if text == "-":
        return
    if state[STATUS] != RUNNING:
        raise ValueError(f"pending {text!r}: expected '-' when the game is over")
    cell = _parse_filled(state, "pending", text)
    if not b.IS_LIGHT[cell]:
        raise ValueError(f"pending {text!r}: the cell is not light")
    if placed_cells(state)[-1:] != [cell]:
        raise ValueError(f"pending {text!r}: it is not the cell that was placed last")
    seat = int(state[SEAT])
    if not rules.is_filled_completed(state, int(state[b.HANDS][seat]), cell):
        raise ValueError(
            f"pending {text!r}: no tile of the hand {hand_name(state, seat)!r} completes its line"
        )
    state[b.PENDING] = cell


def _parse_sheets(state: StateArray, text: str) -> None:
    sheets = split_list(f"sheets {text!r}", text, "/", int(state[b.PLAYERS]), "sheets")
    for seat, sheet in enumerate(sheets):
        where = f"sheets: {sheet!r} of seat {seat}"
        columns = split_list(where, sheet, ":", b.SHEET_COLUMNS, "columns")
        for column, content in enumerate(columns):
            where = f"sheets: column {COLUMN_NAMES[column]} {content!r} of seat {seat}"
            if column == b.CROSS:
                count = parse_number(where, content, MOST_CROSSES)
            else:
                count = 0 if content == "-" else content.count(",") + 1
            most = np.count_nonzero(state[b.BOARD]) - state[b.PLACED_COUNT] + b.SPARE_ROWS
            if count > most:
                raise ValueError(
                    f"{where}: {count} entries, expected at most {most}, {b.SPARE_ROWS} more than "
                    "tiles were laid in earlier turns"
                )
            state[b.COUNTS][b.SHEET_COLUMNS * seat + column] = count
            if column != b.CROSS and count > 0:
                _parse_entries(state, seat, column, content, where)


def _parse_entries(state: StateArray, seat: int, column: int, text: str, where: str) -> None:
    points = int(b.POINTS[column])
    for row, entry in enumerate(text.split(",")):
        number = parse_number(f"{where}: entry", entry, points * b.MAX_LINES, points)
        if number % points:
            raise ValueError(f"{where}: entry {entry!r} is not a multiple of {points}")
        rules.write_entry(state, seat, column, row, number // points)


def format_action(state: StateArray, action: int) -> str:
    """Return a placement as `5@H8`."""
    value, cell = divmod(action, b.CELLS)
    return f"{value + 1}@{NAMES.name(cell)}"


def parse_action(state: StateArray, text: str) -> int:
    """Read `5@H8`; the placement need not be legal."""
    found = _ACTION.fullmatch(text)
    if not found:
        raise ValueError(f"action {text!r}: expected VALUE@CELL, for instance 5@H8")
    return (int(found[1]) - 1) * b.CELLS + _parse_cell(f"action {text!r}", found[2])
