"""Tree searches that go on in steps."""

from __future__ import annotations

import pytest

from tzaar_envs import load_game
from tzaar_envs.search.mcts.growing import GrowingSearch


@pytest.mark.parametrize("name", ["turm_und_waechter", "zatre", "twenty_one"])
def test_it_grows_up_to_a_number_of_simulations(name: str) -> None:
    search = GrowingSearch(load_game(name).new_state(1))
    search.advance(60, most=20)
    assert search.simulations == 20
    first = search.result()
    search.advance(60, most=300)
    result, actions = search.result(), search.actions()
    assert result.simulations == search.simulations == 300
    assert result.nodes > first.nodes
    assert sum(report.visits for report in actions.values()) == 300
    assert {action: r.visits for action, r in actions.items() if r.visits} == result.visits
    assert next(iter(actions)) == result.action
    assert all(report.value is None or -1 <= report.value <= 1 for report in actions.values())


def test_it_goes_on_for_a_time() -> None:
    search = GrowingSearch(load_game("turm_und_waechter").new_state(1))
    search.advance(0.01)
    assert search.simulations > 0
    assert not search.is_proven


def test_a_proven_win_ends_it() -> None:
    # Red's guard can capture Blue's.
    state = load_game("turm_und_waechter").parse("7/7/7/3RG3/3BG3/7/7 r 1 10")
    search = GrowingSearch(state)
    search.advance(60, most=10**6)
    assert search.is_proven
    assert search.result().value == 1
    assert next(iter(search.actions().values())).value == 1


def test_a_finished_game_is_refused() -> None:
    state = load_game("turm_und_waechter").new_state(0)
    while not state.is_terminal:
        state.apply(int(state.legal_actions()[-1]))
    with pytest.raises(ValueError, match="the game is over"):
        GrowingSearch(state)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(ValueError, match="leaf"):
        GrowingSearch(load_game("turm_und_waechter").new_state(1), leaf="nothing")
