"""Parts of training on their own: networks for vectors, run folder, starts from a policy."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.networks.card import make_card
from tzaar_envs.networks.file import find_policy, save_policy
from tzaar_envs.networks.network import AnyNetwork, PolicyNetwork
from tzaar_envs.networks.shapes import NetworkShape
from tzaar_envs.training.common.run import open_run
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.ppo import PpoArguments

GAME = tzaar_envs.load_game("tzaar")


FLAT = tzaar_envs.load_game("twenty_one", players=3)


def flat_observations(count: int) -> torch.Tensor:
    states = [random_position(FLAT, seed) for seed in range(count)]
    return torch.from_numpy(np.stack([state.observation(0) for state in states]))


def test_a_flat_observation_has_a_network_of_its_own() -> None:
    shape = NetworkShape.for_game(FLAT, width=8, blocks=2)
    assert shape.is_flat
    assert not NetworkShape.for_game(GAME, width=8, blocks=2).is_flat
    network = PolicyNetwork(shape)
    observations = flat_observations(5)
    logits, values = network(observations)
    assert logits.shape == (5, FLAT.num_actions)
    assert values.shape == (5, 1)
    assert network.trunk(observations).shape == (5, *shape.feature_shape)
    assert logits.std(dim=1).max() < 0.2  # nearly equal at the start
    assert not any(isinstance(module, torch.nn.Conv2d) for module in network.modules())


def random_position(game: Game, seed: int) -> State:
    """Return a position after ten random plies."""
    agent = make_agent("random", game, seed)
    state = game.new_state(seed)
    for _ in range(10):
        state.apply(agent.act(state))
    return state


# --- starts from a policy -----------------------------------------------------------------------


def test_a_run_starts_from_a_policy(tmp_path: Path) -> None:
    arguments = PpoArguments(game="tzaar", width=8, blocks=0)
    first = arguments.new_network(GAME)
    path = tmp_path / "first.safetensors"
    save_policy(path, first, make_card(GAME, first.shape, {"steps": 7}))
    changes = {"start": str(path), "folder": tmp_path / "run"}
    with Session(dataclasses.replace(arguments, **changes), "PPO") as session:
        network = session.arguments.new_network(GAME)
        assert not torch.equal(weights_of(network), weights_of(first))
        session.begin(network)
        assert torch.equal(weights_of(network), weights_of(first))
        wide = dataclasses.replace(arguments, width=16).new_network(GAME)
        with pytest.raises(ValueError, match=r"than this run: width=8 in place of 16$"):
            session.begin(wide)
    save_policy(path, first, make_card(GAME, first.shape, {"steps": 7}, shaping=0.5))
    with (
        pytest.raises(ValueError, match=r"trained with shaping=0\.5, which its values lack"),
        Session(
            dataclasses.replace(arguments, start=str(path), folder=tmp_path / "no"), "PPO"
        ) as session,
    ):
        session.begin(session.arguments.new_network(GAME))
    save_policy(path, first, make_card(GAME, first.shape, {"steps": 7}))
    changes = {"network": "sparse", "start": str(path), "folder": tmp_path / "other"}
    sparse = dataclasses.replace(arguments, **changes)
    refused = pytest.raises(ValueError, match=r"this run: kind=residual in place of sparse$")
    with refused, Session(sparse, "PPO") as session:
        session.begin(session.arguments.new_network(GAME))
    open_run(sparse)  # nothing is lost in that folder


def weights_of(network: AnyNetwork) -> torch.Tensor:
    """Return all weights in a row."""
    return torch.cat([weights.flatten() for weights in network.parameters()])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"start": "nowhere.safetensors"}, "there is no policy file 'nowhere.safetensors'"),
        ({"game": "zatre", "start": str(find_policy("reference", GAME.spec))}, "does not fit"),
    ],
)
def test_a_policy_that_no_run_can_start_from_is_refused_before_the_folder_is_made(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    arguments = PpoArguments(**{"game": "tzaar", "folder": tmp_path / "run", **changes})
    with pytest.raises((ValueError, FileNotFoundError), match=re.escape(said)):
        Session(arguments, "PPO")
    assert not (tmp_path / "run").exists()
