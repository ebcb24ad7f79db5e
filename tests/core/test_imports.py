"""What `import tzaar_envs` loads, and which part of the suite may import which."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import run_python

import tzaar_envs

PACKAGE = Path(tzaar_envs.__file__).parent
PARTS = {source.parent.name: source.parent for source in PACKAGE.glob("*/__init__.py")}
# What each part may import of the suite, besides itself. Parts that are not named may import all
# but the games.
ALLOWED = {
    "jit": set(),
    "system": {"__version__"},
    "core": {"jit"},
    "records": {"core", "registry", "system"},
    "render": {"core"},
    "games": {"core", "jit", "render", "system"},
    "search": {"core", "jit"},
    "policies": {"core", "jit", "search", "system"},
    "agents": {"core", "jit", "policies", "search", "system"},
    "envs": {"agents", "core", "jit", "registry"},
    "statistics": set(),
    "arena": {"agents", "core", "policies", "records", "search", "statistics", "system"},
}
KNOW_THE_GAMES = ["registry.py", *(f"{env_id}.py" for env_id in tzaar_envs.list_envs())]

HEAVY = {
    "numba", "llvmlite", "torch", "ray", "pygame", "rich", "typer", "matplotlib",
    "stable_baselines3", "sb3_contrib", "tianshou", "torchrl", "safetensors", "onnxruntime",
    "onnxscript", "msgspec", "filelock", "platformdirs",
}  # fmt: skip


def test_import_loads_nothing_heavy_and_compiles_nothing(tmp_path: Path) -> None:
    code = """
import json, sys
import tzaar_envs
tzaar_envs.list_envs()
tzaar_envs.list_games()
game = tzaar_envs.load_game("tzaar", setup="fixed")
sizes = game.num_players, game.num_actions, game.observation_shape, game.max_plies
print(json.dumps(sorted(sys.modules)))
"""
    modules = json.loads(run_python(code, cache=tmp_path / "cache"))
    assert "tzaar_envs.registry" in modules
    assert HEAVY & {module.partition(".")[0] for module in modules} == set()
    assert not (tmp_path / "cache").exists()
    of_games = [module for module in modules if module.startswith("tzaar_envs.games.")]
    assert of_games == [f"tzaar_envs.games.{name}" for name in tzaar_envs.list_games()]


@pytest.mark.parametrize("env_id", tzaar_envs.list_envs())
def test_module_of_an_environment_compiles_nothing(env_id: str, tmp_path: Path) -> None:
    code = f"""
import sys
from tzaar_envs import {env_id}
print(callable({env_id}.env), callable({env_id}.raw_env), "torch" in sys.modules)
"""
    assert run_python(code, cache=tmp_path / "cache").split() == ["True", "True", "False"]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def modules_imported(source: Path) -> Iterator[str]:
    """Yield the modules of the suite that a file imports anywhere."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in {source}"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == "tzaar_envs")


def part_of(module: str) -> str:
    """Return the part of the suite that a module belongs to, for the suite itself ""."""
    return f"{module}.".split(".")[1]


def sources(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def names_of_games() -> set[str]:
    names = set(tzaar_envs.list_games()) | set(tzaar_envs.list_envs())
    return names | {name.replace("_v", "-v") for name in tzaar_envs.list_envs()}


@pytest.mark.parametrize("part", sorted(set(PARTS) & set(ALLOWED)))
def test_part_imports_only_what_it_may(part: str) -> None:
    allowed = {part, "__version__"} | ALLOWED[part]
    for source in sources(PARTS[part]):
        for module in modules_imported(source):
            assert part_of(module) in allowed, f"{source} imports {module}"


def test_games_do_not_import_each_other() -> None:
    games = PARTS["games"]
    for source in sources(games):
        own = source.relative_to(games).parts[0]
        for module in modules_imported(source):
            if part_of(module) == "games":
                assert module.split(".")[2] == own, f"{source} imports {module}"


def outside_of_the_games() -> list[Path]:
    inside = PACKAGE / "games"
    found = [source for source in sources(PACKAGE) if not source.is_relative_to(inside)]
    for folder in ("wrappers", "training"):
        module = __import__(f"tzaar_envs.{folder}", fromlist=["__path__"])
        found += sources(Path(next(iter(module.__path__))))
    return [source for source in found if source.name not in KNOW_THE_GAMES]


def test_only_the_registry_and_the_environment_modules_know_the_games() -> None:
    for source in outside_of_the_games():
        for module in modules_imported(source):
            assert part_of(module) not in {"games", *tzaar_envs.list_envs()}, (
                f"{source} imports {module}"
            )
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant):
                assert node.value not in names_of_games(), f"{source}:{node.lineno} names a game"


def test_every_part_is_seen() -> None:
    assert {"core", "games", "render", "agents"} <= set(PARTS)
    assert {"core", "games", "render"} <= set(ALLOWED)
    assert len(outside_of_the_games()) > 10
