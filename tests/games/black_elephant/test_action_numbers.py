"""Action numbers of Black Elephant, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.black_elephant.texts import (
    B12,
    B20,
    FILES,
    OFFSETS,
    PASS,
    RANKS,
    START,
    actions,
    assert_running,
    part,
    position,
)
from implementations import Rules

NUMBERS = [
    ("log: F6; el: C3:0e D3:1n", "C3>C4", 16),
    ("log: F6; el: C3:0e", "C3>D3", 49 + 16),
    ("log: F6; el: C3:0e", "C3>A2", OFFSETS.index("(-2,-1)") * 49 + 16),
    ("log: F6; el: C3:0e", "C3>B5", 23 * 49 + 16),
    ("log: F6; el: B3:0w", "B3>out", 24 * 49 + 15),
    ("log: F6; el: C3:0e D3:1n", "C3^n", 25 * 49 + 16),
    ("log: F6; el: C3:0e D3:1n", "C3^e", 26 * 49 + 16),
    ("log: F6; el: C3:0e D3:1n", "C3^s", 27 * 49 + 16),
    ("log: F6; el: C3:0e D3:1n", "C3^w", 28 * 49 + 16),
    ("log: F6; area: 0W=1", "W>A1", 1421),
    ("log: F6; area: 0W=1", "W>A7", 1463),
    ("log: F6; area: 0S=1", "S>A1", 30 * 49),
    ("log: F6; area: 0S=1", "S>G1", 30 * 49 + 6),
    ("log: F6; el: C3:0e; held 9/0", "watch A1", 31 * 49),
    ("log: F6; el: C3:0e; held 9/0", "watch E5", 31 * 49 + 32),
    ("log: F6; el: C3:0e; held 9/0", "watch A7", 31 * 49 + 42),
    ("log: F6; el: C3:0e; held 9/0", "watch G7", 31 * 49 + 48),
    ("log: F6; el: C3:0e; burn 1/0", "burn A1", 32 * 49),
    ("log: F6; el: C3:0e; burn 1/0", "burn G6", 32 * 49 + 41),
    ("log: F6; el: C3:0e; burn 1/0", "burn F7", 1615),
    (B20, "pass", 1617),
]


@pytest.mark.parametrize(("excerpt", "name", "action"), NUMBERS)
def test_number_of_an_action(rules: Rules, excerpt: str, name: str, action: int) -> None:
    state = rules.parse(position(excerpt))
    assert action in actions(state)
    assert state.action_name(action) == name
    assert state.parse_action(name) == action


@pytest.mark.parametrize("seat", [0, 1])
def test_numbers_of_all_moves_from_the_middle(rules: Rules, seat: int) -> None:
    state = rules.parse(position(f"log: A1; el: D4:{seat}e", seat))
    expected = {}
    for plane, offset in enumerate(OFFSETS):
        files, ranks = (int(steps) for steps in offset.strip("()").split(","))
        expected[plane * 49 + 24] = f"D4>{FILES[3 + files]}{RANKS[3 + ranks]}"
    assert {action: state.action_name(action) for action in actions(state)} == expected


UNREADABLE = [
    "",
    " ",
    "foo",
    "A4",
    "A4>",
    "A4>A9",
    "A4>H4",
    "A4>A4",
    "a4>b4",
    "A4-B4",
    "A4>B4 ",
    " A4>B4",
    "A4>B4\n",
    "A4 > B4",
    "A4>OUT",
    "A4>out ",
    "A4^N",
    "A4^x",
    "A4^",
    "W>B4",
    "S>A4",
    "E>G4",
    "w>A4",
    "W>A\u0664",
    "W>A8",
    "W>A04",
    "watch",
    "watch D",
    "watch 4D",
    "watch d5",
    "watch D4",
    "watch  D5",
    "watch D5 ",
    "watch D\u0665",
    "watch D55",
    "Watch D5",
    "burn",
    "burn G7",
    "burn H1",
    "burn a1",
    "burnA1",
    "PASS",
    "pass ",
    "pass\n",
    "pass",
    "A4>B4>C4",
    "9" * 5000,
]


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_is_no_legal_action_cannot_be_played(rules: Rules, text: str) -> None:
    """Most of these are no action texts; a few are actions that are illegal everywhere or here."""
    state = rules.parse(position("log: F6 B4; el: A4:0e A6:1n; area: 0W=1 0S=1; held 3/3"))
    before = str(state)
    with pytest.raises(ValueError, match=r"."):
        state.apply(state.parse_action(text))
    assert str(state) == before


@pytest.mark.parametrize("action", [-1, 0, 1420, 1422, 1470, 1544, 1568, PASS, 1618, 10**6, 10**20])
def test_illegal_action_leaves_the_position_unchanged(rules: Rules, action: int) -> None:
    state = rules.initial()
    with pytest.raises(ValueError, match=r"."):
        state.apply(action)
    assert str(state) == START
    assert_running(state, 0)


def test_clone_is_independent(rules: Rules) -> None:
    state = rules.parse(position(B12))
    before, legal = str(state), actions(state)
    copy = state.clone()
    assert str(copy) == before
    copy.apply(copy.parse_action("watch E5"))
    assert str(state) == before
    assert actions(state) == legal
    assert str(copy) != before


def test_nothing_is_left_to_chance(rules: Rules) -> None:
    for outcome in (None, [], ()):
        state = rules.initial(outcome=outcome)
        state.apply(1421, outcome=outcome)
        assert part(state, "clock") == "0:0:1"
    with pytest.raises(ValueError, match=r"(?i)outcome|chance"):
        rules.initial(outcome=[0])
    for outcome in ([0], [1, 2], (7,)):
        state = rules.initial()
        with pytest.raises(ValueError, match=r"(?i)outcome|chance"):
            state.apply(1421, outcome=outcome)
        assert str(state) == START
