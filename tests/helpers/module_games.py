"""A small game in a single module, as text, which tests import as it is or with mistakes."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from tzaar_envs.core.game import Game

RACE = """
from tzaar_envs.authoring import (
    HEADER, RUNNING, SEAT, STATUS, TERMINATED, ActionBlock, GameSpec, Layout, Plane, between,
    compiled, standard_files,
)

TOTAL = slice(HEADER, HEADER + 2)
STATE_SIZE = TOTAL.stop


@compiled
def reset(state, options, rng):
    state[:] = 0


@compiled
def legal(state, actions):
    actions[0] = 0
    actions[1] = 1
    return 2 if state[STATUS] == RUNNING else 0


@compiled
def apply(state, action, rng):
    state[HEADER + state[SEAT]] += 1 + action
    state[SEAT] = 1 - state[SEAT]
    if state[SEAT] == 0 and max(state[HEADER], state[HEADER + 1]) >= 5:
        state[STATUS] = TERMINATED


@compiled
def observe(state, seat, out):
    out[0] = state[HEADER + seat]
    out[1] = seat


@compiled
def returns(state, out):
    out[:] = 0.0
    if state[STATUS] == TERMINATED and state[HEADER] != state[HEADER + 1]:
        out[0] = 1.0 if state[HEADER] > state[HEADER + 1] else -1.0
        out[1] = -out[0]


def layout(options):
    return Layout(
        ("a", "b"),
        (),
        (Plane("own", "own total", high=6), Plane("seat", "")),
        (ActionBlock("add", "1 or 2", 2, on_board=False),),
        max_plies=10,
    )


SPEC = GameSpec("race", 0, "Race", "First to 5.", (), layout, **standard_files(__name__))
"""
"""Who adds up to 5 first; the module leaves out what can be left out."""


_RETURNS = RACE[RACE.index("@compiled\ndef returns") : RACE.index("def layout")]
_SCORES = """@compiled
def scores(state, out):
    out[:] = state[TOTAL]


"""
RACE_BY_SCORES = RACE.replace(_RETURNS, _SCORES)
"""The same game without returns, which follow from scores: they take longer to compile."""


def import_game(folder: Path, name: str, source: str) -> Game:
    """Write a module into a folder and import its game."""
    (folder / f"{name}.py").write_text(source)
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        return Game(importlib.import_module(name).SPEC)
    finally:
        sys.path.remove(str(folder))
