"""What searches hand out, and what agents hand out of it."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from numpy.typing import NDArray
from random_games import random_game

import tzaar_envs
from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.search.alphabeta import AlphaBeta
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.result import SearchResult

GAME = tzaar_envs.load_game("tzaar")


def states_of(game: Game, plies: int = 6, seed: int = 2) -> list[State]:
    """Return positions in which either player is to move."""
    return random_game(game.new_state(seed), np.random.default_rng(seed))[:plies]


def words_of(states: list[State]) -> NDArray[np.int64]:
    return np.stack([state.words for state in states])


def flat_evaluator(states: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.ones((len(states), GAME.num_actions)), np.zeros((len(states), GAME.num_players))


@pytest.mark.parametrize("name", ["tzaar", "twenty_one"])
def test_each_row_is_a_result(name: str) -> None:
    game = tzaar_envs.load_game(name)
    states = states_of(game)
    results = Mcts(game, simulations=40).search(words_of(states), 0)
    assert {state.current_player for state in states} == {0, 1}
    assert len(results) == len(states) == len(list(results))
    for row, (state, result) in enumerate(zip(states, results, strict=True)):
        assert result.action == results.actions[row] == result.principal_variation[0]
        assert result.values == tuple(results.values[row])
        assert result.value == result.values[state.current_player]
        assert result.proven == results.proven[row]
        assert result.nodes == results.nodes[row]
        assert result.simulations == results.simulations[row] == sum(result.visits.values())
        assert result.visits == {a: n for a, n in enumerate(results.visits[row].tolist()) if n}
        assert len(result.principal_variation) <= result.depth <= 40
        assert result.seconds > 0
    assert results[-1] == results[len(results) - 1]
    with pytest.raises(IndexError):
        results[len(results)]


def test_the_depth_is_the_longest_line_of_a_simulation() -> None:
    words = words_of(states_of(GAME, 1))
    # A node is added by each simulation, so two of them cannot both be at the first ply.
    shallow = Mcts(GAME, simulations=1, leaf="evaluation").search(words, 0)[0]
    deeper = Mcts(GAME, simulations=2000, leaf="evaluation", exploration=0.0).search(words, 0)[0]
    assert (shallow.depth, shallow.nodes) == (1, 2)
    assert deeper.depth > 2


def test_searches_with_an_evaluator_count_their_own_nodes() -> None:
    words = words_of(states_of(GAME))
    for threads in (1, 2):
        results = Mcts(GAME, flat_evaluator, simulations=30, threads=threads).search(words, 0)
        alone = [
            Mcts(GAME, flat_evaluator, simulations=30).search(words[row : row + 1], row)[0]
            for row in range(len(words))
        ]
        assert [result.nodes for result in results] == [31] * len(words)
        assert {result.depth for result in results} <= set(range(1, 31))
        assert [result.nodes for result in alone] == [31] * len(words)
        assert len(set(results.seconds.tolist())) == 1  # an equal share of the time


def test_values_of_an_evaluator_are_kept_within_the_returns() -> None:
    """A network for three seats can predict more than any return."""

    def exaggerating(
        states: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        priors, _ = flat_evaluator(states)
        return priors, np.tile([1.5, -1.5], (len(states), 1))

    words = words_of(states_of(GAME, 1))
    results = Mcts(GAME, exaggerating, simulations=5).search(words, 0)
    assert results.values[0].tolist() == [1.5, -1.5]
    assert (results[0].value, results[0].values) == (1.0, (1.0, -1.0))


def test_alphabeta_values_the_position_for_both_players() -> None:
    search = AlphaBeta(GAME)
    for state in states_of(GAME):
        result = search.search(state, depth=2)
        assert result.value == result.values[state.current_player]
        assert sum(result.values) == 0
        assert (result.simulations, result.visits) == (0, {})
        assert result.seconds > 0


def test_results_that_differ_in_time_alone_are_equal() -> None:
    result = AlphaBeta(GAME).search(GAME.new_state(0), depth=1)
    assert result == dataclasses.replace(result, seconds=result.seconds + 1)
    assert result != dataclasses.replace(result, depth=2)


@pytest.mark.parametrize("text", ["mcts:simulations=20", "alphabeta:depth=2"])
def test_a_searching_agent_hands_out_what_it_found(text: str) -> None:
    states = states_of(GAME)
    agent = make_agent(text, GAME, seed=1)
    assert agent.last_search is None
    action = agent.act(states[0])
    assert isinstance(agent.last_search, SearchResult)
    assert agent.last_search.action == action
    assert list(agent.last_searches) == [agent.last_search]

    batch = Batch(GAME, len(states))
    batch.set_positions(np.ones(len(states), np.bool_), words_of(states))
    for act in (
        lambda: agent.act_batch(states),
        lambda: agent.act_rows(batch, np.arange(len(states))),
    ):
        actions = act()
        found = agent.last_searches
        assert [result.action for result in found if result] == actions.tolist()
        assert agent.last_search is None
    twin = pickle.loads(pickle.dumps(agent))
    assert list(twin.last_searches) == list(agent.last_searches)


@pytest.mark.parametrize("text", ["random", "greedy"])
def test_an_agent_that_does_not_search_hands_out_nothing(text: str) -> None:
    agent: Agent = make_agent(text, GAME, seed=1)
    agent.act(GAME.new_state(0))
    assert agent.last_search is None
    assert len(agent.last_searches) == 0
