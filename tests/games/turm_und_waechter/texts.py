"""Positions and actions of Turm & Wächter as text, for the tests of its rules."""

from __future__ import annotations

import pytest
from implementations import Position

START = "r1r11RG1r1r1/2r11r12/3r13/7/3b13/2b11b12/b1b11BG1b1b1 r 1 0"
NUM_ACTIONS = 1176

ONGOING = [0.0, 0.0]
DRAWN = [0.0, 0.0]
RED_WINS = [1.0, -1.0]
BLUE_WINS = [-1.0, 1.0]


def legal(state: Position) -> list[int]:
    return [int(action) for action in state.legal_actions()]


def legal_names(state: Position) -> list[str]:
    return [state.action_name(action) for action in legal(state)]


def play(state: Position, moves: str) -> None:
    for move in moves.split():
        state.apply(state.parse_action(move))


def assert_ongoing(state: Position, seat: int) -> None:
    assert not state.is_terminal
    assert not state.is_truncated
    assert state.current_player == seat
    assert list(state.returns()) == ONGOING
    assert legal(state)


def assert_over(state: Position, returns: list[float], *, truncated: bool = False) -> None:
    assert state.is_terminal
    assert bool(state.is_truncated) is truncated
    assert state.current_player == -1
    assert list(state.returns()) == returns
    assert legal(state) == []


def assert_refused(state: Position, action: int) -> None:
    before, moves_before = str(state), legal(state)
    with pytest.raises(ValueError, match=r"(?i)action|legal|over"):
        state.apply(action)
    assert str(state) == before
    assert legal(state) == moves_before


def leaves(state: Position, depth: int) -> int:
    """The number of move sequences of this length."""
    if depth == 1:
        return len(legal(state))
    total = 0
    for action in legal(state):
        child = state.clone()
        child.apply(action)
        total += leaves(child, depth - 1)
    return total


# Section 4: the orders in which a game ends.


SHUFFLE = "A7-A6-1 G1-G2-1 A6-A7-1 G2-G1-1"
