"""The agent `python:MODULE:CLASS` or `python:FILE.py:CLASS`: a user's own, from Python code."""

from __future__ import annotations

import contextlib
import importlib
import runpy
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tzaar_envs.agents.agent import Agent
from tzaar_envs.core.game import Game
from tzaar_envs.system.files import existing_file


def load_python_agent(text: str, game: Game, seed: int | Sequence[int] | None = None) -> Agent:
    """Return an agent of a user's module or file.

    Args:
        text: `MODULE:NAME` or `FILE.py:NAME`. The name is that of an agent, of its class, or of a
            function that takes the game and returns one; all who name an agent share it. Modules
            are found in the current folder too, and those that a file imports in the folder of the
            file.
        game: What it plays.
        seed: Fixes its random choices.

    Raises:
        ValueError: The text has another form, the code has no such name, it names something else,
            the agent cannot be made or seeded, or it plays another game.
        FileNotFoundError: There is no such file.
        ModuleNotFoundError: There is no such module.
    """
    place, _, name = text.rpartition(":")
    if not place or not name.isidentifier():
        raise ValueError(
            f"there is no agent 'python:{text}': use python:MODULE:CLASS or python:FILE.py:CLASS"
        )
    names: Mapping[str, Any]
    if place.endswith(".py"):
        path = existing_file(place, "Python file").resolve()
        names = _names_in_file(path, path.stat().st_mtime_ns)
    else:
        names = _names_in_module(place)
    if name not in names:
        raise ValueError(f"there is no agent 'python:{text}': {place} has no {name}")
    agent = names[name]
    with _naming(text):
        if callable(agent) and not isinstance(agent, Agent):
            agent = agent(game)
    if not isinstance(agent, Agent):
        raise ValueError(
            f"'python:{text}' is {agent!r}, not an Agent: name an agent, its class, or a function "
            "that takes the game and returns one"
        )
    agent.require_game(game)
    with _naming(text):
        agent.seed(seed)
    return agent


@contextlib.contextmanager
def _naming(text: str) -> Iterator[None]:
    """Say which agent it is whose code raises an error."""
    try:
        yield
    except ModuleNotFoundError:  # which may name an extra
        raise
    except Exception as error:
        raise ValueError(
            f"'python:{text}' cannot be made: {type(error).__name__}: {error}"
        ) from error


def _names_in_module(name: str) -> Mapping[str, Any]:
    _search(Path.cwd())
    return vars(importlib.import_module(name))


@cache
def _names_in_file(path: Path, _changed: int) -> Mapping[str, Any]:
    _search(path.parent)
    return runpy.run_path(str(path))


def _search(folder: Path) -> None:
    """Let imports look in a folder, after all others."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
