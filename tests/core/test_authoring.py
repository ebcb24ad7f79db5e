"""Games in a single module, and what `standard_files` makes of what they leave out."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tzaar_envs import authoring
from tzaar_envs.core.game import Game

RACE = """
from tzaar_envs.authoring import *

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
    if state[SEAT] == 0 and state[TOTAL].max() >= 5:
        state[STATUS] = TERMINATED


@compiled
def observe(state, seat, out):
    out[0] = state[HEADER + seat]


@compiled
def scores(state, out):
    out[:] = state[TOTAL]


def layout(options):
    return Layout(
        ("a", "b"),
        (),
        (Plane("own", "own total", high=6),),
        (ActionBlock("add", "1 or 2", 2, on_board=False),),
        max_plies=10,
    )


SPEC = GameSpec("race", 0, "Race", "First to 5.", (), layout, **standard_files(__name__))
"""

Make = Callable[[str, str], Game]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Return a function that makes a game of a module's name and source."""
    sys.path.insert(0, str(tmp_path))

    def game(name: str, source: str) -> Game:
        (tmp_path / f"{name}.py").write_text(source)
        importlib.invalidate_caches()
        return Game(importlib.import_module(name).SPEC)

    yield game
    sys.path.remove(str(tmp_path))


@pytest.mark.parametrize("name", authoring.__all__)
def test_every_name_can_be_imported(name: str) -> None:
    assert getattr(authoring, name) is not None


def test_other_names_cannot() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Batch'"):
        authoring.Batch  # noqa: B018


def test_a_module_with_scores_alone_is_a_game(make: Make) -> None:
    state = make("race_game", RACE).new_state()
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
    assert other.draw(colour=False) == "words: 6,5\nThe game is over: a +1, b -1"
    with pytest.raises(ValueError, match="words: 'x' is not a number from 0"):
        state.game.parse("x,0 0 running")
    with pytest.raises(ValueError, match="status 'on': expected one of 'running', 'over'"):
        state.game.parse("0,0 0 on")


@pytest.mark.parametrize("name", ["reset", "legal", "apply", "observe"])
def test_a_missing_function_is_named(make: Make, name: str) -> None:
    source = RACE.replace(f"def {name}(", "def other(")
    with pytest.raises(ValueError, match=f"does not define '{name}', which is required"):
        make(f"race_without_{name}", source).rules  # noqa: B018


def test_returns_or_scores_are_required(make: Make) -> None:
    with pytest.raises(ValueError, match="defines neither 'returns' nor 'scores'"):
        make("race_without_scores", RACE.replace("def scores(", "def other(")).rules  # noqa: B018


def test_a_game_with_hidden_information_has_to_draw_itself(make: Make) -> None:
    source = RACE.replace("SPEC =", "determinize = nothing_hidden = observe\nSPEC =")
    with pytest.raises(ValueError, match="does not define 'draw', which is required"):
        make("race_hidden", source).rules  # noqa: B018
