"""Self-play by one ply: the actions it prefers, what is recorded, what follows from a seed."""

from pathlib import Path

import numpy as np
import pytest
from module_games import RACE, import_game
from self_played import policies_of
from small_policies import small_evaluator
from variants import every_game

import tzaar_envs
from tzaar_envs.agents.searchers import NetworkValues
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.search.afterstates import look_ahead, new_afterstates
from tzaar_envs.search.alphabeta import AlphaBeta
from tzaar_envs.search.self_play import GameSettings, OnePly, Records, SelfPlay

GAMES = {name: tzaar_envs.load_game(name) for name in tzaar_envs.list_games()}


def evaluator(game: Game) -> CompiledNetwork:
    return small_evaluator(game, "value_head")


def play(game: Game, seed: int = 0, **changes: float) -> Records:
    how = GameSettings(**{"epsilon": 0.1, "td_lambda": 0.5, "opening": 3} | changes)  # type: ignore[arg-type]
    return SelfPlay(game, OnePly(2), how, positions=40).play(evaluator(game), seed)


@every_game
def test_positions_of_whole_games_with_their_legal_actions(game: Game) -> None:
    positions = play(game)
    assert len(positions.states) >= 40
    assert positions.games >= 1
    for policy in policies_of(game, positions):
        assert policy.tolist() == [1.0] + [0.0] * (len(policy) - 1)
    assert positions.values.sum(axis=1) == pytest.approx(0)


@pytest.mark.parametrize("name", ["turm_und_waechter", "tzaar", "black_elephant"])
def test_without_chance_it_finds_what_alpha_beta_finds_with_one_ply(name: str) -> None:
    game = GAMES[name]
    network, search = evaluator(game), AlphaBeta(game, evaluator=evaluator(game))
    positions = SelfPlay(game, OnePly(), GameSettings(0.0, 0.0, 5), 40).play(network, 1)
    for place in range(40):
        words = positions.states[place]
        found = search.search(State(game, words, new_generator(0)), 1)
        assert positions.values[place, words[SEAT]] == pytest.approx(found.value, abs=1e-6)


def test_the_best_action_comes_first() -> None:
    game = GAMES["zatre"]
    settings = GameSettings(0.0, 0.0, 0)
    positions = SelfPlay(game, OnePly(200), settings, positions=1).play(evaluator(game), 2)
    decided = np.flatnonzero(positions.observers == positions.states[:, SEAT])[:12]
    action_values = NetworkValues(game, evaluator(game))
    states = np.repeat(positions.states[decided], 40, axis=0)
    values = action_values(game, states, new_generator(5)).reshape(12, 40, -1).mean(axis=1)
    for place, found in zip(decided, values, strict=True):
        legal = found[np.isfinite(found)]
        best = found[positions.actions[positions.first_action[place]]]
        assert best >= legal.max() - 0.2 * (legal.max() - legal.min())


def test_with_hidden_information_a_seat_learns_what_it_sees_after_its_actions() -> None:
    game = GAMES["twenty_one"]
    positions = play(game, td_lambda=1.0, epsilon=0.3)
    seats, observers = positions.states[:, SEAT], positions.observers
    made = np.flatnonzero(observers != seats)
    assert len(made) > 5
    assert (observers[made] == seats[made - 1]).all()
    assert np.array_equal(positions.values[made], positions.values[made + 1])
    first = positions.first_action
    assert (first[made + 1] - first[made] == 1).all()
    assert (positions.policy[first[made]] == 1).all()
    decided = np.flatnonzero(observers == seats)
    follows = decided[1:][decided[1:] - decided[:-1] == 1]
    assert (seats[follows] != seats[follows - 1]).sum() < positions.games  # from game to game


@pytest.mark.parametrize("name", ["turm_und_waechter", "tzaar"])
def test_where_nothing_is_hidden_all_positions_are_those_of_the_seat_to_act(name: str) -> None:
    positions = play(GAMES[name])
    assert np.array_equal(positions.observers, positions.states[:, SEAT])


def test_all_actions_have_the_same_luck(tmp_path: Path) -> None:
    """Both actions throw the same die for the other seat, so both are worth the same."""
    throws = RACE.replace(
        "state[HEADER + state[SEAT]] += 1 + action",
        "state[HEADER + 1 - state[SEAT]] += between(rng, 1, 4)",
    )
    assert throws != RACE
    game = import_game(tmp_path, "race_with_a_die", throws)
    network, state = evaluator(game), game.new_state(1)
    search = new_afterstates(game, network.leaf_network(), draws=2)
    seen = set()
    for seed in range(30):
        count = look_ahead(search, state.words, new_generator(seed))
        assert count == 2
        assert np.array_equal(search.values[0], search.values[1])
        seen.add(float(search.values[0, 0]))
    assert len(seen) > 5


def test_games_follow_from_the_seed() -> None:
    one, same, other = (play(GAMES["zatre"], seed) for seed in (1, 1, 2))
    assert np.array_equal(one.states, same.states)
    assert np.array_equal(one.values, same.values)
    assert not np.array_equal(one.states[:20], other.states[:20])


def test_with_a_lambda_of_1_all_values_are_the_result_of_the_game() -> None:
    positions = play(GAMES["tzaar"], epsilon=0.0, td_lambda=1.0)
    assert np.abs(positions.values) == pytest.approx(1)


def test_an_opening_is_random_and_not_recorded() -> None:
    game = GAMES["turm_und_waechter"]
    start = game.new_state(0).words
    first = [play(game, seed, opening=20).states[0] for seed in range(4)]
    assert sum((words == start).all() for words in first) <= 1
    assert (play(game, opening=0).states[0] == start).all()


@pytest.mark.parametrize("draws", [0, -1, 1001])
def test_impossible_numbers_of_draws_are_refused(draws: int) -> None:
    game = GAMES["zatre"]
    with pytest.raises(ValueError, match=f"draws={draws} is not allowed: use 1 to 1,000"):
        SelfPlay(game, OnePly(draws), GameSettings(0.1, 0.5, 0))
