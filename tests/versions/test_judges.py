"""What the audit of releases makes of the reports of pip and pip-audit."""

from __future__ import annotations

import importlib.util
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
