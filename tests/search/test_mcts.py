"""Monte Carlo tree search, in all games and with all ways of valuing a leaf."""

from __future__ import annotations

import numpy as np
import pytest
from search.searched import (
    CountingClock,
    Way,
    every_way,
    positions,
    search,
    stacked,
)

import tzaar_envs
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generators
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.tree import Tree, enlarged

every_name = pytest.mark.parametrize("name", tzaar_envs.list_games())


@every_way
@every_name
def test_each_row_is_the_result_of_a_search_within_its_budget(name: str, way: Way) -> None:
    game = tzaar_envs.load_game(name)
    states = positions(game, 4)
    results = Mcts(game, simulations=60, **way(game)).search(stacked(states), 0)
    for row, (state, result) in enumerate(zip(states, results, strict=True)):
        assert state.is_legal(result.action)
        assert result.action == results.actions[row] == result.principal_variation[0]
        assert set(result.visits) <= set(result.action_values) <= set(state.legal_actions())
        assert sum(result.visits.values()) == result.simulations == results.visits[row].sum()
        assert result.proven or result.simulations == 60
        bounds = {each: result.action_values[each] - n**-0.5 for each, n in result.visits.items()}
        assert result.proven or bounds[result.action] == max(bounds.values())
        assert result.value == result.values[state.current_player]
        assert all(-1 <= value <= 1 for value in (*result.values, *result.action_values.values()))
        assert len(result.principal_variation) <= max(1, result.depth) <= 60
        assert 1 <= result.nodes <= 61
        assert result.seconds > 0
    assert results[-1] == results[3]
    with pytest.raises(IndexError):
        results[4]


@every_way
@every_name
def test_a_simulation_that_ends_the_game_counts_once(name: str, way: Way) -> None:
    game = tzaar_envs.load_game(name)
    state, rng = game.new_state(2), np.random.default_rng(2)
    late: list[State] = []
    while not state.is_terminal:
        late.append(state.clone())
        state.apply(int(rng.choice(state.legal_actions())))
    late = late[-20::4]
    for result in Mcts(game, simulations=60, **way(game)).search(stacked(late), 0):
        assert sum(result.visits.values()) == result.simulations


@every_way
@every_name
def test_a_search_follows_from_its_generator_alone(name: str, way: Way) -> None:
    """Not from the positions that are searched beside it, nor from the number of threads."""
    game = tzaar_envs.load_game(name)
    states, generators = stacked(positions(game, 5)), new_generators(3, 5)
    alone = Mcts(game, simulations=40, **way(game))
    together = [*alone.search(states, generators)]
    threaded = Mcts(game, simulations=40, threads=3, **way(game))
    assert [*threaded.search(states, generators)] == together
    for row in range(5):
        found = alone.search(states[row : row + 1], generators[row : row + 1])
        assert [*found] == together[row : row + 1]
    assert len(alone.search(states[:0], generators[:0])) == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_pauses_and_a_tree_that_has_to_grow_change_nothing(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled code returns now and then to notice Ctrl-C, and for more room."""
    game = tzaar_envs.load_game("zatre")
    words = stacked(positions(game, 2))
    mcts = Mcts(game, simulations=300, threads=threads)
    expected = [*mcts.search(words, 0)]
    monkeypatch.setattr("tzaar_envs.search.control._FIRST_CALL", 1)
    monkeypatch.setattr("tzaar_envs.search.control._FIRST_CHUNK", 1)
    monkeypatch.setattr("tzaar_envs.search.control._CALL_SECONDS", 0.0)
    monkeypatch.setattr("tzaar_envs.search.mcts._FIRST_NODES", 2)
    assert [*mcts.search(words, 0)] == expected
    assert [*mcts.search(words, 1)] != expected


def test_a_search_by_time_uses_all_of_it(clock: CountingClock) -> None:
    """It takes 1 ms for some simulations, and 1 ms for each larger tree."""
    result = search(tzaar_envs.load_game("turm_und_waechter").new_state(0), ms=50)
    assert 0.048 <= result.seconds <= 0.052
    assert result.simulations > 16  # before the first look at the clock


def test_a_tree_does_not_grow_where_that_would_take_too_long(
    clock: CountingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time it grows takes twice as long as the last time: 8, 16, 32, 64 ms and so on."""
    grown = []

    def slowly_enlarged(tree: Tree) -> Tree:
        grown.append(tree.nodes.size)
        clock.ms += 8 * 2 ** (len(grown) - 1)
        return enlarged(tree)

    monkeypatch.setattr("tzaar_envs.search.tree.enlarged", slowly_enlarged)
    monkeypatch.setattr("tzaar_envs.search.mcts._FIRST_NODES", 8)
    result = search(tzaar_envs.load_game("turm_und_waechter").new_state(0), ms=100)
    assert len(grown) == 3
    assert result.simulations > 0
    assert result.seconds < 0.102


def test_a_search_ends_when_its_tree_may_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tzaar_envs.search.mcts._LARGEST", 1)
    state = tzaar_envs.load_game("turm_und_waechter").new_state(0)
    assert 0 < search(state, simulations=100_000).simulations < 10_000


def test_the_depth_is_the_longest_line_of_a_simulation() -> None:
    state = tzaar_envs.load_game("tzaar").new_state(2)
    shallow = search(state, simulations=1, leaf="evaluation")
    assert (shallow.depth, shallow.nodes) == (1, 2)
    assert search(state, simulations=2000, leaf="evaluation", exploration=0.0).depth > 2
