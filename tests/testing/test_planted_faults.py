"""The kit finds planted faults: here those of connect four that show uncompiled, one of each check.

`pytest -m slow` has all of these; `python tests/faults/check_kit.py` also those of other games, and
those that have to be compiled.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from check_kit import FAULTS, KitFault, check_in_process, is_found, plant

PLAIN = [fault for fault in FAULTS if fault.package == "connect_four" and not fault.compiled]


FIRST = [*{fault.check: fault for fault in reversed(PLAIN)}.values()]  # of each check


@pytest.mark.parametrize("faults", [FIRST, pytest.param(PLAIN, marks=pytest.mark.slow)])
def test_planted_faults_are_found(faults: list[KitFault]) -> None:
    found = check_in_process(faults, compiled=False, games=2)
    assert [fault.why for fault in faults if not is_found(fault, found)] == []


def test_the_faults_are_different_and_can_be_planted(tmp_path: Path) -> None:
    assert len({plant(fault, tmp_path) for fault in FAULTS}) == len(FAULTS) >= 40
