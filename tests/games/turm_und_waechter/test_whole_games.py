"""Invariants over whole games of Turm & Wächter, in the rules and in their reference."""

from __future__ import annotations

import random

import numpy as np
import pytest
from games.turm_und_waechter.texts import (
    DRAWN,
    SHUFFLE,
    START,
    assert_ongoing,
    assert_over,
    legal,
    play,
)
from implementations import Rules

import tzaar_envs
from tzaar_envs.games.turm_und_waechter import board
from tzaar_envs.jit.arrays import StateArray

# Whole games.


def test_clone_shares_nothing(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r")
    play(state, SHUFFLE)
    copy = state.clone()
    assert copy == state
    play(copy, SHUFFLE)
    assert_over(copy, DRAWN)
    assert str(state) == "RG6/7/7/7/7/7/6BG r 2 4"
    assert_ongoing(state, seat=0)
    # The copy has taken the history along, and what it added stays its own.
    play(state, "A7-A6-1")
    assert str(state) == "7/RG6/7/7/7/7/6BG b 2 5"
    assert str(copy) == "RG6/7/7/7/7/7/6BG r 3 8"


@pytest.mark.parametrize("seed", range(3))
def test_notation_holds_all_of_a_random_game(rules: Rules, seed: int) -> None:
    rng = random.Random(seed)
    state = rules.initial()
    plies = 0
    while not state.is_terminal:
        assert state.current_player == plies % 2
        state.apply(rng.choice(legal(state)))
        plies += 1
        read = rules.parse(str(state))
        assert str(read) == str(state)
        assert str(state).endswith(f" {plies}")
        assert legal(read) == legal(state)
        assert read.current_player == state.current_player
        assert read.is_terminal == state.is_terminal
        assert read.is_truncated == state.is_truncated
        assert list(read.returns()) == list(state.returns())
    assert plies <= 500
    assert sum(state.returns()) == 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "position",
    [
        START,
        "3RG3/7/1r15/r33b42/7/2b11r12/2BG4 b 1 0",
        "r7RG5/7/7/7/7/7/5BGb7 r 2 12",
        "1r1r2RG3/b1r25/7/3b43/7/r1r15/3BG2b2 r 1 300",
    ],
)
def test_kept_words_are_those_that_follow_from_the_notation(position: str, seed: int) -> None:
    """Nothing that a move carries along differs from what reading the position works out."""
    game = tzaar_envs.load_game("turm_und_waechter")
    rng = random.Random(seed)
    state = game.parse(position)
    words = state.words
    history = words[board.HISTORY][: words[board.HISTORY_LENGTH]].tolist()
    figures = words[board.FIGURES]
    while not state.is_terminal:
        state.apply(rng.choice(legal(state)))
        words, read = state.words, game.parse(str(state)).words
        key = read[board.HISTORY][0]
        # A capture leaves fewer bits; only then is the history forgotten.
        if stones_and_guards(words[board.FIGURES]) < stones_and_guards(figures):
            history = []
        history.append(key)
        figures = words[board.FIGURES]
        assert words[board.HISTORY][: words[board.HISTORY_LENGTH]].tolist() == history
        assert history.count(key) == words[board.OCCURRENCES]
        for derived in (words, read):
            derived[board.HISTORY_LENGTH] = 0
            derived[board.HISTORY] = 0
        np.testing.assert_array_equal(words, read)


def stones_and_guards(figures: StateArray) -> int:
    return sum(int(cells).bit_count() for cells in figures)
