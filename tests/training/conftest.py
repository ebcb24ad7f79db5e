"""Fixtures of the tests of training."""

from __future__ import annotations

import pytest

from tzaar_envs.training.common import session
from tzaar_envs.training.common.session import Session


@pytest.fixture(autouse=True)
def _no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave an empty file in place of the picture of a learning curve, which is slow."""
    monkeypatch.setattr(session, "draw_learning_curve", lambda path, *_: path.touch())


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs end without final matches: most of their time, and tested elsewhere."""
    finish = Session.finish

    def without_matches(self: Session) -> None:
        if self.folder.read_evaluations()[-1]["steps"] != self.steps:
            self._evaluate()
        self._matches = {}
        finish(self)

    monkeypatch.setattr(Session, "finish", without_matches)
