"""Tree search with a sparse network: the priors of actions, and looking ahead by its values."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from small_policies import small_evaluator
from wins import positions_before_a_win, wins_at_once

import tzaar_envs
from tzaar_envs.agents.searchers import NetworkValues
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generator, new_generators
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.simulation import simulate
from tzaar_envs.search.tree import NETWORK, NODES, NONE, SearchSettings, new_search, plant

GAMES = {
    "black_elephant": tzaar_envs.load_game("black_elephant"),
    "turm_und_waechter": tzaar_envs.load_game("turm_und_waechter"),
    "tzaar": tzaar_envs.load_game("tzaar"),
    "zatre": tzaar_envs.load_game("zatre"),
    "zatre-3": tzaar_envs.load_game("zatre", players=3),
    "twenty_one-3": tzaar_envs.load_game("twenty_one", players=3),
}
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
every_open_game = pytest.mark.parametrize("game", [*GAMES.values()][:3], ids=[*GAMES][:3])
every_game_without_dice = pytest.mark.parametrize("game", [*GAMES.values()][:5], ids=[*GAMES][:5])


def evaluator(game: Game) -> CompiledNetwork:
    return small_evaluator(game, "value_head")


def positions(game: Game, count: int) -> list[State]:
    """Return positions of random games, each after 20 plies at most."""
    rng = np.random.default_rng(1)
    found = []
    for number in range(count):
        state = game.new_state(number)
        for _ in range(int(rng.integers(1, 20))):
            state.apply(int(rng.choice(state.legal_actions())))
        found.append(state)
    return found


def test_actions_of_every_hand_have_priors_of_the_network() -> None:
    """Each simulation draws the other seat's hand anew, so nodes get actions later, too."""
    game = GAMES["zatre"]
    network = SparseNetwork(SparseShape.for_game(game, width=8, hidden=4), game)
    with torch.no_grad():
        network.policy_head.weight.zero_()
        bias = network.policy_head.bias.normal_().numpy()
    compiled = CompiledNetwork(game, network)  # owns the arrays that the search reads
    settings = SearchSettings(True, 0.5, NETWORK, hidden=True)
    search = new_search(
        game, compiled.leaf_network(), settings, 500, 500 * game.num_actions, new_generator(1)
    )
    tree = search.tree
    plant(tree)
    simulate(search, 0, positions(game, 1)[0].words, 400)
    most = 0
    for node in range(tree.used[NODES]):
        # Of the network's weights, before they are scaled to 1: one for each position it judged.
        sums = []
        edge = tree.nodes[node].first_edge
        while edge != NONE:
            sums.append(np.exp(bias[tree.edges[edge].action]) / tree.edges[edge].prior)
            edge = tree.edges[edge].next_edge
        different = 1 + np.count_nonzero(np.diff(np.sort(sums)) > 0.01)
        assert different <= max(1, tree.nodes[node].visits)
        most = max(most, different)
    assert most > 5


@every_game_without_dice
def test_one_simulation_by_values_plays_the_best_position_after_an_action(game: Game) -> None:
    network = evaluator(game)
    search = Mcts(game, network, priors="values", simulations=1)
    for state in positions(game, 10):
        values = NetworkValues(game, network, plies=1)(game, state.words[None], new_generator(0))[0]
        action = search.search(state.words[None], 0).actions[0]
        assert values[action] == pytest.approx(values.max(), abs=1e-6)


@every_game
def test_visits_add_up_and_what_is_hidden_has_no_influence(game: Game) -> None:
    search = Mcts(game, evaluator(game), priors="values", simulations=60)
    for number, state in enumerate(positions(game, 3)):
        other = state.determinize(state.current_player, seed=number)
        pair = np.stack([state.words, other.words])
        results = search.search(pair, np.concatenate([new_generators(number, 1)] * 2))
        assert results.visits.sum(axis=1).tolist() == results.simulations.tolist()
        assert not results.visits[:, ~state.legal_mask().view(np.bool_)].any()
        assert np.array_equal(results.visits[0], results.visits[1])
        assert np.array_equal(results.values[0], results.values[1])
        assert results.values.sum(axis=1) == pytest.approx(0, abs=1e-6)


@every_open_game
def test_looking_ahead_by_values_proves_a_win_at_once(game: Game) -> None:
    search = Mcts(game, evaluator(game), priors="values")
    for state in positions_before_a_win(game, 3):
        result = search.search(state.words[None], 0)[0]
        assert result.action in wins_at_once(state)
        assert result.proven
