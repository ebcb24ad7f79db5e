"""Every tutorial runs from its first line to its last."""

from pathlib import Path
from typing import Any

import pytest
from tutorials import FOLDER, LIBRARIES, run_section, sections

# They write a package instead of running their code: test_game_tutorial.py follows them.
WRITE_A_GAME = {"connect_four.md", "kuhn_poker.md"}


@pytest.mark.parametrize("page", sorted({path.name for path in FOLDER.glob("*.md")} - WRITE_A_GAME))
def test_a_tutorial_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "tutorial"}
    parts = sections(page)
    assert page != "train.md" or parts.keys() >= set(LIBRARIES)
    blocks = [run_section(text, names) for title, text in parts.items() if title not in LIBRARIES]
    assert sum(blocks) >= 2
