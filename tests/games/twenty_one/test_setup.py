"""Board, set-up and options of Twenty One, in the rules and in their reference."""

from __future__ import annotations

from itertools import chain, product
from typing import Any

import pytest
from games.twenty_one.texts import (
    COLOURS,
    FREE_ROW,
    LETTERS,
    STANDARD,
    TABLE,
    actions,
    assert_over,
    changed,
    in_row,
    position,
    sheets_of,
    subsets,
)
from implementations import Rules

# --- Section 1: the sheets -----------------------------------------------------------------------


def colour_of(letter: str, row: int, pos: int) -> str:
    return TABLE[letter][row - 1][pos][0]


def test_table_follows_the_formulas() -> None:
    for s, row, pos in product(range(6), range(1, 6), range(6)):
        number = 6 - pos - (1 if pos < row - 1 else 0)
        colour = COLOURS[(row * (((pos - s) % 6) + 1)) % 7 - 1]
        assert TABLE[LETTERS[s]][row - 1][pos] == f"{colour}{number}"


def test_numbers_are_those_of_the_table() -> None:
    rows = ["654321", "554321", "544321", "543321", "543221"]
    for letter in LETTERS:
        assert ["".join(field[1] for field in row) for row in TABLE[letter]] == rows
    assert [sum(map(int, row)) for row in rows] == [21, 20, 19, 18, 17]


def test_properties_of_the_colours() -> None:
    every = set(COLOURS)
    for letter, row in product(LETTERS, range(1, 6)):
        assert {colour_of(letter, row, pos) for pos in range(6)} == every
    for row, pos in product(range(1, 6), range(6)):
        assert {colour_of(letter, row, pos) for letter in LETTERS} == every
    for letter, pos in product(LETTERS, range(6)):
        assert len({colour_of(letter, row, pos) for row in range(1, 6)}) == 5
    arrangements = {"".join(field[0] for field in row) for row in chain(*TABLE.values())}
    assert len(arrangements) == 30
    assert TABLE["A"][0][:3] == ["Y6", "B5", "W4"]
    assert TABLE["B"][0][:2] == ["R6", "Y5"]


def assert_printed(rules: Rules, letter: str, number: int, row: list[str], **options: Any) -> None:
    """Check the fields of a row by what is legal in it and how it is called."""
    other = "B" if letter == "A" else "A"
    for value in range(1, 7):
        rolled = str(value) * 6
        state = rules.parse(position(in_row(letter, number), f"{other}:", rolled=rolled), **options)
        fits = sum(1 << pos for pos, field in enumerate(row) if int(field[1]) >= value)
        assert actions(state) == subsets(fits)
        for pos, field in enumerate(row):
            if fits >> pos & 1:
                assert state.action_name(1 << pos) == f"enter {field[0]}"


@pytest.mark.parametrize("letter", LETTERS)
def test_standard_sheets(rules: Rules, letter: str) -> None:
    for number, row in enumerate(TABLE[letter], start=1):
        assert_printed(rules, letter, number, row)


@pytest.mark.parametrize("players", range(2, 7))
def test_seat_i_uses_sheet_i(rules: Rules, players: int) -> None:
    state = rules.initial(seed=1, players=players)
    assert sheets_of(str(state)) == [(letter, [FREE_ROW] * 5) for letter in LETTERS[:players]]


def test_standard_sheets_may_be_written_out(rules: Rules) -> None:
    first, second = rules.initial(seed=3), rules.initial(seed=3, sheets=STANDARD)
    assert str(first) == str(second)
    for letter in "AF":
        assert_printed(rules, letter, 5, TABLE[letter][4], sheets=STANDARD)


def other_sheets() -> dict[str, list[list[str]]]:
    """Return sheets with other numbers, the standard ones' colours and letters turned round."""
    numbers = ["666666", "665544", "643111", "222222", "111111"]
    return {
        letter: [
            [f"{field[0]}{number}" for field, number in zip(row, printed, strict=True)]
            for row, printed in zip(TABLE[other], numbers, strict=True)
        ]
        for letter, other in zip(LETTERS, reversed(LETTERS), strict=True)
    }


