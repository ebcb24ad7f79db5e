"""Engines in a tournament on a real Ray."""

import json
import sys
from pathlib import Path
from typing import Any

import tzaar_envs
from tzaar_envs.arena import play_tournament

ENGINE = Path(__file__).parents[2] / "helpers" / "odd_engine.py"


def played(path: Path) -> list[tuple[Any, ...]]:
    """Return what was played in every game of a tournament, in the order of the games."""
    games = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return sorted(
        (str(game["match"]), game["actions"], game["returns"], game.get("fault", ""))
        for game in games
    )


def test_engines_play_the_games_that_they_play_here(tmp_path: Path) -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    agents = [f"engine:{sys.executable} {ENGINE} {kind}" for kind in ("good", "crash")]
    for name, ray in (("here", False), ("ray", True)):
        path = tmp_path / f"{name}.jsonl"
        play_tournament(game, [*agents, "random"], path, 4, seed=1, workers=2, ray=ray)
    games = played(tmp_path / "ray.jsonl")
    assert games == played(tmp_path / "here.jsonl")
    assert sum(fault == "crash" for *_, fault in games) == 8
