"""Action numbers of Tzaar, in the rules and in their reference."""

import pytest
from games.tzaar.texts import (
    FIXED_BOARD,
    PASS,
    actions,
    assert_running,
)
from implementations import Rules

# --- Action numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "action"), [("D5xE6", 120), ("A5xA4", 279), ("I5xH6", 485), ("E4xD4", 5 * 81 + 31)]
)
@pytest.mark.parametrize("setup", ["random", "fixed", "tournament"])
def test_number_of_a_move(rules: Rules, setup: str, name: str, action: int) -> None:
    state = rules.parse(f"{FIXED_BOARD} w open -", setup=setup)
    assert state.parse_action(name) == action
    assert state.action_name(action) == name
    assert action in actions(state)


@pytest.mark.parametrize(
    ("name", "action"),
    [("Z@A1", 487), ("Z@E4", 518), ("R@E4", 518 + 81), ("T@I5", 729), ("T@E9", 729 - 4)],
)
def test_number_of_a_placement(rules: Rules, name: str, action: int) -> None:
    state = rules.initial(setup="tournament")
    assert state.parse_action(name) == action
    assert state.action_name(action) == name
    assert action in actions(state)


@pytest.mark.parametrize(
    "text", ["", "foo", "A5", "A5xA9", "A5xZ4", "a5xa4", "A5-A4", "A5xA4 ", "Pass", "Z@", "E5xE6"]
)
def test_unreadable_action_is_refused(rules: Rules, text: str) -> None:
    state = rules.initial(setup="fixed")
    with pytest.raises(ValueError, match=r"."):
        state.parse_action(text)


@pytest.mark.parametrize("action", [-1, PASS, 487, 730, 10**6, 4 * 9 + 4, 0, 3 * 81 + 0, 120 - 81])
def test_illegal_action_leaves_the_position_unchanged(rules: Rules, action: int) -> None:
    state = rules.initial(setup="fixed")
    before, legal = str(state), actions(state)
    assert action not in legal
    with pytest.raises(ValueError, match=r"."):
        state.apply(action)
    assert str(state) == before
    assert actions(state) == legal
    assert_running(state, 0)


def test_clone_is_independent(rules: Rules) -> None:
    for setup in ("fixed", "tournament"):
        state = rules.initial(setup=setup)
        before, legal = str(state), actions(state)
        copy = state.clone()
        assert str(copy) == before
        copy.apply(legal[0])
        assert str(copy) != before
        assert str(state) == before
        assert actions(state) == legal
