"""The agent `greedy:policy=PATH`, which compares positions by the values of a network."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from small_policies import save_new_sparse_policy
from variants import every_game

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.searchers import DRAWS, NetworkValues
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse.compiled import CompiledNetwork

TZAAR = tzaar_envs.load_game("tzaar")


def new_network(game: Game) -> SparseNetwork:
    """Return a network whose values differ clearly from position to position."""
    torch.manual_seed(0)
    network = SparseNetwork(SparseShape.for_game(game, width=8, hidden=4), game)
    with torch.no_grad():
        for weights in network.parameters():
            weights.normal_(0.0, 0.3)
    return network


def values_of(game: Game, network: SparseNetwork, plies: int = 1) -> NetworkValues:
    return NetworkValues(game, CompiledNetwork(game, network), plies)


def random_position(game: Game, seed: int) -> State:
    """Return a position of a random game that goes on."""
    state, rng = game.new_state(seed), np.random.default_rng(seed)
    for _ in range(int(rng.integers(0, 30))):
        before = state.clone()
        state.apply(int(rng.choice(state.legal_actions())))
        if state.is_terminal:
            return before
    return state


def expected_return(network: SparseNetwork, state: State, seat: int) -> float:
    """Return what PyTorch expects for a seat: as it sees the position, if anything is hidden."""
    if state.is_terminal:
        return float(state.returns()[seat])
    hidden = state.game.spec.hidden_information
    observer = seat if hidden else state.current_player
    seen = torch.from_numpy(state.observation(observer)[None])
    players = state.game.num_players
    with torch.no_grad():
        if players == 2:
            return network(seen)[1].item() * (1 if observer == seat else -1)
        values = network.values(network.first_layer(seen.flatten(1)))[0]
    return float(values[(seat - observer) % players])


def naive_values(network: SparseNetwork, state: State, draws: int) -> dict[int, float]:
    """Return the mean value after each action, over so many draws of all that is not known."""
    seat = state.current_player
    values = {}
    for action in state.legal_actions().tolist():
        total = 0.0
        for draw in range(draws):
            after = state.determinize(seat, [draw, action])
            after.apply(action)
            total += expected_return(network, after, seat)
        values[action] = total / draws
    return values


@every_game
def test_values_are_those_of_the_positions_after_each_action(game: Game) -> None:
    network = new_network(game)
    action_values = values_of(game, network)
    calls, draws, games = (1, 1, 4) if game.spec.is_deterministic else (20, 60, 2)
    for seed in range(games):
        state = random_position(game, seed)
        states = np.repeat(state.words[None], calls, axis=0)
        tables = action_values(game, states, new_generator(seed))
        legal = np.isfinite(tables)
        assert (legal == state.legal_mask().astype(np.bool_)).all()
        assert (tables[~legal] == -np.inf).all()
        expected = naive_values(network, state, draws)
        found = {action: tables[:, action].mean() for action in expected}
        precision = 1e-3 if game.spec.is_deterministic else 0.35
        assert found == pytest.approx(expected, abs=precision)


@pytest.mark.parametrize("name", ["tzaar", "black_elephant", "turm_und_waechter"])
def test_a_move_of_two_actions_is_worth_as_much_as_its_end(name: str) -> None:
    game = tzaar_envs.load_game(name)
    network = new_network(game)
    compared = 0
    for seed in range(6):
        state = random_position(game, seed)
        seat = state.current_player
        found = values_of(game, network, 2)(game, state.words[None], new_generator(0))[0]
        for action in state.legal_actions().tolist():
            after = state.clone()
            after.apply(action)
            expected = expected_return(network, after, seat)
            if not after.is_terminal and after.current_player == seat:
                expected = max(naive_values(network, after, 1).values())
                compared += 1
            assert found[action] == pytest.approx(expected, abs=1e-3)
    assert (compared > 10) == (name == "tzaar")


def test_values_are_means_where_something_is_not_known() -> None:
    """A reroll is as good as its luck; the mean of eight varies an eighth as much."""
    game = tzaar_envs.load_game("twenty_one")
    network = new_network(game)
    state = game.new_state(1)
    reroll = state.parse_action("reroll")
    rows = np.repeat(state.words[None], 400, axis=0)
    means = values_of(game, network)(game, rows, new_generator(0))[:, reroll]
    singles = []
    for seed in range(400):
        after = state.determinize(0, seed)
        after.apply(reroll)
        singles.append(expected_return(network, after, 0))
    assert means.mean() == pytest.approx(np.mean(singles), abs=4 * np.std(singles) / 20)
    assert 0.5 < DRAWS * means.var() / np.var(singles) < 2.0


def test_it_plays_the_best_action(tmp_path: Path) -> None:
    path = tmp_path / "it.safetensors"
    network = save_new_sparse_policy(path, TZAAR)
    agent = make_agent(f"greedy:policy={path},plies=1", TZAAR, seed=1)
    assert agent.name == f"greedy:policy={path},plies=1"
    states = [random_position(TZAAR, seed) for seed in range(10)]
    for state, chosen in zip(states, agent.act_batch(states).tolist(), strict=True):
        values = naive_values(network, state, 1)
        assert values[chosen] == pytest.approx(max(values.values()), abs=1e-3)
    assert pickle.loads(pickle.dumps(agent)).act_batch(states).tolist() == [
        agent.act(state) for state in states
    ]


def test_it_does_not_see_what_others_have_chosen() -> None:
    """Seat 0 may have completed row 5 or not, which seat 1 does not know yet."""
    game = tzaar_envs.load_game("twenty_one")
    action_values = values_of(game, new_network(game))
    above = "653321,533321,432321,532221"
    seen = set()
    for choice in (0, 1, 2, 3):
        state = game.parse(f"fill 0 1 131322 A:{above},..3221/B:{above},5..... {choice}/-")
        values = action_values(game, state.words[None], new_generator(3))
        assert np.isfinite(values).sum() > 2
        seen.add(values.tobytes())
    assert len(seen) == 1
