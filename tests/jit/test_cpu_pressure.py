"""How busy the machine is, from what the system says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tzaar_envs.jit.cpu_pressure import cpu_pressure

LINES = "some avg10=68.62 avg60=66.67 avg300=66.61 total=22305204262\nfull avg10=1.00 total=0\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [(LINES, 0.6862), ("", 0.0), ("some avg10=many\n", 0.0), ("\xff", 0.0)],
)
def test_what_the_system_says(content: str, expected: float, tmp_path: Path) -> None:
    file = tmp_path / "cpu"
    file.write_text(content, encoding="latin-1")
    assert cpu_pressure(file) == pytest.approx(expected)


def test_without_such_a_file_nothing_is_known(tmp_path: Path) -> None:
    assert cpu_pressure(tmp_path / "missing") == 0.0
    assert 0.0 <= cpu_pressure() <= 1.0
