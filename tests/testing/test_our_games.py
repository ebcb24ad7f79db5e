"""Every game of the suite keeps what games promise, with its default options.

The tests in `games/` and `envs/` go through the variants of the options, with more power.
"""

import sys

import pytest

import tzaar_envs
from tzaar_envs.registry import find_spec
from tzaar_envs.testing import check_game


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_a_game_keeps_its_promises(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kit = sys.modules["tzaar_envs.testing.check_game"]
    monkeypatch.setattr(kit, "_QUICK_PLIES", 0)
    monkeypatch.setattr(kit, "_FEWEST_QUICK", 20)
    findings = check_game(find_spec(name), {}, games=1)
    assert not findings, "\n".join(map(str, findings))
