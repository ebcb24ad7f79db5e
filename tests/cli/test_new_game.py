"""`tzaar-envs new-game`: a package that passes its own tests and the kit at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tzaar_envs.cli.games import new_game


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    new_game("take_away", folder)
    return folder


@pytest.mark.parametrize(
    "compiled", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["plain", "compiled"]
)
def test_its_own_tests_pass(package: Path, compiled: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
        cwd=package,
        env={**os.environ, "NUMBA_DISABLE_JIT": str(int(not compiled))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout


@pytest.mark.parametrize("name", ["TakeAway", "take-away", "4x4", "class", ""])
def test_other_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is not allowed: use lower-case letters"):
        new_game(name, tmp_path / "work")


def test_a_folder_with_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not an empty folder"):
        new_game("take_away", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]
