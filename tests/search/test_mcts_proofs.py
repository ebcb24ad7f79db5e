"""Tree search near the end of a game: wins are found and proven, endgames solved as by minimax."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from numpy.typing import NDArray
from random_games import random_game
from search.searched import (
    OPEN_GAMES,
    Way,
    child,
    every_open_game,
    network,
    positions,
    search,
    without_evaluator,
)
from toy_games import CHOICES, TABLE_GAME
from wins import positions_before_a_win, wins_at_once

import tzaar_envs
from tzaar_envs.agents.searchers import NetworkValues, action_values
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.search.result import SearchResult


@without_evaluator
@every_open_game
def test_a_win_at_once_is_found_and_proven(game: Game, way: Way) -> None:
    for state in positions_before_a_win(game, 5):
        result = search(state, simulations=1000, **way(game))
        assert result.proven
        assert result.simulations < 1000
        assert result.value == result.action_values[result.action] == 1.0
        assert result.action in wins_at_once(state) or forces_a_win(state, result)


def forces_a_win(state: State, result: SearchResult) -> bool:
    """Whether what is played is proven to win, though later."""
    return bool(minimax(child(state, result.action))[state.current_player] == 1.0)


@pytest.mark.parametrize("by_network", [False, True])
@every_open_game
def test_looking_ahead_proves_a_win_at_once_without_a_simulation(
    game: Game, by_network: bool
) -> None:
    options = {"evaluator": network(game), "priors": "values"} if by_network else {}
    for state in positions_before_a_win(game, 5):
        result = search(state, **options)
        assert result.action in wins_at_once(state)
        assert result.proven
        assert result.simulations == sum(result.visits.values()) == 0


@every_open_game
def test_one_simulation_of_looking_ahead_plays_as_greedy_does(game: Game) -> None:
    for state in positions(game, 10):
        values = action_values(game, state.words[None], new_generator(0))[0]
        assert values[search(state, simulations=1).action] == values.max()


@pytest.mark.parametrize("game", [*OPEN_GAMES, tzaar_envs.load_game("zatre", players=3)])
def test_one_simulation_by_values_plays_the_best_position_after_an_action(game: Game) -> None:
    options = {"evaluator": network(game), "priors": "values", "simulations": 1}
    for state in positions(game, 10):
        values = NetworkValues(game, network(game), 1)(game, state.words[None], new_generator(0))[0]
        result = search(state, **options)
        is_refuted = -1.0 in result.action_values.values()  # the simulation has proven a loss
        assert is_refuted or values[result.action] == pytest.approx(values.max(), abs=1e-6)


@pytest.mark.parametrize("name", ["twenty_one", "zatre"])
def test_a_win_at_once_is_preferred_with_hidden_information(name: str) -> None:
    for state in positions_before_a_win(tzaar_envs.load_game(name), 3):
        result = search(state, simulations=2000)
        assert result.action in wins_at_once(state)
        assert not result.proven


def minimax(state: State) -> NDArray[np.float64]:
    """Return what every seat gets if each takes the best for itself; plain and slow."""
    if state.is_terminal:
        return state.returns()
    seat = state.current_player
    best: NDArray[np.float64] | None = None
    for action in state.legal_actions():
        value = minimax(child(state, int(action)))
        if best is None or value[seat] > best[seat]:
            best = value
    assert best is not None
    return best


def size_of(state: State, most: int) -> int:
    """Return the number of positions below a state, or something above `most`."""
    total = 1
    for action in state.legal_actions():
        total += size_of(child(state, int(action)), most - total)
        if total > most:
            break
    return total


@functools.cache
def endgames(game: Game, count: int, most: int = 300) -> list[State]:
    """Return late positions of random games, as early as their game trees are small."""
    found: list[State] = []
    rng = np.random.default_rng(1)
    while len(found) < count:
        history = random_game(game.new_state(int(rng.integers(2**31))), rng)
        small = None
        for earlier in reversed(history):
            if size_of(earlier, most) > most:
                break
            small = earlier
        if small is not None:
            found.append(small)
    return found


@without_evaluator
@every_open_game
def test_endgames_are_solved_as_by_minimax(game: Game, way: Way) -> None:
    for state in endgames(game, 3):
        result = search(state, simulations=30_000, **way(game))
        expected = minimax(state).tolist()
        assert result.proven
        assert list(result.values) == expected
        assert minimax(child(state, result.action)).tolist() == expected


@without_evaluator
def test_three_seats_each_take_their_own_best(way: Way) -> None:
    for seed in range(20):
        state = TABLE_GAME.new_state(seed)
        # Explores so much that it tries everything.
        result = search(state, simulations=5000, exploration=10.0, **way(TABLE_GAME))
        assert result.proven
        assert list(result.values) == minimax(state).tolist()
        assert len(result.principal_variation) == 3


def test_three_seats_without_proof_come_close_to_it() -> None:
    """The means of what is backed up, before the tree is exhausted."""
    agree = unproven = 0
    for seed in range(40):
        state = TABLE_GAME.new_state(seed)
        result = search(state, simulations=100, leaf="playout", rule="uct", exploration=1.0)
        best = [minimax(child(state, action))[0] for action in range(CHOICES)]
        if not result.proven:
            unproven += 1
            agree += best[result.action] == max(best)
    assert unproven > 10
    assert agree > 0.7 * unproven  # a third would be chance


def test_the_other_side_is_expected_to_reply_well() -> None:
    """Far from the end, where nothing is proven."""
    ranks = []
    for state in positions(tzaar_envs.load_game("turm_und_waechter"), 8):
        result = search(state, simulations=300, leaf="evaluation", rule="uct")
        action, reply = result.principal_variation[:2]
        after = child(state, action)
        seat = after.current_player
        values = {other: child(after, other).evaluate(seat) for other in after.legal_actions()}
        ranks.append(np.mean([value < values[reply] for value in values.values()]))
    assert np.median(ranks) > 0.7  # 0.5 would be chance
