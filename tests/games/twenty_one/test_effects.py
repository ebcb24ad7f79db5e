"""The effects of the actions of Twenty One, in the rules and in their reference."""

from __future__ import annotations

from itertools import product

import pytest
from games.twenty_one.texts import (
    FREE_ROW,
    KEEP,
    STRUCK_ROW,
    TABLE,
    actions,
    assert_refused,
    assert_running,
    dice,
    in_row,
    play,
    position,
    rows_after,
    scores,
    sheets_of,
    subsets,
)
from implementations import Position, Rules

# --- Section 3.2: filling, and sections 3.5 and 6 ------------------------------------------------


def assert_fills(
    rules: Rules, listed: str, rolled: str, legal: list[int], after: dict[int, str]
) -> Position:
    """Check the legal fillings of seat 0, and its current row after some of them."""
    other = "E:" if listed[0] != "E" else "D:"
    state = rules.parse(position(listed, other, rolled=rolled))
    assert_running(state, 0)
    assert actions(state) == legal
    for action in {*range(-1, 67)} - {*legal}:
        assert_refused(state, action)
    number = next(n for n, row in enumerate(sheets_of(str(state))[0][1]) if "." in row)
    for action, marks in after.items():
        rows = rows_after(state, 0, action, 0)
        assert rows[number] == marks
        assert rows[number + 1 :] == [FREE_ROW] * (4 - number)
    return state


ROLL_3 = dice("Y3 B6 W4 G1 K5 R2")


@pytest.mark.parametrize(
    ("listed", "rolled", "legal", "after"),
    [
        pytest.param(
            "A:",
            ROLL_3,
            [0, 1, 4, 5, 8, 9, 12, 13],
            {0: "x.....", 1: "3.....", 5: "3.4...", 8: "...1..", 13: "3.41.."},
            id="3",
        ),
        pytest.param(
            "B:",
            ROLL_3,
            [0, 1, 2, 3, 16, 17, 18, 19],
            {0: "x.....", 1: "2.....", 3: "23....", 16: "....1.", 19: "23..1."},
            id="4",
        ),
        pytest.param("A:1.11..", dice("Y1 B6 W1 G1 K3 R2"), [0], {0: "1x11.."}, id="5"),
        pytest.param("A:x.43..", "161132", [0], {0: "xx43.."}, id="5-struck"),
        *(
            pytest.param(
                "A:1.11..",
                dice("B5 K6 R1", others),
                [0, 2, 32, 34],
                {0: "1x11..", 2: "1511..", 32: "1.11.1", 34: "1511.1"},
                id=f"6-others-{others}",
            )
            for others in range(1, 7)
        ),
        pytest.param(
            in_row("A", 2),
            dice("Y3 B5 W3 G5 K1 R4"),
            subsets(47),
            {0: "x.....", 47: "5543.1", 32: ".....1"},
            id="7",
        ),
        pytest.param(
            "C:",
            dice("K1 R6 Y6 B6 W6 G6"),
            [0, 1],
            {0: "x.....", 1: "1....."},
            id="13",
        ),
        pytest.param(
            in_row("F", 5, "x..1.."),
            dice("Y4 B2 W1 G1 K2 R6"),
            [0, 2, 16, 18],
            {0: "xx.1..", 2: "x4.1..", 16: "x..12.", 18: "x4.12."},
            id="18",
        ),
        pytest.param("A:", "111111", list(range(64)), {63: "111111", 62: ".11111"}, id="all ones"),
        pytest.param("A:", "666666", [0, 1], {0: "x.....", 1: "6....."}, id="all sixes"),
    ],
)
def test_fillings(
    rules: Rules, listed: str, rolled: str, legal: list[int], after: dict[int, str]
) -> None:
    assert_fills(rules, listed, rolled, legal, after)


@pytest.mark.parametrize("number", range(1, 6))
@pytest.mark.parametrize("letter", "AD")
def test_die_fits_if_smaller_or_equal(rules: Rules, letter: str, number: int) -> None:
    """Only the die of the field's own colour counts, whatever the others show."""
    for pos, value, others in product(range(6), range(1, 7), "16"):
        colour, printed = TABLE[letter][number - 1][pos]
        rolled = dice(f"{colour}{value}", int(others))
        state = rules.parse(position(in_row(letter, number), "B:", rolled=rolled))
        assert (1 << pos in actions(state)) == (value <= int(printed))


def test_6_names_of_the_actions(rules: Rules) -> None:
    state = rules.parse(position("A:1.11..", "B:", rolled=dice("B5 K6 R1")))
    names = [state.action_name(action) for action in actions(state)]
    assert names == ["strike", "enter B", "enter R", "enter BR"]
    assert [state.parse_action(name) for name in names] == [0, 2, 32, 34]


