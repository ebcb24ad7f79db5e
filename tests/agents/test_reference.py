"""The trained policies of the suite, under the name `reference`."""

import dataclasses
import pickle
from pathlib import Path

import pytest
from small_policies import save_new_sparse_policy

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.networks.file import read_card
from tzaar_envs.registry import find_spec


def game_with_reference(path: Path, **options: str) -> Game:
    """Return the game with a policy at this path as its reference."""
    game = tzaar_envs.load_game("tzaar")
    save_new_sparse_policy(path, game)
    return Game(dataclasses.replace(game.spec, reference=path), **options)


def test_the_reference_compares_positions_by_the_network_of_its_file(tmp_path: Path) -> None:
    game = game_with_reference(tmp_path / "it.safetensors")
    agent = make_agent("reference", game, seed=1)
    assert agent.name == "reference"
    states = [game.new_state(seed) for seed in range(10)]
    expected = make_agent(f"greedy:policy={tmp_path}/it.safetensors", game, seed=1)
    chosen = expected.act_batch(states).tolist()
    assert agent.act_batch(states).tolist() == chosen
    assert pickle.loads(pickle.dumps(agent)).act_batch(states).tolist() == chosen


@pytest.mark.parametrize("agent", ["greedy:", "alphabeta:depth=1,", "mcts:simulations=8,"])
def test_searches_take_the_reference_by_name(agent: str, tmp_path: Path) -> None:
    game = game_with_reference(tmp_path / "it.safetensors")
    states = [game.new_state(seed) for seed in range(8)]
    expected = make_agent(f"{agent}policy={tmp_path}/it.safetensors", game, seed=1)
    named = make_agent(f"{agent}policy=reference", game, seed=1)
    assert named.act_batch(states).tolist() == expected.act_batch(states).tolist()


def test_every_reference_in_the_package_fits_its_game_and_is_measured() -> None:
    for name in tzaar_envs.list_games():
        path = find_spec(name).reference
        assert path is not None
        game = tzaar_envs.load_game(name)
        state = game.new_state(0)
        assert state.is_legal(make_agent("reference", game).act(state))
        assert "greedy" in read_card(path)["measured"]
        assert read_card(path)["training"]["algorithm"] == "AlphaZero"
        assert path.parent.name == name
