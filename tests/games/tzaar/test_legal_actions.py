"""The legal actions of Tzaar, in the rules and in their reference."""

import pytest
from games.tzaar.texts import (
    FIXED_BOARD,
    PASS,
    Z8,
    actions,
    assert_running,
    assert_won,
    listed,
    names,
    play,
    position,
    side_and_phase,
)
from implementations import Rules

# --- Section 6: worked positions -----------------------------------------------------------------


def test_z1_opening_of_the_fixed_setup(rules: Rules) -> None:
    state = rules.initial(setup="fixed")
    legal = names(state)
    assert len(legal) == len(set(legal)) == len(actions(state)) == 42
    assert {name[2] for name in legal} == {"x"}
    assert {"A5xA4", "E4xD4", "E4xF4", "D5xE6", "F5xE6"} <= set(legal)
    assert "E4xE6" not in legal
    assert PASS not in actions(state)
    with pytest.raises(ValueError, match=r"."):
        state.apply(state.parse_action("E4xE6"))
    for name in legal:
        after = play(state, name)
        assert side_and_phase(after) == "b 1"
        assert_running(after, 1)


@pytest.mark.parametrize(
    ("side", "expected"), [("w", "D4xE4 E6xF5"), ("b", "E4xD4 F5xE6")], ids=["white", "black"]
)
def test_z2_nothing_crosses_the_hole(rules: Rules, side: str, expected: str) -> None:
    state = rules.parse(position("D4Z1 D5R1 E6T1", "F5Z1 F4R1 E4T1", side))
    assert names(state) == listed(expected)


@pytest.mark.parametrize(
    ("side", "expected"),
    [("w", "A2xA4 C4xA4 C4xC7 C4xG6"), ("b", "A4xA2 C1xC4 C1xI3 C7xC4 C7xI3")],
    ids=["white", "black"],
)
def test_z3_height_and_sliding(rules: Rules, side: str, expected: str) -> None:
    state = rules.parse(position("C4T2 A2Z1 I3R1", "C7R2 C1Z3 G6T1 A4T1", side))
    assert names(state) == listed(expected)


Z4 = position("B2Z1 B4Z1 D2R1 G3T2 H5T1", "B5T1 D6R1 G6Z1 I2T1")


def test_z4_action_1_is_a_capture(rules: Rules) -> None:
    state = rules.parse(Z4)
    assert names(state) == listed("B4xB5 B4xD6 D2xD6 G3xG6 H5xG6")
    for refused in ("B2+B4", "B2+D2", "G3+D2", "pass"):
        with pytest.raises(ValueError, match=r"."):
            state.apply(state.parse_action(refused))
    assert str(state) == Z4


def test_z5_action_2_captures_stacks_or_passes(rules: Rules) -> None:
    state = play(rules.parse(Z4), "B4xB5")
    assert str(state) == position("B2Z1 B5Z1 D2R1 G3T2 H5T1", "D6R1 G6Z1 I2T1", "w", "2")
    assert_running(state, 0)
    stacks = "B2+B5 B2+D2 B5+B2 D2+B2 D2+G3 G3+D2"
    assert names(state) == listed(f"D2xD6 G3xG6 H5xG6 {stacks} pass")
    assert actions(state)[-1] == PASS


@pytest.mark.parametrize(
    ("name", "white", "black"),
    [
        ("pass", "B2Z1 B5Z1 D2R1 G3T2 H5T1", "D6R1 G6Z1 I2T1"),
        ("D2+G3", "B2Z1 B5Z1 G3R3 H5T1", "D6R1 G6Z1 I2T1"),
        ("G3+D2", "B2Z1 B5Z1 D2T3 H5T1", "D6R1 G6Z1 I2T1"),
        ("B2+B5", "B5Z2 D2R1 G3T2 H5T1", "D6R1 G6Z1 I2T1"),
        ("B2+D2", "B5Z1 D2Z2 G3T2 H5T1", "D6R1 G6Z1 I2T1"),
        ("G3xG6", "B2Z1 B5Z1 D2R1 G6T2 H5T1", "D6R1 I2T1"),
        ("D2xD6", "B2Z1 B5Z1 D6R1 G3T2 H5T1", "G6Z1 I2T1"),
    ],
)
def test_z5_what_action_2_does(rules: Rules, name: str, white: str, black: str) -> None:
    state = play(rules.parse(Z4), "B4xB5", name)
    assert str(state) == position(white, black, "b", "1")


def test_z6_win_by_action_1(rules: Rules) -> None:
    state = rules.parse(position("C2Z1 C4T1 F3R1", "C6T1 F6Z1 H2R1 A1T1"))
    assert names(state) == listed("C4xC6 C4xF6 F3xF6")
    for name, white in (("C4xF6", "C2Z1 F6T1 F3R1"), ("F3xF6", "C2Z1 C4T1 F6R1")):
        after = play(state, name)
        assert_won(after, 0)
        assert str(after) == position(white, "C6T1 H2R1 A1T1", "w", "2")
    after = play(state, "C4xC6")
    assert_running(after, 0)
    assert side_and_phase(after) == "w 2"


def test_z7_covering_the_last_own_piece_loses(rules: Rules) -> None:
    black = "A1T1 F6Z1 F8Z1 H2R1"
    state = rules.parse(position("C2Z1 C6T1 F3R1", black, phase="2"))
    assert names(state) == listed("C6xF8 F3xF6 C2+C6 C6+C2 pass")
    for name, white in (("C6+C2", "C2T2 F3R1"), ("C2+C6", "C6Z2 F3R1")):
        after = play(state, name)
        assert_won(after, 1)
        assert str(after) == position(white, black, "b", "1")


