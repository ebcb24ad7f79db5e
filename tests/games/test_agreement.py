"""The compiled rules and the slow reference of each game agree, in every position and move."""

from __future__ import annotations

import importlib
import itertools
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from positions import mutated, positions
from variants import every_game

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

GAMES_PLAYED = 30
GAMES_PLAYED_SLOWLY = 1000
NAMES_EVERY = 8  # all actions are named in each eighth position: the reference is slow at that


def reference_class(game: Game) -> Any:
    return importlib.import_module(f"reference.{game.name}").Reference


def read_reference(game: Game, text: str) -> Any:
    return reference_class(game).parse(text, **game.options)


def assert_same(state: State, reference: Any) -> None:
    """Compare all that both show of a position, but for the names of the actions."""
    assert str(state) == str(reference)
    assert state.current_player == reference.current_player
    assert state.is_terminal == reference.is_terminal
    assert state.is_truncated == reference.is_truncated
    assert state.returns().tolist() == reference.returns()
    assert state.legal_actions().tolist() == reference.legal_actions()


def assert_same_name(state: State, reference: Any, action: int) -> None:
    name = state.action_name(action)
    assert name == reference.action_name(action)
    assert state.parse_action(name) == action
    assert reference.parse_action(name) == action


def assert_same_names(state: State, reference: Any) -> None:
    names = [state.action_name(action) for action in state.legal_actions()]
    assert len(set(names)) == len(names)
    for action in state.legal_actions():
        assert_same_name(state, reference, int(action))


def play_both(game: Game, seed: int) -> None:
    """Play a random game on both, compare every position."""
    choices = random.Random(seed)
    state = game.new_state(seed)
    reference = read_reference(game, str(state))
    assert_same(state, reference)
    for ply in itertools.count():
        if state.is_terminal:
            assert ply <= game.max_plies
            return
        action = choices.choice(reference.legal_actions())
        if (ply + seed) % NAMES_EVERY == 0:
            assert_same_names(state, reference)
        else:
            assert_same_name(state, reference, action)
        state.apply(action)
        reference.apply(action)
        assert_same(state, reference)


@every_game
def test_start_positions_agree(game: Game) -> None:
    names = [option.name for option in game.spec.options]
    initial = reference_class(game).initial(**{name: game.options[name] for name in names}, seed=1)
    assert initial.legal_actions()
    assert_same(game.parse(str(initial)), initial)
    if not game.spec.chance:
        assert str(game.new_state(1)) == str(initial)


@every_game
def test_random_games_agree(game: Game) -> None:
    for seed in range(GAMES_PLAYED):
        play_both(game, seed)


@pytest.mark.slow
@every_game
def test_a_thousand_random_games_agree(game: Game) -> None:
    for seed in range(GAMES_PLAYED, GAMES_PLAYED + GAMES_PLAYED_SLOWLY):
        play_both(game, seed)


def outcome(parse: Callable[[str], Any], text: str) -> str:
    """Return what is read from a text in notation, or that it is refused."""
    try:
        return str(parse(text))
    except ValueError:
        return "refused"


def assert_same_reading(game: Game, text: str) -> bool:
    """Compare how both read a text, return whether it is a position."""
    read = outcome(game.parse, text)
    assert read == outcome(lambda text: read_reference(game, text), text)
    return read != "refused"


