"""The compliance kit as classes of pytest: one test for each check.

    from pettingzoo.classic import tictactoe_v3
    from tzaar_envs.testing.pytest_classes import EnvTests

    class TestTicTacToe(EnvTests):
        make_env = tictactoe_v3.env

The checks run once for a class; each test then shows what its check has found. It needs pytest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ClassVar

import pytest

from tzaar_envs.core.spec import GameSpec
from tzaar_envs.testing.check_env import ENV_CHECKS, check_env
from tzaar_envs.testing.check_game import GAME_CHECKS, check_game
from tzaar_envs.testing.finding import Finding


class EnvTests:
    """The tests of an environment.

    Attributes:
        make_env: A function without arguments that makes the environment, or its class.
        arguments: Further arguments of `check_env`, by their names.
    """

    make_env: ClassVar[Callable[[], Any]]
    arguments: ClassVar[Mapping[str, Any]] = {}

    @classmethod
    @cache
    def findings(cls) -> list[Finding]:
        """Return the findings of the checks, which run once."""
        return check_env(cls.make_env, **cls.arguments)

    @pytest.mark.parametrize("check", ENV_CHECKS)
    def test_environment(self, check: str) -> None:
        """A promise of an environment holds."""
        _show(self.findings(), check)


class GameTests:
    """The tests of a game.

    Attributes:
        spec: The game.
        arguments: Further arguments of `check_game`, by their names.
    """

    spec: ClassVar[GameSpec]
    arguments: ClassVar[Mapping[str, Any]] = {}

    @classmethod
    @cache
    def findings(cls) -> list[Finding]:
        """Return the findings of the checks, which run once."""
        return check_game(cls.spec, **cls.arguments)

    @pytest.mark.parametrize("check", GAME_CHECKS)
    def test_game(self, check: str) -> None:
        """A promise of a game holds."""
        _show(self.findings(), check)


def _show(findings: list[Finding], check: str) -> None:
    for finding in findings:
        if finding.check == check:
            pytest.fail(str(finding), pytrace=False)
