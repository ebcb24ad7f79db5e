"""End, scores and returns of Tzaar, in the rules and in their reference."""

import pytest
from games.tzaar.texts import (
    TYPES,
    Z8,
    assert_running,
    assert_won,
    names,
    play,
    position,
)
from implementations import Rules

# --- Section 4: end of the game ------------------------------------------------------------------


def test_decisive_opening_capture(rules: Rules) -> None:
    state = rules.parse(position("A1Z1 A3R1 I2T1", "A5R1 F1T1 H1Z1", phase="open"))
    state = play(state, "A3xA5")
    assert str(state) == position("A1Z1 A5R1 I2T1", "F1T1 H1Z1", "b", "1")
    assert_won(state, 0)


def test_opening_without_a_capture_is_lost(rules: Rules) -> None:
    state = rules.parse(position("A1Z1 A2R1 A3T1", "I1R1 I2T2 D4Z2", phase="open"))
    assert_won(state, 1)


def test_white_without_a_capture_loses(rules: Rules) -> None:
    black, moved = "A1Z1 A2R1 H6T2", "A1Z1 A2R1 H6T2"
    white = "I5Z1 I1R1 I3T1"
    state = rules.parse(position(white, black, "b", "2"))
    assert_running(state, 1)
    state = play(state, "pass")
    assert str(state) == position(white, moved, "w", "1")
    assert_won(state, 1)


def test_action_2_without_a_capture_goes_on(rules: Rules) -> None:
    state = rules.parse(Z8.replace(" b 1 ", " b 2 "))
    assert_running(state, 1)
    assert {name for name in names(state) if "x" in name} == set()
    assert "pass" in names(state)


@pytest.mark.parametrize("phase", ["1", "2"])
@pytest.mark.parametrize("side", ["w", "b"])
@pytest.mark.parametrize("missing", TYPES)
def test_a_colour_that_lacks_a_type_has_lost(
    rules: Rules, missing: str, side: str, phase: str
) -> None:
    full = {"Z": "Z1", "R": "R1", "T": "T1"}
    complete = " ".join(f"A{n}{full[piece]}" for n, piece in enumerate(TYPES, start=1))
    others = [piece for piece in TYPES if piece != missing]
    lacking = " ".join(f"B{n}{full[piece]}" for n, piece in enumerate(others, start=1))
    assert_won(rules.parse(position(complete, lacking, side, phase)), 0)
    assert_won(rules.parse(position(lacking, complete, side, phase)), 1)


def test_a_colour_without_stacks_has_lost(rules: Rules) -> None:
    assert_won(rules.parse(position("A1Z1 A2R1 A3T1", "", "b", "1")), 0)
    assert_won(rules.parse(position("", "A1Z1 A2R1 A3T1", "w", "open")), 1)


def test_placement_is_never_over(rules: Rules) -> None:
    state = rules.parse(position("A1Z1", "I1Z1", "w", "place", "5.9.15/5.9.15"), setup="tournament")
    assert_running(state, 0)
