"""Gumbel search and self-play: what is drawn, how simulations are shared, what is recorded."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from random_games import random_game
from self_played import policies_of
from small_policies import small_evaluator

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.search.gumbel import Gumbel, new_candidates, search_by_gumbel
from tzaar_envs.search.self_play import GameSettings, Records, SelfPlay
from tzaar_envs.search.tree import NETWORK, SearchSettings, Tree, new_search, plant

GAMES = {
    "turm_und_waechter": tzaar_envs.load_game("turm_und_waechter"),
    "tzaar": tzaar_envs.load_game("tzaar"),
    "zatre-3": tzaar_envs.load_game("zatre", players=3),
    "twenty_one-3": tzaar_envs.load_game("twenty_one", players=3),
}
every_game = pytest.mark.parametrize("name", GAMES)


def evaluator(game: Game) -> CompiledNetwork:
    return small_evaluator(game, "policy_head")


def search(
    game: Game, words: NDArray[np.int64], gumbel: Gumbel, seed: int = 0
) -> tuple[Tree, Any, int, NDArray[np.float64]]:
    """Return the tree, the root's edges, how many there are, and the values."""
    room = gumbel.simulations + 70
    settings = SearchSettings(True, 1.0, NETWORK, game.spec.hidden_information)
    network = evaluator(game)
    tree_search = new_search(
        game, network.leaf_network(), settings, room, room * game.num_actions, new_generator(seed)
    )
    plant(tree_search.tree)
    edges, values = new_candidates(game.num_actions), np.zeros(game.num_players)
    count = search_by_gumbel(tree_search, gumbel, 0, words, edges, values, np.zeros(1, np.int64))
    return tree_search.tree, edges, count, values


@every_game
def test_the_improved_policy_is_one_over_the_legal_actions(name: str) -> None:
    game = GAMES[name]
    state = game.new_state(3)
    tree, edges, count, values = search(game, state.words, Gumbel(16, 8, 50.0, 0.1))
    actions = tree.edges.action[edges.edge[:count]]
    assert sorted(actions.tolist()) == state.legal_actions().tolist()
    assert edges.policy[:count].sum() == pytest.approx(1)
    assert values.sum() == pytest.approx(0, abs=1e-9)
    assert tree.edges.visits[edges.edge[:count]].sum() == 16


def test_simulations_are_halved_among_the_best_candidates() -> None:
    game = GAMES["tzaar"]
    tree, edges, count, _ = search(game, game.new_state(3).words, Gumbel(24, 8, 50.0, 0.1))
    visits = sorted(tree.edges.visits[edges.edge[:count]].tolist(), reverse=True)
    assert visits[:8] == [7, 7, 3, 3, 1, 1, 1, 1]
    assert visits[8:] == [0] * (count - 8)
    assert tree.edges.visits[edges[0].edge] == 7  # one of the last two is played


def test_first_candidates_are_drawn_from_the_priors() -> None:
    """With one candidate, the search plays a sample of the policy."""
    game = GAMES["twenty_one-3"]
    state = game.new_state(3)
    while state.legal_actions().size < 4:
        state.apply(int(state.legal_actions()[0]))
    prior = evaluator(game)(state.words[None])[0][0]
    prior /= prior.sum()
    played = np.zeros(game.num_actions)
    for seed in range(400):
        tree, edges, _, _ = search(game, state.words, Gumbel(1, 1, 50.0, 0.1), seed)
        played[tree.edges.action[edges[0].edge]] += 1 / 400
    assert played == pytest.approx(prior, abs=0.12)


def test_a_win_at_hand_is_played_and_all_of_the_policy() -> None:
    game = GAMES["turm_und_waechter"]
    state = game.parse(winning_position())
    wins = []
    for action in state.legal_actions().tolist():
        after = state.clone()
        after.apply(action)
        wins += [action] if after.is_terminal and after.returns()[0] == 1 else []
    assert wins
    tree, edges, count, values = search(game, state.words, Gumbel(600, 64, 50.0, 0.1))
    assert tree.edges.action[edges[0].edge] in wins
    assert edges.policy[:count].tolist() == [1.0] + [0.0] * (count - 1)
    assert values.tolist() == [1.0, -1.0]


def winning_position() -> str:
    """Return a position in which player 0 wins at once, from a random game."""
    game = GAMES["turm_und_waechter"]
    for seed in range(100):
        state = game.new_state(seed)
        before = random_game(state, np.random.default_rng(seed))[-1]
        if before.current_player == 0 and state.returns()[0] == 1:
            return str(before)
    raise AssertionError("no such game")


def play(name: str, seed: int = 0, epsilon: float = 0.1, td_lambda: float = 0.5) -> Records:
    game, settings = GAMES[name], GameSettings(epsilon, td_lambda, 0)
    return SelfPlay(game, Gumbel(4, 4, 50.0, 0.1), settings, 40).play(evaluator(game), seed)


@every_game
def test_positions_of_whole_games_with_their_legal_actions(name: str) -> None:
    game, positions = GAMES[name], play(name)
    assert len(positions.states) >= 40
    assert positions.games >= 1
    for policy in policies_of(game, positions):
        assert policy.sum() == pytest.approx(1, abs=1e-5)
    assert np.abs(positions.values.sum(axis=1)).max() < 1e-9


def test_games_follow_from_the_seed() -> None:
    one, same, other = play("twenty_one-3", 1), play("twenty_one-3", 1), play("twenty_one-3", 2)
    assert np.array_equal(one.states, same.states)
    assert np.array_equal(one.policy, same.policy)
    assert not np.array_equal(one.states[:20], other.states[:20])


def test_with_a_lambda_of_1_all_values_are_the_result_of_the_game() -> None:
    positions = play("tzaar", epsilon=0.0, td_lambda=1.0)
    assert np.abs(positions.values) == pytest.approx(1)
    searched = play("tzaar", epsilon=0.0, td_lambda=0.0)
    assert np.array_equal(positions.states, searched.states)
    assert 0 < np.abs(searched.values[0]).max() < 1


def test_a_random_action_ends_the_lambda_return() -> None:
    positions = play("tzaar", epsilon=1.0, td_lambda=1.0)
    assert np.abs(positions.values[0]).max() < 1  # the value of its search, not the result
