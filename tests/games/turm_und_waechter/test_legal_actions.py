"""The legal actions of Turm & Wächter, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.turm_und_waechter.texts import (
    NUM_ACTIONS,
    assert_refused,
    leaves,
    legal,
    legal_names,
    play,
)
from implementations import Rules

# Section 6: exactly these moves, nothing else.


W2_MOVES = (
    "D4-C4-1 D4-E4-1 D4-D3-1 D4-D5-1 D4-B4-2 D4-F4-2 D4-D2-2 D4-D6-2 D4-A4-3 D4-G4-3 D4-D1-3 "
    "D7-C7-1 D7-D6-1 D7-E7-1"
)

ALL_MOVES = [
    pytest.param(
        "r1r11RG1r1r1/2r11r12/3r13/7/3b13/2b11b12/b1b11BG1b1b1 r",
        25,
        "A7-A6-1 A7-B7-1 B7-A7-1 B7-B6-1 B7-C7-1 C6-B6-1 C6-C5-1 C6-C7-1 C6-D6-1 D5-C5-1 D5-D4-1 "
        "D5-D6-1 D5-E5-1 D7-C7-1 D7-D6-1 D7-E7-1 E6-D6-1 E6-E5-1 E6-E7-1 E6-F6-1 F7-E7-1 F7-F6-1 "
        "F7-G7-1 G7-F7-1 G7-G6-1",
        id="W1",
    ),
    pytest.param("3RG3/7/7/3r33/7/7/BG6 r", 14, W2_MOVES, id="W2"),
    pytest.param("3RG3/7/7/1b11r33/7/7/BG6 r", 13, W2_MOVES.replace("D4-A4-3 ", ""), id="W3"),
    pytest.param(
        "6BG/7/2b34/7/2r44/7/RG6 r",
        11,
        "C3-C4-1 C3-C2-1 C3-C1-2 C3-B3-1 C3-A3-2 C3-D3-1 C3-E3-2 C3-F3-3 C3-G3-4 A1-A2-1 A1-B1-1",
        id="W4",
    ),
    pytest.param(
        "BG6/7/3b53/2b1RGr12/7/7/7 r",
        6,
        "D4-D5-1 D4-C4-1 D4-D3-1 E4-E5-1 E4-E3-1 E4-F4-1",
        id="W5",
    ),
    pytest.param(
        "r31r14/7/7/RG6/7/7/6BG r",
        10,
        "A7-A6-1 A7-B7-1 A7-A5-2 A7-C7-2 C7-B7-1 C7-C6-1 C7-D7-1 A4-A5-1 A4-A3-1 A4-B4-1",
        id="W6",
    ),
    # The document names only D7-D4-3 and the number 10 here; the others follow from section 3.
    pytest.param(
        "RG2r33/7/7/3BG3/7/7/7 r",
        10,
        "A7-A6-1 A7-B7-1 D7-C7-1 D7-B7-2 D7-E7-1 D7-F7-2 D7-G7-3 D7-D6-1 D7-D5-2 D7-D4-3",
        id="W7",
    ),
    pytest.param(
        "RG2r23/7/7/3BG3/7/7/7 r",
        8,
        "A7-A6-1 A7-B7-1 D7-C7-1 D7-E7-1 D7-D6-1 D7-B7-2 D7-F7-2 D7-D5-2",
        id="W8",
    ),
    pytest.param("3b1BG2/7/7/7/7/7/RG6 b", 4, "D7-C7-1 D7-D6-1 E7-E6-1 E7-F7-1", id="W9"),
    pytest.param(
        "3r2BG2/7/7/7/7/3b13/RG6 b",
        7,
        "E7-D7-1 E7-E6-1 E7-F7-1 D2-C2-1 D2-D1-1 D2-D3-1 D2-E2-1",
        id="W10",
    ),
    pytest.param(
        "r76/7/7/7/7/3RG3/6BG r",
        16,
        "A7-A6-1 A7-A5-2 A7-A4-3 A7-A3-4 A7-A2-5 A7-A1-6 A7-B7-1 A7-C7-2 A7-D7-3 A7-E7-4 A7-F7-5 "
        "A7-G7-6 D2-C2-1 D2-E2-1 D2-D3-1 D2-D1-1",
        id="W11",
    ),
    pytest.param("4r2b1BG/5r2b1/6r2/7/7/7/RG6 b", 0, "", id="W12"),
    pytest.param("RG6/7/7/7/7/7/6BG r", 2, "A7-A6-1 A7-B7-1", id="W13"),
    pytest.param(
        "7/3b43/2r1RG3/3r13/7/7/3BG3 r",
        8,
        "C5-B5-1 C5-C4-1 C5-C6-1 D4-C4-1 D4-D3-1 D4-E4-1 D5-D6-1 D5-E5-1",
        id="W14",
    ),
    pytest.param("3RG3/3BG3/7/7/7/7/r16 r", 5, "D7-C7-1 D7-E7-1 D7-D6-1 A1-A2-1 A1-B1-1", id="W15"),
    pytest.param("3RG3/3BG3/7/7/7/7/r16 b", 4, "D6-C6-1 D6-E6-1 D6-D5-1 D6-D7-1", id="W16"),
]


@pytest.mark.parametrize(("position", "count", "moves"), ALL_MOVES)
def test_worked_position_has_exactly_these_moves(
    rules: Rules, position: str, count: int, moves: str
) -> None:
    state = rules.parse(position)
    names = legal_names(state)
    assert len(names) == count
    assert set(names) == set(moves.split())
    assert legal(state) == sorted(set(legal(state)))
    assert [state.parse_action(name) for name in names] == legal(state)


@pytest.mark.parametrize(
    ("position", "move"),
    [
        pytest.param("3RG3/7/7/3r33/7/7/BG6 r", "D4-D7-3", id="W2-own-guard"),
        pytest.param("3RG3/7/7/1b11r33/7/7/BG6 r", "D4-A4-3", id="W3-jump"),
        pytest.param("6BG/7/2b34/7/2r44/7/RG6 r", "C3-C5-2", id="W4-too-few-stones"),
        pytest.param("r31r14/7/7/RG6/7/7/6BG r", "A7-A4-3", id="W6-own-guard"),
        pytest.param("r31r14/7/7/RG6/7/7/6BG r", "A7-D7-3", id="W6-jump-own-tower"),
        pytest.param("RG2r23/7/7/3BG3/7/7/7 r", "D7-D4-3", id="W8-not-that-high"),
        pytest.param("3b1BG2/7/7/7/7/7/RG6 b", "E7-D7-1", id="W9-own-tower-on-castle"),
        pytest.param("7/3b43/2r1RG3/3r13/7/7/3BG3 r", "D5-C5-1", id="W14-guard-onto-tower"),
        pytest.param("7/3b43/2r1RG3/3r13/7/7/3BG3 r", "D4-D5-1", id="W14-tower-onto-guard"),
        pytest.param("3RG3/3BG3/7/7/7/7/r16 b", "A1-A2-1", id="enemy-tower"),
        pytest.param("3RG3/3BG3/7/7/7/7/r16 b", "D7-C7-1", id="enemy-guard"),
        pytest.param("3RG3/3BG3/7/7/7/7/r16 b", "B3-B4-1", id="empty-field"),
        pytest.param("3RG3/3BG3/7/7/7/7/r16 r", "D7-B7-2", id="guard-moves-two"),
    ],
)
def test_illegal_move_changes_nothing(rules: Rules, position: str, move: str) -> None:
    state = rules.parse(position)
    before, moves_before = str(state), legal(state)
    with pytest.raises(ValueError, match=rf"(?i)action|legal|{move}"):
        state.apply(state.parse_action(move))
    assert str(state) == before
    assert legal(state) == moves_before


def test_every_other_number_is_refused(rules: Rules) -> None:
    state = rules.initial()
    for action in sorted({*range(-1, NUM_ACTIONS + 1)} - {*legal(state)}):
        assert_refused(state, action)


def test_ended_game_takes_no_move(rules: Rules) -> None:
    state = rules.parse("RG2r33/7/7/3BG3/7/7/7 r")
    play(state, "D7-D4-3")
    for action in range(NUM_ACTIONS):
        assert_refused(state, action)


@pytest.mark.parametrize(("depth", "count"), [(1, 25), (2, 625), (3, 14_896)])
def test_node_counts(rules: Rules, depth: int, count: int) -> None:
    assert leaves(rules.initial(), depth) == count
