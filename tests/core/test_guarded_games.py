"""A mistake in a game is one sentence when it is loaded, never damaged memory."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numba
import pytest
from module_games import RACE, import_game

from tzaar_envs.core.game import Game

Load = Callable[[str, str], None]

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return a function that loads the game with a text in place of another."""

    def loaded(old: str = "", new: str = "") -> None:
        assert RACE.count(old) == 1 or not old
        source = RACE.replace(old, new) if old else RACE
        import_game(tmp_path, f"race_{tmp_path.name}", source).load_rules()

    return loaded


def test_a_right_game_is_loaded(load: Load) -> None:
    load("", "")


WRONG = {
    "a state that is too short": (
        "STATE_SIZE = TOTAL.stop",
        "STATE_SIZE = TOTAL.start",
        r"race: `observe` \(.*line 28\) reads beyond the state, which has 2 words \(STATE_SIZE\)",
    ),
    "a word beyond the state that is written": (
        "    state[SEAT] = 1 - state[SEAT]",
        "    state[STATE_SIZE + 1] = 7\n    state[SEAT] = 1 - state[SEAT]",
        r"`apply` \(.*line 20\) writes item 5 of the state, which has 4 words \(STATE_SIZE\)",
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
        r"`legal` \(.*\) writes action 2: race has the actions 0 to 1",
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
        r"race_\w+: `apply` \(race_\w+\.py, line 20\) is not compiled: decorate it with `compiled`",
    ),
    "a type error": (
        "state[HEADER + state[SEAT]] += 1 + action",
        "state[HEADER + state[SEAT]] += state.first + action",
        r"`apply` \(race_\w+\.py, line 22\) cannot be compiled: Unknown attribute 'first'",
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
        "state[HEADER + state[SEAT]] += 1 + action",
        "state[HEADER + state[SEAT]] += layout(action)",
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
    with pytest.raises(ValueError, match=r"race: STATE_SIZE is 4\.0: use an integer from 2 on"):
        load("STATE_SIZE = TOTAL.stop", "STATE_SIZE = TOTAL.stop + 0.0")


def test_a_game_is_verified_once(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZAAR_ENVS_CACHE_DIR", str(tmp_path / "cache"))
    calls = []
    monkeypatch.setattr(
        "tzaar_envs.core.guarded_games.verify", lambda name, *game: calls.append(name)
    )
    load("", "")
    name = next(name for name in sys.modules if name.startswith("race_test_a_game_is_verified"))
    game = Game(sys.modules[name].SPEC)
    game.load_rules()
    assert calls == ["race"]
