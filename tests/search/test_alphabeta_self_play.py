"""Self-play by alpha-beta: searches as of the agent, what is recorded, what follows from a seed."""

import numpy as np
import pytest
import torch
from self_played import policies_of

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.policies.sparse.compiled import CompiledNetwork
from tzaar_envs.policies.sparse.network import SparseNetwork
from tzaar_envs.policies.sparse.shape import SparseShape
from tzaar_envs.search.alphabeta.search import AlphaBeta
from tzaar_envs.search.alphabeta.self_play import (
    AlphaBetaSelfPlay,
    new_search_memory,
    search_to_depth,
)
from tzaar_envs.search.alphabeta.stack import ACTIONS, COUNT
from tzaar_envs.search.self_play import Play, Positions

GAMES = {
    name: tzaar_envs.load_game(name) for name in ("turm_und_waechter", "tzaar", "black_elephant")
}
every_game = pytest.mark.parametrize("name", GAMES)


def evaluator(game: Game) -> CompiledNetwork:
    torch.manual_seed(0)
    network = SparseNetwork(SparseShape.for_game(game, width=16, hidden=8), game)
    with torch.no_grad():
        network.value_head.weight.normal_()
    return CompiledNetwork(game, network)


def play(name: str, seed: int = 0, **changes: float) -> Positions:
    game = GAMES[name]
    how = Play(**{"randomness": 0.1, "trace": 0.5, "opening": 3} | changes)  # type: ignore[arg-type]
    return AlphaBetaSelfPlay(game, evaluator(game), 1, how, positions=40).play(seed)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_searches_find_what_the_agent_finds(depth: int) -> None:
    game = GAMES["turm_und_waechter"]
    network = evaluator(game)
    search, memory = AlphaBeta(game, evaluator=network), new_search_memory(game)
    rng, state = np.random.default_rng(0), game.new_state(0)
    for number in range(25):
        value = search_to_depth(
            game.rules.functions, network.leaf_network(), memory, state.words, depth,
            new_generator(number), np.zeros(1, np.int64),
        )  # fmt: skip
        expected = search.search(state, depth)
        assert value == pytest.approx(expected.value, abs=1e-6)
        actions = memory.stack[0, memory.stack[0, ACTIONS] :][: memory.stack[0, COUNT]]
        assert sorted(actions) == state.legal_actions().tolist()
        after = state.clone()
        after.apply(int(actions[0]))
        if depth > 1 and not after.is_terminal:
            reply = search.search(after, depth - 1)
            assert -reply.value == pytest.approx(expected.value, abs=1e-6)
        state.apply(int(rng.choice(state.legal_actions())))


@every_game
def test_positions_of_whole_games_with_their_legal_actions(name: str) -> None:
    game, positions = GAMES[name], play(name)
    assert len(positions.states) >= 40
    assert positions.games >= 1
    for policy in policies_of(game, positions):
        assert policy.tolist() == [1.0] + [0.0] * (len(policy) - 1)
    assert (positions.values.sum(axis=1) == 0).all()


def test_games_follow_from_the_seed() -> None:
    one, same, other = (play("tzaar", seed) for seed in (1, 1, 2))
    assert np.array_equal(one.states, same.states)
    assert np.array_equal(one.values, same.values)
    assert not np.array_equal(one.states[:20], other.states[:20])


def test_with_a_trace_of_1_all_values_are_the_result_of_the_game() -> None:
    positions = play("tzaar", randomness=0.0, trace=1.0)
    assert np.abs(positions.values) == pytest.approx(1)


def test_an_opening_is_random_and_not_recorded() -> None:
    game = GAMES["turm_und_waechter"]
    start = game.new_state(0).words
    first = [play("turm_und_waechter", seed, opening=20).states[0] for seed in range(4)]
    assert sum((words == start).all() for words in first) <= 1
    assert (play("turm_und_waechter", opening=0).states[0] == start).all()


def test_games_that_alphabeta_cannot_search_are_refused() -> None:
    game = tzaar_envs.load_game("zatre")
    with pytest.raises(ValueError, match="alpha-beta cannot search zatre"):
        AlphaBetaSelfPlay(game, evaluator(game), 1, Play(0.1, 0.5, 0))
