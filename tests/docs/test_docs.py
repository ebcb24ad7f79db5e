"""The documentation says what the code does."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

import tzaar_envs

ROOT = Path(__file__).parents[2]


def load_script(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_the_page_of_a_game_is_that_of_its_record(name: str) -> None:
    make_game_pages = load_script(ROOT / "docs" / "make_game_pages.py")
    written = (ROOT / "docs" / "games" / f"{name}.md").read_text(encoding="utf-8")
    assert written == make_game_pages.page(name), "run python docs/make_game_pages.py"


def python_blocks() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


@pytest.mark.parametrize("code", python_blocks())
def test_the_examples_of_the_readme_run(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert target.startswith("https://") or (page.parent / target).exists(), (page, target)


def test_the_readme_names_every_environment() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for env_id in tzaar_envs.list_envs():
        assert f"`{env_id}`" in text, env_id
