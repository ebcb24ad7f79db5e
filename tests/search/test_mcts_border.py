"""What a tree search does with generators, positions and answers that it must not believe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.search.mcts import Mcts

GAMES = [tzaar_envs.load_game(name) for name in ("tzaar", "zatre")]
both_games = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)

Answer = tuple[NDArray[Any], NDArray[Any]]


def answering(game: Game, answer: Callable[[int, Game], Any]) -> Callable[[NDArray[Any]], Any]:
    return lambda states: answer(len(states), game)


def uniform(count: int, game: Game) -> Answer:
    return np.ones((count, game.num_actions)), np.zeros((count, game.num_players))


def with_prior(value: float) -> Callable[[int, Game], Answer]:
    def answer(count: int, game: Game) -> Answer:
        priors, values = uniform(count, game)
        priors[-1, 3] = value
        return priors, values

    return answer


def with_value(value: float) -> Callable[[int, Game], Answer]:
    def answer(count: int, game: Game) -> Answer:
        priors, values = uniform(count, game)
        values[-1, 1] = value
        return priors, values

    return answer


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.5])
@both_games
def test_priors_are_finite_and_not_negative(game: Game, value: float) -> None:
    search = Mcts(game, answering(game, with_prior(value)), simulations=20)
    with pytest.raises(ValueError, match=f"gave {value} as the prior of action 3: .* diverged"):
        search.search(game.new_state(0).words[None], 0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@both_games
def test_values_are_finite(game: Game, value: float) -> None:
    search = Mcts(game, answering(game, with_value(value)), simulations=20)
    with pytest.raises(ValueError, match=f"gave {value} as the value for player 1: .* diverged"):
        search.search(game.new_state(0).words[None], 0)


@pytest.mark.parametrize(
    "answer",
    [
        lambda count, game: (np.ones((count, 3)), np.zeros((count, 2))),
        lambda count, game: (np.ones((count - 1, game.num_actions)), np.zeros((count, 2))),
        lambda count, game: (np.ones((count, game.num_actions)), np.zeros((count, 1))),
        lambda count, game: (np.ones(game.num_actions), np.zeros((count, 2))),
        lambda count, game: (np.full((count, game.num_actions), "a"), np.zeros((count, 2))),
        lambda count, game: (np.ones((count, game.num_actions), complex), np.zeros((count, 2))),
    ],
)
@both_games
def test_answers_have_the_shape_of_the_question(game: Game, answer: Any) -> None:
    search = Mcts(game, answering(game, answer), simulations=20)
    with pytest.raises(ValueError, match=r"evaluator .*: (priors|values) of shape"):
        search.search(np.stack([game.new_state(seed).words for seed in range(3)]), 0)


@pytest.mark.parametrize("answer", [None, 1.0, (), "ab", (None, None, None)])
def test_answers_are_pairs(answer: Any) -> None:
    search = Mcts(GAMES[0], lambda states: answer, simulations=20)
    with pytest.raises(ValueError, match=r"use a pair of priors and values|priors of shape"):
        search.search(GAMES[0].new_state(0).words[None], 0)


@both_games
def test_an_error_names_the_evaluator(game: Game) -> None:
    class Diverged:
        name = "the network of 'policy.safetensors'"

        def __call__(self, states: NDArray[np.int64]) -> Answer:
            return with_value(np.nan)(len(states), game)

    with pytest.raises(ValueError, match=r"^the network of 'policy.safetensors' gave nan"):
        Mcts(game, Diverged(), simulations=20).search(game.new_state(0).words[None], 0)


@both_games
def test_answers_of_other_types_and_layouts_are_converted(game: Game) -> None:
    def answer(count: int, game: Game) -> Answer:
        priors = np.asfortranarray(np.ones((count, game.num_actions), np.float32))
        values = np.zeros((count, game.num_players), np.float16)
        priors.setflags(write=False)
        return priors, values

    words = game.new_state(0).words[None]
    found = Mcts(game, answering(game, answer), simulations=20).search(words, 0)
    expected = Mcts(game, answering(game, uniform), simulations=20).search(words, 0)
    np.testing.assert_array_equal(found.visits, expected.visits)


@pytest.mark.parametrize(
    "generators",
    [
        np.ones((1, 0), np.uint64),
        np.ones((2, 1), np.uint64),
        np.ones(1, np.uint64),
        np.ones((1, 1), np.int64),
        np.ones((1, 1)),
    ],
)
def test_generators_have_one_word_for_each_position(generators: Any) -> None:
    game = GAMES[0]
    with pytest.raises(ValueError, match=r"generators of shape .* use uint64 of shape \(1, 1\)"):
        Mcts(game, simulations=20).search(game.new_state(0).words[None], generators)


@both_games
def test_other_shapes_and_seeds_are_refused(game: Game) -> None:
    search = Mcts(game, simulations=20)
    words = game.new_state(0).words
    with pytest.raises(ValueError, match="positions of shape"):
        search.search(words, 0)
    with pytest.raises(ValueError, match="seed=-1 is not allowed"):
        search.search(words[None], -1)


@both_games
def test_no_positions_have_no_results(game: Game) -> None:
    nothing = np.zeros((0, game.rules.state_size), np.int64)
    assert len(Mcts(game, simulations=20).search(nothing, 0)) == 0
    assert len(Mcts(game, answering(game, uniform), simulations=20).search(nothing, 0)) == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_in_several_calls_is_the_same(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled code returns now and then to notice Ctrl-C."""
    game = GAMES[0]
    words = np.stack([game.new_state(seed).words for seed in range(2)])
    expected = Mcts(game, simulations=300, threads=threads).search(words, 0)
    monkeypatch.setattr("tzaar_envs.search.control._FIRST_CALL", 1)
    monkeypatch.setattr("tzaar_envs.search.control._FIRST_CHUNK", 1)
    monkeypatch.setattr("tzaar_envs.search.control._CALL_SECONDS", 0.0)
    found = Mcts(game, simulations=300, threads=threads).search(words, 0)
    np.testing.assert_array_equal(found.visits, expected.visits)
    np.testing.assert_array_equal(found.values, expected.values)
