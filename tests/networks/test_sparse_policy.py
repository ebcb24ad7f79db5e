"""Sparse networks in policy files, and the agents that they make."""

import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from processes import run_python
from random_games import random_game
from safetensors.torch import load_file, save_file
from small_policies import save_new_policy, save_new_sparse_policy

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.networks.card import FORMAT, make_card
from tzaar_envs.networks.evaluator import load_evaluator
from tzaar_envs.networks.file import load_network, read_card, save_policy
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse.compiled import CompiledNetwork

GAME = tzaar_envs.load_game("turm_und_waechter")
TZAAR = tzaar_envs.load_game("tzaar")


def positions(game: Game, count: int = 12) -> list[State]:
    """Return the positions of a random game."""
    return random_game(game.new_state(1), np.random.default_rng(0))[:count]


def change_tensor(path: Path, name: str, tensor: torch.Tensor) -> None:
    """Replace a tensor of a saved policy."""
    metadata = {"format": FORMAT, "card": json.dumps(read_card(path))}
    save_file(load_file(path) | {name: tensor.contiguous()}, path, metadata)


@pytest.mark.parametrize("game", [GAME, tzaar_envs.load_game("zatre", players=3)])
def test_a_sparse_policy_comes_back_as_it_was(tmp_path: Path, game: Game) -> None:
    path = tmp_path / "it.safetensors"
    network = save_new_sparse_policy(path, game)
    again = load_network(path, game)
    assert isinstance(again, SparseNetwork)
    assert again.shape == network.shape
    assert read_card(path)["network"]["kind"] == "sparse"
    agent = make_agent(f"policy:{path}", game)
    for state in positions(game):
        seen = torch.from_numpy(state.observation(state.current_player)[None])
        with torch.no_grad():
            logits, value = network(seen)
            assert torch.equal(again(seen)[0], logits)
            assert torch.equal(again(seen)[1], value)
        legal = state.legal_actions()
        assert agent.act(state) == legal[logits[0].numpy()[legal].argmax()]


def test_a_search_runs_a_sparse_policy_in_compiled_code(tmp_path: Path) -> None:
    path = tmp_path / "it.safetensors"
    network = save_new_sparse_policy(path, GAME)
    evaluator = load_evaluator(path, GAME)
    assert isinstance(evaluator, CompiledNetwork)
    words = np.stack([state.words for state in positions(GAME)])
    expected = CompiledNetwork(GAME, network)(words)
    for each in (evaluator, evaluator.copy(), pickle.loads(pickle.dumps(evaluator))):
        assert all(map(np.array_equal, each(words), expected))
    agent = make_agent(f"mcts:policy={path},simulations=60", GAME, seed=3)
    again = make_agent(f"mcts:policy={path},simulations=60", GAME, seed=3)
    states = positions(GAME)
    assert agent.act_batch(states).tolist() == again.act_batch(states).tolist()
    assert all(result.simulations == 60 for result in agent.last_searches if not result.proven)
    save_policy(path, network, make_card(GAME, network.shape, {}, shaping=1.0))
    make_agent(f"policy:{path}", GAME)
    with pytest.raises(ValueError, match=re.escape(f"no search can use the network of '{path}'")):
        make_agent(f"greedy:policy={path}", GAME)


@pytest.mark.parametrize("number", [np.nan, -np.inf, 1e30])
@pytest.mark.parametrize("sparse", [True, False])
def test_a_policy_whose_training_has_diverged_is_refused(
    tmp_path: Path, number: float, sparse: bool
) -> None:
    path = tmp_path / "it.safetensors"
    network = (save_new_sparse_policy if sparse else save_new_policy)(path, GAME)
    name, weights = next(iter(network.state_dict().items()))
    change_tensor(path, name, torch.full_like(weights, number))
    words = re.escape(f"the network of '{path}' has diverged: {name} is not from -10,000")
    for text in ("policy:PATH", "mcts:policy=PATH", "alphabeta:policy=PATH", "greedy:policy=PATH"):
        with pytest.raises(ValueError, match=words):
            make_agent(text.replace("PATH", str(path)), GAME)


def test_sparse_policies_play_without_pytorch(tmp_path: Path) -> None:
    sparse, residual = tmp_path / "sparse.safetensors", tmp_path / "residual.safetensors"
    save_new_sparse_policy(sparse, TZAAR)
    save_new_policy(residual, TZAAR)
    texts = ["reference"]
    texts += [f"{name}policy{sep}{sparse}" for name, sep in (("", ":"), ("greedy:", "="))]
    texts += [
        f"{name}:policy={sparse},{budget}"
        for name, budget in (("mcts", "simulations=4"), ("alphabeta", "depth=1"))
    ]
    code = f"""
import sys
sys.modules["torch"] = None
import tzaar_envs
from tzaar_envs.agents import make_agent
game = tzaar_envs.load_game("tzaar")
for text in {texts}:
    print(make_agent(text, game, 1).act(game.new_state(1)))
try:
    make_agent("policy:{residual}", game)
except ModuleNotFoundError as error:
    print(error)
"""
    *actions, error = run_python(code).splitlines()
    state = TZAAR.new_state(1)
    assert [*map(int, actions)] == [make_agent(text, TZAAR, 1).act(state) for text in texts]
    assert error == (
        f"the residual network of {residual} needs the extra 'sb3' (torch is not installed): "
        'pip install "tzaar-envs[sb3]"'
    )


def test_values_of_a_plane_can_have_inputs_of_their_own() -> None:
    """In Zatre the sums of runs go up to 24: one row that they multiply, or one for each."""
    game = tzaar_envs.load_game("zatre")
    few, many = (SparseShape.for_game(game, 8, 4, levels=levels) for levels in (8, 24))
    # Two planes of sums on each cell, twelve of counts up to 21 that are the same on all cells.
    assert many.rows - few.rows == 2 * 23 * few.cells + 12 * 20
    torch.manual_seed(0)
    network = SparseNetwork(many, game)
    with torch.no_grad():
        for weights in network.parameters():
            weights.normal_(0.0, 0.1)
    states = positions(game, 40)[:-1]
    _, values = CompiledNetwork(game, network)(np.stack([state.words for state in states]))
    for state, found in zip(states, values, strict=True):
        seen = torch.from_numpy(state.observation(state.current_player)[None])
        expected = network(seen)[1].item()
        assert found[state.current_player] == pytest.approx(expected, abs=1e-3)
    with pytest.raises(ValueError, match="levels=25 is not allowed: use 0 to 24"):
        SparseShape.for_game(game, 8, 4, levels=25)
    with pytest.raises(ValueError, match="pattern=1 is not allowed: use 0, or 2 to 8"):
        SparseShape.for_game(game, 8, 4, pattern=1)
