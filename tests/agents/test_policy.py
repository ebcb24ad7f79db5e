"""Saved policies: what the file keeps, and what is refused."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from exploit import Exploit
from safetensors.torch import load_file, save_file

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.network import NetworkShape, PolicyNetwork
from tzaar_envs.agents.policy import FORMAT, PolicyAgent, load_policy, make_card, save_policy
from tzaar_envs.core.game import Game

GAME = tzaar_envs.load_game("tzaar")


def save_new_policy(path: Path, game: Game = GAME) -> PolicyNetwork:
    torch.manual_seed(0)
    network = PolicyNetwork(NetworkShape.for_game(game, width=8, blocks=1))
    with torch.no_grad():
        for parameter in network.policy.parameters():
            parameter.normal_()
    save_policy(path, network, make_card(game, network.shape, {"steps": 5}))
    return network


def rewrite(path: Path, **changes: Any) -> None:
    """Change entries of a saved policy's card."""
    _, card = load_policy(path)
    save_file(load_file(path), path, {"format": FORMAT, "card": json.dumps(card | changes)})


@pytest.mark.parametrize(
    "game",
    [
        tzaar_envs.load_game("turm_und_waechter"),
        GAME,
        tzaar_envs.load_game("tzaar", setup="tournament"),
        tzaar_envs.load_game("black_elephant"),
        tzaar_envs.load_game("twenty_one", players=3),
        tzaar_envs.load_game("zatre", players=4),
    ],
    ids=lambda game: game.name,
)
def test_a_policy_comes_back_as_it_was(tmp_path: Path, game: Game) -> None:
    network = save_new_policy(tmp_path / "it.safetensors", game)
    agent = make_agent(f"policy:{tmp_path}/it.safetensors", game)
    assert agent.name == "it"
    states = [game.new_state(seed) for seed in range(5)]
    expected = PolicyAgent(game, network).act_batch(states)
    assert agent.act_batch(states).tolist() == expected.tolist()
    assert [agent.act(state) for state in states] == expected.tolist()
    for state, action in zip(states, expected, strict=True):
        assert state.is_legal(int(action))
        seen = {
            "observation": state.observation(state.current_player),
            "action_mask": state.legal_mask(),
        }
        assert agent.act(seen) == action


def test_the_likeliest_legal_action_is_taken(tmp_path: Path) -> None:
    network = save_new_policy(tmp_path / "it.safetensors")
    state = GAME.new_state(0)
    with torch.no_grad():
        logits = network(torch.from_numpy(state.observation(0)[None]))[0][0].numpy()
    legal = state.legal_actions()
    assert PolicyAgent(GAME, network).act(state) == legal[logits[legal].argmax()]


def test_a_sampling_policy_draws_from_its_distribution(tmp_path: Path) -> None:
    network = save_new_policy(tmp_path / "it.safetensors")
    state = GAME.new_state(0)
    with torch.no_grad():
        logits = network(torch.from_numpy(state.observation(0)[None]))[0][0].double()
    legal = state.legal_actions()
    probabilities = torch.softmax(logits[legal.tolist()], dim=0).numpy()
    agent = PolicyAgent(GAME, network, seed=1, sample=True)
    draws = agent.act_batch([state] * 20_000)
    observed = np.array([(draws == action).mean() for action in legal])
    assert np.abs(observed - probabilities).max() < 0.02


def test_a_policy_for_another_game_is_refused(tmp_path: Path) -> None:
    save_new_policy(tmp_path / "it.safetensors")
    other = tzaar_envs.load_game("turm_und_waechter")
    with pytest.raises(ValueError, match="the game that it was trained for is 'tzaar'"):
        PolicyAgent.load(tmp_path / "it.safetensors", other)
    tournament = tzaar_envs.load_game("tzaar", setup="tournament")
    with pytest.raises(ValueError, match="the planes that it was trained for"):
        PolicyAgent.load(tmp_path / "it.safetensors", tournament)
    rewrite(tmp_path / "it.safetensors", version=7)
    with pytest.raises(ValueError, match="the version that it was trained for is 7"):
        PolicyAgent.load(tmp_path / "it.safetensors", GAME)


def test_no_code_of_a_file_runs(tmp_path: Path) -> None:
    for name, write in (
        ("pickle", lambda path: path.write_bytes(pickle.dumps(Exploit(tmp_path / "witness")))),
        ("torch", lambda path: torch.save(Exploit(tmp_path / "witness"), path)),
    ):
        write(tmp_path / name)
        with pytest.raises(ValueError, match="is no policy: not in the safetensors format"):
            load_policy(tmp_path / name)
    assert not (tmp_path / "witness").exists()
    pickle.loads((tmp_path / "pickle").read_bytes())
    assert (tmp_path / "witness").exists()


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "it.safetensors"
    with pytest.raises(FileNotFoundError, match="there is no policy file"):
        load_policy(path)
    save_new_policy(path)
    whole = path.read_bytes()
    for damaged in (b"", b"hello", whole[:100], whole[:-10]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="is no policy: not in the safetensors format"):
            load_policy(path)


def test_files_that_are_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "it.safetensors"
    save_file({"weights": torch.zeros(3)}, path)
    with pytest.raises(ValueError, match="its format is None, expected 'tzaar-envs policy 1'"):
        load_policy(path)
    save_file({"weights": torch.zeros(3)}, path, {"format": FORMAT, "card": "[]"})
    with pytest.raises(ValueError, match="its card cannot be read"):
        load_policy(path)


@pytest.mark.parametrize(
    ("entry", "value", "words"),
    [
        ("width", 16, "tensor '.*' does not fit its network"),
        ("width", 10**9, "width 1000000000 or blocks 1 is out of range"),
        ("blocks", -1, "width 8 or blocks -1 is out of range"),
        ("board_shape", [9], "its card cannot be read"),
        ("plane_highs", [0] * 21, "the plane highs are out of range"),
    ],
)
def test_cards_that_do_not_fit_their_numbers_are_refused(
    tmp_path: Path, entry: str, value: Any, words: str
) -> None:
    path = tmp_path / "it.safetensors"
    save_new_policy(path)
    _, card = load_policy(path)
    rewrite(path, network=card["network"] | {entry: value})
    with pytest.raises(ValueError, match=words):
        load_policy(path)


def test_the_network_maps_cells_to_actions_of_the_same_cells() -> None:
    """Without convolutions in the trunk a logit sees its own cell and the means alone."""
    shape = NetworkShape.for_game(GAME, width=4, blocks=0)
    network = PolicyNetwork(shape)
    features = torch.zeros(1, 4, 9, 9)
    quiet = network.policy(features)[0]
    features[0, 0, 2, 5] = 1.0
    moved = (network.policy(features)[0] - quiet).abs() > 1e-7
    moves = moved[:486].reshape(6, 81).any(dim=0)
    assert moves.nonzero().flatten().tolist() == [2 * 9 + 5]
    assert moved[486]  # the single action hears of it through the mean
