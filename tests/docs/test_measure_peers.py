"""The tool that measures other suites."""

import importlib
import json
from pathlib import Path

import measure_peers
import pytest

from tzaar_envs.cli import benchmark as measures


def test_peers_are_measured_where_they_are_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Countdown:
        """Stands for an installed peer: a game of five moves."""

        def __init__(self) -> None:
            self.left = 0

        def env(self) -> "Countdown":
            return self

        def reset(self, seed: int) -> None:
            self.left = 5

        def agent_iter(self) -> list[str]:
            return ["player_0"] * 6

        def last(self) -> tuple[dict[str, int], float, bool, bool, dict[str, int]]:
            return {"action_mask": 0}, 0.0, self.left == 0, False, {}

        def action_space(self, agent: str) -> "Countdown":
            return self

        def sample(self, mask: int) -> int:
            return self.left

        def step(self, action: int | None) -> None:
            assert (action is None) == (self.left == 0)
            self.left -= 1

    def find(name: str) -> Countdown:
        if name.endswith("go_v5"):
            return Countdown()
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", find)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(measures, "SECONDS", 0.01)
    measure_peers.main(str(tmp_path / "peers.json"))
    [entry] = json.loads((tmp_path / "peers.json").read_text())["measurements"]
    assert (entry["game"], entry["unit"]) == ("PettingZoo Classic: go_v5", "moves/s")
    assert entry["median"] > 0