@every_game
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_odd_positions_agree_with_all_their_successors(game: Game, data: st.DataObject) -> None:
    text = data.draw(positions(game))
    if not assert_same_reading(game, text):
        return
    state, reference = game.parse(text), read_reference(game, text)
    assert_same(state, reference)
    actions = reference.legal_actions()
    for action in actions[:: max(1, len(actions) // 40)]:
        after, reference_after = state.clone(), reference.clone()
        after.apply(action)
        reference_after.apply(action)
        assert_same(after, reference_after)


@every_game
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_actions_of_odd_positions_have_the_same_names(game: Game, data: st.DataObject) -> None:
    text = data.draw(positions(game))
    if assert_same_reading(game, text):
        assert_same_names(game.parse(text), read_reference(game, text))


@every_game
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_games_from_odd_positions_agree(game: Game, data: st.DataObject, seed: int) -> None:
    """Half of the moves go back where the last own move came from, so that positions recur."""
    text = data.draw(positions(game))
    if not assert_same_reading(game, text):
        return
    state, reference = game.parse(text), read_reference(game, text)
    choices = random.Random(seed)
    played: list[str] = []
    for _ in range(30):
        actions = reference.legal_actions()
        if not actions:
            break
        action = choices.choice(actions)
        if len(played) > 1 and choices.random() < 0.5:
            start, _, rest = played[-2].partition("-")
            backwards = [
                a for a in actions if state.action_name(a).startswith(f"{rest[:2]}-{start}")
            ]
            action = choices.choice(backwards or actions)
        played.append(state.action_name(action))
        state.apply(action)
        reference.apply(action)
        assert_same(state, reference)


@every_game
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_garbled_positions_are_read_or_refused_alike(game: Game, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from([positions(game), st.just(str(game.new_state(1)))]))
    alphabet = "".join(sorted({*str(game.new_state(1)), *"0123456789 /.,-"}))
    assert_same_reading(game, data.draw(mutated(whole, alphabet)))


@every_game
@settings(max_examples=200)
@given(data=st.data())
def test_garbled_actions_are_refused_or_canonical(game: Game, data: st.DataObject) -> None:
    """What the reference reads the compiled game reads alike, and nothing gets a second meaning."""
    state = game.new_state(data.draw(st.integers(0, 99)))
    reference = read_reference(game, str(state))
    names = [state.action_name(action) for action in state.legal_actions()]
    text = data.draw(mutated(st.sampled_from(names), "".join(sorted(set("".join(names))))))
    read = outcome(state.parse_action, text)
    expected = outcome(reference.parse_action, text)
    if expected != "refused" and int(expected) in reference.legal_actions():
        assert read == expected
    else:
        assert read == "refused"


GARBLED = {
    "turm_und_waechter": [
        "RG60/7/7/7/7/7/6BG r 1 0",
        "RG6/7/7/7/7/7/6BG r 1 00",
        "RG6/7/7/7/7/7/6BG r 01 0",
        "RG6/7/7/7/7/7/6BG r +1 0",
        "RG6/7/7/7/7/7/6BG r \u0661 0",
        "RG6/7/7/7/7/7/6BG r 1 \u0661",
        "RG\u0666/7/7/7/7/7/6BG r 1 0",
        "RG6/7/7/3r\u06613/7/7/6BG r 1 0",
        "RG6/7/7/7/7/7/6BG r 1 0\n",
        "RG6/7/7/7/7/7/6BG\tr\t1\t0",
        "RG6/7/7/7/7/7/6BG r 1 " + "9" * 5000,
    ],
    "tzaar": [
        board + rest
        for board in (
            ".,.,.,.,./.,.,.,.,.,./.,.,.,.,.,.,./.,.,.,.,.,.,.,./.,.,.,.,.,.,.,./"
            ".,.,.,.,.,.,.,./.,.,.,.,.,.,./.,.,.,.,.,./Z,R,T,.,",
        )
        for rest in (
            "z w 1 -",
            "z1 w 1 -",
            "z0 w 1 -",
            "z02 w 1 -",
            "z\u0662 w 1 -",
            "z30 w 1 -",
            "z31 w 1 -",
            "z" + "9" * 5000 + " w 1 -",
            "z w 1 0.0.0/0.0.0",
            "z w place 5.8.14/5.9.15",
            ". w place 5.8.14/6.9.15",
            ". b place 5.8.14/6.9.15",
            ". b place 5.8.14/8.9.15",
            ". b place 5.8.14/8.9.\u0661\u0665",
            ". b place 5.8.14/08.9.15",
            ". b place 5.8.14/8.9.99999999999999999999999",
            "z w 1 -\n",
        )
    ]
    + [
        "/".join(",".join("." * n) for n in (5, 6, 7, 8, 8, 8, 7, 6, 5)) + rest
        for rest in (
            " w place 6.9.15/6.9.15",
            " b place 6.9.15/6.9.15",
            " w place 06.9.15/6.9.15",
            " w place 6.9.15/6.9.15/",
            " w place 6.9.\u0661\u0665/6.9.15",
            " w place 9999999999999999999999.9.15/6.9.15",
            " w place " + "9" * 5000 + ".9.15/6.9.15",
            " w place -6.9.15/6.9.15",
            " w open -",
            " w 1 -",
        )
    ],
}


@every_game
def test_picked_texts_are_read_or_refused_alike(game: Game) -> None:
    for text in GARBLED[game.name]:
        assert_same_reading(game, text)


# What makes the tests above worth their name: the strategies do reach the rare rules.


def turm_figures(reference: Any) -> set[str]:
    return set(re.findall("RG|BG|[rb][1-7]", str(reference)))


RARE: dict[str, dict[str, Callable[[Any], bool]]] = {
    "turm_und_waechter": {
        "no legal move": lambda reference: (
            "BG" in turm_figures(reference)
            and str(reference).split()[1] == "r"
            and reference.returns() == [-1.0, 1.0]
            and not reference_can_move(reference)
        ),
        "third occurrence": lambda reference: (
            reference.is_terminal
            and not reference.is_truncated
            and reference.returns() == [0.0, 0.0]
        ),
        "move cap": lambda reference: reference.is_truncated,
        "one ply before the cap": lambda reference: (
            not reference.is_terminal and str(reference).endswith(" 499")
        ),
        "six stones together": lambda reference: any(
            reference.action_name(action).endswith("-6") for action in reference.legal_actions()
        ),
        "seven stones": lambda reference: (
            not reference.is_terminal and bool({"r7", "b7"} & turm_figures(reference))
        ),
        "a guard on the enemy castle": lambda reference: (
            reference.is_terminal and str(reference).split()[0].split("/")[6].startswith("3RG")
        ),
        "a captured guard": lambda reference: "RG" not in turm_figures(reference),
    },
    "tzaar": {
        "a type is lacking": lambda reference: reference.is_terminal and reference.phase == "2",
        "no capture": lambda reference: (
            reference.is_terminal and set("ZRTzrt") <= set(str(reference).split()[0])
        ),
        "no capture, but a stacking": lambda reference: (
            reference.phase == "2"
            and not reference.is_terminal
            and not reference._can_capture()
            and len(reference.legal_actions()) > 1
        ),
        "a tall stack in play": lambda reference: (
            not reference.is_terminal and any(s.height > 9 for s in reference.board.values())
        ),
        "more than 59 stacks": lambda reference: len(reference.board) == 60,
        "beside the hole": lambda reference: (
            not reference.is_terminal and {"E4", "E6", "D4", "F5"} <= set(reference.board)
        ),
    },
}


def reference_can_move(reference: Any) -> bool:
    return any(reference._moves())


@every_game
def test_rare_rules_are_met(game: Game) -> None:
    missing = set(RARE[game.name])

    @settings(max_examples=1000, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(text=positions(game))
    def tick_off(text: str) -> None:
        if missing and outcome(lambda text: read_reference(game, text), text) != "refused":
            reference = read_reference(game, text)
            missing.difference_update([n for n in missing if RARE[game.name][n](reference)])

    tick_off()
    assert not missing
