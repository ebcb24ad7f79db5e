"""The compliance kit as classes of pytest: one test for each check.

    from pettingzoo.classic import tictactoe_v3
    from tzaar_envs.testing.pytest_classes import EnvTests

    class TestTicTacToe(EnvTests):
        make_env = tictactoe_v3.env

The checks run once for a class; each test then shows what its check has found. It needs pytest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tzaar_envs.core.spec import GameSpec
from tzaar_envs.testing.check_env import ENV_CHECKS, check_env
from tzaar_envs.testing.check_game import GAME_CHECKS, check_game
from tzaar_envs.testing.finding import Finding


class EnvTests:
    """The tests of an environment; the attributes are the arguments of `check_env`.

    Attributes:
        make_env: A function without arguments that makes the environment, or its class.
    """

    make_env: ClassVar[Callable[[], Any]]
    episodes: ClassVar[int] = 3
    seed: ClassVar[int] = 0
    max_steps: ClassVar[int] = 2000
    legal: ClassVar[Any] = None
    redraw: ClassVar[Any] = None

    @classmethod
    @cache
    def findings(cls) -> list[Finding]:
        """Return the findings of the checks, which run once."""
        return check_env(
            cls.make_env,
            episodes=cls.episodes,
            seed=cls.seed,
            max_steps=cls.max_steps,
            legal=cls.legal,
            redraw=cls.redraw,
        )

    @pytest.mark.parametrize("check", ENV_CHECKS)
    def test_environment(self, check: str) -> None:
        """A promise of an environment holds."""
        _show(self.findings(), check)


class GameTests:
    """The tests of a game; the attributes are the arguments of `check_game`.

    Attributes:
        spec: The game.
    """

    spec: ClassVar[GameSpec]
    games: ClassVar[int] = 5
    seed: ClassVar[int] = 0
    legal: ClassVar[Any] = None
    playthrough_file: ClassVar[Path | None] = None

    @classmethod
    @cache
    def findings(cls) -> list[Finding]:
        """Return the findings of the checks, which run once."""
        return check_game(
            cls.spec,
            games=cls.games,
            seed=cls.seed,
            legal=cls.legal,
            playthrough_file=cls.playthrough_file,
        )

    @pytest.mark.parametrize("check", GAME_CHECKS)
    def test_game(self, check: str) -> None:
        """A promise of a game holds."""
        _show(self.findings(), check)


def _show(findings: list[Finding], check: str) -> None:
    for finding in findings:
        if finding.check == check:
            pytest.fail(str(finding), pytrace=False)
