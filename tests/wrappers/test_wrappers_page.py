"""The page about wrappers says what they do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import tzaar_envs
from tzaar_envs import wrappers
from tzaar_envs.wrappers.mask_location import LOCATIONS

TEXT = (Path(__file__).parents[2] / "docs" / "wrappers.md").read_text(encoding="utf-8")


def test_the_examples_run_one_after_the_other() -> None:
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL):
        exec(compile(code, "wrappers.md", "exec"), names)
    assert len(names["batch"]) > 1000
    assert names["observations"].shape == names["batch"].observations.shape


def test_the_symmetries_are_counted() -> None:
    for name in tzaar_envs.list_games():
        game = tzaar_envs.load_game(name)
        count = len(game.symmetries)
        expected = "the identity alone" if count == 1 else f"{count}:"
        assert f"| {game.spec.title.replace('TZAAR', 'Tzaar')} | {expected}" in TEXT


def test_every_location_is_listed() -> None:
    assert re.findall(r'^\| `"(\w+)"`', TEXT, flags=re.MULTILINE) == [*LOCATIONS]


def test_every_module_is_named() -> None:
    modules = {path.stem for path in Path(wrappers.__file__).parent.glob("*.py")} - {"__init__"}
    assert wrappers.__doc__ is not None
    assert set(re.findall(r"^\| `(\w+)`", wrappers.__doc__, flags=re.MULTILINE)) == modules
