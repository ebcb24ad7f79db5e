"""The observation of Zatre, made from the text of the position alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
from reference.zatre_board import LIGHT, START, TILES

from tzaar_envs.core.game import Game

ROWS_SHOWN = 32
MOST = 127


def naive(game: Game, text: str, seat: int) -> dict[str, np.ndarray]:
    board, to_act, hands_text, placed, pending, sheets_text = text.split(" ")
    players = game.options["players"]
    # All that there is of each seat: the observer first, then in turn order.
    seats = [(seat + step) % players for step in range(players)]
    hands = [hand.replace("-", "") for hand in hands_text.split("/")]
    sheets = sheets_text.split("/")
    rows = board.split("/")
    unseen = Counter({str(value): number for value, number in TILES.items()})
    unseen.subtract(character for character in board if character in "123456")
    unseen.subtract(hands[seat])
    bag = sum(unseen.values()) - sum(len(hands[other]) for other in seats[1:])

    def on_board(condition: str) -> np.ndarray:
        return np.array([[character in condition for character in row] for row in rows], int)

    def named(cells: str) -> np.ndarray:
        plane = np.zeros((15, 15), int)
        for name in [] if cells == "-" else cells.split(","):
            plane[int(name[1:]) - 1, "ABCDEFGHIJKLMNO".index(name[0])] = 1
        return plane

    def everywhere(numbers: list[int]) -> np.ndarray:
        return np.array([np.full((15, 15), number) for number in numbers])

    planes = {
        "cell": on_board(".123456"),
        "light": np.array([[(row, col) in LIGHT for col in range(15)] for row in range(15)], int),
        "start": named("H8"),
        **{f"tile_{value}": on_board(str(value)) for value in range(1, 7)},
        "placed": named(placed),
        "pending": named(pending),
        **_sums(rows),
        "own_hand": everywhere([hands[seat].count(value) for value in "123456"]),
        "unseen": everywhere([unseen[value] for value in "123456"]),
        "bag": everywhere([bag])[0],
        "last_turn": everywhere([int(bag == 0)])[0],
        "hand_size": everywhere([len(hands[other]) for other in seats]),
        "to_act": everywhere([int(str(other) == to_act) for other in seats]),
        "total_div_4": everywhere([min(MOST, _total(sheets[other]) // 4) for other in seats]),
        "entries": everywhere(
            [min(MOST, number) for other in seats for number in _numbers_of_entries(sheets[other])]
        ),
        "sheet": np.array([_first_rows(sheets[other]) for other in seats]),
    }
    return planes


def _sums(rows: list[str]) -> dict[str, np.ndarray]:
    """Return what lies beside each empty cell, and the greatest value that fits on it."""
    across, down, fitting = (np.zeros((15, 15), int) for _ in range(3))
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    empty = not any(character in "123456" for row in rows for character in row)
    for row in range(15):
        for col in range(15):
            if rows[row][col] != ".":
                continue
            sums = [_beside(rows[row], col), _beside(columns[col], row)]
            across[row, col], down[row, col] = sums
            if empty:
                fitting[row, col] = 6 if (row, col) == START else 0
            elif any(sums):
                fitting[row, col] = max(0, min(6, 12 - max(sums)))
    return {"across": across, "down": down, "fitting": fitting}


def _beside(line: str, index: int) -> int:
    before = line[:index].replace("#", ".").split(".")[-1]
    after = line[index + 1 :].replace("#", ".").split(".")[0]
    return sum(map(int, before + after))


def _columns(sheet: str) -> tuple[int, list[list[int]]]:
    crosses, *columns = sheet.split(":")
    return int(crosses), [
        [] if column == "-" else [int(entry) for entry in column.split(",")] for column in columns
    ]


def _numbers_of_entries(sheet: str) -> list[int]:
    crosses, columns = _columns(sheet)
    return [crosses, *map(len, columns)]


def _total(sheet: str) -> int:
    crosses, columns = _columns(sheet)
    total = 0
    for index in range(max(map(len, columns))):
        entries = [column[index] for column in columns if index < len(column)]
        bonus = min(6, 3 + index // 4) if len(entries) == 3 else 0
        total += (sum(entries) + bonus) * (2 if index < crosses else 1)
    return total


def _first_rows(sheet: str) -> np.ndarray:
    crosses, columns = _columns(sheet)
    table = np.zeros((ROWS_SHOWN, 4), int)
    table[:crosses, 0] = 1
    for column, (entries, points) in enumerate(zip(columns, (1, 2, 4), strict=True), 1):
        for row, entry in enumerate(entries[:ROWS_SHOWN]):
            table[row, column] = entry // points
    cells = np.zeros(15 * 15, int)
    cells[: table.size] = table.ravel()
    return cells.reshape(15, 15)
