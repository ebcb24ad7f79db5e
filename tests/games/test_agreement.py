"""The compiled rules and the slow reference of each game agree, in every position and move."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from positions import mutated, odd_positions, positions
from variants import every_game

import tzaar_envs
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
    assert state.returns().tolist() == pytest.approx(reference.returns())
    assert state.scores().tolist() == reference.scores()
    assert state.legal_actions().tolist() == reference.legal_actions()


def apply_both(state: State, reference: Any, action: int) -> None:
    """Play an action on both; chance brings the reference what it brought the compiled game."""
    state.apply(action)
    reference.apply(action, state.last_outcome)


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
        apply_both(state, reference, action)
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
        apply_both(after, reference_after, action)
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
        apply_both(state, reference, action)
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


@every_game
def test_picked_texts_are_read_or_refused_alike(game: Game) -> None:
    for text in odd_positions(game).GARBLED:
        assert_same_reading(game, text)


# What makes the tests above worth their name: the strategies do reach the rare rules.


class AllMetError(Exception):
    """Ends the search for positions in which rare rules apply."""


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_rare_rules_are_met(name: str) -> None:
    game = tzaar_envs.load_game(name)
    rare = odd_positions(game).RARE
    missing = set(rare)

    @settings(max_examples=3000, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(text=positions(game))
    def tick_off(text: str) -> None:
        if outcome(lambda text: read_reference(game, text), text) != "refused":
            reference = read_reference(game, text)
            missing.difference_update([n for n in missing if rare[n](reference)])
        if not missing:
            raise AllMetError

    with contextlib.suppress(AllMetError):
        tick_off()
    assert not missing
