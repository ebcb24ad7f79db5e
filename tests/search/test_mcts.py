"""Monte Carlo tree search, in all games."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from random_games import random_game
from toy_games import (
    CHOICES,
    COIN,
    COIN_GAME,
    ROLL,
    ROLL_GAME,
    SAFE,
    TABLE_GAME,
)
from variants import every_game
from wins import positions_before_a_win, wins_at_once

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.searchers import BestActionAgent, MctsAgent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit import compile
from tzaar_envs.jit.rng import new_generator, new_generators
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.result import SearchResults
from tzaar_envs.search.tree import Tree, enlarged

OPEN_GAMES = [
    tzaar_envs.load_game(name) for name in ("black_elephant", "turm_und_waechter", "tzaar")
]
every_open_game = pytest.mark.parametrize(
    "game", OPEN_GAMES, ids=[game.name for game in OPEN_GAMES]
)
every_way = pytest.mark.parametrize(
    "options",
    [
        {"leaf": leaf, "rule": rule}
        for leaf in ("playout", "evaluation", "lookahead")
        for rule in ("uct", "puct")
    ],
    ids=lambda options: "-".join(options.values()),
)


def positions(game: Game, count: int, seed: int = 0) -> list[State]:
    """Return positions of random games in which somebody is to move."""
    return [*itertools.islice(endless_positions(game, seed), count)]


def endless_positions(game: Game, seed: int) -> Iterator[State]:
    rng = np.random.default_rng(seed)
    state = game.new_state(seed)
    while True:
        if state.is_terminal:
            state = game.new_state(int(rng.integers(2**31)))
        if rng.random() < 0.1:
            yield state.clone()
        state.apply(int(rng.choice(state.legal_actions())))


def stacked(states: list[State]) -> NDArray[np.int64]:
    return np.stack([state.words for state in states])


def search(state: State, seed: int = 0, **options: Any) -> SearchResults:
    return Mcts(state.game, **options).search(stacked([state]), seed)


def same(first: SearchResults, second: SearchResults) -> bool:
    return (
        np.array_equal(first.visits, second.visits)
        and np.array_equal(first.values, second.values)
        and np.array_equal(first.actions, second.actions)
        and np.array_equal(first.nodes, second.nodes)
        and first.principal_variations == second.principal_variations
    )


# --- what holds of every search -------------------------------------------------------------------


@every_way
@every_game
def test_visits_are_of_legal_actions_and_add_up(game: Game, options: dict[str, str]) -> None:
    states = positions(game, 4)
    result = Mcts(game, simulations=60, **options).search(stacked(states), 0)
    for row, state in enumerate(states):
        assert set(result.visits[row].nonzero()[0]) <= set(state.legal_actions())
        assert result.visits[row].sum() == result.simulations[row]
        assert result.simulations[row] == 60 or result.proven[row]
        assert state.is_legal(int(result.actions[row]))
        if not result.proven[row]:
            assert result.visits[row, result.actions[row]] == result.visits[row].max()
        assert (abs(result.values[row]) <= 1).all()
        assert 1 <= result.nodes[row] <= 61
        variation = result.principal_variations[row]
        assert variation[0] == result.actions[row]


@every_way
@every_game
def test_a_search_follows_from_its_generator_alone(game: Game, options: dict[str, str]) -> None:
    states = stacked(positions(game, 5))
    generators = new_generators(3, 5)
    together = Mcts(game, simulations=40, **options).search(states, generators)
    threaded = Mcts(game, simulations=40, threads=3, **options).search(states, generators)
    assert same(together, threaded)
    for row in range(5):
        alone = Mcts(game, simulations=40, **options).search(
            states[row : row + 1], generators[row : row + 1]
        )
        assert np.array_equal(alone.visits[0], together.visits[row])
        assert np.array_equal(alone.values[0], together.values[row])
    other = Mcts(game, simulations=40, **options).search(states, 4)
    assert not same(other, together)


def test_a_tree_that_has_to_grow_is_the_same() -> None:
    """Room is doubled on the way; a search by time asks for a few simulations at once."""
    game = tzaar_envs.load_game("zatre")
    state = game.new_state(0)
    long = search(state, simulations=5000, leaf="evaluation")
    assert long.visits.sum() == 5000
    assert long.nodes[0] == 5001


class CountingClock:
    """A clock that advances by a millisecond whenever somebody looks at it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def perf_counter(self) -> float:
        self.seconds += 0.001
        return self.seconds


