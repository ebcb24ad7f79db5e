"""Fresh Python processes, other people's packages, and who is left of a group."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from tzaar_envs.core.game import Game
from tzaar_envs.system.programs import Program

THIRD_PARTY = Path(__file__).parents[1] / "thirdparty"


def run_python(
    code: str, *, path: Path | None = None, cache: Path | None = None, **environment: str
) -> str:
    """Run code in a new process, return what it printed; `path` comes first on its sys.path."""
    settings = {**os.environ, **environment}
    settings.pop("PYTHONPATH", None)
    if path is not None:
        settings["PYTHONPATH"] = str(path)
    if cache is not None:
        settings["TZAAR_ENVS_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=settings,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def install(package: str, folder: Path, entry_points: str) -> None:
    """Put a package of `thirdparty` into a folder as pip would, with its entry points."""
    shutil.copytree(
        THIRD_PARTY / package, folder / package, ignore=shutil.ignore_patterns("__pycache__")
    )
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[tzaar_envs.games]\n{entry_points}\n")


def third_party_game(package: str) -> Game:
    """Return the game of a package of `thirdparty`, as if it were installed."""
    with mock.patch.object(sys, "path", [str(THIRD_PARTY), *sys.path]):
        return Game(importlib.import_module(package).SPEC)


def members(group: int) -> list[int]:
    """Return the processes of a group that are alive."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def eventually(condition: Callable[[], bool]) -> bool:
    """Return whether a condition comes true within a minute."""
    for _ in range(1200):
        if condition():
            return True
        time.sleep(0.05)
    return False


_programs: list[Program] = []


def start_program() -> int:
    """Start a program that does not read, and return its process."""
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    _programs.append(Program([sys.executable, "-c", code]))
    return int(_programs[-1].read(time.monotonic() + 60))
