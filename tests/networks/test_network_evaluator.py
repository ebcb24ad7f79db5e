"""A network as the evaluator of a search: whose values it gives, and what it may see."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from random_games import random_game

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.networks.evaluator import NetworkEvaluator
from tzaar_envs.networks.network import PolicyNetwork
from tzaar_envs.networks.shapes import NetworkShape

GAMES = [
    tzaar_envs.load_game("turm_und_waechter"),
    tzaar_envs.load_game("tzaar"),
    tzaar_envs.load_game("black_elephant"),
    tzaar_envs.load_game("zatre"),
    tzaar_envs.load_game("zatre", players=3),
    tzaar_envs.load_game("twenty_one"),
    tzaar_envs.load_game("twenty_one", players=3),
]
every_game = pytest.mark.parametrize(
    "game", GAMES, ids=[f"{game.name}-{game.num_players}" for game in GAMES]
)


def new_network(game: Game) -> PolicyNetwork:
    torch.manual_seed(0)
    network = PolicyNetwork(NetworkShape.for_game(game, width=8, blocks=1)).eval()
    with torch.no_grad():
        for parameter in network.policy.parameters():
            parameter.normal_()
        for parameter in network.value.parameters():
            parameter *= 0.1  # so that values need no clipping
    return network


def positions(game: Game, plies: int = 9, seed: int = 1) -> list[State]:
    """Return running positions of a random game."""
    return random_game(game.new_state(seed), np.random.default_rng(seed))[: plies + 1]


def words_of(states: list[State]) -> NDArray[np.int64]:
    return np.stack([state.words for state in states])


@pytest.mark.parametrize("shaping", [0.0, 0.25])
@every_game
def test_priors_are_the_movers_and_values_those_of_all(game: Game, shaping: float) -> None:
    network = new_network(game)
    states = positions(game)
    priors, values = NetworkEvaluator(game, network, shaping=shaping)(words_of(states))
    for state, prior, value in zip(states, priors, values, strict=True):
        seats = range(game.num_players)
        seen = np.stack([state.observation(seat) for seat in seats])
        with torch.no_grad():
            logits, expected = network(torch.from_numpy(seen))
        seat, legal = state.current_player, state.legal_actions()
        policy = torch.softmax(logits[seat, legal.tolist()], dim=0).numpy()
        assert prior[legal] / prior[legal].sum() == pytest.approx(policy, abs=1e-4)
        own = expected[:, 0].numpy() + [shaping * state.evaluate(seat) for seat in seats]
        if len(own) == 2:
            own = np.where(np.arange(2) == seat, own[seat], -own[seat])
        else:
            own = own - own.mean()
        assert value == pytest.approx(own, abs=1e-4)


def test_numbers_stay_finite_and_values_within_the_returns() -> None:
    game = GAMES[0]
    network = new_network(game)
    with torch.no_grad():
        for head in (network.policy, network.value):
            for parameter in head.parameters():
                parameter *= 1e6
    priors, values = NetworkEvaluator(game, network)(words_of(positions(game)))
    assert np.isfinite(priors).all()
    assert (priors > 0).all()
    assert np.abs(values).max() == 1.0