def test_z8_side_to_act_without_a_capture_loses(rules: Rules) -> None:
    assert_won(rules.parse(Z8), 0)


def test_z9_winning_pass(rules: Rules) -> None:
    state = rules.parse(position("B4T2 I5Z1 I1R1", "A1T1 B1R1 A2Z1 B2T1"))
    assert names(state) == ["B4xB2"]
    state = play(state, "B4xB2")
    assert names(state) == listed("B2xA1 B2xA2 B2xB1 I1+I5 I5+I1 pass")
    assert_running(state, 0)
    assert str(play(state, "pass")) == Z8
    for name in ("pass", "B2xA1", "B2xA2", "B2xB1"):
        assert_won(play(state, name), 0)
    for name in ("I1+I5", "I5+I1"):
        assert_won(play(state, name), 1)


def test_z10_own_loss_comes_first(rules: Rules) -> None:
    state = rules.parse(position("B2T2 C3Z1 I1R1", "A1T1 B1R1 A2Z1", phase="2"))
    assert names(state) == listed("B2xA1 B2xA2 B2xB1 B2+C3 C3+B2 pass")
    for name, white in (("B2+C3", "C3T3 I1R1"), ("C3+B2", "B2Z3 I1R1")):
        after = play(state, name)
        assert str(after) == position(white, "A1T1 B1R1 A2Z1", "b", "1")
        assert_won(after, 1)


def test_z11_only_the_top_counts(rules: Rules) -> None:
    state = rules.parse(position("D2R3 F2Z1 G7T1", "D5R3 H1Z1 G4T1 B1T1"))
    assert names(state) == listed("D2xD5 G7xG4")
    assert_won(play(state, "D2xD5"), 0)
    assert_running(play(state, "G7xG4"), 0)


def test_z12_same_stack_twice(rules: Rules) -> None:
    state = rules.parse(position("E1R1 A5Z1 I1T1", "E2T1 E3T1 C1Z1 H6R1"))
    assert names(state) == listed("E1xC1 E1xE2")
    assert_won(play(state, "E1xC1"), 0)
    state = play(state, "E1xE2")
    assert names(state) == listed("E2xE3 pass")
    assert_won(play(state, "E2xE3"), 0)
    state = play(state, "pass")
    assert side_and_phase(state) == "b 1"


def test_z13_all_six_lines(rules: Rules) -> None:
    state = rules.parse(position("G4T1 A5Z1 I1R1", "G7Z1 I5T1 I4R1 G1T1 C2R1 D6T1"))
    assert names(state) == listed("G4xG7 G4xI4 G4xG1 G4xC2 G4xD6 I1xG1 I1xI4")


@pytest.mark.parametrize("seed", range(3))
def test_z14_opening_turn_is_one_capture(rules: Rules, seed: int) -> None:
    state = rules.initial(seed=seed)
    assert {name[2] for name in names(state)} == {"x"}
    for action in actions(state):
        after = state.clone()
        after.apply(action)
        assert after.current_player == 1
        assert side_and_phase(after) == "b 1"
        assert {name[2] for name in names(after)} == {"x"}


@pytest.mark.parametrize(
    "text",
    [f"{FIXED_BOARD} w open -", f"{FIXED_BOARD} b 1 -", f"{FIXED_BOARD} w 1 -", Z4],
    ids=["open", "full-black", "full-white", "z4"],
)
def test_z15_no_pass_in_action_1(rules: Rules, text: str) -> None:
    state = rules.parse(text)
    assert PASS not in actions(state)
    with pytest.raises(ValueError, match=r"."):
        state.apply(PASS)
    with pytest.raises(ValueError, match=r"."):
        state.apply(state.parse_action("pass"))
    assert str(state) == text


# --- Section 3: who may go where -----------------------------------------------------------------


def test_higher_stack_shields_what_lies_behind_it(rules: Rules) -> None:
    state = rules.parse(position("A1Z1 I1R1 I2T1", "A3Z2 A5R1 F1T1"))
    assert "A1xA3" not in names(state)
    assert "A1xA5" not in names(state)


def test_own_stack_shields_what_lies_behind_it(rules: Rules) -> None:
    state = rules.parse(position("A1Z1 A3R1 I2T1", "A5R1 F1T1 H1Z1"))
    assert "A3xA5" in names(state)
    assert "A1xA5" not in names(state)


@pytest.mark.parametrize(("height", "captured"), [(1, False), (2, False), (3, True), (4, True)])
def test_captures_need_at_least_the_height_of_the_target(
    rules: Rules, height: int, captured: bool
) -> None:
    white = f"A1Z{height} I1R1 I2T1"
    state = rules.parse(position(white, "A5T3 H5Z1 I4R1"))
    assert ("A1xA5" in names(state)) == captured
    assert "I2xI4" in names(state)


def test_low_stack_may_go_on_a_high_one(rules: Rules) -> None:
    white, black = "A1T1 A5Z9 I1R1 I2T1 C1Z1", "E9T1 G1Z1 H6R1"
    state = play(rules.parse(position(white, black, phase="2")), "A1+A5")
    assert str(state) == position("A5T10 I1R1 I2T1 C1Z1", black, "b", "1")
