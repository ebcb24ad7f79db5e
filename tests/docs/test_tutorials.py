"""Every tutorial runs from its first line to its last."""

from pathlib import Path
from typing import Any

import pytest
from tutorials import FOLDER, LIBRARIES, run_section, sections


@pytest.mark.parametrize("page", sorted(path.name for path in FOLDER.glob("*.md")))
def test_a_tutorial_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "tutorial"}
    parts = sections(page)
    assert page != "train.md" or parts.keys() >= set(LIBRARIES)
    blocks = [run_section(text, names) for title, text in parts.items() if title not in LIBRARIES]
    assert sum(blocks) >= 2
