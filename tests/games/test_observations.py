"""The observations of each game against naive ones, made from the text of the position."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import positions
from reference import tzaar as tzaar_reference
from variants import every_game

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

Planes = dict[str, np.ndarray]


def observed(state: State, seat: int) -> Planes:
    """Return the planes of an observation by name."""
    observation = state.observation(seat)
    names = [plane.name for plane in state.game.observation_planes]
    return dict(zip(names, observation, strict=True))


# --- Turm & Wächter ------------------------------------------------------------------------------


def naive_turm(game: Game, text: str, seat: int) -> Planes:
    board, side, occurrences, plies = text.split()
    planes: Planes = {}

    def plane(name: str) -> np.ndarray:
        return planes.setdefault(name, np.zeros((7, 7), int))

    own = "rb"[seat]
    for owner in ("own", "enemy"):
        for name in ("guard", "castle", *(f"tower_{height}" for height in range(1, 8))):
            plane(f"{owner}_{name}")
    for row, rank in zip(range(6, -1, -1), board.split("/"), strict=True):
        column = 0
        for figure in re.findall("RG|BG|[rb][1-7]|[1-7]", rank):
            if figure.isdigit():
                column += int(figure)
                continue
            owner = "own" if figure[0].lower() == own else "enemy"
            kind = "guard" if figure[1] == "G" else f"tower_{figure[1]}"
            plane(f"{owner}_{kind}")[row, column] = 1
            column += 1
    plane("own_castle" if own == "r" else "enemy_castle")[6, 3] = 1  # D7
    plane("own_castle" if own == "b" else "enemy_castle")[0, 3] = 1  # D1
    plane("to_move")[:] = side == own
    plane("occurrences")[:] = int(occurrences) - 1
    plane("plies_div_4")[:] = int(plies) // 4
    plane("plies_mod_4")[:] = int(plies) % 4
    return planes


# --- Tzaar ---------------------------------------------------------------------------------------


def naive_tzaar(game: Game, text: str, seat: int) -> Planes:
    board, side, phase, reserve = text.split()
    planes: Planes = {plane.name: np.zeros((9, 9), int) for plane in game.observation_planes}
    names = {"Z": "tzaar", "R": "tzarra", "T": "tott"}
    texts = [stack for file in board.split("/") for stack in file.split(",")]
    for point, stack in zip(tzaar_reference.POINTS, texts, strict=True):
        i, j = tzaar_reference.GRID[point]
        planes["points"][j, i] = 1
        if stack == ".":
            continue
        owner = "own" if stack[0].isupper() == (seat == 0) else "enemy"
        height = int(stack[1:] or 1)
        planes[f"{owner}_{names[stack[0].upper()]}"][j, i] = 1
        planes[f"{owner}_height"][j, i] = height
        for least in (2, 3, 4, 5):
            planes[f"{owner}_height_{least}"][j, i] = height >= least
    planes["to_act"][:] = side == "wb"[seat]
    planes["opening"][:] = phase == "open"
    planes["action_1"][:] = phase == "1"
    planes["action_2"][:] = phase == "2"
    if game.options["setup"] == "tournament":
        reserves = reserve.split("/") if phase == "place" else ["0.0.0", "0.0.0"]
        for owner, colour in (("own", seat), ("enemy", 1 - seat)):
            for kind, number in zip(names.values(), reserves[colour].split("."), strict=True):
                planes[f"{owner}_reserve_{kind}"][:] = int(number)
    return planes


NAIVE: dict[str, Callable[[Game, str, int], Planes]] = {
    "turm_und_waechter": naive_turm,
    "tzaar": naive_tzaar,
}


def assert_observed_as_written(state: State) -> None:
    for seat in range(state.game.num_players):
        found = observed(state, seat)
        expected = NAIVE[state.game.name](state.game, str(state), seat)
        assert found.keys() == expected.keys()
        for name, plane in expected.items():
            np.testing.assert_array_equal(found[name], plane, f"{name} of {state}")


@every_game
@pytest.mark.parametrize("seed", range(4))
def test_random_games_are_observed_as_written(game: Game, seed: int) -> None:
    choices = random.Random(seed)
    state = game.new_state(seed)
    assert_observed_as_written(state)
    while not state.is_terminal:
        state.apply(choices.choice(state.legal_actions()))
        assert_observed_as_written(state)


@every_game
@settings(max_examples=60)
@given(data=st.data())
def test_odd_positions_are_observed_as_written(game: Game, data: st.DataObject) -> None:
    text = data.draw(positions(game))
    try:
        state = game.parse(text)
    except ValueError:
        return
    assert_observed_as_written(state)


@every_game
def test_observation_is_a_new_int8_array(game: Game) -> None:
    state = game.new_state(1)
    first = state.observation(0)
    assert first.dtype == np.int8
    assert first.shape == game.observation_shape
    kept = first.copy()
    first[:] = 99
    np.testing.assert_array_equal(state.observation(0), kept)


@every_game
def test_planes_have_unique_names_and_stay_within_their_highs(game: Game) -> None:
    names = [plane.name for plane in game.observation_planes]
    assert len(set(names)) == len(names) == game.observation_shape[0]
    assert all(plane.meaning for plane in game.observation_planes)
    highs = np.array([plane.high for plane in game.observation_planes])
    highest = np.zeros_like(highs)
    for seed in range(20):
        choices = random.Random(seed)
        state = game.new_state(seed)
        while not state.is_terminal:
            state.apply(choices.choice(state.legal_actions()))
            for seat in range(game.num_players):
                observation = state.observation(seat).reshape(len(highs), -1)
                assert observation.min() >= 0
                highest = np.maximum(highest, observation.max(axis=1))
    assert (highest <= highs).all()


@every_game
def test_seats_see_each_other_swapped(game: Game) -> None:
    """What one seat calls own, the other calls enemy."""
    choices = random.Random(3)
    state = game.new_state(3)
    while not state.is_terminal:
        first, second = observed(state, 0), observed(state, 1)
        for name in first:
            if name.startswith("own_"):
                other = name.replace("own_", "enemy_")
                np.testing.assert_array_equal(first[name], second[other])
                np.testing.assert_array_equal(second[name], first[other])
        state.apply(choices.choice(state.legal_actions()))


@every_game
@pytest.mark.parametrize("seat", [-1, 2, 10**20])
def test_seat_that_does_not_exist_is_refused(game: Game, seat: int) -> None:
    with pytest.raises(ValueError, match=rf"seat {seat} does not exist.*seats 0 to 1"):
        game.new_state(1).observation(seat)
