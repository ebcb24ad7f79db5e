"""Gumbel search: what is drawn, and how simulations are shared."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from search.searched import network
from wins import positions_before_a_win, wins_at_once

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.search.gumbel import Gumbel, new_candidates, search_by_gumbel
from tzaar_envs.search.tree import NETWORK, SearchSettings, Tree, new_search, plant

GAMES = {
    "turm_und_waechter": tzaar_envs.load_game("turm_und_waechter"),
    "tzaar": tzaar_envs.load_game("tzaar"),
    "zatre-3": tzaar_envs.load_game("zatre", players=3),
    "twenty_one-3": tzaar_envs.load_game("twenty_one", players=3),
}
every_game = pytest.mark.parametrize("name", GAMES)


def search(
    game: Game, words: NDArray[np.int64], gumbel: Gumbel, seed: int = 0
) -> tuple[Tree, Any, int, NDArray[np.float64]]:
    """Return the tree, the root's edges, how many there are, and the values."""
    room = gumbel.simulations + 70
    settings = SearchSettings(True, 1.0, NETWORK, game.spec.hidden_information)
    leaf_network, edges = network(game).leaf_network(), room * game.num_actions
    tree_search = new_search(game, leaf_network, settings, room, edges, new_generator(seed))
    plant(tree_search.tree)
    found, values = new_candidates(game.num_actions), np.zeros(game.num_players)
    count = search_by_gumbel(tree_search, gumbel, 0, words, found, values, np.zeros(1, np.int64))
    return tree_search.tree, found, count, values


@every_game
def test_the_improved_policy_is_one_over_the_legal_actions(name: str) -> None:
    game = GAMES[name]
    state = game.new_state(3)
    tree, edges, count, values = search(game, state.words, Gumbel(16, 8, 0.1))
    actions = tree.edges.action[edges.edge[:count]]
    assert sorted(actions.tolist()) == state.legal_actions().tolist()
    assert edges.policy[:count].sum() == pytest.approx(1)
    assert values.sum() == pytest.approx(0, abs=1e-9)
    assert tree.edges.visits[edges.edge[:count]].sum() == 16


def test_the_improved_policy_is_priors_and_values() -> None:
    """Danihelka et al. (2022), section 4: those without a visit have the mixed value."""
    game = GAMES["tzaar"]
    words = game.new_state(3).words
    tree, found, count, _ = search(game, words, Gumbel(24, 8, 0.1))
    edges = tree.edges[found.edge[:count]]
    visits, priors = edges.visits, edges.prior
    values = np.divide(edges.value_sum, visits, where=visits > 0, out=np.zeros(count))
    visited = (priors * values).sum() / priors[visits > 0].sum()
    mixed = (network(game)(words[None])[1][0, 0] + visits.sum() * visited) / (1 + visits.sum())
    completed = np.where(visits > 0, values, mixed)
    improved = priors * np.exp((50 + visits.max()) * 0.1 * completed)
    assert found.policy[:count] == pytest.approx(improved / improved.sum(), rel=1e-4)


def test_simulations_are_halved_among_the_best_candidates() -> None:
    game = GAMES["tzaar"]
    tree, edges, count, _ = search(game, game.new_state(3).words, Gumbel(24, 8, 0.1))
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
    prior = network(game)(state.words[None])[0][0]
    prior /= prior.sum()
    played = np.zeros(game.num_actions)
    for seed in range(400):
        tree, edges, _, _ = search(game, state.words, Gumbel(1, 1, 0.1), seed)
        played[tree.edges.action[edges[0].edge]] += 1 / 400
    assert played == pytest.approx(prior, abs=0.12)


def test_a_win_at_hand_is_played_and_all_of_the_policy() -> None:
    game = GAMES["turm_und_waechter"]
    state = next(state for state in positions_before_a_win(game, 8) if state.current_player == 0)
    tree, edges, count, values = search(game, state.words, Gumbel(600, 64, 0.1))
    assert tree.edges.action[edges[0].edge] in wins_at_once(state)
    assert edges.policy[:count].tolist() == [1.0] + [0.0] * (count - 1)
    assert values.tolist() == [1.0, -1.0]
