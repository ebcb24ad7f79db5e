"""Games in a single module, and what `standard_files` makes of what they leave out."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from module_games import RACE, RACE_BY_SCORES, import_game

from tzaar_envs import authoring
from tzaar_envs.core.game import Game

SOURCE = Path(authoring.__file__).read_text(encoding="utf-8")
Make = Callable[[str, str], Game]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that makes a game of a module's name and source."""
    return functools.partial(import_game, tmp_path)


@pytest.mark.parametrize("name", re.findall(r" as (\w+)$", SOURCE, re.MULTILINE))
def test_every_name_can_be_imported(name: str) -> None:
    assert getattr(authoring, name) is not None


def test_a_module_with_scores_alone_is_a_game(make: Make) -> None:
    state = make("race_game", RACE_BY_SCORES).new_state()
    assert str(state) == "0,0 0 running"
    for name in ("add 1", "add 0", "add 1", "add 1"):
        state.apply(state.parse_action(name))
        assert state.game.parse(str(state)) == state
    assert (str(state), state.returns().tolist()) == ("4,3 0 running", [0, 0])
    state.apply(0)
    state.apply(1)
    assert str(state) == "5,5 0 over"
    assert state.returns().tolist() == [0, 0]
    other = state.game.parse("6,5 0 over")
    assert (other.returns().tolist(), other.scores().tolist()) == ([1, -1], [6, 5])
    assert [other.evaluate(0), other.evaluate(1)] == [1, -1]
    lines = [line.strip() for line in other.draw(colour=False).splitlines()]
    assert lines == ["words: 6,5", "The game is over: a +1, b -1"]
    with pytest.raises(ValueError, match="words: 'x' is not a number from 0"):
        state.game.parse("x,0 0 running")
    with pytest.raises(ValueError, match="status 'on': expected one of 'running', 'over'"):
        state.game.parse("0,0 0 on")


@pytest.mark.parametrize("name", ["reset", "legal", "apply", "observe"])
def test_a_missing_function_is_named(make: Make, name: str) -> None:
    source = RACE.replace(f"def {name}(", "def other(")
    with pytest.raises(ValueError, match=f"does not define '{name}', which is required"):
        make(f"race_without_{name}", source).load_rules()


def test_a_game_with_hidden_information_has_to_draw_itself(make: Make) -> None:
    source = RACE.replace("SPEC =", "determinize = nothing_hidden = observe\nSPEC =")
    with pytest.raises(ValueError, match="does not define 'scene', which is required"):
        make("race_hidden", source).load_rules()
