"""The published ladder of a game: its baselines from the weakest to the strongest, and ratings.

A game's spec names the agents (`GameSpec.ladder`). `docs/tools/make_ladders.py` plays them against
each other and saves their ratings to `ratings.json` in the folder of the game.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from msgspec import to_builtins

from tzaar_envs.arena.reports.tournament_report import command_of
from tzaar_envs.arena.standings import Standings
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.system.files import write_atomically

Rating: TypeAlias = tuple[float, float]
"""Elo, and half the width of its 95 % interval."""


def save_ratings(path: Path, standings: Standings) -> None:
    """Write the ratings of a tournament, and how it was played, as JSON."""
    ratings = standings.ratings
    content = {
        "ratings": {
            ratings.agents[agent]: [round(ratings.elo[agent]), round(ratings.half_width(agent))]
            for agent in ratings.order
        },
        "anchor": None if ratings.anchor is None else ratings.agents[ratings.anchor],
        "commands": [command_of(header) for header in standings.headers],
        "headers": [to_builtins(header) for header in standings.headers],
    }
    write_atomically(path, (json.dumps(content, indent=1) + "\n").encode())


def published_ratings(spec: GameSpec) -> Mapping[str, Rating]:
    """Return the published ratings of a game, the best first; empty if it has none."""
    if spec.ratings is None or not spec.ratings.exists():
        return {}
    found = json.loads(spec.ratings.read_text())["ratings"]
    return {agent: (elo, half_width) for agent, (elo, half_width) in found.items()}
