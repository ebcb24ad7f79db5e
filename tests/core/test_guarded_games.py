"""A mistake in a game is one sentence when it is loaded, never damaged memory."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numba
import pytest

from tzaar_envs.core.game import Game

GAME = """
from tzaar_envs.authoring import *

TOTAL = HEADER
STATE_SIZE = TOTAL + 1


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
    state[TOTAL] += 1 + action
    state[SEAT] = 1 - state[SEAT]
    state[STATUS] = TERMINATED if state[TOTAL] >= 5 else RUNNING


@compiled
def observe(state, seat, out):
    out[0] = state[TOTAL]
    out[1] = seat


@compiled
def returns(state, out):
    out[:] = 0.0
    if state[STATUS] == TERMINATED:
        out[state[SEAT]] = -1.0
        out[1 - state[SEAT]] = 1.0


def layout(options):
    return Layout(
        ("a", "b"),
        (),
        (Plane("total", "", high=6), Plane("seat", "")),
        (ActionBlock("add", "1 or 2", 2, on_board=False),),
        max_plies=5,
    )


SPEC = GameSpec("sum", 0, "Sum", "First to 5.", (), layout, **standard_files(__name__))
"""

Load = Callable[[str, str], None]

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Return a function that loads the game with a text in place of another."""
    sys.path.insert(0, str(tmp_path))
    name = f"sum_{tmp_path.name}"

    def loaded(old: str = "", new: str = "") -> None:
        assert GAME.count(old) == 1 or not old
        (tmp_path / f"{name}.py").write_text(GAME.replace(old, new) if old else GAME)
        importlib.invalidate_caches()
        Game(importlib.import_module(name).SPEC).rules  # noqa: B018 - loads them

    yield loaded
    sys.path.remove(str(tmp_path))


def test_a_right_game_is_loaded(load: Load) -> None:
    load("", "")


WRONG = {
    "a state that is too short": (
        "STATE_SIZE = TOTAL + 1",
        "STATE_SIZE = TOTAL",
        r"sum: `observe` \(.*line 27\) reads beyond the state, which has 2 words \(STATE_SIZE\)",
    ),
    "a word beyond the state that is written": (
        "    state[STATUS] = TERMINATED",
        "    state[TOTAL + 3] = 7\n    state[STATUS] = TERMINATED",
        r"`apply` \(.*line 20\) writes item 5 of the state, which has 3 words \(STATE_SIZE\)",
    ),
    "a plane that the layout lacks": (
        ', Plane("seat", "")',
        ",",
        r"`observe` \(.*\) writes item 1 of the observation, which has 1",
    ),
    "a plane that is not written": (
        "    out[1] = seat\n",
        "",
        r"`observe` \(.*\) does not write number 1 of the observation",
    ),
    "an action that the layout lacks": (
        "    actions[1] = 1\n",
        "    actions[1] = 2\n",
        r"`legal` \(.*\) writes action 2: sum has the actions 0 to 1",
    ),
    "a player that does not exist": (
        "state[SEAT] = 1 - state[SEAT]",
        "state[SEAT] += 1",
        r"`returns` \(.*\) writes item 2 of the array of players|sets the player 2: use 0 to 1",
    ),
    "words of another game": (
        "    state[:] = 0\n",
        "    state[SEAT] = 0\n",
        r"`reset` \(.*\) does not write word 1 of the state",
    ),
    "a function without decorator": (
        "@compiled\ndef apply",
        "def apply",
        r"sum_\w+: `apply` \(sum_\w+\.py, line 20\) is not compiled: decorate it with `compiled`",
    ),
    "a type error": (
        "state[TOTAL] += 1 + action",
        "state[TOTAL] += state.first + action",
        r"`apply` \(sum_\w+\.py, line 22\) cannot be compiled: Unknown attribute 'first'",
    ),
    "a number that is not returned": (
        "    return 2 if state[STATUS] == RUNNING else 0\n",
        "",
        r"`legal` \(.*\) cannot be compiled: it returns none where int64 is expected",
    ),
    "a missing argument": (
        "def apply(state, action, rng)",
        "def apply(state, action)",
        r"`apply` \(.*line 20\) cannot be compiled: Signature mismatch",
    ),
    "a helper without decorator": (
        "state[TOTAL] += 1 + action",
        "state[TOTAL] += layout(action)",
        r"`apply` \(.*\) cannot be compiled: it calls `layout`, which is not compiled: decorate",
    ),
}


@pytest.mark.parametrize(("old", "new", "message"), WRONG.values(), ids=WRONG)
def test_a_mistake_is_one_sentence(load: Load, old: str, new: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        load(old, new)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_size_that_is_no_number(load: Load) -> None:
    with pytest.raises(ValueError, match=r"sum: STATE_SIZE is 3\.0: use an integer from 2 on"):
        load("STATE_SIZE = TOTAL + 1", "STATE_SIZE = TOTAL + 1.0")


def test_a_game_is_verified_once(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZAAR_ENVS_CACHE_DIR", str(tmp_path / "cache"))
    calls = []
    monkeypatch.setattr(
        "tzaar_envs.core.guarded_games.verify", lambda name, *game: calls.append(name)
    )
    load("", "")
    name = next(name for name in sys.modules if name.startswith("sum_test_a_game_is_verified"))
    game = Game(sys.modules[name].SPEC)
    game.rules  # noqa: B018
    assert calls == ["sum"]
