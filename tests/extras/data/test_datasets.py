"""Datasets in Minari's layout, written and read again."""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
from pathlib import Path

import minari
import msgspec
import numpy as np
import pytest
from command_line import run_cli
from small_policies import load_policy

from tzaar_envs import load_game
from tzaar_envs.agents import make_agent
from tzaar_envs.arena import play_match
from tzaar_envs.arena.records import GameRecord, write_records
from tzaar_envs.core.game import Game
from tzaar_envs.datasets import read_dataset, read_dataset_games, record_transitions, write_dataset
from tzaar_envs.wrappers.record_games import RecordedGamesHeader

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
TWO, THREE = load_game("turm_und_waechter"), load_game("twenty_one", players=3)


@functools.cache
def records_of(game: Game) -> list[GameRecord]:
    agents = ["greedy", *["random"] * (game.num_players - 1)]
    return play_match(game, agents, 6, seed=1, opening_plies=2).games


@pytest.fixture(scope="module", params=[TWO, THREE], ids=["two players", "three, with chance"])
def game(request: pytest.FixtureRequest) -> Game:
    return request.param


@pytest.fixture(scope="module")
def dataset(game: Game, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("datasets") / game.name / "mixed-v3"
    return write_dataset(folder, records_of(game))


def test_minari_loads_a_dataset(game: Game, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(dataset.parents[1]))
    loaded = minari.load_dataset(f"{game.name}/mixed-v3")
    assert loaded.spec.dataset_id == f"{game.name}/mixed-v3"
    assert len(loaded) == 6 * game.num_players
    assert loaded.action_space.n == game.num_actions
    for episode in loaded.iterate_episodes():
        seen = {name: values[0] for name, values in episode.observations.items()}
        assert loaded.observation_space.contains(seen)
        assert len(episode.observations["observation"]) == len(episode.actions) + 1
        legal = episode.observations["action_mask"][np.arange(len(episode)), episode.actions]
        assert (legal == 1).all()


def test_games_and_transitions_come_back_as_they_were_recorded(game: Game, dataset: Path) -> None:
    records, games = records_of(game), read_dataset_games(dataset)
    assert games == records
    games[0].check()
    found, count = read_dataset(dataset), 0
    for number, record in enumerate(records):
        expected = record_transitions(record)
        count += len(expected)
        for player in range(game.num_players):
            own = found.where((found.rows == number) & (found.seats == player))
            steps = expected.where(expected.seats == player)
            for field in dataclasses.fields(steps):
                if field.name != "rows":
                    read, written = getattr(own, field.name), getattr(steps, field.name)
                    np.testing.assert_array_equal(read, written)
    assert count == len(found)
    assert found.observations.dtype == np.int8
    assert found.actions.dtype == np.int64


def test_rewards_can_come_with_every_action(tmp_path: Path) -> None:
    [record] = play_match(load_game("twenty_one"), ["greedy", "random"], 2, seed=1).games[:1]
    path = write_dataset(tmp_path / "gains", [record], reward="gain")
    found, expected = read_dataset(path), record_transitions(record, reward="gain")
    assert np.count_nonzero(found.rewards) > 2
    for player in (0, 1):
        own, steps = found.where(found.seats == player), expected.where(expected.seats == player)
        assert (own.rewards == steps.rewards).all()
    assert minari.MinariDataset(path / "data").storage.metadata["reward"] == "gain"


def test_the_transitions_of_one_agent_can_be_chosen(game: Game, dataset: Path) -> None:
    found = read_dataset(dataset, ["greedy"])
    expected = {(number, r.agents.index("greedy")) for number, r in enumerate(records_of(game))}
    assert set(zip(found.rows.tolist(), found.seats.tolist(), strict=True)) == expected
    with pytest.raises(ValueError, match="no transition of mcts: its agents are greedy, random"):
        read_dataset(dataset, ["mcts"])


def test_paths_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert write_dataset("in/a/folder", records_of(TWO)) == Path("in/a/folder")
    assert read_dataset_games("./in/a/folder") == records_of(TWO)
    assert len(read_dataset("./in/a/folder")) > 0
    assert minari.MinariDataset("in/a/folder/data").total_episodes == 12


def test_wrong_input_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    records, existing = records_of(TWO), tmp_path / "it"
    existing.mkdir()
    with pytest.raises(FileExistsError, match="exists already: choose another name"):
        write_dataset(existing, records)
    unfinished = msgspec.structs.replace(records[0], returns=None, scores=None, end=None)
    with pytest.raises(ValueError, match="there is no finished game"):
        write_dataset(tmp_path / "none", [unfinished])
    wrong = msgspec.structs.replace(records[0], actions=[*records[0].actions[:-1], "A1-A1-9"])
    with pytest.raises(ValueError, match=r"game 2: move \d+: "):
        write_dataset(tmp_path / "wrong", [records[0], wrong])
    with pytest.raises(ValueError, match="game 2: the record is a game of twenty_one_v0"):
        write_dataset(tmp_path / "other", [records[0], *records_of(THREE)])
    assert [*tmp_path.iterdir()] == [existing]
    with pytest.raises(FileNotFoundError, match="there is no dataset"):
        read_dataset(tmp_path)


def test_the_command_plays_and_converts(tmp_path: Path) -> None:
    records, played = records_of(TWO), tmp_path / "played"
    words = ["random", "--games", "4", "--opening-plies", "2", "--out", str(played)]
    code, out, err = run_cli("dataset", TWO.name, *words)
    assert (code, err) == (0, "")
    assert out == f"The transitions of 4 games are in {played}\n"
    assert len(read_dataset_games(played)) == 4
    file, converted = tmp_path / "games.jsonl", tmp_path / "converted"
    write_records(file, RecordedGamesHeader(), records)
    code, _, err = run_cli("dataset", TWO.name, "--records", str(file), "--out", str(converted))
    assert (code, err) == (0, "")
    assert read_dataset_games(converted) == records
    for arguments, reason in {
        (TWO.name,): "dataset needs agents that play, or --records FILE: give one of them",
        (TWO.name, "random", "--records", str(file)): "dataset needs agents that play, or",
        (TWO.name, "random", "--out", str(played)): "exists already: choose another name",
        (TWO.name, "random", "--games", "3"): "games=3 is not allowed",
        ("tzaar", "--records", str(file)): "has no game of tzaar_v0",
    }.items():
        code, _, err = run_cli("dataset", *arguments)
        assert code == 2
        assert reason in " ".join(err.split())


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
