"""The documentation says what the code does."""

import re
from pathlib import Path

import pytest
from make_game_pages import page
from make_game_pictures import drawings
from rooms import PAGE, chart
from wrap import wrapped

import tzaar_envs

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_the_page_of_a_game_is_that_of_its_spec(name: str) -> None:
    written = (ROOT / "docs" / "games" / f"{name}.md").read_text(encoding="utf-8")
    assert written == page(name), "run python docs/tools/make_game_pages.py"


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_the_pictures_of_a_game_show_what_it_draws_and_observes(name: str) -> None:
    for path, svg in drawings(name).items():
        advice = "run python docs/tools/make_game_pictures.py"
        assert path.read_text(encoding="utf-8") == svg, advice


def test_the_chart_of_the_architecture_is_that_of_the_imports() -> None:
    assert chart() in PAGE.read_text(encoding="utf-8"), "run python docs/tools/rooms.py"


def python_blocks() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


@pytest.mark.parametrize("code", python_blocks())
def test_the_examples_of_the_readme_run(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})


def test_links_lead_somewhere() -> None:
    for document in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)", document.read_text(encoding="utf-8")):
            exists = target.startswith("https://") or (document.parent / target).exists()
            assert exists, (document, target)


GENERATED = {"learning_speed.md", "reference_policies.md", "speed.md"}
WRITTEN = sorted(path for path in (ROOT / "docs").glob("*.md") if path.name not in GENERATED)


@pytest.mark.parametrize(
    "name", ["README.md", "CHANGELOG.md", *(f"docs/{path.name}" for path in WRITTEN)]
)
def test_pages_are_wrapped(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert text == wrapped(text), f"run python docs/tools/wrap.py {name}"


@pytest.mark.parametrize("name", ["architecture.md", "glossary.md"])
def test_paths_lead_somewhere(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    paths = re.findall(r"`([\w*]+/[\w*/]*(?:\.py)?)`", text)
    assert len(paths) > 10
    for path in paths:
        assert any(ROOT.glob(path)) or any((ROOT / "tzaar_envs").glob(path)), path


def test_the_readme_names_every_environment() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for env_id in tzaar_envs.list_envs():
        assert f"`{env_id}`" in text, env_id
