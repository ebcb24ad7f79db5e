"""The kit finds planted faults: here those of connect four that show uncompiled.

`python tests/faults/check_kit.py` plants all of them, also those that have to be compiled.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from check_kit import FAULTS, check_in_process, is_found, plant

PLAIN = [fault for fault in FAULTS if fault.package == "connect_four" and not fault.compiled]


@pytest.mark.slow
def test_all_planted_faults_are_found() -> None:
    found = check_in_process(PLAIN, compiled=False, games=2)
    assert [fault.why for fault in PLAIN if not is_found(fault, found)] == []


def test_the_faults_are_different_and_can_be_planted(tmp_path: Path) -> None:
    assert len({plant(fault, tmp_path) for fault in FAULTS}) == len(FAULTS) >= 40
