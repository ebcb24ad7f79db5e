"""Positions and actions of Zatre as text, for the tests of its rules."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import pytest
from implementations import Position

DIAGRAM = """
. . . . d d L . L d d . . . .
. L d d d d d d d d d d d L .
. d L d d d d d d d d d L d .
. d d L d d d d d d d L d d .
d d d d L d d d d d L d d d d
d d d d d L d d d L d d d d d
L d d d d d L d L d d d d d L
. d d d d d d S d d d d d d .
L d d d d d L d L d d d d d L
d d d d d L d d d L d d d d d
d d d d L d d d d d L d d d d
. d d L d d d d d d d L d d .
. d L d d d d d d d d d L d .
. L d d d d d d d d d d d L .
. . . . d d L . L d d . . . .
"""
Cell = tuple[int, int]
COLOURS: dict[Cell, str] = {
    (row, col): colour
    for row, line in enumerate(DIAGRAM.split("\n")[1:-1])
    for col, colour in enumerate(line.split())
    if colour != "."
}
LIGHT = {cell for cell, colour in COLOURS.items() if colour == "L"}
ABSENT = [(row, col) for row in range(15) for col in range(15) if (row, col) not in COLOURS]
TILES = {"1": 21, "2": 20, "3": 20, "4": 20, "5": 20, "6": 20}
EMPTY_SHEET = "0:-:-:-"


def cell_name(row: int, col: int) -> str:
    return f"{'ABCDEFGHIJKLMNO'[col]}{row + 1}"


def neighbours(row: int, col: int) -> list[Cell]:
    around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    return [cell for cell in around if cell in COLOURS]


def action_number(value: int, row: int, col: int) -> int:
    return (value - 1) * 225 + 15 * row + col


def tile(text: str) -> tuple[int, Cell]:
    """Return value and cell of a tile as the document has it without brackets, ``6@7,7``."""
    value, cell = text.split("@")
    row, col = cell.split(",")
    return int(value), (int(row), int(col))


def name(text: str) -> str:
    """Return the notation of ``6@7,7``: ``6@H8``."""
    value, cell = tile(text)
    return f"{value}@{cell_name(*cell)}"


def cells(text: str) -> str:
    """Return the notation of cells like ``7,7 7,8``: ``H8,I8``, and ``-`` for none."""
    return ",".join(cell_name(*map(int, cell.split(","))) for cell in text.split()) or "-"


def board_text(tiles: dict[Cell, int]) -> str:
    return "/".join(
        "".join(
            str(tiles.get((row, col), ".")) if (row, col) in COLOURS else "#" for col in range(15)
        )
        for row in range(15)
    )


def position(
    board: str,
    hands: str = "",
    seat: int | str = 0,
    placed: str = "",
    pending: str = "",
    sheets: str | None = None,
    players: int = 2,
) -> str:
    """Return the notation of tiles like ``6@7,7 1@6,7`` and hands like ``25/-``.

    Hands that are left out are empty.
    """
    tiles = {cell: value for value, cell in map(tile, board.split())}
    texts = hands.split("/") if hands else []
    texts += ["-"] * (players - len(texts))
    if sheets is None:
        sheets = "/".join([EMPTY_SHEET] * players)
    return " ".join(
        [board_text(tiles), str(seat), "/".join(texts), cells(placed), cells(pending), sheets]
    )


def rest_of(board: str, hands: str, bag: str = "") -> str:
    """Return the tiles that are neither on the board nor in these hands nor in the bag."""
    used = Counter(text[0] for text in board.split()) + Counter(hands) + Counter(bag)
    return "".join(value * (number - used[value]) for value, number in TILES.items())


def field(state: Position, index: int) -> str:
    return str(state).split(" ")[index]


def hands(state: Position) -> list[str]:
    return field(state, 2).split("/")


def sheet(state: Position, seat: int = 0) -> str:
    return field(state, 5).split("/")[seat]


def tiles_of(state: Position) -> dict[Cell, int]:
    return {
        (row, col): int(character)
        for row, line in enumerate(field(state, 0).split("/"))
        for col, character in enumerate(line)
        if character in "123456"
    }


def actions(state: Position) -> list[int]:
    return [int(action) for action in state.legal_actions()]


def names(state: Position) -> list[str]:
    return sorted(state.action_name(action) for action in actions(state))


def listed(text: str) -> list[str]:
    """Return the names of placements like ``3@6,5``; ``35@6,5`` is both 3 and 5 on that cell."""
    return sorted(
        name(f"{value}@{cell}")
        for values, cell in (part.split("@") for part in text.split())
        for value in values
    )


def lay(state: Position, texts: str, outcome: Sequence[int] | None = None) -> Position:
    """Lay tiles like ``6@6,6 6@5,6`` on a copy; the outcome belongs to the last of them."""
    state = state.clone()
    *first, last = texts.split()
    for text in first:
        state.apply(state.parse_action(name(text)), outcome=None if outcome is None else ())
    state.apply(state.parse_action(name(last)), outcome=outcome)
    return state


def assert_running(state: Position, player: int) -> None:
    assert not state.is_terminal
    assert not state.is_truncated
    assert state.current_player == player
    assert not any(state.returns())
    assert actions(state)


def assert_over(state: Position) -> None:
    assert state.is_terminal
    assert not state.is_truncated
    assert state.current_player == -1
    assert actions(state) == []
    assert str(state).split(" ")[1] == "-"
    assert str(state).split(" ")[3:5] == ["-", "-"]
    before = str(state)
    for action in (0, 1237, action_number(1, 6, 7)):
        with pytest.raises(ValueError, match=r"(?i)illegal|legal|over"):
            state.apply(action)
    assert str(state) == before


# --- Section 1.3: the score sheet ----------------------------------------------------------------


def value_of_sheet(text: str) -> int:
    """Return the total of a sheet in notation."""
    crosses, *columns = text.split(":")
    entries = [[] if column == "-" else column.split(",") for column in columns]
    total = 0
    for index, row in enumerate(itertools.zip_longest(*entries, fillvalue="0")):
        points = sum(map(int, row))
        if "0" not in row:
            points += min(6, 3 + index // 4)
        total += points * (2 if index < int(crosses) else 1)
    return total


# --- Sections 1.4 and 3.2: legal placements ------------------------------------------------------


BOARD_8 = "1@6,7 6@7,7 1@7,8"
BOARD_11 = "6@7,7 5@7,6 6@6,7"
BOARD_12 = "6@7,7 6@7,8 6@8,7 6@8,8"
BOARD_15 = "5@0,6 2@1,6 1@1,7 3@1,8 6@0,8"
BOARD_18 = "6@7,7 6@7,8 6@6,7"
CORNER = "6@1,1 6@1,2 6@2,1"
DARK_6 = "5,7 7,6 7,8 8,7"


def on(values: str, cells: str) -> str:
    """Return all of these values on all of these cells."""
    return " ".join(f"{values}@{cell}" for cell in cells.split())


# Board, hand, cells filled in this turn, pending cell, all legal placements.
LEGAL = {
    "1": ("", "255", "", "", on("25", "7,7")),
    "2": ("5@7,7", "25", "7,7", "", on("25", "6,7 7,6 7,8 8,7")),
    "3": ("6@7,7 6@7,8", "6", "7,7 7,8", "", on("6", "6,7 6,8 8,7 8,8")),
    "6": ("4@7,7 3@6,7", "35", "", "", on("35", "5,7 6,6 6,8 7,6 7,8 8,7")),
    "6a": ("4@7,7 3@6,7 5@6,6", "3", "6,6", "6,6", on("3", "6,5 6,8")),
    "7": ("1@7,7 1@6,7", "12", "", "", on("12", DARK_6)),
    "8": (BOARD_8, "6", "7,8", "", on("6", "6,6 6,8 8,8")),
    "9": (BOARD_8, "26", "", "", on("2", "5,7 7,6 7,9 8,7")),
    "10": (BOARD_8, "66", "", "", on("6", "6,6 8,8")),
    "10, pending": (f"{BOARD_8} 6@6,6", "6", "6,6", "6,6", "6@5,6"),
    "11": (BOARD_11, "44", "", "", "4@6,8"),
    "15": (BOARD_15, "6", "", "", on("6", "0,5 0,9 1,5 1,9 2,7")),
    "18": (BOARD_18, "112", "", "", on("12", "6,6 6,8 8,8")),
    "18, second": (f"{BOARD_18} 1@6,6", "12", "6,6", "", on("12", "5,6 6,5 6,8")),
    "18, third": (f"{BOARD_18} 1@6,6 2@6,5", "1", "6,6 6,5", "", on("1", "5,6 6,4 6,8 7,5")),
    # Section 3.2: the tile that could only be forced is looked at again afterwards.
    "9, second": (f"{BOARD_8} 2@5,7", "6", "5,7", "", on("6", "5,6 5,8")),
    # Two tiles fit into the gap of 5 and 5 together with 2, none with a sum above 12.
    "a gap": ("5@7,7 5@7,9", "123", "", "", on("123", "6,7 8,7 7,6 7,10 6,9 8,9") + " 12@7,8"),
    # One tile of look-ahead: 7 and three tiles of value 1 make 10, but two of them do not.
    "three to complete": ("5@3,4 2@3,5", "111", "", "", on("1", "2,4 2,5 4,5 3,6")),
    "two to complete": ("5@3,4 2@3,5", "112", "", "", on("12", "2,4 2,5 4,5 3,6 3,3")),
    "the next completes": ("5@3,4 2@3,5 1@3,3", "12", "3,3", "3,3", on("2", "3,2 3,6")),
    "either completes": ("5@3,4 2@3,5 2@3,3", "11", "3,3", "3,3", on("1", "3,2 3,6")),
    # The same board without the duty to complete.
    "nothing pending": (
        "5@3,4 2@3,5 1@3,3",
        "2",
        "3,3",
        "",
        on("2", "2,3 3,2 4,3 2,4 2,5 4,5 3,6"),
    ),
    # Tiles need not hang together, and the start cell may be empty.
    "not on the start cell": ("1@2,7", "1", "", "", on("1", "1,7 3,7 2,6 2,8")),
    "start cell": ("5@6,7", "1", "", "", on("1", "5,7 7,7")),
    "in the corner": ("6@1,1", "3", "", "", on("3", "1,2 2,1")),
    "dark before light": ("1@0,5 6@0,4 6@1,4 6@1,5", "2", "", "", "2@2,5"),
    # Where one cell is left: some first tiles strand the others, sometimes all of them do.
    "one cell, 1 and 4": (CORNER, "14", "", "", on("14", "2,2")),
    "one cell, 1 and 6": (CORNER, "16", "", "", on("6", "2,2")),
    "one cell, 5 and 6": (CORNER, "56", "", "", on("56", "2,2")),
    "one cell, 6 and 6": (CORNER, "66", "", "", on("6", "2,2")),
    "one cell, 1, 4 and 6": (CORNER, "146", "", "", on("14", "2,2")),
    "one cell, 1 lies there": (f"{CORNER} 1@2,2", "4", "2,2", "2,2", on("4", "2,3 3,2")),
}
