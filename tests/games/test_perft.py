"""Perft: the number of action sequences of a given length, from tables and from the references."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from variants import every_game

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.perft import perft

FIXED_START = {"setup": "fixed"}
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
    # Depth 3 was counted with the slow reference.
    ("tzaar", FIXED_START, None, [42, 1797, 260556]),
    ("tzaar", {"setup": "tournament"}, None, [180, 180 * 177, 180 * 177 * 174]),
]


def reference_count(state: Any, depth: int) -> int:
    """Count the slow way."""
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        after = state.clone()
        after.apply(action)
        total += reference_count(after, depth - 1)
    return total


def start(name: str, options: dict[str, Any], position: str | None) -> Any:
    game = tzaar_envs.load_game(name, **options)
    return game.new_state(0) if position is None else game.parse(position)


@pytest.mark.parametrize(("name", "options", "position", "counts"), TABLE)
def test_table(name: str, options: dict[str, Any], position: str | None, counts: list[int]) -> None:
    state = start(name, options, position)
    before = str(state)
    assert [perft(state, depth) for depth in range(1, len(counts) + 1)] == counts
    assert str(state) == before


@every_game
def test_counts_like_the_reference(game: Game) -> None:
    state = game.new_state(5)
    reference = importlib.import_module(f"reference.{game.name}").Reference
    slow = reference.parse(str(state), **game.options)
    assert perft(state, 1) == reference_count(slow, 1)
    assert perft(state, 2) == reference_count(slow, 2)


@pytest.mark.slow
def test_turm_und_waechter_depth_4_like_the_reference() -> None:
    from reference.turm_und_waechter import Reference

    assert reference_count(Reference.initial(), 4) == 354946


@pytest.mark.slow
@pytest.mark.parametrize("setup", ["random", "fixed"])
def test_tzaar_depth_3_like_the_reference(setup: str) -> None:
    from reference.tzaar import Reference

    state = tzaar_envs.load_game("tzaar", setup=setup).new_state(1)
    assert perft(state, 3) == reference_count(Reference.parse(str(state), setup=setup), 3)


FINISHED = [
    ("turm_und_waechter", "7/7/7/7/7/RG6/7 b 1 0"),
    ("turm_und_waechter", "RG6/7/7/7/7/7/6BG r 3 8"),
    ("turm_und_waechter", "RG6/7/7/7/7/7/6BG r 1 500"),
    (
        "tzaar",
        "Z,.,.,.,./.,.,.,.,.,./.,.,.,.,.,.,./.,.,.,.,.,.,.,./.,.,.,.,.,.,.,./"
        ".,.,.,.,.,.,.,./.,.,.,.,.,.,./.,.,.,.,.,./z,r,t,.,. w 2 -",
    ),
]


@pytest.mark.parametrize(("name", "position"), FINISHED)
def test_finished_game_has_nothing_below_it(name: str, position: str) -> None:
    state = tzaar_envs.load_game(name).parse(position)
    assert state.is_terminal
    assert perft(state, 0) == 1
    assert [perft(state, depth) for depth in (1, 2, 3)] == [0, 0, 0]


@every_game
def test_depth_0_counts_the_empty_sequence(game: Game) -> None:
    assert perft(game.new_state(0), 0) == 1


@every_game
def test_negative_depth_is_refused(game: Game) -> None:
    with pytest.raises(ValueError, match=r"depth=-1 is not allowed: use 0 or more"):
        perft(game.new_state(0), -1)
