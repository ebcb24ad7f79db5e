"""Tree search with an evaluator that is called from Python: what it is asked, what it changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from search.searched import CountingClock, Recorder, child, positions, search, stacked
from wins import positions_before_a_win

import tzaar_envs
from tzaar_envs.core.state import State
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.result import SearchResult

GAME = tzaar_envs.load_game("turm_und_waechter")


@pytest.fixture
def start() -> State:
    return GAME.new_state(0)


def evaluator(weights: Any = 1.0, value: float = 0.0) -> Callable[[NDArray[np.int64]], Any]:
    """Return an evaluator that gives the same priors and values to every position."""

    def answer(states: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        priors = np.empty((len(states), GAME.num_actions))
        priors[:] = weights
        return priors, np.tile([value, -value], (len(states), 1))

    return answer


@pytest.mark.parametrize(("simulations", "leaves"), [(20, 1), (400, 8)])
@pytest.mark.parametrize("name", ["tzaar", "zatre"])
def test_a_call_has_leaves_of_all_searches(name: str, simulations: int, leaves: int) -> None:
    """Several of each where many are to come, and no simulation is lost."""
    game = tzaar_envs.load_game(name)
    states, recorder = positions(game, 4), Recorder(game)
    results = Mcts(game, recorder, simulations=simulations).search(stacked(states), 0)
    for result in results:
        assert sum(result.visits.values()) == result.simulations
        assert result.proven or result.simulations == simulations
    sizes = [len(batch) for batch in recorder.asked]
    assert max(sizes) == 4 * leaves
    assert len(sizes) <= 1 + 4 * simulations / leaves
    for state, root in zip(states, recorder.asked[0], strict=True):
        # The roots come first, as the seat to act sees them.
        seat, seen = state.current_player, State(game, root.copy(), state.generator)
        assert np.array_equal(seen.observation(seat), state.observation(seat))


def test_the_leaves_of_a_round_are_all_evaluated(start: State) -> None:
    recorder = Recorder(GAME)
    Mcts(GAME, recorder, simulations=30).search(stacked([start] * 4), 0)
    assert [len(batch) for batch in recorder.asked] == [4] * 31
    successors = {child(start, int(a)).words.tobytes() for a in start.legal_actions()}
    assert {leaf.tobytes() for leaf in recorder.asked[1]} <= successors


def test_a_search_by_time_asks_about_few_leaves_at_once(clock: CountingClock) -> None:
    game = tzaar_envs.load_game("tzaar")
    recorder = Recorder(game)
    results = Mcts(game, recorder, ms=20).search(stacked(positions(game, 3)), 0)
    assert (results.simulations > 0).all()
    assert max(map(len, recorder.asked)) == 6
    assert 0.06 <= clock.ms / 1000 <= 0.07  # of three positions


def test_simulations_that_wait_count_as_lost_only_until_they_are_finished(start: State) -> None:
    """Where all actions are equally good, none is left out for having been lost for a while."""
    visits = search(start, evaluator=evaluator(), simulations=800).visits
    assert sum(visits.values()) == 800
    mean = 800 / start.legal_actions().size
    assert all(0.5 * mean < visits[action] < 2 * mean for action in start.legal_actions())


def test_priors_steer_the_search(start: State) -> None:
    favourite = int(start.legal_actions()[7])
    weights = np.full(GAME.num_actions, 1e-6)
    weights[favourite] = 1.0
    result = search(start, evaluator=evaluator(weights), simulations=50)
    assert result.action == favourite
    assert result.visits[favourite] > 45
    assert result.nodes == 51


def test_neither_the_scale_of_priors_nor_their_type_matters(start: State) -> None:
    weights = np.random.default_rng(1).integers(1, 100, GAME.num_actions) / 128

    def found(scale: float, kind: Any) -> SearchResult:
        def answer(states: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
            values = np.sin(states.sum(axis=1, keepdims=True)) * [0.5, -0.5]
            return np.tile((scale * weights).astype(kind), (len(states), 1)), values

        return search(start, evaluator=answer, simulations=100)

    assert found(1.0, np.float64) == found(64.0, np.float64) == found(1.0, np.float16)


def test_only_running_games_are_evaluated() -> None:
    """The recorder refuses others."""
    state = positions_before_a_win(GAME, 1)[0]
    assert search(state, evaluator=Recorder(GAME), simulations=2000, rule="uct").proven


def test_values_of_an_evaluator_are_kept_within_the_returns(start: State) -> None:
    """A network for three seats can predict more than any return."""
    results = Mcts(GAME, evaluator(value=1.5), simulations=5).search(start.words[None], 0)
    assert results.values[0].tolist() == [1.5, -1.5]
    assert (results[0].value, results[0].values) == (1.0, (1.0, -1.0))
