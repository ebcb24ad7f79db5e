"""The tool that measures networks and training measures what it says."""

import pytest

import tzaar_envs
from tzaar_envs.cli import benchmark
from tzaar_envs.search.alphabeta import why_unsuitable

networks = pytest.importorskip("measure_networks")


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "SECONDS", 0.01)


@pytest.mark.parametrize("name", ["turm_und_waechter", "zatre"])
def test_networks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "SEARCHED_MS", 1.0)
    game = tzaar_envs.load_game(name)
    found = {entry.measure: entry.median for entry in networks.measure_networks(game)}
    others = {"network", "mcts, network", "self-play, one ply", "self-play, gumbel"}
    assert set(found) == (others if why_unsuitable(game) else others | {"alphabeta, network"})
    assert min(found.values()) > 0
