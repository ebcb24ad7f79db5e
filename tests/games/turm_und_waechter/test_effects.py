"""The effects of the actions of Turm & Wächter, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.turm_und_waechter.texts import (
    assert_ongoing,
    play,
)
from implementations import Rules

# Positions after a move in which the game goes on.
CONTINUATIONS = [
    pytest.param(
        "3RG3/7/7/3r33/7/7/BG6 r",
        "D4-D1-3",
        "3RG3/7/7/7/7/7/BG2r33 b 1 1",
        id="W2-tower-on-castle",
    ),
    pytest.param(
        "3RG3/7/7/1b11r33/7/7/BG6 r",
        "D4-B4-2",
        "3RG3/7/7/1r21r13/7/7/BG6 b 1 1",
        id="W3-part-of-a-tower-captures",
    ),
    pytest.param(
        "6BG/7/2b34/7/2r44/7/RG6 r",
        "C3-G3-4",
        "6BG/7/2b34/7/6r4/7/RG6 b 1 1",
        id="W4-whole-tower-moves",
    ),
    pytest.param(
        "BG6/7/3b53/2b1RGr12/7/7/7 r",
        "D4-D5-1",
        "BG6/7/3RG3/2b11r12/7/7/7 b 1 1",
        id="W5-guard-captures-tall-tower",
    ),
    pytest.param(
        "BG6/7/3b53/2b1RGr12/7/7/7 r",
        "D4-C4-1",
        "BG6/7/3b53/2RG1r12/7/7/7 b 1 1",
        id="W5-guard-captures-small-tower",
    ),
    pytest.param(
        "r31r14/7/7/RG6/7/7/6BG r",
        "A7-C7-2",
        "r11r34/7/7/RG6/7/7/6BG b 1 1",
        id="W6-stacking-while-unstacking",
    ),
    pytest.param(
        "r31r14/7/7/RG6/7/7/6BG r",
        "C7-B7-1",
        "r3r15/7/7/RG6/7/7/6BG b 1 1",
        id="W6-single-stone-moves",
    ),
    pytest.param(
        "3r2BG2/7/7/7/7/3b13/RG6 b",
        "D2-D1-1",
        "3r2BG2/7/7/7/7/7/RG2b13 r 1 1",
        id="W10-tower-on-own-castle",
    ),
    pytest.param(
        "r76/7/7/7/7/3RG3/6BG r",
        "A7-D7-3",
        "r42r33/7/7/7/7/3RG3/6BG b 1 1",
        id="W11-tower-on-own-castle",
    ),
    pytest.param(
        "7/3b43/2r1RG3/3r13/7/7/3BG3 r",
        "D5-D6-1",
        "7/3RG3/2r14/3r13/7/7/3BG3 b 1 1",
        id="W14-guard-captures",
    ),
    pytest.param(
        "2RG4/7/7/7/7/7/BG6 r",
        "C7-D7-1",
        "3RG3/7/7/7/7/7/BG6 b 1 1",
        id="guard-on-own-castle",
    ),
    pytest.param(
        "3RG3/7/7/b32r43/7/7/BG6 r",
        "D4-A4-3",
        "3RG3/7/7/r32r13/7/7/BG6 b 1 1",
        id="equal-height-captures",
    ),
]


@pytest.mark.parametrize(("position", "move", "after"), CONTINUATIONS)
def test_move_leads_to(rules: Rules, position: str, move: str, after: str) -> None:
    state = rules.parse(position)
    play(state, move)
    assert str(state) == after
    assert_ongoing(state, seat=0 if " r " in after else 1)
