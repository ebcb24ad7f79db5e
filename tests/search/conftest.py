"""Fixtures of the tests of the searches."""

from __future__ import annotations

import pytest
from search.searched import CountingClock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> CountingClock:
    """The clock of all searches: it moves when it is read, however busy the machine is."""
    found = CountingClock()
    for module in ("control", "alphabeta"):
        monkeypatch.setattr(f"tzaar_envs.search.{module}.time", found)
    return found
