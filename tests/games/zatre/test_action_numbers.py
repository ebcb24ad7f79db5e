"""Action numbers of Zatre, in the rules and in their reference."""

from __future__ import annotations

import itertools

import pytest
from games.zatre.texts import (
    BOARD_11,
    COLOURS,
    LIGHT,
    action_number,
    actions,
    cell_name,
    name,
    neighbours,
    position,
    tile,
)
from implementations import Rules

# --- Action numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [("6@7,7", 1237), ("5@7,7", 1012), ("2@7,7", 337), ("4@6,8", 773), ("1@0,4", 4)],
)
def test_number_of_a_placement(rules: Rules, text: str, number: int) -> None:
    value, (row, col) = tile(text)
    board = "" if (row, col) == (7, 7) else f"1@{row + 1},{col}"
    state = rules.parse(position(board, str(value) * 20))
    if text == "4@6,8":
        state = rules.parse(position(BOARD_11, "44"))
    assert number in actions(state)
    assert state.action_name(number) == name(text)
    assert state.parse_action(name(text)) == number


def test_numbers_of_all_placements(rules: Rules) -> None:
    """Each tile on each cell, beside a tile with which it makes 10 if that is possible."""
    for (row, col), value in itertools.product(COLOURS, range(1, 7)):
        beside = neighbours(row, col)[0]
        board = f"{max(1, 10 - value) if value > 3 else 6}@{beside[0]},{beside[1]}"
        state = rules.parse(position(board, f"{value}" + ("6" if value < 6 else "")))
        number = action_number(value, row, col)
        text = f"{value}@{cell_name(row, col)}"
        if (row, col) not in LIGHT or value > 3:
            assert state.parse_action(text) == number
            assert state.action_name(number) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "5", "@", "5@", "@H8", "0@H8", "7@H8", "5@H", "5@8", "5@A1", "5@H0", "5@H16"),
        *("5@P8", "5@h8", "5@H08", "05@H8", "5@H8 ", " 5@H8", "5@H8\n", "5-H8", "55@H8", "5@HH8"),
        *("\u0665@H8", "5@H\u0668", "5@7,7", "1012", "5@H-8", "+5@H8", "5@@H8", "5@H8@", "pass"),
    ],
)
def test_unreadable_placement_is_refused(rules: Rules, text: str) -> None:
    state = rules.initial(outcome=(2, 5, 5))
    with pytest.raises(ValueError, match=r"."):
        state.parse_action(text)
