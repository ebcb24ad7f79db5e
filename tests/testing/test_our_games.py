"""Every game of the suite keeps what games promise, with its default options.

The tests in `games/` and `envs/` go through the variants of the options, with more power. That
uncompiled code plays the same games is checked for all of them in `jit/test_compile.py`.
"""

import pytest

import tzaar_envs
from tzaar_envs.registry import find_spec
from tzaar_envs.testing import check_game
from tzaar_envs.testing.check_game import CHECKS

OF_PROCESSES = ("uncompiled", "loading")
"""Checks that start processes: one game has them all."""


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_a_game_keeps_its_promises(name: str) -> None:
    checks = {*CHECKS} - ({*OF_PROCESSES} if name != "turm_und_waechter" else set())
    findings = check_game(find_spec(name), {}, games=2, checks=checks)
    assert not findings, "\n".join(map(str, findings))
