"""The benchmark measures what it says; its figures themselves are not tested."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from variants import every_game

from tzaar_envs import benchmark
from tzaar_envs.cli import app
from tzaar_envs.core.game import Game
from tzaar_envs.core.perft import perft

MEASURES = ["environment", "playouts", "playout moves", "perft", "warm start", "cold start"]


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "_SECONDS", 0.01)
    monkeypatch.setattr(benchmark, "_MOST_LEAVES", 1000)
    monkeypatch.setattr(benchmark, "_start", lambda game, cache: 2.0 if cache else 1.0)


@every_game
def test_every_measure_of_every_game(game: Game) -> None:
    found = list(benchmark.run_benchmark(game))
    assert [entry.measure for entry in found] == MEASURES
    for entry in found:
        assert 0 < entry.lowest <= entry.median <= entry.highest
        assert entry.game == game.spec.env_id
    depth, _, leaves = found[3].note.removeprefix("depth ").partition(": ")
    assert perft(game.new_state(seed=0), int(depth)) == int(leaves.replace(",", ""))
    assert (found[4].median, found[5].median) == (1.0, 2.0)


def test_a_fresh_process_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    import tzaar_envs

    seconds = benchmark._start(tzaar_envs.load_game("tzaar", setup="fixed"), None)
    assert 0 < seconds < 120


def test_the_command_prints_a_table_and_writes_json(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    done = CliRunner().invoke(app, ["benchmark", "tzaar", "--json", str(path)])
    assert done.exit_code == 0, done.output
    for measure in MEASURES:
        assert measure in done.output
    content = json.loads(path.read_text())
    assert content["machine"]["python"]
    assert [entry["measure"] for entry in content["measurements"]] == MEASURES
    again = CliRunner().invoke(app, ["benchmark", "tzaar", "--json", str(path)])
    assert again.exit_code == 2
    assert "exists already" in again.stderr
