"""The legal actions of Zatre, in the rules and in their reference."""

from __future__ import annotations

import itertools

import pytest
from games.zatre.texts import (
    BOARD_8,
    BOARD_11,
    BOARD_18,
    LEGAL,
    LIGHT,
    actions,
    assert_running,
    field,
    hands,
    lay,
    listed,
    name,
    names,
    on,
    position,
    sheet,
    tiles_of,
)
from implementations import Rules


@pytest.mark.parametrize("case", LEGAL)
def test_legal_placements(rules: Rules, case: str) -> None:
    board, hand, placed, pending, expected = LEGAL[case]
    text = position(board, hand, placed=placed, pending=pending)
    state = rules.parse(text)
    assert str(state) == text
    assert names(state) == listed(expected)
    assert actions(state) == sorted(state.parse_action(each) for each in listed(expected))
    assert len(set(actions(state))) == len(actions(state))
    assert_running(state, 0)


@pytest.mark.parametrize("case", LEGAL)
def test_everything_else_is_illegal(rules: Rules, case: str) -> None:
    board, hand, placed, pending, _ = LEGAL[case]
    text = position(board, hand, placed=placed, pending=pending)
    state = rules.parse(text)
    legal = actions(state)
    for action in (-1, 1350, 10**6, *(a for a in range(0, 1350, 7) if a not in legal)):
        with pytest.raises(ValueError, match=r"."):
            state.apply(action)
    assert str(state) == text
    assert actions(state) == legal


@pytest.mark.parametrize(
    ("case", "number"),
    [
        *(("1", 2), ("2", 8), ("3", 4), ("6", 12), ("6a", 2), ("7", 8), ("8", 3), ("9", 4)),
        *(("10", 2), ("11", 1), ("15", 5), ("18", 6), ("18, second", 6), ("18, third", 4)),
    ],
)
def test_numbers_of_legal_placements(rules: Rules, case: str, number: int) -> None:
    board, hand, placed, pending, _ = LEGAL[case]
    state = rules.parse(position(board, hand, placed=placed, pending=pending))
    assert len(actions(state)) == number


def test_pending_comes_only_with_a_light_cell_that_waits(rules: Rules) -> None:
    state = rules.parse(position("4@7,7 3@6,7", "35"))
    for text, pending in (
        ("5@6,6", "G7"),
        ("3@6,6", "G7"),
        ("5@6,8", "I7"),
        ("5@5,7", "-"),
        ("3@7,6", "-"),
    ):
        assert field(lay(state, text), 4) == pending
    assert field(lay(state, "3@6,6"), 3) == "G7"
    assert field(lay(state, "3@7,6"), 3) == "G8"
    # A light cell that scores at once does not wait, even if the next tile could score there too.
    assert field(lay(rules.parse(position("6@6,7", "15")), "5@6,6"), 4) == "-"
    # Nor does a forced one.
    assert field(lay(rules.parse(position(BOARD_18, "112")), "1@6,6"), 4) == "-"


def test_pending_is_cleared_by_the_next_tile(rules: Rules) -> None:
    state = rules.parse(position("5@3,4 2@3,5", "112"))
    state = lay(state, "1@3,3")
    assert field(state, 4) == "D4"
    assert names(state) == listed(on("2", "3,2 3,6"))
    state = lay(state, "2@3,6")
    assert str(state) == position("5@3,4 2@3,5 1@3,3 2@3,6", "1", placed="3,3 3,6")
    assert_running(state, 0)


def test_tile_of_the_turn_may_carry_the_next(rules: Rules) -> None:
    """Position 19."""
    state = rules.parse(position(BOARD_8, "12"), seed=0)
    assert name("2@5,7") in names(state)
    state = lay(state, "2@5,7")
    assert name("1@4,7") in names(state)
    state = lay(state, "1@4,7")
    assert sheet(state) == "0:1:-:-"


def test_11_stranding_is_avoided_only_if_possible(rules: Rules) -> None:
    state = rules.parse(position(BOARD_11, "44"))
    assert actions(state) == [773]
    state = lay(state, "4@6,8")
    assert name("4@5,8") in names(state)
    # Alone, the same tile may be laid where nothing else would fit any more.
    assert set(names(rules.parse(position(BOARD_11, "4")))) >= {"4@G7", "4@I7"}


@pytest.mark.parametrize("values", list(itertools.combinations_with_replacement("123456", 3)))
def test_first_turn(rules: Rules, values: tuple[str, str, str]) -> None:
    """All three tiles can always be placed, no light cell is reachable before the third."""
    hand = "".join(values)
    start = rules.initial(outcome=[int(value) for value in values])
    assert str(start) == position("", hand)
    assert names(start) == sorted(f"{value}@H8" for value in set(values))
    for first in actions(start):
        second = start.clone()
        second.apply(first, outcome=())
        assert_running(second, 0)
        assert not any(divmod(action % 225, 15) in LIGHT for action in actions(second))
        for action in actions(second):
            third = second.clone()
            third.apply(action, outcome=())
            assert_running(third, 0)
            assert len(hands(third)[0]) == 1
            if (first + action) % 5 == 0:
                third.apply(actions(third)[-1], outcome=(1, 2))
                assert_running(third, 1)
                assert len(tiles_of(third)) == 3
                assert hands(third) == ["-", "12"]
