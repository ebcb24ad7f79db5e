"""Networks that see every position as player 0 would."""

import functools
from pathlib import Path

import numpy as np
import pytest
import torch
from small_policies import load_policy

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.state import State
from tzaar_envs.networks.card import make_card
from tzaar_envs.networks.file import save_policy
from tzaar_envs.networks.network import PolicyNetwork
from tzaar_envs.networks.shapes import NetworkShape, turning_symmetry

GAME = tzaar_envs.load_game("turm_und_waechter")


@functools.cache
def shape() -> NetworkShape:
    """Return the shape of a small network; random games show what it needs to know."""
    return NetworkShape.for_game(GAME, 4, 1, turned=True)


def new_network() -> PolicyNetwork:
    torch.manual_seed(2)
    network = PolicyNetwork(shape(), GAME).eval()
    torch.nn.init.normal_(network.policy.parts[0].weight)  # type: ignore[union-attr, arg-type]
    return network


def positions() -> list[State]:
    agent = make_agent("random", GAME, 0)
    found, state = [], GAME.new_state(0)
    while len(found) < 40:
        found.append(state.clone())
        state.apply(agent.act(state))
        if state.is_terminal:
            state = GAME.new_state(len(found))
    return found


def test_both_players_see_the_same_in_positions_that_are_turned() -> None:
    network, symmetry = new_network(), turning_symmetry(GAME)
    assert symmetry is not None
    seen = np.stack([state.observation(state.current_player) for state in positions()])
    turned = symmetry.apply_to_observations(seen)
    with torch.inference_mode():
        logits, values = network(torch.from_numpy(seen))
        turned_logits, turned_values = network(torch.from_numpy(turned))
    assert torch.allclose(values, turned_values, atol=1e-5)
    expected = symmetry.apply_to_actions(logits.numpy())
    assert np.allclose(turned_logits.numpy(), expected, atol=1e-4)
    assert logits.std() > 0.1


def test_a_turned_policy_comes_back_as_it_was(tmp_path: Path) -> None:
    network = new_network()
    path = tmp_path / "it.safetensors"
    save_policy(path, network, make_card(GAME, shape(), {}))
    loaded, _ = load_policy(path)
    seen = torch.from_numpy(np.stack([state.observation(0) for state in positions()]))
    with torch.inference_mode():
        for before, after in zip(network(seen), loaded.eval()(seen), strict=True):
            assert torch.equal(before, after)
    agent = make_agent(f"policy:{path}", GAME)
    for state in positions():
        assert state.is_legal(agent.act(state))


def test_games_that_look_the_same_from_both_sides_are_not_turned() -> None:
    for name in ("tzaar", "zatre", "twenty_one"):
        game = tzaar_envs.load_game(name)
        game_shape = NetworkShape.for_game(game, 4, 0, turned=True)
        turns = turning_symmetry(game) is not None
        assert turns or game_shape.marker is None
        assert game_shape.fits(game)
    with pytest.raises(ValueError, match="use an index below 1078"):
        NetworkShape(**{**vars(shape()), "marker": (1078, 1)})
