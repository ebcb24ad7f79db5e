"""A mistake in a game is one sentence when it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numba
import pytest
from module_games import RACE, import_game

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
    "a function without decorator": (
        "@compiled\ndef apply",
        "def apply",
        r"race_\w+: `apply` \(race_\w+\.py, line 23\) is not compiled: decorate it with `compiled`",
    ),
    "a type error": (
        "state[HEADER + state[SEAT]] += 1 + action",
        "state[HEADER + state[SEAT]] += state.first + action",
        r"`apply` \(race_\w+\.py, line 25\) cannot be compiled: Unknown attribute 'first'",
    ),
    "a number that is not returned": (
        "    return 2 if state[STATUS] == RUNNING else 0\n",
        "",
        r"`legal` \(.*\) cannot be compiled: it returns none where int64 is expected",
    ),
    "a missing argument": (
        "def apply(state, action, rng)",
        "def apply(state, action)",
        r"`apply` \(.*line 23\) cannot be compiled: Signature mismatch",
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