def test_7_five_hits(rules: Rules) -> None:
    listed = position(in_row("A", 2), "B:", rolled=dice("Y3 B5 W3 G5 K1 R4"))
    state = rules.parse(listed)
    assert len(actions(state)) == 32
    # With the sixth field struck the row has five hits: 5 + 5 + 4 + 3 + 1 + 15.
    state = play(state, 47, 0, KEEP, 0, 0)
    assert sheets_of(str(state))[0][1][1] == "5543x1"
    assert scores(state) == [33.0, 0.0]


def test_11_six_strikes_in_a_row(rules: Rules) -> None:
    state = rules.initial(seed=2)
    for struck in range(1, 7):
        state = play(state, KEEP, 0, 0)
        assert sheets_of(str(state)) == [
            (letter, ["x" * struck + "." * (6 - struck), *[FREE_ROW] * 4]) for letter in "AB"
        ]
    assert scores(state) == [0.0, 0.0]
    state = play(state, KEEP, 0, 0)
    assert sheets_of(str(state))[0] == ("A", [STRUCK_ROW, "x.....", *[FREE_ROW] * 3])


def test_12_rest_of_the_roll_is_lost(rules: Rules) -> None:
    rolled = dice("Y3 B5 W2 G5 K1 R1")
    state = assert_fills(rules, "A:65432.", rolled, [0, 32], {0: "65432x", 32: "654321"})
    assert rows_after(state, 0, 32, 0) == ["654321", *[FREE_ROW] * 4]
    # The next row starts with the next roll.
    state = play(state, 32)
    state.apply(0, [6, 5, 6, 5, 6, 6])
    assert_running(state, 1)
    state = play(state, KEEP, 0)
    assert state.current_player == 0
    assert actions(state) == [0, 1, 2, 3]
    assert [state.action_name(action) for action in (1, 2, 3)] == ["enter B", "enter G", "enter BG"]


def test_13_one_without_a_hit(rules: Rules) -> None:
    state = rules.parse(position("C:", "E:", rolled=dice("K1")))
    row = rows_after(state, 0, 1, 0)[0]
    assert row == "1....."
    # Completed with strikes only, the row is worth the 1 alone.
    state = rules.parse(position("C:1xxxx.", "E:", rolled=dice("K1")))
    assert scores(play(state, 0, 0)) == [1.0, 0.0]


def test_17_simultaneity(rules: Rules) -> None:
    sheets = ("A:65....", "B:......", "C:x.....")
    rolled = dice("Y4 B4 W1 G2 K2 R1")
    state = rules.parse(position(*sheets, rolled=rolled, phase="roll", active=1), players=3)
    assert_running(state, 1)
    state.apply(KEEP)
    assert_running(state, 1)
    assert actions(state) == subsets(0b010111 | 0b001000)
    for action, decides, choices in ((0b000001, 2, "-/1/-"), (0b000010, 0, "-/1/2")):
        state.apply(action)
        assert str(state) == position(
            *sheets, rolled=rolled, active=1, decides=decides, choices=choices
        )
        assert_running(state, decides)
        assert scores(state) == [0.0] * 3
    state.apply(0b100100, [1, 2, 3, 4, 5, 6])
    after = ("A:651..1", "B:1.....", "C:x1....")
    assert str(state) == position(*after, rolled="123456", phase="roll", active=2)
    assert_running(state, 2)


SEEN = position("A:", "B:", "C:", rolled=dice("", 1), active=1)


def test_17_choices_of_others_are_withheld() -> None:
    """The same to the eye of seat 0, whatever seats 1 and 2 have chosen; they know their own."""
    import tzaar_envs

    game = tzaar_envs.load_game("twenty_one", players=3)
    hidden = []
    for first, second in ((0, 0), (1, 0), (0, 63), (5, 40)):
        state = game.parse(SEEN)
        state.apply(first)
        state.apply(second)
        assert state.current_player == 0
        hidden.append([state.observation(seat).tobytes() for seat in range(3)])
    assert len({seats[0] for seats in hidden}) == 1
    assert len({seats[1] for seats in hidden}) == 3
    assert len({seats[2] for seats in hidden}) == 3


@pytest.mark.parametrize("players", range(2, 7))
def test_order_of_decisions(rules: Rules, players: int) -> None:
    """6.4 and 9: the active seat twice, then the next ones in turn order; then the next turn."""
    state = rules.initial(seed=7, players=players)
    for turn in range(players + 1):
        active = turn % players
        order = [active, *((active + step) % players for step in range(players))]
        for number, seat in enumerate(order):
            assert_running(state, seat)
            assert str(state).split(" ")[:3] == ["fill" if number else "roll", *f"{active}{seat}"]
            state.apply(0 if number else KEEP)
