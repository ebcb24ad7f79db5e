"""Fresh Python processes, and other people's packages in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

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
