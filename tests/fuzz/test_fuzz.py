"""The fuzzer: a few calls in every run, thousands of them with `-m fuzz`."""

from __future__ import annotations

import pytest
from fuzz.names import NOT_CALLED, called_names, public_names
from fuzz.run import default_variants
from fuzz.run import fuzz as fuzz_in_a_process
from fuzz.worker import fuzz

import tzaar_envs
from tzaar_envs.core.game import Game

DEFAULTS = [tzaar_envs.load_game(name) for name in tzaar_envs.list_games()]


def no_note(text: str) -> None:
    """Note nothing."""


@pytest.mark.parametrize("game", DEFAULTS, ids=lambda game: game.name)
def test_wrong_arguments_are_refused(game: Game) -> None:
    assert fuzz(game, 8, 0, no_note) >= 8


@pytest.mark.fuzz
@pytest.mark.parametrize("bounds_checks", [True, False], ids=["bounds checks", "as installed"])
@pytest.mark.parametrize("name", default_variants())
def test_wrong_arguments_never_reach_compiled_code(name: str, bounds_checks: bool) -> None:
    outcome = fuzz_in_a_process(name, 1500, 0, bounds_checks=bounds_checks)
    assert outcome.finding == ""
    assert outcome.calls >= 1500


def test_every_public_name_is_called_or_says_why_not() -> None:
    public, called = public_names(), called_names()
    assert len(public) > 200
    assert sorted(public - called - NOT_CALLED.keys()) == []
    assert sorted(NOT_CALLED.keys() - public) == []
