"""What sparse networks and their self-play are given from outside is checked, once per call."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from small_policies import small_evaluator, small_network

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.networks.sparse.learner import Learner
from tzaar_envs.networks.sparse.replay_buffer import Samples, samples_of
from tzaar_envs.search.gumbel import Gumbel
from tzaar_envs.search.self_play import GameSettings, Records, SelfPlay

TURM = tzaar_envs.load_game("turm_und_waechter")
GUMBEL, SETTINGS = Gumbel(2, 2, 0.1), GameSettings(0.1, 0.5, 2)


def words(game: Game = TURM) -> Any:
    return np.stack([game.new_state(seed).words for seed in range(3)])


def test_positions_of_any_layout_and_integer_type_are_read() -> None:
    right = small_evaluator(TURM)(words())
    read_only = words()
    read_only.setflags(write=False)
    for states in (
        np.asfortranarray(words()),
        words().astype(">i8"),
        np.repeat(words(), 2, axis=1)[:, ::2],
        read_only,
        words().tolist(),
    ):
        for found, expected in zip(small_evaluator(TURM)(states), right, strict=True):
            np.testing.assert_array_equal(found, expected)
    assert small_evaluator(TURM)(words()[:0])[0].shape == (0, TURM.num_actions)


def test_a_game_that_is_over_has_no_priors() -> None:
    state = TURM.parse("BG6/7/7/7/7/3RG3/7 r")
    state.apply(next(a for a in state.legal_actions() if "D1" in state.action_name(a)))
    assert state.is_terminal
    with pytest.raises(ValueError, match="the game is over"):
        small_evaluator(TURM)(state.words[None])


@functools.cache
def played() -> Records:
    return SelfPlay(TURM, GUMBEL, SETTINGS, positions=3).play(small_evaluator(TURM), 1)


def learner() -> Learner:
    return Learner(TURM, small_network(TURM), 1.0, 1.0)


@functools.cache
def samples() -> Samples:
    return samples_of(small_evaluator(TURM), played())


def test_many_samples_are_learnt_from_in_parts_with_the_same_gradient() -> None:
    once, often = learner(), learner()
    chosen = np.zeros(1, np.int64)
    once.add_gradients(samples(), chosen, chosen)
    often.add_gradients(samples(), np.repeat(chosen, 3000), np.repeat(chosen, 3000))
    for gradient, same in zip(once.gradients, often.gradients, strict=True):
        np.testing.assert_allclose(same, gradient, atol=1e-4)
