"""Datasets in Minari's layout, written and read again."""

from __future__ import annotations

import dataclasses
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import minari
import msgspec
import numpy as np
import pytest
from command_line import run_cli
from small_policies import load_policy

from tzaar_envs import list_games, load_game
from tzaar_envs.agents import make_agent
from tzaar_envs.arena import play_match
from tzaar_envs.arena.records import GameRecord, write_records
from tzaar_envs.core.game import Game
from tzaar_envs.datasets import (
    read_dataset,
    read_dataset_games,
    record_transitions,
    write_dataset,
)
from tzaar_envs.wrappers.record_games import RecordedGamesHeader

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
GAME = load_game("turm_und_waechter")


@pytest.fixture(scope="module")
def records() -> list[GameRecord]:
    return play_match(GAME, ["greedy", "random"], 6, seed=1, opening_plies=2).games


@pytest.fixture(scope="module")
def dataset(records: list[GameRecord], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("datasets") / GAME.name / "mixed-v3"
    return write_dataset(folder, records)


def test_minari_loads_a_dataset(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(dataset.parents[1]))
    loaded = minari.load_dataset(f"{GAME.name}/mixed-v3")
    assert loaded.spec.dataset_id == f"{GAME.name}/mixed-v3"
    assert len(loaded) == 12
    assert loaded.action_space.n == GAME.num_actions
    for episode in loaded.iterate_episodes():
        seen = {name: values[0] for name, values in episode.observations.items()}
        assert loaded.observation_space.contains(seen)
        assert len(episode.observations["observation"]) == len(episode.actions) + 1
        assert episode.terminations[-1] or episode.truncations[-1]
        assert not episode.terminations[:-1].any()
        legal = episode.observations["action_mask"][np.arange(len(episode)), episode.actions]
        assert (legal == 1).all()


def test_rewards_can_come_with_every_action(tmp_path: Path) -> None:
    game = load_game("twenty_one")
    played = play_match(game, ["greedy", "random"], 2, seed=1).games
    path = write_dataset(tmp_path / "gains", played, reward="gain")
    found = read_dataset(path)
    assert np.count_nonzero(found.rewards) > 4
    for number, record in enumerate(played):
        expected = record_transitions(record, reward="gain")
        for player in (0, 1):
            own = (found.rows == number) & (found.seats == player)
            assert (found.rewards[own] == expected.where(expected.seats == player).rewards).all()
    assert minari.MinariDataset(path / "data").storage.metadata["reward"] == "gain"


def test_transitions_come_back_as_they_were_written(
    dataset: Path, records: list[GameRecord]
) -> None:
    found = read_dataset(dataset)
    count = 0
    for number, record in enumerate(records):
        expected = record_transitions(record)
        count += len(expected)
        for player in (0, 1):
            own = found.where((found.rows == number) & (found.seats == player))
            steps = expected.where(expected.seats == player)
            for field in dataclasses.fields(steps):
                if field.name != "rows":
                    read, written = getattr(own, field.name), getattr(steps, field.name)
                    np.testing.assert_array_equal(read, written)
    assert count == len(found)
    assert found.observations.dtype == np.int8
    assert found.actions.dtype == np.int64


def test_games_come_back_as_they_were_recorded(dataset: Path, records: list[GameRecord]) -> None:
    games = read_dataset_games(dataset)
    assert games == records
    games[0].check()


def test_the_transitions_of_one_agent_can_be_chosen(
    dataset: Path, records: list[GameRecord]
) -> None:
    found = read_dataset(dataset, ["greedy"])
    expected = {(number, r.agents.index("greedy")) for number, r in enumerate(records)}
    assert set(zip(found.rows.tolist(), found.seats.tolist(), strict=True)) == expected
    with pytest.raises(ValueError, match="no transition of mcts: its agents are greedy, random"):
        read_dataset(dataset, ["mcts"])


def three_players() -> Game:
    return load_game("twenty_one", players=3)


def test_games_with_chance_and_several_players(tmp_path: Path) -> None:
    records = play_match(three_players(), ["random"] * 3, 3, seed=1).games
    path = write_dataset(tmp_path / "three", records)
    assert read_dataset_games(path) == records
    found = read_dataset(path)
    assert set(found.seats.tolist()) == {0, 1, 2}
    for number, record in enumerate(records):
        ends = (found.rows == number) & (found.terminated | found.truncated)
        assert found.rewards[ends].tolist() == record.returns


def test_paths_may_be_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: list[GameRecord]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert write_dataset("mixed", records) == Path("mixed")
    assert write_dataset("in/a/folder", records) == Path("in/a/folder")
    for path in ("mixed", "./in/a/folder"):
        assert read_dataset_games(path) == records
        assert len(read_dataset(path)) > 0
        assert minari.MinariDataset(f"{path}/data").total_episodes == 2 * len(records)


def test_wrong_input_is_refused_and_leaves_nothing(
    dataset: Path, records: list[GameRecord], tmp_path: Path
) -> None:
    with pytest.raises(FileExistsError, match="exists already: choose another name"):
        write_dataset(dataset, records)
    unfinished = msgspec.structs.replace(records[0], returns=None, scores=None, end=None)
    with pytest.raises(ValueError, match="there is no finished game"):
        write_dataset(tmp_path / "none", [unfinished])
    wrong = msgspec.structs.replace(records[0], actions=[*records[0].actions[:-1], "A1-A1-9"])
    with pytest.raises(ValueError, match=r"game 2: move \d+: "):
        write_dataset(tmp_path / "wrong", [records[0], wrong])
    other = play_match(three_players(), ["random"] * 3, 3).games
    with pytest.raises(ValueError, match="game 2: the record is of twenty_one_v0"):
        write_dataset(tmp_path / "other", [records[0], *other])
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError, match="there is no dataset"):
        read_dataset(tmp_path)


