"""What a tree search makes of chance, of what is hidden, and of choices that it cannot see."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from search.searched import (
    Way,
    endless_positions,
    every_way,
    positions,
    search,
    stacked,
    without_evaluator,
)
from toy_games import COIN, COIN_GAME, ROLL, ROLL_GAME

import tzaar_envs
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generator, new_generators
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.search.chance import RUNS, run_of, set_luck
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.simulation import imagine, simulate
from tzaar_envs.search.tree import NETWORK, NODES, NONE, SearchSettings, new_search, plant

GAME = tzaar_envs.load_game("twenty_one")
KEEP, REROLL = 64, 65
SHEETS = "A:......,......,......,......,....../B:......,......,......,......,......"


# --- what is hidden -------------------------------------------------------------------------------


@without_evaluator
def test_a_hidden_coin_does_not_pay(way: Way) -> None:
    """Whoever saw the coin would guess it, at once or after waiting, and get 1."""
    words = stacked([COIN_GAME.new_state(0)] * 2)
    words[:, COIN] = 0, 1
    generators = new_generators(7, 1).repeat(2, axis=0)
    heads, tails = Mcts(COIN_GAME, simulations=6000, **way(COIN_GAME)).search(words, generators)
    assert heads == tails
    assert heads.action == ROLL  # take it after the good roll only: (0.9 + 0) / 2
    assert heads.value == pytest.approx(0.45, abs=0.1)


@every_way
@pytest.mark.parametrize(("name", "players"), [("zatre", 2), ("zatre", 4), ("twenty_one", 6)])
def test_positions_that_look_the_same_give_the_same_search(
    name: str, players: int, way: Way
) -> None:
    game = tzaar_envs.load_game(name, players=players)
    tested = 0
    for number, state in enumerate(itertools.islice(endless_positions(game, 0), 200)):
        other = state.determinize(state.current_player, seed=number)
        if tested == 3:
            break
        if state != other:
            tested += 1
            generators = new_generators(number, 1).repeat(2, axis=0)
            mcts = Mcts(game, simulations=60, **way(game))
            one, same = mcts.search(stacked([state, other]), generators)
            assert one == same
    assert tested == 3


def test_the_future_dice_of_a_state_are_not_used() -> None:
    first = GAME.new_state(1)
    second = first.clone()
    second.continue_chance(GAME.new_state(2))
    assert search(first, simulations=100) == search(second, simulations=100)


def test_others_are_believed_to_choose_well() -> None:
    """Seat 0 has chosen; seat 1 believes better of it than a random choice, and cannot see it."""
    values: dict[int, float] = {}
    for draws in (1, 16):
        seen: set[tuple[float, ...]] = set()
        for chosen in (0, 63):  # to strike, although the dice fit everywhere, or to enter all
            words = GAME.parse(f"fill 0 1 654321 {SHEETS} {chosen}/-").words
            state, trial, rng = words.copy(), words.copy(), new_generator(1)
            found = []
            for _ in range(100):
                imagine(GAME.rules.functions, draws, 2, words, state, trial, rng)
                found.append(GAME.rules.evaluate(state, 0))
            seen.add(tuple(found))
        assert len(seen) == 1
        values[draws] = float(np.mean(found))
    best = max(
        GAME.parse(f"fill 0 1 654321 {SHEETS} {choice}/-").evaluate(0) for choice in range(64)
    )
    assert values[1] < values[16] <= best
    assert best - values[16] < 0.3 * (best - values[1])


def test_actions_of_every_hand_have_priors_of_the_network() -> None:
    """Each simulation draws the other seat's hand anew, so nodes get actions later, too."""
    game = tzaar_envs.load_game("zatre")
    network = SparseNetwork(SparseShape.for_game(game, width=8, hidden=4), game)
    with torch.no_grad():
        network.policy_head.weight.zero_()
        bias = network.policy_head.bias.normal_().numpy()
    compiled = CompiledNetwork(game, network)  # owns the arrays that the search reads
    settings = SearchSettings(True, 0.5, NETWORK, hidden=True)
    edges = 500 * game.num_actions
    new = new_search(game, compiled.leaf_network(), settings, 500, edges, new_generator(1))
    tree = new.tree
    plant(tree)
    simulate(new, 0, positions(game, 1)[0].words, 400)
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


# --- chance ---------------------------------------------------------------------------------------


@without_evaluator
def test_what_chance_decides_is_not_proven(way: Way) -> None:
    for seed in range(3):
        result = search(ROLL_GAME.new_state(0), seed, simulations=1000, **way(ROLL_GAME))
        assert result.action == ROLL
        assert result.value == pytest.approx(0.45, abs=0.1)
        assert not result.proven


def rolls(count: int) -> list[State]:
    """Return positions of random games in which a seat may reroll."""
    found = (state for state in endless_positions(GAME, 4) if REROLL in state.legal_actions())
    return [*itertools.islice(found, count)]


def value_after(state: State, action: int) -> float:
    after = state.clone()
    after.apply(action)
    return after.evaluate(state.current_player)


def test_a_roll_is_not_given_up_for_one_that_was_lucky() -> None:
    """Many a reroll is better, but not their mean, by which even one simulation judges."""
    kept, tested, not_better = 0, 0, 0.0
    for state in rolls(100):
        keep = value_after(state, KEEP)
        outcomes = [value_after(GAME.parse(str(state), seed=seed), REROLL) for seed in range(60)]
        if keep > np.mean(outcomes) + 0.05 and np.mean(np.array(outcomes) > keep) > 0.15:
            results = Mcts(GAME, simulations=1).search(state.words[None].repeat(10, axis=0), 3)
            kept += int((results.actions == KEEP).sum())
            tested += 10
            not_better += 10 * float(np.mean(np.array(outcomes) <= keep))
    assert tested >= 50
    assert kept > not_better + 0.05 * tested


def test_each_run_of_luck_is_another_one_and_always_the_same() -> None:
    luck, seen = new_generator(0), set()
    runs = [*itertools.product((1, 2), range(40), range(40))]
    for salt, run, depth in runs * 2:
        set_luck(luck, salt, run, depth)
        seen.add(int(luck[0]))
    assert len(seen) == len(runs)
    # The generators that repeat one number for ever.
    assert not seen & {0, 4294883354 << 32 | 0xFFFFFFFF}


def test_a_longer_search_has_more_runs() -> None:
    runs = [run_of(visits, RUNS) for visits in range(3 * 128)]
    assert runs[:RUNS] == runs[RUNS : 2 * RUNS] == list(range(RUNS))
    assert [runs.count(run) for run in range(3 * RUNS)] == [8] * (3 * RUNS)


def test_shared_luck_lets_a_search_look_further_than_the_next_roll() -> None:
    """The seat that fills last sees the dice of the next turn, and what is made of them."""
    words = GAME.parse(f"fill 0 1 654321 {SHEETS} 0/-").words[None]
    mcts = Mcts(GAME, simulations=2000)
    depth = mcts.search(words, 0).depths[0]
    mcts.settings = mcts.settings._replace(runs=0)
    assert depth > mcts.search(words, 0).depths[0]
