"""The effects of the actions of Zatre, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.zatre.texts import (
    BOARD_8,
    BOARD_15,
    BOARD_18,
    EMPTY_SHEET,
    assert_running,
    field,
    lay,
    position,
    sheet,
    tile,
    tiles_of,
)
from implementations import Rules

# --- Section 3.3: scoring ------------------------------------------------------------------------


# Board, hand, cells filled before in this turn, tiles laid, sheet, total.
SCORED = {
    "3a": ("6@7,7 6@7,8", "6", "7,7 7,8", "6@6,8", "1:-:-:8", 16),
    "3b": ("6@7,7 6@7,8", "6", "7,7 7,8", "6@6,7", "0:-:-:8", 8),
    "4": ("5@7,7 4@7,8", "12", "", "1@7,9 2@7,10", "0:-:-:4", 4),
    "5": ("4@7,7 3@7,8 1@5,9 5@6,9", "4", "", "4@7,9", "0:1:2:-", 3),
    "6b": ("4@7,7 3@6,7", "35", "", "5@6,6 3@6,5", "1:-:2:-", 4),
    "6c": ("4@7,7 3@6,7", "35", "", "5@6,6 3@6,8", "2:-:2:-", 4),
    "8": (BOARD_8, "6", "", "6@6,8", EMPTY_SHEET, 0),
    "10": (BOARD_8, "66", "", "6@6,6 6@5,6", "1:-:-:4", 8),
    "10, other": (BOARD_8, "66", "", "6@8,8 6@8,9", "1:-:-:4", 8),
    "16": ("4@6,5 5@6,7 1@7,7 6@5,6 3@7,6", "2", "", "2@6,6", "1:-:4:-", 8),
    "17": ("5@6,6 3@6,7 4@7,7", "3", "", "3@6,5", "0:-:2:-", 2),
    "17, in one turn": ("5@6,6 3@6,7 4@7,7", "3", "6,6", "3@6,5", "1:-:2:-", 4),
    "18": (BOARD_18, "112", "", "1@6,6 2@6,5 1@6,4", "1:1:-:-", 2),
    "19": (BOARD_8, "12", "", "2@5,7 1@4,7", "0:1:-:-", 1),
    # Lines that got no new tile are not counted again.
    "old lines": ("6@7,7 6@7,8", "6", "", "6@6,8", "1:-:-:4", 8),
    "old lines, other tile": ("6@7,7 6@7,8 1@2,2", "1", "", "1@2,3", EMPTY_SHEET, 0),
    # A tile that joins two runs makes one line of both.
    "joined": ("5@7,7 5@7,9", "2", "", "2@7,8", "0:-:-:4", 4),
    "joined, light": ("4@3,2 5@3,4", "3", "", "3@3,3", "1:-:-:4", 8),
    # A line that two tiles of a turn complete from both sides counts once.
    "both sides": ("4@7,7", "34", "", "3@7,6 4@7,8", "0:-:2:-", 2),
    # A line that is no longer worth anything else than its final sum.
    "10 to 11": ("4@7,7 5@7,8", "11", "", "1@7,9 1@7,10", "0:-:2:-", 2),
    "far apart": ("4@7,7 6@2,7", "66", "", "6@7,8 6@2,6", "0:1:-:4", 5),
    # The notch: these two are in no line with each other.
    "notch": (BOARD_15, "6", "", "6@0,5", "0:-:2:-", 2),
    "notch, right": (BOARD_15, "6", "", "6@0,9", "0:-:-:4", 4),
    "below the notch": (BOARD_15, "6", "", "6@2,7", EMPTY_SHEET, 0),
    "notch, at the side": ("5@6,0 2@6,1 1@7,1 3@8,1 6@8,0", "6", "", "6@9,0", "0:-:-:4", 4),
    # A light cell laid in the first half of the turn is judged by the final board.
    "cross afterwards": ("5@6,7", "15", "", "5@6,6 1@6,5", "1:-:2:-", 4),
    "no cross without a line": ("1@6,7 6@7,7 1@7,8", "6", "", "6@6,6", EMPTY_SHEET, 0),
}


@pytest.mark.parametrize("case", SCORED)
def test_scored_turn(rules: Rules, case: str) -> None:
    board, hand, placed, laid, expected, total = SCORED[case]
    state = rules.parse(position(board, hand, placed=placed), seed=3)
    state = lay(state, laid)
    assert state.current_player == 1
    assert sheet(state) == expected
    assert sheet(state, 1) == EMPTY_SHEET
    assert list(state.scores()) == [total, 0]
    assert tiles_of(state) == {cell: v for v, cell in map(tile, f"{board} {laid}".split())}
    assert field(state, 3) == "-"
    assert_running(state, 1)


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_the_seat_that_laid_the_tiles_scores(rules: Rules, seat: int) -> None:
    sheets = ["1:1:2:4", "2:3:-:8,4", "0:-:-:4", EMPTY_SHEET]
    hand = ["-"] * 4
    hand[seat] = "6"
    text = position(
        "6@7,7 6@7,8", "/".join(hand), seat, placed="7,7 7,8", sheets="/".join(sheets), players=4
    )
    state = lay(rules.parse(text, players=4, seed=0), "6@6,8")
    expected = ["2:1:2:4,8", "3:3:-:8,4,8", "1:-:-:4,8", "1:-:-:8"]
    assert [sheet(state, other) for other in range(4)] == [
        expected[other] if other == seat else sheets[other] for other in range(4)
    ]
    assert state.current_player == (seat + 1) % 4
