"""Invariants over whole games of Black Elephant, in the rules and in their reference."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from games.black_elephant.texts import (
    ELSEWHERE,
    FIELDS,
    FILES,
    GOALS,
    OWN_SIDES,
    PASS,
    RANKS,
    WATCHERS_AT_THE_START,
    actions,
    assert_over,
    assert_running,
    contents,
    number,
    part,
    scores,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from implementations import Position, Rules
from positions import positions

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

# --- Invariants over random games ----------------------------------------------------------------


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.split("[./:]", text)]


def assert_sound(state: Position) -> None:
    """Check what holds in every position of a game from the start (sections 1, 3.9, 3.10, 7.3)."""
    board = contents(state)
    areas, home, capt = (numbers(part(state, name)) for name in ("areas", "home", "capt"))
    for player in (0, 1):
        on_board = sum(text.startswith(str(player)) for text in board.values())
        in_areas = areas[2 * player] + areas[2 * player + 1]
        assert on_board + in_areas + home[player] + capt[1 - player] == 10
        assert not any(board[field].startswith(str(player)) for field in GOALS[player])
    burnt = {field for field in FIELDS if board[field] == "x"}
    left = numbers(part(state, "burn"))
    assert len(burnt) + sum(left) == 6
    assert max(left) <= 3
    rows = ["".join("x" if file + rank in burnt else "." for file in FILES) for rank in RANKS]
    joined = "-".join(rows)
    # Three in a rank, a file, and the two diagonals; a rank and its separator are 8 characters.
    for gap in (0, 7, 8, 6):
        assert not re.search(f"(?=x.{{{gap}}}x.{{{gap}}}x)", joined)
    assert board["G7"] == "#"
    places = part(state, "watch").replace("/", "")
    for file in set(FILES) & set(places):
        for rank in set(RANKS) & set(places):
            assert board[file + rank][0] not in "01"


def assert_followed(before: Position, name: str, after: Position) -> None:
    """Check what an action may change."""
    logs = [
        part(state, "board").count("l") + part(state, "board").count("*")
        for state in (before, after)
    ]
    held = [numbers(part(state, "held")) for state in (before, after)]
    home = [numbers(part(state, "home")) for state in (before, after)]
    capt = [numbers(part(state, "capt")) for state in (before, after)]
    burn = [numbers(part(state, "burn")) for state in (before, after)]
    mover = before.current_player
    gained = held[1][mover] - held[0][mover]
    assert held[0][1 - mover] == held[1][1 - mover]
    if name.startswith("watch"):
        old, new = (part(state, "watch").split("/")[mover] for state in (before, after))
        assert new == name[-2:]
        assert -gained == sum(abs(ord(a) - ord(b)) for a, b in zip(old, new, strict=True)) > 0
        assert logs[0] == logs[1]
    else:
        assert gained == logs[0] - logs[1]
        assert gained in (0, 1)
        assert part(before, "watch") == part(after, "watch")
    assert home[0][1 - mover] == home[1][1 - mover]
    assert sum(burn[0]) - sum(burn[1]) == name.startswith("burn")
    progress = (
        name.startswith(("watch", "burn"))
        or gained != 0
        or home[0] != home[1]
        or capt[0] != capt[1]
    )
    idle, passes, played = numbers(part(before, "clock"))
    assert numbers(part(after, "clock")) == [
        0 if progress else idle + 1,
        passes + 1 if name == "pass" else 0,
        played + 1,
    ]
    assert after.current_player in (1 - mover, -1)


@pytest.mark.parametrize("watchers", ["W4,ND/E4,SD", OWN_SIDES, ELSEWHERE])
@pytest.mark.parametrize("seed", range(2))
def test_random_games_are_sound(rules: Rules, seed: int, watchers: str) -> None:
    choices = random.Random(seed)
    state = rules.initial(seed=seed, watchers=watchers)
    assert_sound(state)
    while not state.is_terminal:
        legal = actions(state)
        assert legal == sorted(set(legal))
        assert legal == [PASS] or PASS not in legal
        seat, places = state.current_player, part(state, "watch")
        for action in legal[:: max(1, len(legal) // 4)]:
            assert number(state.action_name(action), places, seat) == action
        before = state.clone()
        action = choices.choice(legal)
        state.apply(action)
        assert str(rules.parse(str(state), watchers=watchers)) == str(state)
        assert_sound(state)
        assert_followed(before, before.action_name(action), state)
        if not state.is_terminal:
            assert_running(state, 1 - seat)
    idle, passes, played = numbers(part(state, "clock"))
    assert played <= 500
    areas = numbers(part(state, "areas"))
    gone = [
        str(player) not in part(state, "board") and sum(areas[2 * player : 2 * player + 2]) == 0
        for player in (0, 1)
    ]
    no_log = not re.search(r"[l*]", part(state, "board"))
    ended = no_log or any(gone) or passes == 2 or idle == 60
    assert ended or played == 500
    assert state.is_truncated == (not ended)
    first, second = scores(state)
    assert first != second
    assert_over(state, int(second > first), [first, second], state.is_truncated)


def assert_same_words(game: Game, state: State) -> None:
    """Check that the state array holds nothing but what the notation tells."""
    np.testing.assert_array_equal(game.parse(str(state)).words, state.words)


@pytest.mark.parametrize("watchers", WATCHERS_AT_THE_START)
def test_state_array_is_that_of_the_notation(watchers: str) -> None:
    game = tzaar_envs.load_game("black_elephant", watchers=watchers)
    choices = random.Random(watchers)
    for seed in range(4):
        state = game.new_state(seed)
        while not state.is_terminal:
            assert_same_words(game, state)
            state.apply(choices.choice(state.legal_actions()))
        assert_same_words(game, state)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_state_array_after_odd_positions_is_that_of_the_notation(data: st.DataObject) -> None:
    game = tzaar_envs.load_game("black_elephant")
    try:
        state = game.parse(data.draw(positions(game)))
    except ValueError:
        return
    for action in state.legal_actions():
        after = state.clone()
        after.apply(action)
        if not after.is_terminal:  # else it does not tell who would be to move
            assert_same_words(game, after)
