"""What the audit of releases makes of the reports of pip and pip-audit."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def release(url: str, **more: object) -> dict[str, object]:
    return {
        "metadata": {"name": "some", "version": "1.2"},
        "download_info": {"url": url},
        **more,
    }


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (release("https://index/some-1.2.whl", is_yanked=False), ([], [])),
        (release("https://index/some-1.2.whl", is_yanked=True), (["some 1.2"], [])),
        (release("https://index/some-1.2.whl"), ([], ["some 1.2"])),  # by an old pip
        (release("file:///index/some-1.2.whl", is_yanked=False), ([], ["some 1.2"])),
    ],
)
def test_what_a_local_folder_does_not_say_is_not_known(
    item: dict[str, object], expected: tuple[list[str], list[str]]
) -> None:
    assert load("withdrawn").judge({"install": [item]}) == expected


def test_releases_that_were_not_looked_up_are_not_taken_for_safe() -> None:
    flaws = [{"id": "PYSEC-1", "fix_versions": ["1.3"]}, {"id": "PYSEC-2", "fix_versions": []}]
    entries = [
        {"name": "safe", "version": "1", "vulns": []},
        {"name": "some", "version": "1.2", "vulns": flaws},
        {"name": "other", "skip_reason": "Dependency not found on PyPI"},
    ]
    assert load("vulnerable").judge({"dependencies": entries}) == (
        ["some 1.2: PYSEC-1, mended in 1.3", "some 1.2: PYSEC-2, mended in no release yet"],
        ["other"],
    )


VULNERABLE = {"id": "PYSEC-2022-10", "fix_versions": ["9.0.1"], "aliases": [], "description": ""}


@pytest.mark.parametrize(
    ("yanked", "vulns", "code", "last"),
    [
        (False, [], 0, "No release is withdrawn or known to be vulnerable."),
        (False, [VULNERABLE], 1, "The audit found releases to avoid."),
        (True, [], 1, "The audit found releases to avoid."),
        (False, None, 1, "The audit found nothing, but could not check everything"),
    ],
)
def test_the_audit_fails_if_anything_is_found_or_not_known(
    yanked: bool, vulns: list[object] | None, code: int, last: str, tmp_path: Path
) -> None:
    """With stand-ins for pip and pip-audit, which answer as with a package index that knows."""
    report = {"install": [release("https://index/pillow.whl", is_yanked=yanked)]}
    entry: dict[str, object] = {"name": "pillow", "version": "9.0.0", "vulns": vulns}
    if vulns is None:
        entry = {"name": "pillow", "skip_reason": "Dependency not found on PyPI"}
    (tmp_path / "report.json").write_text(json.dumps(report))
    (tmp_path / "audit.json").write_text(json.dumps({"dependencies": [entry], "fixes": []}))
    stub = tmp_path / "python3"
    stub.write_text(STUB.format(python=sys.executable, answers=tmp_path))
    stub.chmod(0o755)
    done = subprocess.run(
        ["bash", str(Path(__file__).with_name("audit"))],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith(last)
    if vulns:
        assert "vulnerable: pillow 9.0.0: PYSEC-2022-10, mended in 9.0.1" in done.stdout


# Makes an environment of itself; pip and pip-audit copy an answer to where theirs is expected.
STUB = """#!/usr/bin/env bash
if [ "$1 $2" = "-m venv" ]; then
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    cp "$0" "$3/bin/pip-audit"
elif [ "$1 $2" = "-m pip" ] || [ "${{0##*/}}" = pip-audit ]; then
    name=report
    [ "${{0##*/}}" = python ] || name=audit
    while [ $# -gt 0 ]; do
        case $1 in
            --report | --output) cp "{answers}/$name.json" "$2" ;;
        esac
        shift
    done
    [ $name = report ] || ! grep -q PYSEC "{answers}/audit.json"
else
    exec "{python}" "$@"
fi
"""
