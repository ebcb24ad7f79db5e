"""The observations of each game against naive ones, made from the text of the position."""

from __future__ import annotations

import importlib
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import positions
from variants import every_game

from tzaar_envs import load_game
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

Planes = dict[str, np.ndarray]


def observed(state: State, seat: int) -> Planes:
    """Return the planes (or numbers) of an observation by name; those of a kind together."""
    observation = state.observation(seat)
    planes: Planes = {}
    first = 0
    for plane in state.game.observation_planes:
        several = observation[first : first + plane.count]
        planes[plane.name] = several if plane.count > 1 else several[0]
        first += plane.count
    assert first == len(observation)
    return planes


def assert_observed_as_written(state: State) -> None:
    observer = importlib.import_module(f"naive_observers.{state.game.name}")
    text = str(state)
    for seat in range(state.game.num_players):
        found = observed(state, seat)
        expected = observer.naive(state.game, text, seat)
        assert found.keys() == expected.keys()
        for name, plane in expected.items():
            if not np.array_equal(found[name], plane):
                np.testing.assert_array_equal(found[name], plane, f"{name} of {text}")


@every_game
def test_random_games_are_observed_as_written(game: Game) -> None:
    choices = random.Random(1)
    state = game.new_state(1)
    assert_observed_as_written(state)
    while not state.is_terminal:
        state.apply(choices.choice(state.legal_actions()))
        assert_observed_as_written(state)


@every_game
@settings(max_examples=40)
@given(data=st.data())
def test_odd_positions_are_observed_as_written(game: Game, data: st.DataObject) -> None:
    text = data.draw(positions(game))
    try:
        state = game.parse(text)
    except ValueError:
        return
    assert_observed_as_written(state)


@every_game
def test_two_seats_see_each_other_swapped(game: Game) -> None:
    """What one seat calls own, the other calls enemy, or the next seat's."""
    if game.num_players != 2:
        game = Game(game.spec)
    choices = random.Random(3)
    state = game.new_state(3)
    compared = set()
    while not state.is_terminal:
        first, second = observed(state, 0), observed(state, 1)
        for name in first:
            for other in (name.replace("own_", "enemy_"), name.replace("own_", "next_1_")):
                if name.startswith("own_") and other != name and other in first:
                    np.testing.assert_array_equal(first[name], second[other])
                    np.testing.assert_array_equal(second[name], first[other])
                    compared.add(name)
        state.apply(choices.choice(state.legal_actions()))
    assert bool(compared) == any(name.startswith(("enemy_", "next_1_")) for name in first)


@pytest.mark.parametrize(
    ("sheets", "ahead", "if_entered"),
    [
        # Seat 0 has two hits, 6 + 5 + 3 points, and may enter a third and 1 point on green. Seat 1
        # has one hit, 6 + 1, and may enter 1 point on green as well.
        ("A:65....,......,......,......,....../B:6.....,......,......,......,......", 7, 14),
        # Seat 0 may enter 6 + 4 + 1 with two hits, seat 1 6 + 1 with one.
        ("A:......,......,......,......,....../B:......,......,......,......,......", 0, 6),
        # 42 points of a row with six hits, none of another one.
        ("A:654321,......,......,......,....../B:xxxxxx,......,......,......,......", 24, 24),
    ],
    ids=["hits", "nothing", "many points"],
)
def test_leads_of_twenty_one(sheets: str, ahead: int, if_entered: int) -> None:
    game = load_game("twenty_one")
    state = game.parse(f"roll 0 0 664166 {sheets} -/-")
    for seat, sign in ((0, 1), (1, -1)):
        found = observed(state, seat)
        assert found["next_1_deficit"] == max(0, sign * ahead)
        assert found["next_1_lead"] == max(0, -sign * ahead)
        assert found["next_1_deficit_if_entered"] == max(0, sign * if_entered)
        assert found["next_1_lead_if_entered"] == max(0, -sign * if_entered)


@every_game
@pytest.mark.parametrize("seat", [-1, 6, 10**20])
def test_seat_that_does_not_exist_is_refused(game: Game, seat: int) -> None:
    last = game.num_players - 1
    with pytest.raises(ValueError, match=rf"player {seat} does not exist.*players 0 to {last}"):
        game.new_state(1).observation(seat)
