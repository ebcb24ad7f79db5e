"""End, scores and returns of Zatre, in the rules and in their reference."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from games.zatre.texts import (
    CORNER,
    EMPTY_SHEET,
    assert_over,
    assert_running,
    hands,
    lay,
    position,
    rest_of,
    sheet,
    value_of_sheet,
)
from implementations import Rules


@pytest.mark.parametrize(
    ("sheet_text", "total"),
    [
        (EMPTY_SHEET, 0),
        ("7:-:-:-", 0),  # crosses alone
        ("0:1:-:-", 1),
        ("0:-:2:-", 2),
        ("0:-:-:4", 4),
        ("0:1:2:-", 3),
        ("0:1:-:4", 5),
        ("0:-:2:4", 6),
        ("0:1:2:4", 10),
        ("1:1:2:4", 20),
        ("1:1:2:-", 6),
        ("1:3:-:-", 6),
        ("2:1:2:4", 20),
        ("1:1,1:2,2:4,4", 30),
        ("2:1,1:2,2:4,4", 40),
        ("0:1,1,1,1,1,1,1:-:4,4,4", 19),  # seven entries in one column, three in another
        ("0:1,1,1,1,1,1,1:2:4,4,4", 24),
        ("1:12:22:48", 170),
    ],
)
def test_total_of_a_sheet(rules: Rules, sheet_text: str, total: int) -> None:
    assert value_of_sheet(sheet_text) == total
    for seat in (0, "-"):
        own = rules.parse(
            position(
                "5@7,7", "-" if seat == "-" else "5", seat, sheets=f"{sheet_text}/{EMPTY_SHEET}"
            )
        )
        assert list(own.scores()) == [total, 0]
        other = rules.parse(
            position(
                "5@7,7", "-" if seat == "-" else "5", seat, sheets=f"{EMPTY_SHEET}/{sheet_text}"
            )
        )
        assert list(other.scores()) == [0, total]


@pytest.mark.parametrize(
    ("row", "bonus"),
    [(1, 3), (4, 3), (5, 4), (8, 4), (9, 5), (12, 5), (13, 6), (16, 6), (17, 6), (20, 6), (40, 6)],
)
def test_bonus_of_a_row(rules: Rules, row: int, bonus: int) -> None:
    """A row is completed by its entry 11, whose 2 points come with the bonus."""
    tens, twelves = ",".join(["1"] * row), ",".join(["4"] * row)
    elevens = ",".join(["2"] * (row - 1)) or "-"
    before = list(
        rules.parse(
            position("", "", "-", sheets=f"0:{tens}:{elevens}:{twelves}/{EMPTY_SHEET}")
        ).scores()
    )
    for crosses, factor in ((0, 1), (row, 2)):
        text = f"{crosses}:{tens}:{','.join(['2'] * row)}:{twelves}"
        after = rules.parse(position("", "", "-", sheets=f"{text}/{EMPTY_SHEET}"))
        assert list(after.scores()) == [factor * (before[0] + 2 + bonus), 0]


# What a turn brings, as (board, tiles that seat 0 lays); all of them fit on one board.
TURNS = {
    (0, 0, 0, 0): ("1@7,7", "1@7,8"),
    (1, 0, 0, 0): ("5@7,7", "5@7,8"),
    (0, 1, 0, 0): ("5@7,7", "6@7,8"),
    (0, 0, 1, 0): ("6@7,7", "6@7,8"),
    (1, 1, 0, 0): ("4@7,7 3@7,8 1@5,9 5@6,9", "4@7,9"),
    (1, 1, 1, 0): ("4@7,7 3@7,8 1@5,9 5@6,9 6@2,7", "4@7,9 6@2,6"),
    (0, 0, 2, 1): ("6@6,7 6@7,6", "6@6,6"),
    (0, 0, 2, 2): ("6@3,4 6@11,12", "6@3,3 6@11,11"),
    (2, 0, 1, 2): ("5@6,7 5@7,6 6@3,4", "5@6,6 6@3,3"),
}


def after_turns(rules: Rules, turns: Iterable[tuple[int, int, int, int]]) -> list[tuple[str, int]]:
    """Return the sheet and the total of seat 0 after each of its turns."""
    text, course = EMPTY_SHEET, []
    for turn in turns:
        board, laid = TURNS[turn]
        hand = "".join(sorted(text[0] for text in laid.split()))
        sheets = f"{text}/{EMPTY_SHEET}"
        state = lay(rules.parse(position(board, hand, sheets=sheets), seed=1), laid)
        assert sheet(state, 1) == EMPTY_SHEET
        text = sheet(state)
        total, other = state.scores()
        assert other == 0
        course.append((text, total))
    return course


def test_20_a_sheet_turn_by_turn(rules: Rules) -> None:
    turns = [
        (0, 0, 2, 1),
        (1, 0, 0, 0),
        (0, 1, 0, 0),
        (0, 0, 0, 0),
        (2, 0, 1, 2),
        (0, 1, 0, 0),
        (0, 0, 1, 0),
    ]
    assert after_turns(rules, turns) == [
        ("1:-:-:8", 16),
        ("1:1:-:8", 18),
        ("1:1:2:8", 28),
        ("1:1:2:8", 28),
        ("3:1,2:2:8,4", 40),
        ("3:1,2:2,2:8,4", 50),
        ("3:1,2:2,2:8,4,4", 58),
    ]
    kept = rules.parse(position("", "35/-", "-", sheets=f"3:1,2:2,2:8,4,4/{EMPTY_SHEET}"))
    assert list(kept.scores()) == [50, 0]


def test_21_seventeen_turns(rules: Rules) -> None:
    course = after_turns(rules, [(1, 1, 1, 0)] * 17)
    rows = [10] * 4 + [11] * 4 + [12] * 4 + [13] * 5
    assert [total for _, total in course] == list(itertools.accumulate(rows))
    assert course[-1] == (f"0:{'1,' * 16}1:{'2,' * 16}2:{'4,' * 16}4", 197)


def test_22_crosses_ahead_of_entries(rules: Rules) -> None:
    assert after_turns(rules, [(0, 0, 2, 2), (1, 1, 0, 0)]) == [("2:-:-:8", 16), ("2:1:2:8", 28)]


# --- Sections 3.1, 3.4 and 4: the last turn, the result ------------------------------------------


def test_fewer_tiles_in_the_bag_than_to_be_drawn(rules: Rules) -> None:
    """Seat 1 would draw two and gets the last one; that turn is played and scored in full."""
    board, others = "6@7,7", "6"
    rest = rest_of(board, others, "3")
    text = position(board, f"6/-/{rest}", players=3)
    state = rules.parse(text, players=3)
    state = lay(state, "6@7,8", outcome=(3,))
    assert_running(state, 1)
    assert hands(state) == ["-", "3", rest]
    assert list(state.scores()) == [4, 0, 0]
    over = lay(state, "3@6,7", outcome=())
    assert_over(over)
    assert list(over.scores()) == [4, 0, -sum(map(int, rest))]
    assert list(over.returns()) == [1, -0.5, -0.5]


def test_last_turn_goes_on_until_its_end(rules: Rules) -> None:
    """An empty bag means the last turn: two tiles can still be laid, both of them count."""
    rest = rest_of("4@7,7 3@6,7", "35")
    state = rules.parse(position("4@7,7 3@6,7", f"35/{rest}"))
    state = lay(state, "5@6,6", outcome=())
    assert_running(state, 0)
    state = lay(state, "3@6,5", outcome=())
    assert_over(state)
    assert sheet(state) == "1:-:2:-"
    assert list(state.scores()) == [4, -sum(map(int, rest))]
    assert list(state.returns()) == [1, -1]


def test_leftover_of_the_last_turn_is_deducted(rules: Rules) -> None:
    """Of {6,6} only one can be laid; the other one costs 6."""
    rest = rest_of(CORNER, "66")
    state = rules.parse(position(CORNER, f"66/{rest}"))
    assert list(state.scores()) == [0, 0]
    state = lay(state, "6@2,2", outcome=())
    assert_over(state)
    assert hands(state) == ["6", rest]
    assert list(state.scores()) == [16 - 6, -sum(map(int, rest))]


# Sheets and hands at the end, the scores and the returns.
RESULTS = {
    "23": (
        [
            "0:-:-:" + ",".join(["8"] * 15),
            "0:3:-:" + ",".join(["8"] * 16),
            "0:3:-:" + ",".join(["8"] * 16),
            "0:2:-:" + ",".join(["8"] * 11),
        ],
        ["-", "-", "-", "-"],
        [120, 131, 131, 90],
        [-1 / 2, 1 / 2, 1 / 2, -1 / 2],
    ),
    "tiles in hand decide": (
        ["0:-:-:8", "0:-:-:8"],
        ["-", "1"],
        [8, 7],
        [1, -1],
    ),
    "tiles in hand make a tie": (["0:-:-:8", "0:-:-:4"], ["4", "-"], [4, 4], [0, 0]),
    "negative": ([EMPTY_SHEET, EMPTY_SHEET], ["56", "46"], [-11, -10], [-1, 1]),
    "nothing at all": ([EMPTY_SHEET] * 3, ["-"] * 3, [0, 0, 0], [0, 0, 0]),
    "all four alike": (["0:-:-:4"] * 4, ["1"] * 4, [3] * 4, [0] * 4),
    "three of four": (
        ["0:-:-:4", "0:-:-:4", "0:-:2:-", "0:-:-:4"],
        ["-"] * 4,
        [4, 4, 2, 4],
        [1 / 3, 1 / 3, -1, 1 / 3],
    ),
    "one of four": (
        ["0:-:-:4", "0:1:-:-", "0:-:2:-", "0:1:-:-"],
        ["-"] * 4,
        [4, 1, 2, 1],
        [1, -1 / 3, -1 / 3, -1 / 3],
    ),
    "one of three": (
        ["0:1:-:-", "0:-:2:-", "0:-:-:4"],
        ["-", "-", "-"],
        [1, 2, 4],
        [-1 / 2, -1 / 2, 1],
    ),
    "two of three": (["0:-:-:4"] * 3, ["-", "3", "-"], [4, 1, 4], [1 / 2, -1, 1 / 2]),
}


@pytest.mark.parametrize("case", RESULTS)
def test_result(rules: Rules, case: str) -> None:
    sheets, kept, scores, returns = RESULTS[case]
    players = len(sheets)
    text = position("", "/".join(kept), "-", sheets="/".join(sheets), players=players)
    state = rules.parse(text, players=players)
    assert str(state) == text
    assert_over(state)
    assert list(state.scores()) == scores
    assert list(state.returns()) == pytest.approx(returns)
    assert sum(state.returns()) == pytest.approx(0)


def test_tiles_in_hand_cost_nothing_while_the_game_runs(rules: Rules) -> None:
    state = rules.parse(position("5@7,7", "56/34", sheets="1:-:-:8/0:1:-:-"))
    assert list(state.scores()) == [16, 1]
    assert list(state.returns()) == [0, 0]
