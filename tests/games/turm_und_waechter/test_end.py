"""End, scores and returns of Turm & Wächter, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.turm_und_waechter.texts import (
    BLUE_WINS,
    DRAWN,
    RED_WINS,
    SHUFFLE,
    START,
    assert_ongoing,
    assert_over,
    play,
)
from implementations import Rules

# Positions after a move that wins.
WINS = [
    pytest.param(
        "RG2r33/7/7/3BG3/7/7/7 r",
        "D7-D4-3",
        "RG6/7/7/3r33/7/7/7 b 1 1",
        RED_WINS,
        id="W7-tower-takes-guard",
    ),
    pytest.param(
        "RG2r33/3BG3/7/7/7/7/7 r",
        "D7-D6-1",
        "RG2r23/3r13/7/7/7/7/7 b 1 1",
        RED_WINS,
        id="part-of-a-tower-takes-guard",
    ),
    pytest.param(
        "3r2BG2/7/7/7/7/3b13/RG6 b",
        "E7-D7-1",
        "3BG3/7/7/7/7/3b13/RG6 r 1 1",
        BLUE_WINS,
        id="W10-castle-with-capture",
    ),
    pytest.param(
        "r76/7/7/7/7/3RG3/6BG r",
        "D2-D1-1",
        "r76/7/7/7/7/7/3RG2BG b 1 1",
        RED_WINS,
        id="W11-castle",
    ),
    pytest.param(
        "4r2b1BG/5r2b1/6r2/7/7/RG6/7 r",
        "A2-A1-1",
        "4r2b1BG/5r2b1/6r2/7/7/7/RG6 b 1 1",
        RED_WINS,
        id="W12-no-legal-move",
    ),
    pytest.param(
        "3RG3/3BG3/7/7/7/7/r16 r",
        "D7-D6-1",
        "7/3RG3/7/7/7/7/r16 b 1 1",
        RED_WINS,
        id="W15-guard-takes-guard",
    ),
    pytest.param(
        "3RG3/3BG3/7/7/7/7/r16 b",
        "D6-D7-1",
        "3BG3/7/7/7/7/7/r16 r 1 1",
        BLUE_WINS,
        id="W16-guard-takes-guard-on-castle",
    ),
]


@pytest.mark.parametrize(("position", "move", "after", "returns"), WINS)
def test_move_wins(
    rules: Rules, position: str, move: str, after: str, returns: list[float]
) -> None:
    state = rules.parse(position)
    assert_ongoing(state, seat=0 if position.endswith("r") else 1)
    play(state, move)
    assert str(state) == after
    assert_over(state, returns)


def test_w13_third_occurrence_draws(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r")
    play(state, SHUFFLE)
    assert str(state) == "RG6/7/7/7/7/7/6BG r 2 4"
    assert_ongoing(state, seat=0)
    for ply, move in enumerate(SHUFFLE.split()[:3], start=5):
        play(state, move)
        assert_ongoing(state, seat=ply % 2)
    play(state, SHUFFLE.split()[3])
    assert str(state) == "RG6/7/7/7/7/7/6BG r 3 8"
    assert_over(state, DRAWN)


def test_start_position_is_the_first_occurrence(rules: Rules) -> None:
    state = rules.initial()
    cycle = "D7-D6-1 D1-D2-1 D6-D7-1 D2-D1-1"
    play(state, cycle)
    assert str(state) == START.replace(" 1 0", " 2 4")
    assert_ongoing(state, seat=0)
    play(state, cycle)
    assert str(state) == START.replace(" 1 0", " 3 8")
    assert_over(state, DRAWN)


def test_occurrences_need_not_be_consecutive_or_cyclic(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r")
    play(state, SHUFFLE)
    play(state, "A7-B7-1 G1-F1-1 B7-B6-1 F1-F2-1 B6-A6-1 F2-F1-1 A6-A7-1")
    assert str(state) == "RG6/7/7/7/7/7/5BG1 b 1 11"
    assert_ongoing(state, seat=1)
    play(state, "F1-G1-1")
    assert str(state) == "RG6/7/7/7/7/7/6BG r 3 12"
    assert_over(state, DRAWN)


def test_side_to_move_belongs_to_the_position(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/r25BG r")
    # Red needs five moves to bring both stones back, so the same board has Blue to move.
    play(state, "A1-A3-2 G1-G2-1 A3-A2-1 G2-G1-1 A3-A2-1 G1-G2-1 A2-A1-1 G2-G1-1 A2-A1-1")
    assert str(state) == "RG6/7/7/7/7/7/r25BG b 1 9"
    assert_ongoing(state, seat=1)


def test_heights_belong_to_the_position(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/r2r14BG r")
    play(state, "A1-A3-2 G1-G2-1 A3-A2-1 G2-G1-1 A2-B2-1 G1-G2-1")
    play(state, "B2-B1-1 G2-G1-1 A3-A2-1 G1-G2-1 A2-A1-1 G2-G1-1")
    assert str(state) == "RG6/7/7/7/7/7/r1r24BG r 1 12"
    assert_ongoing(state, seat=0)


def test_parsed_position_begins_a_new_history(rules: Rules) -> None:
    played = rules.parse("RG6/7/7/7/7/7/6BG r")
    play(played, SHUFFLE)
    read = rules.parse(str(played))
    assert read == played
    assert hash(read) == hash(played)
    play(played, "A7-A6-1")
    play(read, "A7-A6-1")
    assert str(played) == "7/RG6/7/7/7/7/6BG b 2 5"
    assert str(read) == "7/RG6/7/7/7/7/6BG b 1 5"
    assert read != played
    play(read, "G1-G2-1 A6-A7-1 G2-G1-1")
    assert str(read) == "RG6/7/7/7/7/7/6BG r 3 8"
    assert_over(read, DRAWN)


def test_move_cap_truncates(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r 1 498")
    play(state, "A7-A6-1")
    assert str(state) == "7/RG6/7/7/7/7/6BG b 1 499"
    assert_ongoing(state, seat=1)
    play(state, "G1-G2-1")
    assert str(state) == "7/RG6/7/7/7/6BG/7 r 1 500"
    assert_over(state, DRAWN, truncated=True)


def test_second_occurrence_at_the_cap_is_a_truncation(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r 1 496")
    play(state, SHUFFLE)
    assert str(state) == "RG6/7/7/7/7/7/6BG r 2 500"
    assert_over(state, DRAWN, truncated=True)


def test_third_occurrence_at_the_cap_is_a_termination(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r 2 496")
    play(state, SHUFFLE)
    assert str(state) == "RG6/7/7/7/7/7/6BG r 3 500"
    assert_over(state, DRAWN)


@pytest.mark.parametrize(("position", "move", "after", "returns"), WINS)
def test_win_at_the_cap_is_a_win(
    rules: Rules, position: str, move: str, after: str, returns: list[float]
) -> None:
    state = rules.parse(f"{position} 1 499")
    play(state, move)
    assert str(state) == after.replace(" 1 1", " 1 500")
    assert_over(state, returns)


# Section 7.3: whether and how a position has ended follows from the four fields.


@pytest.mark.parametrize("counters", ["1 0", "2 7", "3 8", "1 500", "3 500"])
@pytest.mark.parametrize(
    ("position", "returns"),
    [
        pytest.param("RG6/7/7/3r33/7/7/7 b", RED_WINS, id="no-blue-guard"),
        pytest.param("RG6/7/7/3r33/7/7/7 r", RED_WINS, id="no-blue-guard-red-next"),
        pytest.param("BG6/7/7/3r33/7/7/7 r", BLUE_WINS, id="no-red-guard"),
        pytest.param("BG6/7/7/3r33/7/7/7 b", BLUE_WINS, id="no-red-guard-blue-next"),
        pytest.param("r76/7/7/7/7/7/3RG2BG b", RED_WINS, id="red-on-castle"),
        pytest.param("r76/7/7/7/7/7/3RG2BG r", RED_WINS, id="red-on-castle-red-next"),
        pytest.param("3BG3/7/7/7/7/3b13/RG6 r", BLUE_WINS, id="blue-on-castle"),
        pytest.param("3BG3/7/7/7/7/3b13/RG6 b", BLUE_WINS, id="blue-on-castle-blue-next"),
        pytest.param("4r2b1BG/5r2b1/6r2/7/7/7/RG6 b", RED_WINS, id="W12-blue-blocked"),
        pytest.param("BG6/7/7/7/6b2/5b2r1/4b2r1RG r", BLUE_WINS, id="red-blocked"),
        # The lost guard decides before the missing move does.
        pytest.param("4r2b1BG/5r2b1/6r2/7/7/7/7 b", BLUE_WINS, id="no-red-guard-blue-blocked"),
        pytest.param("7/7/7/7/6b2/5b2r1/4b2r1RG r", RED_WINS, id="no-blue-guard-red-blocked"),
    ],
)
def test_won_position_is_won_whatever_its_counters(
    rules: Rules, position: str, returns: list[float], counters: str
) -> None:
    text = f"{position} {counters}"
    state = rules.parse(text)
    assert str(state) == text
    assert_over(state, returns)


@pytest.mark.parametrize("position", ["4r2b1BG/5r2b1/6r2/7/7/7/RG6 r", "3RG3/7/7/7/7/7/3BG3 b"])
def test_position_that_only_looks_ended(rules: Rules, position: str) -> None:
    state = rules.parse(position)
    assert_ongoing(state, seat=0 if position.endswith("r") else 1)


@pytest.mark.parametrize("plies", [0, 8, 499, 500])
def test_parsed_third_occurrence_is_a_draw(rules: Rules, plies: int) -> None:
    assert_over(rules.parse(f"RG6/7/7/7/7/7/6BG r 3 {plies}"), DRAWN)


@pytest.mark.parametrize("occurrences", [1, 2])
def test_parsed_move_cap_is_a_truncation(rules: Rules, occurrences: int) -> None:
    state = rules.parse(f"RG6/7/7/7/7/7/6BG b {occurrences} 500")
    assert_over(state, DRAWN, truncated=True)
