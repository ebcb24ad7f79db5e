"""Positions and actions of Turm & Wächter as text, for the tests of its rules."""

from __future__ import annotations

from implementations import Position

START = "r1r11RG1r1r1/2r11r12/3r13/7/3b13/2b11b12/b1b11BG1b1b1 r 1 0"


def legal(state: Position) -> list[int]:
    return [int(action) for action in state.legal_actions()]


# Section 4: the orders in which a game ends.
