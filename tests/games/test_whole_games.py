"""What the words of a position hold is what reading its notation makes of it, after every move."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from positions import positions
from variants import every_game

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.games.turm_und_waechter import board


def words_of(state: State) -> NDArray[np.int64]:
    """Return the words of a position, but for the earlier positions, which no notation holds."""
    words = state.words
    if state.game.name == "turm_und_waechter":
        words[board.HISTORY] = 0
        words[board.HISTORY_LENGTH] = 0
    return words


def assert_words_as_read(state: State) -> None:
    """What the actions have kept up to date is what reading the notation makes anew."""
    read = state.game.parse(str(state))
    np.testing.assert_array_equal(words_of(state), words_of(read), str(state))


@every_game
def test_words_are_kept_up_to_date(game: Game) -> None:
    for seed in range(2):
        choices = random.Random(seed)
        state = game.new_state(seed)
        while not state.is_terminal:
            assert_words_as_read(state)
            state.apply(choices.choice(state.legal_actions().tolist()))
        assert_words_as_read(state)


@pytest.mark.parametrize("name", tzaar_envs.list_games())
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_words_are_kept_up_to_date_from_odd_positions(name: str, data: st.DataObject) -> None:
    game = tzaar_envs.load_game(name)
    try:
        state = game.parse(data.draw(positions(game)))
    except ValueError:
        return
    for action in state.legal_actions().tolist():
        after = state.clone()
        after.apply(action)
        if not after.is_terminal:  # else the notation may not tell who would be to move
            assert_words_as_read(after)
