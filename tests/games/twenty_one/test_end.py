"""End, scores and returns of Twenty One, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.twenty_one.texts import (
    COLOURS,
    FREE_ROW,
    KEEP,
    LETTERS,
    STRUCK_ROW,
    TABLE,
    assert_over,
    assert_running,
    dice,
    in_row,
    play,
    position,
    returns,
    scores,
    sheets_of,
)
from implementations import Rules

# --- Section 3.3: scoring a row ------------------------------------------------------------------


ROW_SCORES = [
    (1, "652311", 28),  # worked position 8
    (1, "x4422x", 15),  # worked position 9
    (1, "654321", 42),  # worked position 10
    (2, "554321", 41),
    (3, "544321", 40),
    (4, "543321", 39),
    (5, "543221", 38),  # worked position 10
    (1, "xxxxxx", 0),  # worked position 11
    (1, "111111", 7),  # section 3.2: a 1 on a printed 1 is a hit, elsewhere it is none
    (1, "11111x", 5),
    (1, "543211", 17),
    (1, "54321x", 15),
    (1, "6xxxxx", 7),
    (1, "65xxxx", 14),
    (1, "654xxx", 21),
    (1, "6543xx", 28),
    (1, "65432x", 35),
    (4, "4x3x2x", 9 + 3),
    (5, "x4x2x1", 7 + 6),
]


@pytest.mark.parametrize(("number", "marks", "score"), ROW_SCORES)
@pytest.mark.parametrize("letter", "AE")
def test_row_score(rules: Rules, letter: str, number: int, marks: str, score: int) -> None:
    if number < 5:
        state = rules.parse(position("B:", in_row(letter, number, marks), phase="roll"))
        assert_running(state, 0)
    else:
        state = rules.parse(position("B:", in_row(letter, number, marks), phase="over"))
    assert scores(state) == [0.0, score]


@pytest.mark.parametrize("pos", range(6))
def test_a_hit_is_the_printed_value(rules: Rules, pos: int) -> None:
    for value in range(1, 7 - pos):
        marks = "x" * pos + str(value) + "x" * (5 - pos)
        state = rules.parse(position(f"A:{marks}", "B:", phase="roll"))
        assert scores(state) == [value + (value == 6 - pos), 0.0]


def test_running_scores_leave_out_incomplete_rows_and_choices(rules: Rules) -> None:
    sheets = ("A:654321,5543..", "B:65432.")
    state = rules.parse(position(*sheets, rolled=dice("", 1)))
    assert scores(state) == [42.0, 0.0]
    state.apply(0b110000)
    assert scores(state) == [42.0, 0.0]
    state.apply(32)
    # The row of seat 0 holds 5 5 4 3 1 1 with five hits, that of seat 1 six hits.
    assert scores(state) == [42.0 + 19 + 15, 42.0]


def test_8_and_9_rows_are_scored_when_they_are_filled(rules: Rules) -> None:
    # Sheet A: Y6 B5 W4 G3 K2 R1; sheet B: R6 Y5 B4 W3 G2 K1.
    state = rules.parse(position("A:65.3.1", "B:x44.2.", rolled="662611"))
    state = play(state, 0b010100, 0b101000)
    rows = [rows[0] for _, rows in sheets_of(str(state))]
    assert rows == ["652311", "x44221"]
    assert scores(state) == [28.0, 13.0 + 6]


def test_10_best_possible_game(rules: Rules) -> None:
    """Dice that hit all six fields of sheet A in each turn: 200 points in five turns."""
    rolls = [
        [next(int(f[1]) for f in row if f[0] == colour) for colour in COLOURS] for row in TABLE["A"]
    ]
    state = rules.initial(outcome=rolls[0])
    totals = [42, 83, 123, 162, 200]
    for turn, total in enumerate(totals):
        state.apply(KEEP)
        for _ in range(2):
            action = 63 if state.current_player == 0 else 0
            last = state.current_player == (turn + 1) % 2
            state.apply(action, rolls[turn + 1] if last and turn < 4 else None)
        assert scores(state)[0] == total
    assert sheets_of(str(state)) == [
        ("A", ["654321", "554321", "544321", "543321", "543221"]),
        ("B", ["xxxxx.", *[FREE_ROW] * 4]),
    ]
    assert_over(state, [200, 0], [1, -1])


# --- Section 4: end and result -------------------------------------------------------------------


ROWS_65 = "65321x,5532xx,433211,43221x"  # 20 + 18 + 15 + 12
ROWS_64 = "15432x,114321,221321"  # 25 + 22 + 17


@pytest.mark.parametrize(
    ("rows", "each"), [(ROWS_65, [20, 18, 15, 12]), (ROWS_64, [25, 22, 17])], ids=["65", "64"]
)
def test_14_rows_have_the_scores_of_the_document(rules: Rules, rows: str, each: list[int]) -> None:
    listed = rows.split(",")
    for count in range(1, len(each) + 1):
        state = rules.parse(position(f"A:{','.join(listed[:count])}", "B:", phase="roll"))
        assert scores(state) == [sum(each[:count]), 0.0]


@pytest.mark.parametrize("first", [".", "x"])
@pytest.mark.parametrize("active", [0, 1])
def test_14_end_of_the_game(rules: Rules, active: int, first: str) -> None:
    """The unfinished row counts as it stands; others fill too if the active player ends it."""
    sheets = (f"A:{ROWS_65},x32.11", f"B:{ROWS_64},{first}4....")
    rolled = dice("R1 Y2")
    state = rules.parse(position(*sheets, rolled=rolled, active=active))
    assert scores(state) == [65.0, 64.0]
    fillings = {0: 0b001000, 1: 0b000100}
    for seat in (active, 1 - active):
        assert_running(state, seat)
        state.apply(fillings[seat])
    after = (f"A:{ROWS_65},x32111", f"B:{ROWS_64},{first}42...")
    assert str(state) == position(*after, rolled=rolled, phase="over", active=active)
    assert_over(state, [74, 71], [1, -1])


def test_15_both_complete_row_5(rules: Rules) -> None:
    sheets = [f"{letter}:{ROWS_65},5421x" for letter in "AB"]
    state = rules.parse(position(*(f"{text}." for text in sheets)))
    assert scores(state) == [65.0, 65.0]
    state = play(state, 0, 0)
    assert str(state) == position(*(f"{text}x" for text in sheets), phase="over")
    assert_over(state, [80, 80], [0, 0])
    third = rules.parse(position(*(f"{text}." for text in sheets), "C:"), players=3)
    assert_over(play(third, 0, 0, 1), [80, 80, 7], [0.5, 0.5, -1])


def test_16_rows_not_begun(rules: Rules) -> None:
    finishing, third = in_row("A", 5, "54322."), "B:654321,554321,54432."
    state = rules.parse(position(finishing, third, rolled=dice("", 1)))
    state = play(state, 0, 32)
    assert sheets_of(str(state))[1][1][2:] == ["544321", FREE_ROW, FREE_ROW]
    assert_over(state, [16 + 15, 42 + 41 + 40], [-1, 1])


def test_18_unfinished_row_with_hits(rules: Rules) -> None:
    rolled = dice("Y4 B2 W1 G1 K2 R6")
    sheets = (in_row("F", 5, "x..1.."), in_row("A", 5, "11111."))
    state = rules.parse(position(*sheets, rolled=rolled))
    assert scores(state) == [0.0, 0.0]
    assert_over(play(state, 18, 0), [10, 5], [1, -1])
    assert_over(play(state, 0, 0), [1, 5], [-1, 1])


def test_players_may_be_in_different_rows(rules: Rules) -> None:
    """Section 4: the end depends only on the first completed row 5."""
    sheets = ("A:6.....", in_row("B", 4, "5433.."), in_row("C", 5, "5432.."))
    state = rules.parse(position(*sheets, rolled=dice("", 1)), players=3)
    running = play(state, 0, 0, 0)
    assert not running.is_terminal
    assert running.current_player == 1
    ended = play(state, 0, 0, 0b110000)
    # 6 and one hit; 5 4 3 3 and four hits; 5 4 3 2 1 1 and five hits.
    assert_over(ended, [7, 15 + 10, 16 + 15], [-0.5, -0.5, 1])


@pytest.mark.parametrize("finisher", [0, 1, 2])
@pytest.mark.parametrize("active", [0, 1, 2])
def test_all_fill_in_the_last_turn(rules: Rules, active: int, finisher: int) -> None:
    sheets = [
        in_row(letter, 5, "54322.") if seat == finisher else f"{letter}:6....."
        for seat, letter in enumerate("ABC")
    ]
    state = rules.parse(position(*sheets, active=active), players=3)
    for turn in range(3):
        assert_running(state, (active + turn) % 3)
        state.apply(0)
    assert state.is_terminal
    for seat, (_, rows) in enumerate(sheets_of(str(state))):
        assert "6x...." in rows if seat != finisher else rows[4] == "54322x"
    assert str(state).split(" ")[:3] == ["over", str(active), "-"]


def ended(totals: list[int]) -> str:
    """Return an ended game with totals of 0 or of 7 k."""
    hits = {0: STRUCK_ROW, 7: "6xxxxx", 14: "65xxxx", 21: "654xxx"}
    sheets = [
        f"{letter}:{hits[total]},{','.join([STRUCK_ROW] * 4)}"
        for letter, total in zip(LETTERS, totals, strict=False)
    ]
    return position(*sheets, phase="over")


@pytest.mark.parametrize(
    ("totals", "result"),
    [
        ([7, 0], [1, -1]),
        ([0, 7], [-1, 1]),
        ([7, 7], [0, 0]),
        ([0, 0], [0, 0]),
        ([7, 14, 0], [-1 / 2, 1, -1 / 2]),
        ([14, 14, 7], [1 / 2, 1 / 2, -1]),
        ([14, 14, 14], [0, 0, 0]),
        ([0, 7, 14, 14], [-1 / 2, -1 / 2, 1 / 2, 1 / 2]),
        ([0, 0, 0, 0, 7], [-1 / 4] * 4 + [1]),
        ([7, 7, 7, 7, 0, 7], [1 / 5] * 4 + [-1, 1 / 5]),
        ([7, 21, 14, 21, 0, 21], [-1 / 3, 1 / 3, -1 / 3, 1 / 3, -1 / 3, 1 / 3]),
        ([21] * 6, [0] * 6),
    ],
)
def test_result(rules: Rules, totals: list[int], result: list[float]) -> None:
    state = rules.parse(ended(totals), players=len(totals))
    assert_over(state, [float(total) for total in totals], result)
    assert sum(returns(state)) == pytest.approx(0)


def test_returns_are_zero_while_the_game_runs(rules: Rules) -> None:
    state = rules.parse(position("A:654321", "B:", phase="roll"))
    assert scores(state) == [42.0, 0.0]
    assert returns(state) == [0.0, 0.0]