OTHER = other_sheets()
OTHER_TEXT = "/".join(",".join("".join(row) for row in OTHER[letter]) for letter in LETTERS)


@pytest.mark.parametrize("letter", LETTERS)
def test_other_sheets(rules: Rules, letter: str) -> None:
    for number, row in enumerate(OTHER[letter], start=1):
        assert_printed(rules, letter, number, row, sheets=OTHER_TEXT)


def test_other_sheets_score_by_their_own_numbers(rules: Rules) -> None:
    marks = "A:666666,665544,643111,222222,111111"
    less = "B:555555,664433,xxxxxx,111111,xxxxxx"
    state = rules.parse(position(marks, less, phase="over"), sheets=OTHER_TEXT)
    first = 36 + 30 + 16 + 12 + 6 + 5 * 21
    second = 30 + (26 + 3) + 0 + 6 + 0
    assert_over(state, [first, second], [1, -1])
    with pytest.raises(ValueError, match="6"):
        rules.parse(position(marks, less, phase="over"))
    refused = position("A:666666,665545", "B:", phase="roll")
    with pytest.raises(ValueError, match="5"):
        rules.parse(refused, sheets=OTHER_TEXT)


SHEETS = STANDARD.split("/")

BAD_SHEETS = {
    "empty": "",
    "unknown word": "Standard",
    "five sheets": "/".join(SHEETS[:5]),
    "seven sheets": "/".join([*SHEETS, SHEETS[0]]),
    "four rows": changed(",K5W4Y3R2G2B1/", "/"),
    "six rows": changed(",K5W4Y3R2G2B1/", ",K5W4Y3R2G2B1,K5W4Y3R2G2B1/"),
    "five fields": changed("Y6B5W4G3K2R1", "Y6B5W4G3K2"),
    "seven fields": changed("Y6B5W4G3K2R1", "Y6B5W4G3K2R1R1"),
    "field without number": changed("Y6B5W4G3K2R1", "YB5W4G3K2R1"),
    "field without colour": changed("Y6B5W4G3K2R1", "6B5W4G3K2R1"),
    "number of two digits": changed("Y6B5W4G3K2R1", "Y06B5W4G3K2R1"),
    "separated fields": changed("Y6B5W4G3K2R1", "Y6 B5 W4 G3 K2 R1"),
    "colour twice": changed("Y6B5W4G3K2R1", "Y6Y5W4G3K2R1"),
    "unknown colour": changed("Y6B5W4G3K2R1", "Y6B5W4G3K2P1"),
    "small letter": changed("Y6B5W4G3K2R1", "y6B5W4G3K2R1"),
    "seven, everywhere": STANDARD.replace("6", "7"),
    "zero, everywhere": STANDARD.replace("1", "0"),
    "Arabic digits, everywhere": STANDARD.replace("1", "\u0661"),
    "rising numbers, everywhere": STANDARD.replace("6", "4"),
    "rising numbers in one row": changed("Y6B5W4G3K2R1", "Y6B5W3G4K2R1"),
    "other numbers on one sheet": changed("R6Y5B4W3G2K1", "R6Y5B4W3G1K1"),
    "numbers in other rows": changed(
        "R6Y5B4W3G2K1,K5B5G4R3Y2W1", "K5B5G4R3Y2W1,R6Y5B4W3G2K1", STANDARD
    ),
    "two equal sheets": "/".join([*SHEETS[:5], SHEETS[2]]),
    "trailing newline": STANDARD + "\n",
    "trailing space": STANDARD + " ",
}


@pytest.mark.parametrize("sheets", BAD_SHEETS.values(), ids=BAD_SHEETS)
def test_bad_sheets_are_refused(rules: Rules, sheets: str) -> None:
    with pytest.raises(ValueError, match="sheet"):
        rules.initial(seed=1, sheets=sheets)


@pytest.mark.parametrize("players", [-1, 0, 1, 7, 100])
def test_number_of_players_is_checked(rules: Rules, players: int) -> None:
    with pytest.raises(ValueError, match="players"):
        rules.initial(seed=1, players=players)


def test_unknown_deal_is_refused(rules: Rules) -> None:
    with pytest.raises(ValueError, match="deal"):
        rules.initial(seed=1, deal="drawn")