def test_damaged_datasets_are_refused(
    dataset: Path, records: list[GameRecord], tmp_path: Path
) -> None:
    for number, (name, content) in enumerate(
        {"metadata.json": b"{}", "main_data.hdf5": b"nothing", "games.jsonl": b"nothing\n"}.items()
    ):
        path = write_dataset(tmp_path / str(number), records[:1])
        (path / "data" / name).write_bytes(content)
        with pytest.raises(ValueError, match="is not a "):
            (read_dataset_games if name == "games.jsonl" else read_dataset)(path)


def test_the_command_plays_and_converts(tmp_path: Path, records: list[GameRecord]) -> None:
    played = tmp_path / "played"
    words = ["random", "--games", "4", "--opening-plies", "2", "--out", str(played)]
    code, out, err = run_cli("dataset", GAME.name, *words)
    assert (code, err) == (0, "")
    assert out == f"The transitions of 4 games are in {played}\n"
    assert len(read_dataset_games(played)) == 4
    file, converted = tmp_path / "games.jsonl", tmp_path / "converted"
    write_records(file, RecordedGamesHeader(), records)
    code, _, err = run_cli("dataset", GAME.name, "--records", str(file), "--out", str(converted))
    assert (code, err) == (0, "")
    assert read_dataset_games(converted) == records
    for arguments, reason in {
        (): "dataset needs agents that play, or --records FILE: give one of them",
        ("random", "--records", str(file)): "dataset needs agents that play, or --records FILE",
        ("random", "--out", str(played)): "exists already: choose another name",
        ("random", "--games", "3"): "games=3 is not allowed",
    }.items():
        code, _, err = run_cli("dataset", GAME.name, *arguments)
        assert code == 2
        assert reason in " ".join(err.split())
    code, _, err = run_cli("dataset", "tzaar", "--records", str(file))
    assert code == 2
    assert "has no game of tzaar_v0" in err


def test_a_network_learns_from_a_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = load_game("twenty_one")
    path = write_dataset(
        tmp_path / "data", play_match(game, ["greedy"] * game.num_players, 8, seed=1).games
    )
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import behaviour_cloning

    policy = tmp_path / "cloned.safetensors"
    words = [str(path), "--passes", "4", "--out", str(policy), "--agent", "greedy"]
    monkeypatch.setattr(sys, "argv", ["behaviour_cloning.py", *words])
    behaviour_cloning.main()
    out = capsys.readouterr().out
    losses = [float(line.split()[-1]) for line in out.splitlines() if line.startswith("pass")]
    assert losses[-1] < 0.8 * losses[0]
    _, card = load_policy(policy)
    assert card["training"]["algorithm"] == "behaviour cloning"
    agent = make_agent(f"policy:{policy}", game, seed=1)
    state = game.new_state(1)
    assert state.is_legal(agent.act(state))
    assert json.loads((path / "data" / "metadata.json").read_text())["total_episodes"] == 16


def tree_map(function: Any, tree: Any, *others: Any) -> Any:
    """Stands for JAX, of which Minari's collector needs this alone."""
    if not isinstance(tree, dict):
        return function(tree, *others)
    assert all(other.keys() == tree.keys() for other in others)
    return {key: tree_map(function, tree[key], *(o[key] for o in others)) for key in tree}


@pytest.mark.filterwarnings("ignore:`eval_env` is set to None")
@pytest.mark.parametrize("name", list_games())
def test_minari_records_whole_games_with_their_infos(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    if find_spec("jax") is None:
        jax, trees = ModuleType("jax"), ModuleType("jax.tree_util")
        trees.tree_map = tree_map  # type: ignore[attr-defined]
        jax.tree_util = trees  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "jax", jax)
        monkeypatch.setitem(sys.modules, "jax.tree_util", trees)
    [env_id] = [key for key, spec in gymnasium.registry.items() if spec.kwargs == {"game": name}]
    env = minari.DataCollector(gymnasium.make(env_id), record_infos=True)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        *_, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
    facts = ("algorithm_name", "code_permalink", "author", "author_email", "description")
    [episode] = env.create_dataset("games/all-v0", **dict.fromkeys(facts, "unknown"))
    assert episode.infos.keys() == info.keys()
    assert {len(column) for column in episode.infos.values()} == {len(episode.actions) + 1}
