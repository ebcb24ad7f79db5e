"""The kit finds planted faults: here those of connect four that show uncompiled.

`python tests/faults/check_kit.py` plants all of them, also those that have to be compiled.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from check_kit import FAULTS, Found, KitFault, check_in_process, is_found, plant

PLAIN = [fault for fault in FAULTS if fault.package == "connect_four" and not fault.compiled]


@pytest.fixture(scope="module")
def found() -> Found:
    """Return the findings of all faults, from one process."""
    return check_in_process(PLAIN, compiled=False, games=2)


@pytest.mark.parametrize("fault", PLAIN, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found(found: Found, fault: KitFault) -> None:
    assert is_found(fault, found), (fault.why, found.get(fault.name))


def test_the_faults_are_different_and_can_be_planted(tmp_path: Path) -> None:
    assert len({plant(fault, tmp_path) for fault in FAULTS}) == len(FAULTS) >= 40
