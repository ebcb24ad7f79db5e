"""The notation of positions and actions of Zatre, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.zatre.texts import (
    BOARD_12,
    LEGAL,
    listed,
    names,
    position,
    rest_of,
)
from implementations import Rules

# --- Section 7: notation -------------------------------------------------------------------------


EXAMPLE = (
    "####...#...####/#.............#/#.............#/#.............#/.............../"
    ".............../.............../#......5......#/.............../.............../"
    ".............../#.............#/#.............#/#.............#/####...#...#### "
    "0 25/- H8 - 0:-:-:-/0:-:-:-"
)


def test_example_of_the_document(rules: Rules) -> None:
    assert position("5@7,7", "25/-", placed="7,7") == EXAMPLE
    state = rules.parse(EXAMPLE)
    assert str(state) == EXAMPLE
    assert names(state) == listed(LEGAL["2"][-1])
    played = rules.initial(outcome=(2, 5, 5))
    played.apply(played.parse_action("5@H8"), outcome=())
    assert str(played) == EXAMPLE


ACCEPTED = {
    "over with a full bag": (position("", "", "-"), 2),
    "over with everything in hand": (position("", rest_of("", "") + "/-", "-"), 2),
    "over in the middle": (position("5@7,7", "25/-", "-"), 2),
    "tiles that do not hang together": (position("1@0,4 6@14,10 3@8,0", "1"), 2),
    "twelve exactly": (position("6@7,7 6@7,8", "1"), 2),
    "the longest line": (position(" ".join(f"1@7,{col}" for col in range(1, 13)), "1"), 2),
    "seat 1": (position("5@7,7", "-/4", 1), 2),
    "seat 2 of three": (position("5@7,7", "-/-/4", 2, players=3), 3),
    "seat 3 of four": (position("5@7,7", "-/-/-/4", 3, players=4), 4),
    "placed in any order": (position("5@7,7 4@7,8", "1", placed="7,8 7,7"), 2),
    "pending": (position("4@7,7 3@6,7 5@6,6", "3", placed="6,6", pending="6,6"), 2),
    "light and last, but not pending": (position("4@7,7 3@6,7 5@6,6", "3", placed="6,6"), 2),
    "many crosses": (position("5@7,7", "5", sheets="32:-:-:-/10:1:-:-"), 2),
    "large entries": (position("5@7,7", "5", sheets="0:10:20:40/0:11:22:44"), 2),
    "last turn": (position("5@7,7", f"5/{rest_of('5@7,7', '5')}"), 2),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted_position(rules: Rules, case: str) -> None:
    text, players = ACCEPTED[case]
    state = rules.parse(text, players=players)
    assert str(state) == text
    assert state.is_terminal == (text.split(" ")[1] == "-")


def changed(index: int, to: str, text: str = EXAMPLE) -> str:
    """Return a position with another field."""
    fields = text.split(" ")
    fields[index] = to
    return " ".join(fields)


def board_with(row: int, to: str) -> str:
    rows = EXAMPLE.split(" ")[0].split("/")
    rows[row] = to
    return changed(0, "/".join(rows))


BOARD = EXAMPLE.split(" ")[0]
PENDING = position("4@7,7 3@6,7 5@6,6", "3", placed="6,6", pending="6,6")
OVER = position("5@7,7", "25/-", "-")
A_SHEET = "0:-:-:-"

REFUSED = {
    # Fields
    "nothing": ("", r"(?i)field"),
    "one field": (BOARD, r"(?i)field"),
    "five fields": (EXAMPLE.rpartition(" ")[0], r"(?i)field"),
    "seven fields": (EXAMPLE + " -", r"(?i)field"),
    "two spaces": (EXAMPLE.replace(" 0 ", "  0 "), r"(?i)field"),
    "leading space": (" " + EXAMPLE, r"(?i)field"),
    "trailing space": (EXAMPLE + " ", r"(?i)field"),
    "trailing newline": (EXAMPLE + "\n", r"(?i)sheet|field"),
    "tabs": (EXAMPLE.replace(" ", "\t"), r"(?i)field"),
    "no-break space": (EXAMPLE.replace(" 0 ", "\u00a00\u00a0"), r"(?i)field"),
    # Board
    "fourteen rows": (changed(0, BOARD.rpartition("/")[0]), r"(?i)board|row"),
    "sixteen rows": (changed(0, BOARD + "/####...#...####"), r"(?i)board|row"),
    "empty row": (board_with(4, ""), r"(?i)board|row"),
    "short row": (board_with(4, "." * 14), r"(?i)board|row"),
    "long row": (board_with(4, "." * 16), r"(?i)board|row"),
    "row with a newline": (board_with(4, "." * 15 + "\n"), r"(?i)board|row"),
    "tile of value 0": (board_with(4, "0" + "." * 14), r"(?i)board|row|character"),
    "tile of value 7": (board_with(4, "7" + "." * 14), r"(?i)board|row|character"),
    "letter": (board_with(4, "x" + "." * 14), r"(?i)board|row|character"),
    "dash for a cell": (board_with(4, "-" + "." * 14), r"(?i)board|row|character"),
    "Arabic digit": (board_with(4, "\u0665" + "." * 14), r"(?i)board|row|character"),
    "superscript digit": (board_with(4, "\u00b2" + "." * 14), r"(?i)board|row|character"),
    "no cell where there is one": (board_with(4, "#" + "." * 14), r"(?i)board|row|cell"),
    "no start cell": (board_with(7, "#......#......#"), r"(?i)board|row|cell"),
    "a cell where there is none": (board_with(0, ".###...#...####"), r"(?i)board|row|cell"),
    "a tile where there is no cell": (board_with(0, "1###...#...####"), r"(?i)board|row|cell"),
    "the notch as a cell": (board_with(0, "####.......####"), r"(?i)board|row|cell"),
    "a row of 13": (position("6@7,7 6@7,8 1@7,9", "1"), r"(?i)board|line|sum"),
    "a column of 13": (position("6@7,7 6@8,7 1@6,7", "1"), r"(?i)board|line|sum"),
    "a row of 13 ones": (
        position(" ".join(f"1@7,{col}" for col in range(1, 14)), "1"),
        r"(?i)board|line|sum",
    ),
    "a row of 13 when over": (position("6@7,7 6@7,8 1@7,9", "", "-"), r"(?i)board|line|sum"),
    # Seat
    "no seat": (changed(1, ""), r"(?i)seat"),
    "seat 2 of two": (changed(1, "2", position("5@7,7", "25/25")), r"(?i)seat"),
    "seat 4": (changed(1, "4"), r"(?i)seat"),
    "negative seat": (changed(1, "-1"), r"(?i)seat"),
    "seat with a zero": (changed(1, "00"), r"(?i)seat"),
    "seat with a sign": (changed(1, "+0"), r"(?i)seat"),
    "seat as a letter": (changed(1, "w"), r"(?i)seat"),
    "seat as an Arabic digit": (changed(1, "\u0660"), r"(?i)seat"),
    "huge seat": (changed(1, "9" * 30), r"(?i)seat"),
    "seat without a placement": (changed(1, "1"), r"(?i)seat|hand|legal|placement"),
    # Hands
    "one hand": (changed(2, "25"), r"(?i)hand"),
    "three hands": (changed(2, "25/-/-"), r"(?i)hand"),
    "empty hand text": (changed(2, "25/"), r"(?i)hand"),
    "hand out of order": (changed(2, "52/-"), r"(?i)hand"),
    "other hand out of order": (changed(2, "25/121"), r"(?i)hand"),
    "value 0 in a hand": (changed(2, "025/-"), r"(?i)hand"),
    "value 7 in a hand": (changed(2, "257/-"), r"(?i)hand"),
    "hand with commas": (changed(2, "2,5/-"), r"(?i)hand"),
    "hand with a dash": (changed(2, "25-/-"), r"(?i)hand"),
    "two dashes": (changed(2, "25/--"), r"(?i)hand"),
    "Arabic digits in a hand": (changed(2, "25/\u0661"), r"(?i)hand"),
    "hand with a newline": (changed(2, "25\n/-"), r"(?i)hand"),
    "too many sixes": (changed(2, "25/" + "6" * 21), r"(?i)tile|hand|board"),
    "too many ones": (changed(2, "25/" + "1" * 22), r"(?i)tile|hand|board"),
    "a million ones": (changed(2, "25/" + "1" * 10**6), r"(?i)tile|hand|board"),
    # Placed
    "no placed field": (changed(3, ""), r"(?i)placed"),
    "placed on an empty cell": (changed(3, "H9"), r"(?i)placed"),
    "placed on a tile and on an empty cell": (changed(3, "H8,H9"), r"(?i)placed"),
    "placed on no cell": (changed(3, "A1"), r"(?i)placed"),
    "placed off the board": (changed(3, "P8"), r"(?i)placed"),
    "placed in row 0": (changed(3, "H0"), r"(?i)placed"),
    "placed in row 16": (changed(3, "H16"), r"(?i)placed"),
    "placed in row 08": (changed(3, "H08"), r"(?i)placed"),
    "placed in lower case": (changed(3, "h8"), r"(?i)placed"),
    "placed with a comma at the end": (changed(3, "H8,"), r"(?i)placed"),
    "placed with a comma first": (changed(3, ",H8"), r"(?i)placed"),
    "placed with a dash": (changed(3, "H8,-"), r"(?i)placed"),
    "placed twice": (changed(3, "H8,H8"), r"(?i)placed"),
    "placed as an Arabic digit": (changed(3, "H\u0668"), r"(?i)placed"),
    "placed when over": (changed(3, "H8", OVER), r"(?i)placed"),
    # Pending
    "no pending field": (changed(4, ""), r"(?i)pending"),
    "pending on an empty cell": (changed(4, "I7", PENDING), r"(?i)pending"),
    "pending on no cell": (changed(4, "A1", PENDING), r"(?i)pending"),
    "pending off the board": (changed(4, "Q1", PENDING), r"(?i)pending"),
    "pending in lower case": (changed(4, "g7", PENDING), r"(?i)pending"),
    "two pending cells": (changed(4, "G7,G7", PENDING), r"(?i)pending"),
    "pending on a dark cell": (
        position("4@7,7 3@6,7", "3", placed="6,7", pending="6,7"),
        r"(?i)pending",
    ),
    "pending on the start cell": (changed(4, "H8"), r"(?i)pending"),
    "pending but not placed": (changed(3, "-", PENDING), r"(?i)pending"),
    "pending but not placed last": (changed(3, "G7,H8", PENDING), r"(?i)pending"),
    "pending, completed by no tile": (changed(2, "1/-", PENDING), r"(?i)pending"),
    "pending, completed by another hand": (changed(2, "1/3", PENDING), r"(?i)pending"),
    "pending, hand empty": (changed(2, "-/3", PENDING), r"(?i)pending|hand|seat"),
    "pending when over": (
        " ".join([PENDING.split(" ")[0], "- 3/- - G7", *PENDING.split(" ")[5:]]),
        r"(?i)pending",
    ),
    "placed and pending when over": (changed(1, "-", PENDING), r"(?i)pending|placed"),
    # Sheets
    "no sheets": (changed(5, ""), r"(?i)sheet"),
    "one sheet": (changed(5, A_SHEET), r"(?i)sheet"),
    "three sheets": (changed(5, "/".join([A_SHEET] * 3)), r"(?i)sheet"),
    "three columns": (changed(5, f"0:-:-/{A_SHEET}"), r"(?i)sheet"),
    "five columns": (changed(5, f"0:-:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "empty column": (changed(5, f"0::-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses as a dash": (changed(5, f"-:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "negative crosses": (changed(5, f"-1:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses with a zero": (changed(5, f"01:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses with two zeros": (changed(5, f"00:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses with a sign": (changed(5, f"+1:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses with an underscore": (changed(5, f"1_0:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses in letters": (changed(5, f"x:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses as an Arabic digit": (changed(5, f"\u0661:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "two numbers of crosses": (changed(5, f"1,1:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry 10 of zero": (changed(5, f"0:0:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry 11 of zero": (changed(5, f"0:-:0:-/{A_SHEET}"), r"(?i)sheet"),
    "entry 12 of zero": (changed(5, f"0:-:-:0/{A_SHEET}"), r"(?i)sheet"),
    "entry 11 of one": (changed(5, f"0:-:1:-/{A_SHEET}"), r"(?i)sheet"),
    "entry 11 of three": (changed(5, f"0:-:2,3:-/{A_SHEET}"), r"(?i)sheet"),
    "entry 12 of two": (changed(5, f"0:-:-:2/{A_SHEET}"), r"(?i)sheet"),
    "entry 12 of six": (changed(5, f"0:-:-:4,6/{A_SHEET}"), r"(?i)sheet"),
    "entry of the other seat": (changed(5, f"{A_SHEET}/0:-:-:6"), r"(?i)sheet"),
    "negative entry": (changed(5, f"0:-1:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry with a zero": (changed(5, f"0:01:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry with a sign": (changed(5, f"0:+1:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry with a point": (changed(5, f"0:1.0:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry as an Arabic digit": (changed(5, f"0:\u0661:-:-/{A_SHEET}"), r"(?i)sheet"),
    "gap in a column": (changed(5, f"0:1,,1:-:-/{A_SHEET}"), r"(?i)sheet"),
    "dash in a column": (changed(5, f"0:1,-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "comma at the end of a column": (changed(5, f"0:1,:-:-/{A_SHEET}"), r"(?i)sheet"),
    "huge crosses": (changed(5, "9" * 5000 + f":-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "huge entry": (changed(5, "0:" + "9" * 5000 + f":-:-/{A_SHEET}"), r"(?i)sheet"),
    # No placement
    "no tile": (position("5@7,7", "-/4"), r"(?i)seat|hand|placement|legal"),
    "nothing fits": (position(BOARD_12, "123456"), r"(?i)seat|hand|placement|legal"),
    "the board is empty, but the hand too": (position("", ""), r"(?i)seat|hand|placement|legal"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_position(rules: Rules, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rules.parse(text)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_position_of_another_number_of_players_is_refused(rules: Rules, players: int) -> None:
    text = position("5@7,7", "4", players=players)
    for other in (2, 3, 4):
        if other == players:
            assert str(rules.parse(text, players=other)) == text
        else:
            with pytest.raises(ValueError, match=r"(?i)hand|sheet"):
                rules.parse(text, players=other)