@pytest.mark.parametrize("leaf", ["playout", "evaluation", "lookahead"])
def test_a_search_by_time_ends_and_uses_it(leaf: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that moves when it is read: 1 ms for a chunk, and 1 ms for each larger tree."""
    monkeypatch.setattr("tzaar_envs.search.control.time", CountingClock())
    state = tzaar_envs.load_game("turm_und_waechter").new_state(0)
    result = search(state, leaf=leaf, ms=50)
    assert 0.048 <= result.seconds[0] <= 0.052
    assert result.simulations[0] > 16  # the first chunk
    assert result.visits.sum() == result.simulations[0]


def test_positions_that_are_over_are_refused() -> None:
    game = tzaar_envs.load_game("tzaar")
    state = game.new_state(0)
    while not state.is_terminal:
        state.apply(int(state.legal_actions()[0]))
    with pytest.raises(ValueError, match="the game is over"):
        Mcts(game).search(stacked([game.new_state(0), state]))


# --- proofs ---------------------------------------------------------------------------------------


@every_way
@every_open_game
def test_a_win_at_once_is_found_and_proven(game: Game, options: dict[str, str]) -> None:
    for state in positions_before_a_win(game, 5):
        result = search(state, simulations=1000, **options)
        seat = state.current_player
        assert result.proven[0]
        assert result.simulations[0] < 1000
        assert result.actions[0] in wins_at_once(state) or forces_a_win(state, result)
        assert result.values[0, seat] == 1.0


@every_open_game
def test_looking_ahead_proves_a_win_at_once_without_a_simulation(game: Game) -> None:
    for state in positions_before_a_win(game, 5):
        result = search(state, leaf="lookahead")
        assert result.actions[0] in wins_at_once(state)
        assert result.proven[0]
        assert result.simulations[0] == result.visits.sum() == 0


@every_open_game
def test_one_simulation_of_looking_ahead_plays_as_greedy_does(game: Game) -> None:
    greedy = make_agent("greedy", game)
    assert isinstance(greedy, BestActionAgent)
    for state in positions(game, 10):
        values = greedy.action_values(game, state.words[None], new_generator(0))[0]
        action = search(state, leaf="lookahead", simulations=1).actions[0]
        assert values[action] == values.max()


def forces_a_win(state: State, result: SearchResults) -> bool:
    """Whether what is played is proven to win, though later."""
    after = state.clone()
    after.apply(int(result.actions[0]))
    return bool(minimax(after)[state.current_player] == 1.0)


@pytest.mark.parametrize("name", ["twenty_one", "zatre"])
def test_a_win_at_once_is_preferred_with_hidden_information(name: str) -> None:
    for state in positions_before_a_win(tzaar_envs.load_game(name), 3):
        result = search(state, simulations=2000)
        assert result.actions[0] in wins_at_once(state)
        assert not result.proven[0]


def minimax(state: State) -> NDArray[np.float64]:
    """Return what every seat gets if each takes the best for itself; plain and slow."""
    if state.is_terminal:
        return state.returns()
    seat = state.current_player
    best: NDArray[np.float64] | None = None
    for action in state.legal_actions():
        after = state.clone()
        after.apply(int(action))
        value = minimax(after)
        if best is None or value[seat] > best[seat]:
            best = value
    assert best is not None
    return best


def size_of(state: State, most: int) -> int:
    """Return the number of positions below a state, or something above `most`."""
    total = 1
    for action in state.legal_actions():
        after = state.clone()
        after.apply(int(action))
        total += size_of(after, most - total)
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


@every_way
@every_open_game
def test_endgames_are_solved_as_by_minimax(game: Game, options: dict[str, str]) -> None:
    for state in endgames(game, 4):
        result = search(state, simulations=30_000, **options)
        expected = minimax(state)
        assert result.proven[0]
        assert result.values[0].tolist() == expected.tolist()
        after = state.clone()
        after.apply(int(result.actions[0]))
        assert minimax(after).tolist() == expected.tolist()


@every_way
def test_three_seats_each_take_their_own_best(options: dict[str, str]) -> None:
    for seed in range(20):
        state = TABLE_GAME.new_state(seed)
        # Explores so much that it tries everything.
        result = search(state, simulations=5000, exploration=10.0, **options)
        assert result.proven[0]
        assert result.values[0].tolist() == minimax(state).tolist()
        assert len(result.principal_variations[0]) == 3


def test_three_seats_without_proof_come_close_to_it() -> None:
    """The means of what is backed up, before the tree is exhausted."""
    agree = unproven = 0
    for seed in range(40):
        state = TABLE_GAME.new_state(seed)
        result = search(state, simulations=100, leaf="playout", rule="uct", exploration=1.0)
        best = [minimax(child(state, action))[0] for action in range(CHOICES)]
        if not result.proven[0]:
            unproven += 1
            agree += best[result.actions[0]] == max(best)
    assert unproven > 10
    assert agree > 0.7 * unproven  # a third would be chance


def test_the_other_side_is_expected_to_reply_well() -> None:
    """Far from the end, where nothing is proven."""
    ranks = []
    for state in positions(tzaar_envs.load_game("turm_und_waechter"), 8):
        result = search(state, simulations=300, leaf="evaluation", rule="uct")
        action, reply = result.principal_variations[0][:2]
        after = child(state, action)
        seat = after.current_player
        values = {other: child(after, other).evaluate(seat) for other in after.legal_actions()}
        ranks.append(np.mean([value < values[reply] for value in values.values()]))
    assert np.median(ranks) > 0.7  # 0.5 would be chance


def child(state: State, action: int) -> State:
    after = state.clone()
    after.apply(action)
    return after


# --- chance and hidden information ----------------------------------------------------------------


@every_way
@pytest.mark.parametrize("coin", [0, 1])
def test_what_is_hidden_does_not_pay(coin: int, options: dict[str, str]) -> None:
    """Whoever saw the coin would guess it, at once or after waiting, and get 1."""
    state = COIN_GAME.new_state(0)
    words = state.words
    words[COIN] = coin
    result = Mcts(COIN_GAME, simulations=6000, **options).search(words[None], 1)
    assert result.actions[0] == ROLL  # take it after the good roll only: (0.9 + 0) / 2
    assert result.values[0, 0] == pytest.approx(0.45, abs=0.1)


@every_way
def test_what_chance_decides_is_not_proven(options: dict[str, str]) -> None:
    for seed in range(3):
        result = search(ROLL_GAME.new_state(0), seed, simulations=1000, **options)
        assert result.actions[0] == ROLL
        assert result.values[0, 0] == pytest.approx(0.45, abs=0.1)
        assert not result.proven[0]


@every_way
def test_the_hidden_changes_nothing_at_all(options: dict[str, str]) -> None:
    words = np.stack([COIN_GAME.new_state(0).words] * 2)
    words[:, COIN] = 0, 1
    generators = np.concatenate([new_generators(7, 1)] * 2)
    result = Mcts(COIN_GAME, simulations=500, **options).search(words, generators)
    assert np.array_equal(result.visits[0], result.visits[1])
    assert np.array_equal(result.values[0], result.values[1])


@every_way
@pytest.mark.parametrize(
    ("name", "players"), [("zatre", 2), ("zatre", 4), ("twenty_one", 2), ("twenty_one", 6)]
)
def test_positions_that_look_the_same_give_the_same_search(
    name: str, players: int, options: dict[str, str]
) -> None:
    game = tzaar_envs.load_game(name, players=players)
    tested = 0
    for number, state in enumerate(itertools.islice(endless_positions(game, 0), 200)):
        other = state.determinize(state.current_player, seed=number)
        if state == other:
            continue
        tested += 1
        if tested > 4:
            break
        pair = stacked([state, other])
        generators = np.concatenate([new_generators(number, 1)] * 2)
        result = Mcts(game, simulations=60, **options).search(pair, generators)
        assert np.array_equal(result.visits[0], result.visits[1])
        assert np.array_equal(result.values[0], result.values[1])
    assert tested >= 3


def test_the_future_dice_of_a_state_are_not_used() -> None:
    game = tzaar_envs.load_game("twenty_one")
    first = game.new_state(1)
    second = first.clone()
    second.continue_chance(game.new_state(2))
    assert np.array_equal(
        search(first, simulations=100).visits, search(second, simulations=100).visits
    )


# --- an evaluator ---------------------------------------------------------------------------------


class Recorder:
    """An evaluator that keeps what it was asked; it likes the lower actions better."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.asked: list[NDArray[np.int64]] = []

    def __call__(self, states: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        self.asked.append(states.copy())
        priors = np.tile(0.99 ** np.arange(self.game.num_actions), (len(states), 1))
        values = states[:, 2:5].sum(axis=1) % 7 / 10 - 0.3
        seats = np.zeros((len(states), self.game.num_players))
        seats[:, 0], seats[:, 1] = values, -values
        return priors.astype(np.float32), seats.astype(np.float32)


@every_game
def test_the_evaluator_is_asked_once_in_each_round(game: Game) -> None:
    states = positions(game, 6)
    evaluator = Recorder(game)
    result = Mcts(game, evaluator, simulations=20).search(stacked(states), 0)
    assert (result.visits.sum(axis=1) == result.simulations).all()
    assert ((result.simulations == 20) | result.proven).all()
    assert len(evaluator.asked) <= 21
    assert all(1 <= len(batch) <= 6 for batch in evaluator.asked)
    assert sum(map(len, evaluator.asked)) <= 6 * 21
    seats = [state.current_player for state in states]
    for state, root, seat in zip(states, evaluator.asked[0], seats, strict=True):
        # The roots come first, as the seat to act sees them.
        seen = State(game, root.copy(), state.generator)
        assert np.array_equal(seen.observation(seat), state.observation(seat))


def test_the_leaves_of_a_round_are_all_evaluated() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    states = [game.new_state(0)] * 4
    evaluator = Recorder(game)
    Mcts(game, evaluator, simulations=30).search(stacked(states), 0)
    assert [len(batch) for batch in evaluator.asked] == [4] * 31
    successors = {child(states[0], int(a)).words.tobytes() for a in states[0].legal_actions()}
    assert {leaf.tobytes() for leaf in evaluator.asked[1]} <= successors


@every_game
def test_a_longer_search_has_several_leaves_in_a_call(game: Game) -> None:
    """Up to eight for each position, and no simulation is lost."""
    states = positions(game, 2)
    evaluator = Recorder(game)
    result = Mcts(game, evaluator, simulations=400).search(stacked(states), 0)
    assert ((result.simulations == 400) | result.proven).all()
    assert (result.visits.sum(axis=1) == result.simulations).all()
    assert (abs(result.values) <= 1).all()
    assert len(evaluator.asked) < 200
    assert max(map(len, evaluator.asked)) == 16


def test_simulations_that_wait_count_as_lost_only_until_they_are_finished() -> None:
    """Where all actions are equally good, none is left out for having been lost for a while."""
    state = tzaar_envs.load_game("turm_und_waechter").new_state(0)
    actions = state.legal_actions()

    def evaluator(states: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        return np.ones((len(states), state.game.num_actions)), np.zeros((len(states), 2))

    result = Mcts(state.game, evaluator, simulations=800).search(stacked([state]), 0)
    visits = result.visits[0, actions]
    assert visits.sum() == 800
    assert visits.min() > 0.5 * 800 / actions.size
    assert visits.max() < 2 * 800 / actions.size


@every_game
def test_searches_with_an_evaluator_do_not_depend_on_each_other(game: Game) -> None:
    states = stacked(positions(game, 5))
    generators = new_generators(3, 5)

    def searched(rows: slice, **options: Any) -> SearchResults:
        mcts = Mcts(game, Recorder(game), simulations=15, **options)
        return mcts.search(states[rows], generators[rows])

    together = searched(slice(5))
    threaded = searched(slice(5), threads=2)
    for row in range(5):
        alone = searched(slice(row, row + 1))
        for result, index in ((together, row), (threaded, row)):
            assert np.array_equal(alone.visits[0], result.visits[index])
            assert np.array_equal(alone.values[0], result.values[index])


def test_priors_steer_the_search() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    words = game.new_state(0).words[None]
    favourite = int(game.new_state(0).legal_actions()[7])

    def evaluator(states: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        priors = np.full((len(states), game.num_actions), 1e-6)
        priors[:, favourite] = 1.0
        return priors, np.zeros((len(states), 2))

    plain = Mcts(game, evaluator, simulations=50).search(words, 0)
    assert plain.actions[0] == favourite
    assert plain.visits[0, favourite] > 45


def test_the_scale_of_priors_does_not_matter() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    state = game.new_state(0)
    weights = np.random.default_rng(1).random(game.num_actions)

    def visits(scale: float) -> NDArray[np.int64]:
        def evaluator(states: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
            values = np.sin(states.sum(axis=1, keepdims=True)) * [0.5, -0.5]
            return np.tile(scale * weights, (len(states), 1)), values

        return Mcts(game, evaluator, simulations=100).search(state.words[None], 0).visits

    assert np.array_equal(visits(1.0), visits(64.0))


def test_a_finished_game_asks_no_evaluator() -> None:
    state = positions_before_a_win(OPEN_GAMES[1], 1)[0]
    evaluator = Recorder(state.game)
    result = Mcts(state.game, evaluator, simulations=2000, rule="uct").search(stacked([state]), 0)
    assert result.proven[0]
    assert len(evaluator.asked) < 2001
    assert all((batch[:, 1] == 0).all() for batch in evaluator.asked)


def test_an_evaluator_can_be_given_a_time() -> None:
    game = tzaar_envs.load_game("tzaar")
    result = Mcts(game, Recorder(game), ms=20).search(stacked(positions(game, 3)), 0)
    assert (result.visits.sum(axis=1) == result.simulations).all()
    assert (result.simulations > 0).all()


# --- the agent ------------------------------------------------------------------------------------


@every_game
def test_the_agent_plays_the_same_one_by_one_and_in_a_batch(game: Game) -> None:
    states = positions(game, 4)
    batch = Batch(game, 4)
    batch.set_positions(np.ones(4, np.bool_), stacked(states))
    text = "mcts:simulations=30,leaf=evaluation"
    one_by_one = [make_agent(text, game, 3) for _ in range(3)]
    assert (
        [one_by_one[0].act(state) for state in states]
        == one_by_one[1].act_batch(states).tolist()
        == one_by_one[2].act_rows(batch, np.arange(4)).tolist()
    )


def test_the_agent_needs_a_state() -> None:
    env = tzaar_envs.make("tzaar_v0")
    env.reset(seed=0)
    with pytest.raises(TypeError, match="mcts looks ahead: give it a State"):
        MctsAgent(env.game).act(env.observe("player_0"))


def test_the_agent_does_not_take_the_bait() -> None:
    agent = MctsAgent(COIN_GAME, 0, simulations=3000)
    assert agent.act(COIN_GAME.new_state(0)) not in (SAFE + 1, SAFE + 2, SAFE + 3)


@pytest.mark.parametrize("leaf", ["playout", "evaluation", "lookahead"])
@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_search_beats_random_play(name: str, leaf: str) -> None:
    game = tzaar_envs.load_game(name)
    agent = MctsAgent(game, 1, simulations=60, leaf=leaf)
    random = make_agent("random", game, 2)
    wins = 0.0
    for number in range(6):
        state = game.new_state(number)
        while not state.is_terminal:
            own = state.current_player == number % 2
            state.apply(int((agent if own else random).act(state)))
        wins += float(state.returns()[number % 2])
    assert wins >= 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"simulations": 0}, "option simulations=0 is not allowed: use 1 to"),
        ({"exploration": -1.0}, "option exploration=-1.0 is not allowed: use 0 to 1000"),
        (
            {"leaf": "network"},
            "leaf='network' is not allowed: use 'playout', 'evaluation', 'lookahead'",
        ),
        ({"rule": "ucb"}, "rule='ucb' is not allowed: use 'uct', 'puct'"),
        (
            {"speed": 3},
            "mcts has no option 'speed': its options are simulations, ms",
        ),
        ({"evaluator": len, "leaf": "playout"}, "leaf='playout' is not allowed with an evaluator"),
        ({"evaluator": len, "priors": "values"}, "priors='values' is not allowed without a sparse"),
        ({"priors": "values"}, "priors='values' is not allowed without a sparse network"),
        ({"priors": "greedy"}, "priors='greedy' is not allowed: use 'policy', 'values'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Mcts(OPEN_GAMES[0], **arguments)


def test_the_first_search_on_a_machine_says_that_it_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = tzaar_envs.load_game("tzaar")
    words = game.checked_positions(game.new_state(0).words[None])  # the rules are compiled by now
    announced = {entry for entry in compile._compiled_here if entry[0] != "mcts"}
    monkeypatch.setattr(compile, "_compiled_here", announced)
    monkeypatch.setattr("tzaar_envs.jit.compile._cache_folder", lambda source: tmp_path)
    for _ in range(2):
        Mcts(game, simulations=2).search(words, 1)
    assert capsys.readouterr().err == "tzaar-envs: compiling mcts, once on this machine ...\n"


def test_a_tree_does_not_grow_where_that_would_take_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each time it grows takes twice as long as the last time: 8, 16, 32, 64 ms and so on."""
    clock, grown = CountingClock(), []

    def slowly_enlarged(tree: Tree) -> Tree:
        grown.append(tree.nodes.size)
        clock.seconds += 0.008 * 2 ** (len(grown) - 1)
        return enlarged(tree)

    monkeypatch.setattr("tzaar_envs.search.control.time", clock)
    monkeypatch.setattr("tzaar_envs.search.tree.enlarged", slowly_enlarged)
    monkeypatch.setattr("tzaar_envs.search.mcts._FIRST_NODES", 8)
    game = tzaar_envs.load_game("turm_und_waechter")
    results = Mcts(game, ms=100).search(game.new_state(0).words[None], new_generators(0, 1))
    assert len(grown) == 3
    assert results.simulations[0] > 0
    assert results.seconds[0] < 0.102
