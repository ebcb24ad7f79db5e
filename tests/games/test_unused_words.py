"""Words of a state that a game declares to be out of use mean nothing to it."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.search.alphabeta import AlphaBeta

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


@pytest.mark.parametrize("game", LOGGING, ids=lambda game: game.name)
def test_a_search_that_copies_all_words_finds_the_same(game: Game) -> None:
    """In positions that come about by going to and fro, where the log decides."""
    whole = Game(game.spec, **game.options)
    whole.rules = dataclasses.replace(game.rules, log_length=0)
    whole_search, search = AlphaBeta(whole), AlphaBeta(game)
    rng = random.Random(3)
    longest = 0
    for seed in range(10):
        state = game.new_state(seed=seed)
        for _ in range(rng.randrange(8, 40)):
            before = state.clone()
            state.apply(rng.choice(state.legal_actions().tolist()))
            if state.is_terminal:
                state = before
                break
        longest = max(longest, used_words(game, state) - game.rules.key_size)
        assert whole_search.search(state, depth=4) == search.search(state, depth=4)
    assert longest > 8
