"""Tree searches that go on in steps."""

from __future__ import annotations

import pytest

from tzaar_envs import load_game
from tzaar_envs.search.control import SearchControl, SearchLimits
from tzaar_envs.search.mcts import Mcts


@pytest.mark.parametrize("name", ["turm_und_waechter", "zatre", "twenty_one"])
def test_it_ends_with_its_budget_and_finds_what_a_search_at_once_does(name: str) -> None:
    state = load_game(name).new_state(1)
    mcts = Mcts(state.game, simulations=300)
    *_, result = mcts.search_in_steps(state, 3)
    assert result == mcts.search(state.words[None], 3)[0]
    assert result.simulations == 300
    assert sum(result.visits.values()) == 300
    assert set(result.visits) <= set(result.action_values)
    assert max(result.visits, key=lambda action: result.visits[action]) == result.action
    assert all(-1 <= value <= 1 for value in result.action_values.values())


def test_it_grows_for_a_time() -> None:
    state = load_game("turm_und_waechter").new_state(1)
    mcts = Mcts(state.game)
    mcts.control = SearchControl(SearchLimits(seconds=0.5))
    found = [*mcts.search_in_steps(state, 0, seconds=0.1)]
    assert len(found) > 2
    assert [result.nodes for result in found] == sorted(result.nodes for result in found)
    assert found[0].simulations < found[-1].simulations
    assert found[-1].seconds >= 0.3  # it does not begin a tree that is too large for the rest


def test_it_ends_when_nobody_asks_for_more() -> None:
    state = load_game("turm_und_waechter").new_state(1)
    mcts = Mcts(state.game, simulations=10**8)
    first = next(mcts.search_in_steps(state, 0))
    assert 0 < first.simulations < 10**8


def test_a_proven_win_ends_it() -> None:
    # Red's guard can capture Blue's.
    state = load_game("turm_und_waechter").parse("7/7/7/3RG3/3BG3/7/7 r 1 10")
    *_, result = Mcts(state.game, simulations=10**6).search_in_steps(state)
    assert result.proven
    assert result.value == 1
    assert result.action_values[result.action] == 1


def test_a_finished_game_is_refused() -> None:
    state = load_game("turm_und_waechter").new_state(0)
    while not state.is_terminal:
        state.apply(int(state.legal_actions()[-1]))
    with pytest.raises(ValueError, match="the game is over"):
        next(Mcts(state.game).search_in_steps(state))
