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
from small_policies import load_policy, save_new_policy

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.policies import PolicyAgent
from tzaar_envs.core.game import Game
from tzaar_envs.networks.card import FORMAT
from tzaar_envs.networks.file import read_card

GAME = tzaar_envs.load_game("tzaar")


def rewrite(path: Path, **changes: Any) -> None:
    """Change entries of a saved policy's card."""
    card = read_card(path) | changes
    save_file(load_file(path), path, {"format": FORMAT, "card": json.dumps(card)})


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


def test_the_most_likely_legal_action_is_played(tmp_path: Path) -> None:
    network = save_new_policy(tmp_path / "it.safetensors", GAME)
    state = GAME.new_state(0)
    with torch.no_grad():
        logits = network(torch.from_numpy(state.observation(0)[None]))[0][0].numpy()
    legal = state.legal_actions()
    assert PolicyAgent(GAME, network).act(state) == legal[logits[legal].argmax()]


def test_a_sampling_policy_draws_from_its_distribution(tmp_path: Path) -> None:
    network = save_new_policy(tmp_path / "it.safetensors", GAME)
    state = GAME.new_state(0)
    with torch.no_grad():
        logits = network(torch.from_numpy(state.observation(0)[None]))[0][0].double()
    legal = state.legal_actions()
    probabilities = torch.softmax(logits[legal.tolist()], dim=0).numpy()
    agent = PolicyAgent(GAME, network, seed=1, sample=True)
    draws = agent.act_batch([state] * 5_000)
    observed = np.array([(draws == action).mean() for action in legal])
    assert np.abs(observed - probabilities).max() < 0.025


def test_a_policy_for_another_game_is_refused(tmp_path: Path) -> None:
    save_new_policy(tmp_path / "it.safetensors", GAME)
    other = tzaar_envs.load_game("turm_und_waechter")
    with pytest.raises(ValueError, match="the game that it was trained for is 'tzaar', needed is "):
        PolicyAgent.load(tmp_path / "it.safetensors", other)
    rewrite(tmp_path / "it.safetensors", version=7)
    with pytest.raises(ValueError, match=r"version that it was trained for is 7, needed is 0$"):
        PolicyAgent.load(tmp_path / "it.safetensors", GAME)


def test_no_code_of_a_file_runs(tmp_path: Path) -> None:
    for name, write in (
        ("pickle", lambda path: path.write_bytes(pickle.dumps(Exploit(tmp_path / "witness")))),
        ("torch", lambda path: torch.save(Exploit(tmp_path / "witness"), path)),
    ):
        write(tmp_path / name)
        with pytest.raises(ValueError, match="is not a policy file: not in the safetensors format"):
            load_policy(tmp_path / name)
    assert not (tmp_path / "witness").exists()
    pickle.loads((tmp_path / "pickle").read_bytes())
    assert (tmp_path / "witness").exists()


def test_files_that_are_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "it.safetensors"
    save_file({"weights": torch.zeros(3)}, path)
    with pytest.raises(ValueError, match="its format is None, expected 'tzaar-envs policy 2'"):
        load_policy(path)
    save_file({"weights": torch.zeros(3)}, path, {"format": FORMAT, "card": "[]"})
    with pytest.raises(ValueError, match="its card is not valid"):
        load_policy(path)


@pytest.mark.parametrize(
    ("entry", "value", "words"),
    [
        ("width", 16, "tensor '.*' does not fit its network"),
        ("width", 10**9, r"Expected `int` <= 1024 - at `\$.width`"),
        ("blocks", -1, r"Expected `int` >= 0 - at `\$.blocks`"),
        ("plane_highs", [0] * 21, r"Expected `int` >= 1 - at `\$.plane_highs\[0\]`"),
        ("plane_highs", [], r"length >= 1 - at `\$.plane_highs`"),
        ("action_planes", [[6]], r"got 1 - at `\$.action_planes\[0\]`"),
    ],
)
def test_cards_that_do_not_fit_their_numbers_are_refused(
    tmp_path: Path, entry: str, value: Any, words: str
) -> None:
    path = tmp_path / "it.safetensors"
    save_new_policy(path, GAME)
    _, card = load_policy(path)
    rewrite(path, network=card["network"] | {entry: value})
    with pytest.raises(ValueError, match=words):
        load_policy(path)
