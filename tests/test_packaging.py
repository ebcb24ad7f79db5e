"""What is installed and shipped: every package, each file once."""

from __future__ import annotations

import importlib
import os
import re
import runpy
import tomllib
from pathlib import Path

import pytest

import tzaar_envs
import tzaar_envs.rulebook
from tzaar_envs.registry import find_spec

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
SETUPTOOLS = PYPROJECT["tool"]["setuptools"]
LINKED = {name.partition(".")[2]: folder for name, folder in SETUPTOOLS["package-dir"].items()}


def packages() -> set[str]:
    """Return the import names of all folders with Python files, without following links."""
    found = set()
    for inner, folder in LINKED.items():
        for path, _, files in os.walk(ROOT / folder):
            if any(file.endswith(".py") for file in files):
                parts = ("tzaar_envs", inner, *Path(path).relative_to(ROOT / folder).parts)
                found.add(".".join(part for part in parts if part))
    return found


def test_every_package_is_listed_for_the_wheel() -> None:
    assert sorted(SETUPTOOLS["packages"]) == sorted(packages())
    assert len(SETUPTOOLS["packages"]) == len(set(SETUPTOOLS["packages"]))


@pytest.mark.parametrize("name", sorted(set(LINKED) - {""}))
def test_a_folder_beside_the_package_is_linked_into_it(name: str) -> None:
    """For static tools.

    Without links, as in some Windows checkouts, a link is a text file; a source distribution, which
    has a file PKG-INFO, has none.
    """
    link = ROOT / "tzaar_envs" / name
    if link.is_symlink():
        assert link.resolve() == ROOT / LINKED[name]
    elif link.exists():
        assert link.read_text(encoding="utf-8") == f"../{LINKED[name]}"
    else:
        assert (ROOT / "PKG-INFO").exists()
    imported = importlib.import_module(f"tzaar_envs.{name}")
    assert len(list(imported.__path__)) == 1
    if Path(tzaar_envs.__file__).parent == ROOT / "tzaar_envs":  # not an installed copy
        assert Path(next(iter(imported.__path__))).resolve() == ROOT / LINKED[name]


def test_the_source_distribution_holds_what_the_tests_read() -> None:
    manifest = (ROOT / ".ci" / "MANIFEST.in").read_text(encoding="utf-8")
    for name in (".ci", ".github", "docs", "tests"):
        assert f"graft {name}\n" in manifest


def test_the_rules_of_every_game_are_installed() -> None:
    assert SETUPTOOLS["package-data"]["tzaar_envs.rulebook"] == ["*.md", "pictures/*.svg"]
    for name in tzaar_envs.list_games():
        path = find_spec(name).rules_page
        assert path is not None
        assert path.is_file()
        assert path.parent == Path(next(iter(tzaar_envs.rulebook.__path__))).resolve()


def test_the_parts_of_replay_pages_are_installed() -> None:
    [pattern] = SETUPTOOLS["package-data"]["tzaar_envs.replay"]
    found = {path.suffix for path in (ROOT / "tzaar_envs" / "replay").glob(pattern)}
    assert found >= {".html", ".css", ".js"}


def test_the_templates_of_new_games_are_installed() -> None:
    [pattern] = SETUPTOOLS["package-data"]["tzaar_envs.cli"]
    folder = ROOT / "tzaar_envs" / "cli"
    found = {path for path in folder.glob(pattern) if path.is_file()}
    assert found == {path for path in (folder / "template").rglob("*") if path.is_file()}
    assert len(found) == 8


@pytest.mark.parametrize("repository", [None, "https://example.org/tzaar-envs"])
def test_nothing_in_the_published_readme_is_relative(repository: str | None) -> None:
    published = runpy.run_path(str(ROOT / ".ci" / "published_readme.py"))["published"]
    text = published((ROOT / "README.md").read_text(encoding="utf-8"), repository)
    targets = re.findall(r"\]\(([^)]+)\)", text)
    pictures = re.findall(r'<img [^>]*src="([^"]*)"', text)
    assert len(targets) >= 2
    assert all(target.startswith(("https://", "#")) for target in targets + pictures)
    assert "Wrappers" in text
    assert ("/blob/main/docs/wrappers.md" in text) == bool(repository)
    assert ("/raw/main/docs/rules/pictures/" in text) == bool(repository)


def test_all_extras_for_users_but_rllib_are_in_one() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    listed = set(everything.partition("[")[2].rstrip("]").split(","))
    contained = {"render"}  # in `film`
    alone = {"rllib"}  # it needs another Gymnasium
    developers = {"all", "peers", "test", "lint", "docs"}
    assert listed | contained | alone | developers >= set(extras)
    assert listed <= set(extras)


def test_no_person_is_named_and_every_version_of_python_is() -> None:
    assert PROJECT["authors"] == [{"name": "The tzaar-envs developers"}]
    for minor in range(11, 15):
        assert f"Programming Language :: Python :: 3.{minor}" in PROJECT["classifiers"]
