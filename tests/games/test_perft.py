"""Perft: the number of action sequences of a given length, from tables and from the references."""

from __future__ import annotations

import importlib
import random
from typing import Any

import pytest
from variants import every_game

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.playouts import perft
from tzaar_envs.core.state import State

FIXED_START = {"setup": "fixed"}
NEW_SHEET = "......,......,......,......,......"
TABLE = [
    # game, options, position (None: the start), counts of depth 1, 2, ...
    ("turm_und_waechter", {}, None, [25, 625, 14896, 354946]),
    ("turm_und_waechter", {}, "3RG3/7/7/3r33/7/7/BG6 r 1 0", [14]),
    ("turm_und_waechter", {}, "r31r14/7/7/RG6/7/7/6BG r 1 0", [10]),
    ("turm_und_waechter", {}, "r76/7/7/7/7/3RG3/6BG r 1 0", [16]),
    # No move at all.
    ("turm_und_waechter", {}, "4r2b1BG/5r2b1/6r2/7/7/7/RG6 b 1 0", [0, 0, 0]),
    # The last ply of the game: every move ends it.
    ("turm_und_waechter", {}, "RG6/7/7/7/7/7/6BG r 1 499", [2, 0, 0]),
    # Two guards far apart, two moves each in their corners.
    ("turm_und_waechter", {}, "RG6/7/7/7/7/7/6BG r 1 0", [2, 4, 12, 36]),
    ("tzaar", {}, None, [56, 3086, 435658]),
    ("tzaar", FIXED_START, None, [42, 1797, 260556]),
    ("tzaar", {"setup": "tournament"}, None, [180, 180 * 177, 180 * 177 * 174]),
    ("black_elephant", {}, None, [7, 48, 607, 7770]),
    (
        "black_elephant",
        {},
        "x,l,l,l,l,l,#/0e,.,0e,l,l,l,l/0e,l,l,l,l,l,l/.,0e,l,l,l,l,l/0e,l,0e*,l,l,l,./"
        "x,x,l,x,l,.,./0e,0e*,.,x,x,.,1n 0 2.0/0.0 0/0 0/0 0/0 9/0 C4/F1 0:0:70",
        [19, 76, 1146],
    ),
    (
        "black_elephant",
        {"watchers": "W4,E4/ND,SD"},
        ".,0e,l,l,l,l,#/l,l,l,l,l,l,l/x,0e,l,l,l,l,l/x,l,l,l,l,l,l/0e,0e,l,l,l,.,l/"
        "0e,.,.,0e*,l,x,l/0e,1n,x,1n,.,.,1n* 0 3.0/0.5 2/0 2/0 0/0 2/0 23/CF 1:0:50",
        [38, 303, 11099],
    ),
    # Chance comes between the actions of the games that follow; it draws from the seed 0.
    ("twenty_one", {}, None, [2, 20, 144, 288, 1360, 8584]),
    ("twenty_one", {"players": 6}, None, [2, 20, 144, 1088, 8704]),
    # Every choice of the last seat is followed by the same roll.
    ("twenty_one", {}, f"fill 0 1 364152 A:{NEW_SHEET}/B:{NEW_SHEET} 5/-", [8, 16, 48, 144, 288]),
    (
        "twenty_one",
        {"players": 3, "deal": "random"},
        f"fill 1 0 364152 F:{NEW_SHEET}/A:{NEW_SHEET}/C:{NEW_SHEET} -/5/0",
        [16, 32, 96, 336, 936],
    ),
    # The game ends on several plies.
    (
        "twenty_one",
        {},
        "fill 1 1 454636 A:42xxx1,25332x,4x4xxx,5x3221,x.12../"
        "B:x413x1,xx43xx,444xx1,x2211x,...1.. -/-",
        [4, 8, 16, 16, 22, 44, 88, 88, 0],
    ),
    ("zatre", {}, None, [3, 24, 64, 464]),
    ("zatre", {"players": 4}, None, [3, 24, 64]),
    (
        "zatre",
        {"players": 3},
        "####343#.54####/#...444.55....#/#.....362.....#/#..432.43111..#/4.462...156..../"
        "153.641..453.../..24.12522.462./#..65.264.15.5#/...1.26121..65./...1....435.6../"
        "......63.633.../#......43.415.#/#......561.262#/#........5331.#/####...#561#### "
        "0 56/-/- - - 6:1,1,1,1,2:2,2,2,2:4,4,8,8,4,4,4/4:1,1:2,2,2,2:4,4,4,8,4,4,8/"
        "5:1,1,1,1,1,1,1,1,1:2,2,4,2,2:4,4,4,4,4,4,4",
        [15, 84, 1429, 9532],
    ),
]


def start(name: str, options: dict[str, Any], position: str | None) -> State:
    game = tzaar_envs.load_game(name, **options)
    return game.new_state(0) if position is None else game.parse(position, seed=0)


def reference_count(state: State, depth: int) -> int:
    """Count the slow way; chance brings the reference what it brings a copy of the state."""
    reference = importlib.import_module(f"reference.{state.game.name}").Reference
    return _count(state, reference.parse(str(state), **state.game.options), depth)


def _count(state: State, reference: Any, depth: int) -> int:
    actions = reference.legal_actions()
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        after, reference_after = state.clone(), reference.clone()
        after.apply(action)
        reference_after.apply(action, after.last_outcome)
        total += _count(after, reference_after, depth - 1)
    return total


@pytest.mark.parametrize(("name", "options", "position", "counts"), TABLE)
def test_table(name: str, options: dict[str, Any], position: str | None, counts: list[int]) -> None:
    state = start(name, options, position)
    before = str(state)
    assert [perft(state, depth) for depth in range(1, len(counts) + 1)] == counts
    assert str(state) == before


@every_game
def test_counts_like_the_reference(game: Game) -> None:
    state = game.new_state(5)
    for depth in (1, 2):
        assert perft(state, depth) == reference_count(state, depth)


@every_game
def test_what_chance_brings_does_not_depend_on_what_was_counted_before(game: Game) -> None:
    choices = random.Random(2)
    state = game.new_state(2)
    for _ in range(12):
        after_each = 0
        for action in state.legal_actions():
            after = state.clone()
            after.apply(action)
            after_each += perft(after, 2)
        assert perft(state, 3) == after_each
        state.apply(choices.choice(state.legal_actions()))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "position", "counts"), TABLE)
def test_table_is_that_of_the_reference(
    name: str, options: dict[str, Any], position: str | None, counts: list[int]
) -> None:
    assert reference_count(start(name, options, position), len(counts)) == counts[-1]
