"""Self-play: the actions it prefers, what is recorded, what follows from a seed, how it ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from module_games import RACE, import_game
from numpy.typing import NDArray
from search.searched import network

import tzaar_envs
from tzaar_envs.agents.searchers import NetworkValues
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.search.afterstates import look_ahead, new_afterstates
from tzaar_envs.search.alphabeta import AlphaBeta
from tzaar_envs.search.gumbel import Gumbel
from tzaar_envs.search.self_play import GameSettings, OnePly, Records, SelfPlay

GAMES = {name: tzaar_envs.load_game(name) for name in tzaar_envs.list_games()} | {
    f"{name}-3": tzaar_envs.load_game(name, players=3) for name in ("zatre", "twenty_one")
}
TZAAR, TURM = GAMES["tzaar"], GAMES["turm_und_waechter"]
SEARCHES = {"one ply": OnePly(2), "gumbel": Gumbel(4, 4, 0.1)}
every_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


def play(
    game: Game, search: OnePly | Gumbel = SEARCHES["one ply"], seed: int = 0, **changes: float
) -> Records:
    how = {"epsilon": 0.1, "td_lambda": 0.5, "opening": 3} | changes
    return SelfPlay(game, search, GameSettings(**how), 40).play(network(game), seed)  # type: ignore[arg-type]


def policies_of(game: Game, positions: Records) -> Iterator[NDArray[np.float32]]:
    """Yield the policy of each position, in the order of its actions; they are the legal ones."""
    for place, words in enumerate(positions.states):
        first, last = positions.first_action[place : place + 2]
        legal = State(game, words, new_generator(0)).legal_actions().tolist()
        is_decided = positions.observers[place] == words[SEAT]
        assert sorted(positions.actions[first:last].tolist()) == (legal if is_decided else [0])
        yield positions.policy[first:last]


# --- what is recorded -----------------------------------------------------------------------------


@every_search
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_positions_of_whole_games_have_their_legal_actions(
    game: Game, search: OnePly | Gumbel
) -> None:
    positions = play(game, search)
    assert len(positions.states) >= 40
    assert positions.games >= 1
    for policy in policies_of(game, positions):
        assert policy.sum() == pytest.approx(1, abs=1e-5)
        assert isinstance(search, Gumbel) or policy[0] == 1
    assert positions.values.sum(axis=1) == pytest.approx(0, abs=1e-9)
    is_afterstate = positions.observers != positions.states[:, SEAT]
    assert is_afterstate.any() == game.spec.hidden_information


@every_search
def test_games_follow_from_the_seed(search: OnePly | Gumbel) -> None:
    one, same, other = (play(GAMES["twenty_one-3"], search, seed) for seed in (1, 1, 2))
    for found, again in zip(one, same, strict=True):
        assert np.array_equal(found, again)
    assert not np.array_equal(one.states[:20], other.states[:20])


@every_search
def test_lambda_says_how_much_of_the_result_is_learnt(search: OnePly | Gumbel) -> None:
    results = play(TZAAR, search, epsilon=0.0, td_lambda=1.0)
    assert np.abs(results.values) == pytest.approx(1)
    searched = play(TZAAR, search, epsilon=0.0, td_lambda=0.0)
    assert np.array_equal(results.states, searched.states)
    assert 0 < np.abs(searched.values[0]).max() < 1
    # A random action ends it: the value is that of its search.
    assert np.abs(play(TZAAR, search, epsilon=1.0, td_lambda=1.0).values[0]).max() < 1


def test_an_opening_is_random_and_not_recorded() -> None:
    start = TURM.new_state(0).words
    first = [play(TURM, seed=seed, opening=20).states[0] for seed in range(4)]
    assert sum((words == start).all() for words in first) <= 1
    assert (play(TURM, opening=0).states[0] == start).all()


def test_with_hidden_information_a_seat_learns_what_it_sees_after_its_actions() -> None:
    positions = play(GAMES["twenty_one"], td_lambda=1.0, epsilon=0.3)
    seats, observers = positions.states[:, SEAT], positions.observers
    made = np.flatnonzero(observers != seats)
    assert len(made) > 5
    assert (observers[made] == seats[made - 1]).all()
    assert np.array_equal(positions.values[made], positions.values[made + 1])
    assert (positions.policy[positions.first_action[made]] == 1).all()
    decided = np.flatnonzero(observers == seats)
    follows = decided[1:][decided[1:] - decided[:-1] == 1]
    assert (seats[follows] != seats[follows - 1]).sum() < positions.games  # from game to game


# --- one ply --------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [TZAAR, TURM], ids=lambda game: game.name)
def test_without_chance_it_finds_what_alpha_beta_finds_with_one_ply(game: Game) -> None:
    search = AlphaBeta(game, evaluator=network(game))
    positions = play(game, OnePly(), seed=1, epsilon=0.0, td_lambda=0.0, opening=5)
    for words, values in zip(positions.states[:40], positions.values, strict=False):
        found = search.search(State(game, words, new_generator(0)), 1)
        assert values[words[SEAT]] == pytest.approx(found.value, abs=1e-6)


def test_the_best_action_comes_first() -> None:
    game = GAMES["zatre"]
    positions = play(game, OnePly(200), seed=2, epsilon=0.0, td_lambda=0.0, opening=0)
    decided = np.flatnonzero(positions.observers == positions.states[:, SEAT])[:12]
    states = np.repeat(positions.states[decided], 40, axis=0)
    values = NetworkValues(game, network(game))(game, states, new_generator(5))
    for place, found in zip(decided, values.reshape(12, 40, -1).mean(axis=1), strict=True):
        legal = found[np.isfinite(found)]
        best = found[positions.actions[positions.first_action[place]]]
        assert best >= legal.max() - 0.2 * (legal.max() - legal.min())


def test_all_actions_have_the_same_luck(tmp_path: Path) -> None:
    """Both actions throw the same die for the other seat, so both are worth the same."""
    throws = RACE.replace(
        "state[HEADER + state[SEAT]] += 1 + action",
        "state[HEADER + 1 - state[SEAT]] += between(rng, 1, 4)",
    )
    assert throws != RACE
    game = import_game(tmp_path, "race_with_a_die", throws)
    state, evaluator = game.new_state(1), network(game)
    search = new_afterstates(game, evaluator.leaf_network(), draws=2)
    seen = set()
    for seed in range(30):
        assert look_ahead(search, state.words, new_generator(seed)) == 2
        assert np.array_equal(search.values[0], search.values[1])
        seen.add(float(search.values[0, 0]))
    assert len(seen) > 5


def test_the_value_of_hidden_information_is_a_mean_of_draws() -> None:
    game = GAMES["zatre"]
    state, evaluator = game.new_state(3), network(game)

    def largest_value(draws: int) -> float:
        search = new_afterstates(game, evaluator.leaf_network(), draws)
        count = look_ahead(search, state.words, new_generator(1))
        return float(np.abs(search.values[:count]).max())

    assert 0 < largest_value(16) < 2 * largest_value(1)


# --- the end --------------------------------------------------------------------------------------


def endless(search: OnePly | Gumbel, positions: int) -> SelfPlay:
    short = Gumbel(2, 2, 0.1) if isinstance(search, Gumbel) else search
    SelfPlay(TURM, short, GameSettings(0.1, 0.5, 2), 1).play(network(TURM), 1)  # compiles it
    return SelfPlay(TURM, search, GameSettings(0.1, 0.5, 2), positions)


every_endless = pytest.mark.parametrize(
    ("search", "positions"),
    [(OnePly(), 1_000_000), (Gumbel(100_000, 8, 0.1), 1)],
    ids=["many games", "long searches"],
)
"""Self-play that would take from minutes to forever."""


@every_endless
def test_ctrl_c_ends_a_call_in_the_middle_of_a_search(
    search: OnePly | Gumbel, positions: int
) -> None:
    self_play, evaluator = endless(search, positions), network(TURM)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        self_play.play(evaluator, 1)


@every_endless
def test_another_thread_can_end_a_call(search: OnePly | Gumbel, positions: int) -> None:
    self_play = endless(search, positions)
    threading.Timer(0.3, self_play.stop).start()
    played = self_play.play(network(TURM), 1)
    assert len(played.states) < 1_000_000
    assert (played.games == 0) == (len(played.states) == 0)


def test_games_after_a_call_that_was_stopped_are_the_same_as_without_it() -> None:
    search = SEARCHES["gumbel"]
    untouched, stopped = endless(search, 20), endless(search, 20)
    stopped.stop()
    assert stopped.play(network(TURM), 1).games == 0
    for found, expected in zip(
        stopped.play(network(TURM), 3), untouched.play(network(TURM), 3), strict=True
    ):
        assert np.array_equal(found, expected)


def test_threads_may_share_a_network() -> None:
    def values(seed: int) -> list[list[float]]:
        return play(TURM, SEARCHES["gumbel"], seed).values.tolist()

    alone = [values(seed) for seed in range(2)]
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(values, range(2))] == alone
