"""Words of a state that a game declares to be out of use mean nothing to it."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

LOGGING = [tzaar_envs.load_game("turm_und_waechter")]


def used_words(game: Game, state: State) -> int:
    rules = game.rules
    return rules.key_size + int(state.words[rules.log_length])


def test_a_game_makes_use_of_it() -> None:
    games = [tzaar_envs.load_game(name) for name in tzaar_envs.list_games()]
    assert [game for game in games if game.rules.log_length] == LOGGING


@pytest.mark.parametrize("game", LOGGING, ids=lambda game: game.name)
def test_unused_words_mean_nothing(game: Game) -> None:
    """A game that is played on with rubbish in them is the same game."""
    rng = random.Random(5)
    for seed in range(20):
        state = game.new_state(seed=seed)
        spoiled = state.clone()
        while not state.is_terminal:
            used = used_words(game, state)
            assert game.rules.key_size <= used <= game.rules.state_size
            spoiled._words[used:] = spoiled._words[used - 1]
            action = rng.choice(state.legal_actions().tolist())
            assert spoiled.legal_actions().tolist() == state.legal_actions().tolist()
            state.apply(action)
            spoiled.apply(action)
            assert str(spoiled) == str(state)
            used = used_words(game, state)
            np.testing.assert_array_equal(spoiled.words[:used], state.words[:used])
