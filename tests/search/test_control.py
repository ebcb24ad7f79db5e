"""Searches that are watched while they run: their limits, their reports, a stop from outside."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from search.searched import CountingClock

from tzaar_envs import load_game
from tzaar_envs.core.state import State
from tzaar_envs.search.alphabeta import AlphaBeta
from tzaar_envs.search.alphabeta_iteration import MAX_DEPTH
from tzaar_envs.search.control import Budget, SearchControl, SearchLimits
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.result import SearchResult

TURM = load_game("turm_und_waechter")


def by_tree(state: State, control: SearchControl) -> SearchResult:
    mcts = Mcts(state.game, simulations=10**8)
    mcts.control = control
    return mcts.search(state.words[None], 0)[0]


def by_batches(state: State, control: SearchControl) -> SearchResult:
    actions = state.game.num_actions
    mcts = Mcts(
        state.game, lambda states: (np.ones((len(states), actions)), np.zeros((len(states), 2)))
    )
    mcts.control = control
    return mcts.search(state.words[None], 0)[0]


def by_alpha_beta(state: State, control: SearchControl) -> SearchResult:
    search = AlphaBeta(state.game)
    search.control = control
    return search.search(state, MAX_DEPTH)


every_search = pytest.mark.parametrize("search", [by_tree, by_batches, by_alpha_beta])
Search = Callable[[State, SearchControl], SearchResult]


@every_search
def test_limits_take_the_place_of_the_budget(search: Search, clock: CountingClock) -> None:
    state = TURM.new_state(1)
    few = search(state, SearchControl(SearchLimits(nodes=3000)))
    assert 3000 <= (few.simulations or few.nodes) <= 3000 + 2048
    shallow = search(state, SearchControl(SearchLimits(depth=2)))
    assert shallow.depth in (2, 3)  # of a tree, the deepest leaf of a whole step
    assert shallow.nodes < few.nodes
    assert 0.05 <= search(state, SearchControl(SearchLimits(seconds=0.05))).seconds < 0.06


@every_search
def test_a_search_that_is_stopped_returns_what_it_has_found(search: Search) -> None:
    stopped = SearchControl()
    stopped.stop()
    result = search(TURM.new_state(1), stopped)
    assert TURM.new_state(1).is_legal(result.action)
    assert result.depth >= 1


@pytest.mark.parametrize("search", [by_tree, by_batches])
def test_a_tree_search_reports_four_times_a_second(search: Search, clock: CountingClock) -> None:
    reports: list[SearchResult] = []
    result = search(TURM.new_state(1), SearchControl(SearchLimits(seconds=1.1), reports.append))
    assert len(reports) == 4
    simulations = [report.simulations for report in (*reports, result)]
    assert simulations == sorted(simulations)


def test_alpha_beta_reports_every_depth() -> None:
    reports: list[SearchResult] = []
    result = by_alpha_beta(TURM.new_state(1), SearchControl(SearchLimits(depth=3), reports.append))
    assert [report.depth for report in reports] == [1, 2, 3]
    assert reports[-1] == result


def test_between_two_looks_at_the_clock_as_much_is_done_as_takes_milliseconds(
    clock: CountingClock,
) -> None:
    by_time, by_hand = Budget(seconds=1.0), Budget()
    assert (by_time.next_chunk(0), by_hand.next_chunk(0)) == (16, 64)
    clock.ms += 500
    assert by_time.next_chunk(10_000) == pytest.approx(10_000 / 500 * 2, rel=0.05)
    assert by_hand.next_chunk(10_000) == pytest.approx(10_000 / 500 * 100, rel=0.05)
    clock.ms += 493
    assert 0 < by_time.next_chunk(10_000) < 10_000 / 995 * 2  # about a millisecond is left


# --- in steps -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["turm_und_waechter", "twenty_one"])
def test_steps_end_with_the_budget_and_what_a_search_at_once_finds(name: str) -> None:
    state = load_game(name).new_state(1)
    mcts = Mcts(state.game, simulations=300)
    *_, result = mcts.search_in_steps(state, 3)
    assert result == mcts.search(state.words[None], 3)[0]


def test_steps_show_a_search_that_grows(clock: CountingClock) -> None:
    mcts = Mcts(TURM)
    mcts.control = SearchControl(SearchLimits(seconds=0.5))
    found = [*mcts.search_in_steps(TURM.new_state(1), 0, seconds=0.1)]
    assert len(found) == 6  # the first one comes after 0.05 s
    assert [result.nodes for result in found] == sorted({result.nodes for result in found})


def test_steps_end_when_nobody_asks_for_more() -> None:
    first = next(Mcts(TURM, simulations=10**8).search_in_steps(TURM.new_state(1), 0))
    assert 0 < first.simulations < 10**8


def test_a_proven_win_ends_the_steps() -> None:
    # Red's guard can capture Blue's.
    state = TURM.parse("7/7/7/3RG3/3BG3/7/7 r 1 10")
    *_, result = Mcts(TURM, simulations=10**6).search_in_steps(state)
    assert result.proven
    assert result.value == result.action_values[result.action] == 1
