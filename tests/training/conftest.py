"""Fixtures of the tests of training."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from tzaar_envs.agents import Agent
from tzaar_envs.core.game import Game
from tzaar_envs.training.common import run
from tzaar_envs.training.common.run import Session


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs end without final matches and pictures: most of their time, and tested elsewhere."""
    finish = Session.finish

    def without_matches(
        self: Session, others: Mapping[str, Callable[[Game], Agent]] | None = None
    ) -> None:
        self.baselines = []
        finish(self)

    monkeypatch.setattr(Session, "finish", without_matches)
    monkeypatch.setattr(run, "draw_learning_curve", lambda *arguments: None)
