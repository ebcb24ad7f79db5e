"""Positions and actions of Zatre as text, for the tests of its rules."""

from __future__ import annotations

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


def assert_running(state: Position, player: int) -> None:
    assert not state.is_terminal
    assert not state.is_truncated
    assert state.current_player == player
    assert not any(state.returns())
    assert actions(state)
