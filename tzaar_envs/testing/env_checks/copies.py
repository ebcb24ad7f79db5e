"""Copies and pickles in mid-game go on like the original, and independently of it."""

from __future__ import annotations

import copy
import pickle
from typing import Any

from tzaar_envs.testing.env_checks.episode import (
    Episode,
    Players,
    first_difference,
    play_on,
    replay,
)
from tzaar_envs.testing.env_checks.problem import Problem
from tzaar_envs.testing.env_checks.seeds import MakeTable
from tzaar_envs.testing.env_checks.table import Table, table_of
from tzaar_envs.testing.finding import sentence_of

_GOES_ON = 20  # turns


def deep_copies(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """A deep copy in mid-game keeps the game."""
    return _compared("a deep copy", copy.deepcopy, make(), episode)


def pickled_copies(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """A pickled copy in mid-game keeps the game."""
    return _compared("a pickled copy", lambda env: pickle.loads(pickle.dumps(env)), make(), episode)


def _compared(way: str, copied: Any, table: Table, episode: Episode) -> Problem | None:
    turns = len(episode.turns) // 2
    replay(table, episode, turns)
    try:
        other = table_of(copied(table.env))
        if table.is_parallel:  # what the last step returned belongs to the caller
            for name in ("observations", "infos", "_flags"):
                setattr(other, name, copy.deepcopy(getattr(table, name)))
        players = Players(other.env, episode.seed)
        ahead = [*play_on(other, players, _GOES_ON)]
    except Exception as error:
        return Problem(f"{way} in mid-game {sentence_of(error)}", turns)
    behind = [*play_on(table, Players(table.env, episode.seed), _GOES_ON)]
    if differs := first_difference(behind, ahead):
        return Problem(f"{way} in mid-game goes on with different {differs[1]}", turns)
    return None
