"""`tzaar-envs new-game`: what it refuses. The tutorials run the tests of what it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tzaar_envs.cli.games import new_game


@pytest.mark.parametrize("name", ["TakeAway", "take-away", "4x4", "_x", "ä", "class", ""])
def test_other_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is not allowed: use lower-case letters"):
        new_game(name, tmp_path / "work")


def test_a_folder_with_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not an empty folder"):
        new_game("take_away", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]
