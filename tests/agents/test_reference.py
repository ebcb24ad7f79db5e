"""The trained policies of the suite, under the name `reference`."""

import dataclasses
import pickle
from pathlib import Path

import pytest
from small_policies import save_new_policy, save_new_sparse_policy

import tzaar_envs
from tzaar_envs.agents import agent_specs, make_agent
from tzaar_envs.arena import play_match
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


def test_a_reference_without_a_sparse_network_is_refused(tmp_path: Path) -> None:
    game = tzaar_envs.load_game("tzaar")
    save_new_policy(tmp_path / "dense.safetensors", game)
    game = Game(dataclasses.replace(game.spec, reference=tmp_path / "dense.safetensors"))
    with pytest.raises(
        ValueError, match="has no sparse network: alphabeta, greedy and luck need one"
    ):
        make_agent("reference", game)


def test_the_reference_refuses_options_that_show_something_else(tmp_path: Path) -> None:
    path = tmp_path / "it.safetensors"
    fixed = game_with_reference(path, setup="fixed")
    assert make_agent("reference", fixed).name == "reference"
    tournament = game_with_reference(path, setup="tournament")
    with pytest.raises(ValueError, match=r"does not fit .* it was trained with setup='random'"):
        make_agent("reference", tournament)


def test_the_reference_plays_in_the_arena(tmp_path: Path) -> None:
    game = game_with_reference(tmp_path / "it.safetensors")
    result = play_match(game, ["reference", "random"], games=4)
    assert result.agents == ("reference", "random")
    assert (len(result.games), result.forfeits.total()) == (4, 0)


def test_without_a_file_there_is_no_reference(tmp_path: Path) -> None:
    spec = tzaar_envs.load_game("tzaar").spec
    for reference in (None, tmp_path / "missing.safetensors"):
        game = Game(dataclasses.replace(spec, reference=reference))
        assert "reference" not in agent_specs(game.spec)
        with pytest.raises(ValueError, match="cannot play tzaar: no trained policy comes"):
            make_agent("reference", game)


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
