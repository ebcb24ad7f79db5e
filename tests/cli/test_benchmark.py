"""The benchmark measures what it says; its figures themselves are not tested."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import run_cli

import tzaar_envs
from tzaar_envs.cli import benchmark as measures
from tzaar_envs.core.playouts import perft
from tzaar_envs.search.alphabeta import AlphaBeta, why_unsuitable

MEASURES = [
    "environment",
    "state",
    "vector",
    "vector, 2 threads",
    "single agent",
    "memory",
    "playouts",
    "playout moves",
    "mcts",
    "mcts moves",
    "perft",
    "import",
    "warm start",
    "cold start",
]


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "SECONDS", 0.01)
    monkeypatch.setattr(measures, "BATCH_SIZE", 4)
    monkeypatch.setattr(measures, "MAX_LEAVES", 1000)
    monkeypatch.setattr(measures, "MAX_NODES", 100)
    monkeypatch.setattr(measures, "PLAYOUTS", 50)
    monkeypatch.setattr(measures, "start", lambda game, cold=False: (0.5, 2.0 if cold else 1.0))


MEASURED = [("turm_und_waechter", {}), ("twenty_one", {}), ("zatre", {"players": 4})]


@pytest.mark.parametrize(("name", "options"), MEASURED)
def test_every_measure_of_every_game(name: str, options: dict[str, int]) -> None:
    game = tzaar_envs.load_game(name, **options)
    found = {entry.measure: entry for entry in measures.measure_game(game)}
    if "alphabeta" in found:
        searched = found["alphabeta"].note.removeprefix("depth ").partition(": ")
        nodes = AlphaBeta(game).search(game.new_state(seed=0), depth=int(searched[0])).nodes
        assert nodes == int(searched[2].replace(",", ""))
    assert ("alphabeta" in found) == (why_unsuitable(game) is None)
    assert [measure for measure in found if measure != "alphabeta"] == MEASURES
    for entry in found.values():
        assert 0 < entry.lowest <= entry.median <= entry.highest
        assert entry.game == game.spec.env_id
    depth, _, leaves = found["perft"].note.removeprefix("depth ").partition(": ")
    assert perft(game.new_state(seed=0), int(depth)) == int(leaves.replace(",", ""))
    starts = [found[measure].median for measure in ("import", "warm start", "cold start")]
    assert starts == [0.5, 1.0, 2.0]
    outputs = int(np.prod(game.observation_shape)) + game.num_actions
    assert found["memory"].median > outputs + 8 * game.rules.state_size


def test_a_fresh_process_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    imported, stepped = measures.start(tzaar_envs.load_game("tzaar", setup="fixed"))
    assert 0 < imported < stepped < 120


def test_the_command_prints_a_table_and_writes_json(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    arguments = ["benchmark", "tzaar", "--json", str(path)]
    code, out, err = run_cli(*arguments)
    assert code == 0, err
    for measure in ("environment", "playout moves", "perft"):
        assert measure in out
    content = json.loads(path.read_text())
    assert content["machine"]["python"]
    measures_made = [entry["measure"] for entry in content["measurements"]]
    assert sorted(measures_made) == sorted([*MEASURES, "alphabeta"])
    code, _, err = run_cli(*arguments)
    assert code == 2
    assert "exists already" in err
