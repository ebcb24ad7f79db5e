"""The notation of Zatre's positions, section 7: writing them, and reading them with all checks."""

import random
import re

from reference import zatre_board as b
from reference.common import read_number, split

# The characters of an empty board, row by row.
EMPTY_BOARD = {
    (row, col): "." if (row, col) in b.ALL_CELLS else "#"
    for row in range(b.SIZE)
    for col in range(b.SIZE)
}
# A number of the notation. No game comes near 15 digits, and all their sums are exact as floats.
NUMBER = "[1-9][0-9]{0,14}"
SPARE_ROWS = 40  # how many more entries a column may have than tiles were laid in earlier turns
MOST_LINES = 121  # in one entry


def position_text(position: b.Position) -> str:
    """Return a position in the notation."""
    return " ".join(
        [
            board_text(position.board),
            "-" if position.seat is None else str(position.seat),
            "/".join("".join(map(str, hand)) or "-" for hand in position.hands),
            ",".join(map(b.cell_name, position.placed)) or "-",
            "-" if position.pending is None else b.cell_name(position.pending),
            "/".join(map(str, position.sheets)),
        ]
    )


def board_text(board: b.Board) -> str:
    """Return the first field of the notation."""
    characters = "".join(map(str, {**EMPTY_BOARD, **board}.values()))
    return "/".join(characters[b.SIZE * row :][: b.SIZE] for row in range(b.SIZE))


def read_position(text: str, players: int, rng: random.Random) -> b.Position:
    """Read a position in the notation; the bag holds the tiles that it does not show.

    Raises:
        ValueError: If the text is not a position; the message names the field and the reason. A
            seat without a legal placement is not refused here.
    """
    what = "fields of a position (board, seat, hands, placed, pending, sheets)"
    board_field, seat_text, hands_text, placed_text, pending_text, sheets_text = split(
        what, text, " ", 6
    )
    board = _read_board(board_field)
    seat = None if seat_text == "-" else read_number("seat", seat_text, 0, players - 1)
    hands = _read_hands(hands_text, players)
    placed = _read_cells("placed", placed_text)
    pending = _read_cells("pending", pending_text)
    if len(pending) > 1:
        raise ValueError(f"pending: {pending_text!r} is more than one cell")
    sheets = _read_sheets(sheets_text, players)
    last = pending[0] if pending else None
    position = b.Position(board, seat, hands, placed, last, sheets, rng)
    _check(position)
    return position


def _check(position: b.Position) -> None:
    """Refuse what each field allows on its own but not all of them together."""
    for value, number in position.bag().items():
        if number < 0:
            raise ValueError(
                f"board and hands: more tiles of value {value} than the {b.TILES[value]} "
                "of the game"
            )
    # Not of section 7: positions have a fixed size in the suite, so sheets are bounded.
    most = len(position.board) - len(position.placed) + SPARE_ROWS
    for sheet in position.sheets:
        lengths = [sheet.crosses, *map(len, sheet.columns.values())]
        if max(lengths) > most:
            raise ValueError(f"sheets: a column has {max(lengths)} entries, at most {most}")
        for total, points in b.POINTS.items():
            if any(entry > MOST_LINES * points for entry in sheet.columns[total]):
                raise ValueError(f"sheets: an entry in column {total} exceeds {MOST_LINES}")
    for cell in position.placed:
        if cell not in position.board:
            raise ValueError(f"placed: cell {b.cell_name(cell)} holds no tile")
    if len(set(position.placed)) != len(position.placed):
        raise ValueError("placed: a cell is filled only once")
    if position.seat is None:
        if position.placed:
            raise ValueError("placed: must be '-' when the game is over")
        if position.pending is not None:
            raise ValueError("pending: must be '-' when the game is over")
    elif position.pending is not None:
        _check_pending(position, position.pending)


def _check_pending(position: b.Position, pending: b.Cell) -> None:
    name = b.cell_name(pending)
    if pending not in position.board:
        raise ValueError(f"pending: cell {name} holds no tile")
    if pending not in b.LIGHT:
        raise ValueError(f"pending: cell {name} is not light")
    if position.placed[-1:] != [pending]:
        raise ValueError(f"pending: cell {name} is not the last placed cell")
    if next(b.completions(position.board, pending, position.hands[position.seat]), None) is None:
        raise ValueError(f"pending: no tile of the hand completes cell {name}")


def _read_board(text: str) -> b.Board:
    board: b.Board = {}
    for row, row_text in enumerate(split("board: rows", text, "/", b.SIZE)):
        if len(row_text) != b.SIZE:
            raise ValueError(f"board: row {row + 1} needs {b.SIZE} characters, got {len(row_text)}")
        for col, character in enumerate(row_text):
            if character not in "#.123456":
                raise ValueError(f"board: row {row + 1}: unknown character {character!r}")
            if (character == "#") == ((row, col) in b.ALL_CELLS):
                raise ValueError(
                    f"board: row {row + 1}: {character!r} at column {b.COLUMN_LETTERS[col]}, but "
                    "'#' stands where there is no cell and nowhere else"
                )
            if character in "123456":
                board[row, col] = int(character)
    for cell in board:
        for axis in b.AXES:
            total = b.sum_of(board, b.line_through(board, cell, axis))
            if total > b.HIGHEST_SUM:
                raise ValueError(f"board: a line through {b.cell_name(cell)} has the sum {total}")
    return board


def _read_hands(text: str, players: int) -> list[list[int]]:
    hands = []
    for hand_text in split("hands", text, "/", players):
        if not re.fullmatch("-|1*2*3*4*5*6*", hand_text) or hand_text == "":
            raise ValueError(
                f"hands: {hand_text!r} is neither '-' nor values from 1 to 6 in ascending order"
            )
        hands.append([] if hand_text == "-" else [int(value) for value in hand_text])
    return hands


def _read_cells(field: str, text: str) -> list[b.Cell]:
    if text == "-":
        return []
    for name in text.split(","):
        if name not in b.CELL_OF_NAME:
            raise ValueError(f"{field}: {name!r} is no cell of the board")
    return [b.CELL_OF_NAME[name] for name in text.split(",")]


def _read_sheets(text: str, players: int) -> list[b.Sheet]:
    return [_read_sheet(sheet_text) for sheet_text in split("sheets", text, "/", players)]


def _read_sheet(text: str) -> b.Sheet:
    texts = split("sheets: columns", text, ":", 1 + len(b.POINTS))
    if not re.fullmatch(f"0|{NUMBER}", texts[0]):
        raise ValueError(f"sheets: {texts[0]!r} is no number of crosses")
    columns = {
        total: _read_column(column_text, points)
        for column_text, (total, points) in zip(texts[1:], b.POINTS.items(), strict=True)
    }
    return b.Sheet(int(texts[0]), columns)


def _read_column(text: str, points: int) -> tuple[int, ...]:
    if text == "-":
        return ()
    entries = text.split(",")
    for entry in entries:
        if not re.fullmatch(NUMBER, entry) or int(entry) % points:
            raise ValueError(f"sheets: the entry {entry!r} is no positive multiple of {points}")
    return tuple(map(int, entries))
