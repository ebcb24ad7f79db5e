"""Board, set-up and options of Turm & Wächter, in the rules and in their reference."""

from __future__ import annotations

from games.turm_und_waechter.texts import (
    START,
    assert_ongoing,
)
from implementations import Rules


def test_initial_state(rules: Rules) -> None:
    state = rules.initial()
    assert str(state) == START
    assert_ongoing(state, seat=0)
    state.apply(state.parse_action("D5-D4-1"))
    assert str(state) == "r1r11RG1r1r1/2r11r12/7/3r13/3b13/2b11b12/b1b11BG1b1b1 b 1 1"
    assert_ongoing(state, seat=1)
