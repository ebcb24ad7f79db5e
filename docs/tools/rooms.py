"""Rooms of the suite: its packages, what each may import, and what each does import.

`ROOMS` is the one table of the architecture. `tests/core/test_imports.py` compares it with the
imports in the sources, which are read with `ast`; nothing is imported. Started as a file, this
writes the chart of `docs/architecture.md`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUITE = "tzaar_envs"
PAGE = ROOT / "docs" / "architecture.md"
CHART = re.compile("```mermaid.*?```", re.DOTALL)
_LINKED = {"rulebook": "docs/rules", "training": "training", "wrappers": "wrappers"}
FRONT = "front"  # the modules at the top of the package, which are not in a folder


@dataclass(frozen=True)
class Room:
    """A package of the suite.

    Attributes:
        summary: What it holds, in a few words, for the picture.
        imports: The other rooms that it may import.
    """

    summary: str
    imports: frozenset[str]


def _room(summary: str, *imports: str) -> Room:
    return Room(summary, frozenset(imports))


_PLAYERS = ("agents", "core", "jit", "networks", "search", "system")
_TOOLS = (
    *_PLAYERS, "arena", "envs", FRONT, "registry", "render", "wrappers",
)  # fmt: skip

ROOMS = {
    "jit": _room("compile cache, function tables, generators, threads"),
    "system": _room("files, interrupts, versions, machine"),
    "render": _room("scenes, SVG, pixels, windows, text colours", "jit", "system"),
    "core": _room("kernel contract, Game, State, Batch, perft", "jit", "render"),
    "rulebook": _room("the rules of each game for people"),
    "games": _room("the rules of each game", "core", "jit", "render", "rulebook"),
    "search": _room("tree search, alpha-beta", "core", "jit", "system"),
    "registry": _room("all games by name", "core", "games"),
    "networks": _room("networks, policy files, cards, ONNX", "core", "jit", "search", "system"),
    "agents": _room(
        "players, made from text; engines",
        *("core", "jit", "networks", "registry", "rulebook", "search", "system"),
    ),
    "envs": _room(
        "PettingZoo and Gymnasium environments", "agents", "core", "jit", "registry", "render"
    ),
    "arena": _room("records, matches, tournaments, ratings", *_PLAYERS, "registry", "render"),
    "replay": _room("pages, films and text of recorded games", "arena", "core", "render", "system"),
    "testing": _room("checks of games and environments", "core", "envs", "jit"),
    "wrappers": _room(
        "views and adapters of environments",
        *("arena", "core", "envs", "jit", "registry", "system"),
    ),
    "datasets": _room(
        "datasets of per-player transitions",
        *("arena", "core", "envs", "system", "wrappers"),
    ),
    FRONT: _room(
        "make, make_vec, tzaar_v0 and so on",
        *("core", "envs", "games", "jit", "registry", "render", "system"),
    ),
    "web": _room(
        "the games in a browser",
        *(*_PLAYERS, "arena", FRONT, "registry", "render", "replay", "rulebook"),
    ),
    "training": _room("a script per algorithm", *_TOOLS),
    "cli": _room(
        "the command tzaar-envs",
        *(*_TOOLS, "datasets"),
        *("replay", "rulebook", "testing", "training", "web"),
    ),
}
"""Every room, with the rooms that it may import. No chain of imports leads back to its start."""

# Modules whose room is not that of their folder.
_PLACED = {
    "registry": "registry",
    "datasets": "datasets",
    "version": "system",
    "__main__": "cli",
}

KNOW_EACH_OTHER = frozenset({"tzaar_envs.core.game", "tzaar_envs.core.state"})
"""The only modules that import each other: a game makes states, a state holds its game."""


@cache
def modules() -> dict[str, Path]:
    """Return the source of every module of the suite, by its import name."""
    folders = {SUITE: ROOT / SUITE}
    for linked, folder in _LINKED.items():
        folders[f"{SUITE}.{linked}"] = ROOT / folder
    found = {}
    for package, folder in folders.items():
        for source in sorted(folder.rglob("*.py")):
            parts = source.relative_to(folder).with_suffix("").parts
            name = ".".join([package, *parts]).removesuffix(".__init__")
            found.setdefault(name, source)
    return found


def room_of(module: str) -> str:
    """Return the room of a module: that of its folder, or of a folder around it.

    Raises:
        LookupError: `ROOMS` has none for it.
    """
    path = module.removeprefix(SUITE).removeprefix(".")
    if path in _PLACED:
        return _PLACED[path]
    if f"{SUITE}.{path}" not in _packages() and "." not in path:
        return FRONT
    while path and path not in ROOMS:
        path = path.rpartition(".")[0]
    if not path:
        raise LookupError(f"{module} is in no room: add one to ROOMS in {Path(__file__).name}")
    return path


@cache
def _packages() -> frozenset[str]:
    return frozenset(name for name, source in modules().items() if source.name == "__init__.py")


def imported_by(source: Path) -> Iterator[str]:
    """Yield the dotted names of the suite that a file imports anywhere, also by `import_module`.

    Of `import_module(f"tzaar_envs.games.{name}")` it yields what precedes the first value.
    """
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        names: Iterable[str] = ()
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in {source}"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and _last_name(node.func) == "import_module":
            names = [_beginning(node.args[0])]
        yield from (name for name in names if name.split(".")[0] == SUITE)


def _last_name(function: ast.expr) -> str:
    """Return the name by which a function is called, without what it is an attribute of."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _beginning(text: ast.expr) -> str:
    """Return the constant text with which an expression begins."""
    first = text.values[0] if isinstance(text, ast.JoinedStr) else text
    return str(first.value).rstrip(".") if isinstance(first, ast.Constant) else ""


@cache
def module_imports() -> dict[str, frozenset[str]]:
    """Return the modules that each module imports, itself left out."""
    return {
        name: frozenset(_module(imported) for imported in imported_by(source)) - {name}
        for name, source in modules().items()
    }


def _module(name: str) -> str:
    """Return the module that a dotted name is, or is an attribute of."""
    while name not in modules():
        name = name.rpartition(".")[0]
    return name


@cache
def room_imports() -> dict[str, frozenset[str]]:
    """Return the rooms that each room imports, itself left out."""
    found: dict[str, set[str]] = {}
    for name, imported in module_imports().items():
        room = found.setdefault(room_of(name), set())
        room |= {room_of(other) for other in imported}
    return {name: frozenset(rooms - {name}) for name, rooms in found.items()}


def _reachable(graph: Mapping[str, frozenset[str]], start: str) -> set[str]:
    found: set[str] = set()
    left = [start]
    while left:
        for node in graph.get(left.pop(), frozenset()) - found:
            found.add(node)
            left.append(node)
    return found


def direct(graph: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return the graph without the edges that a longer way implies (transitive reduction)."""
    reach = {node: _reachable(graph, node) for node in graph}
    return {
        node: frozenset(
            target
            for target in targets
            if not any(target in reach[other] for other in targets - {target})
        )
        for node, targets in graph.items()
    }


def chart() -> str:
    """Return the rooms and their imports as a flow chart of Mermaid, which GitHub draws."""
    boxes = (
        f'  {room}["<b>{SUITE if room == FRONT else room}</b><br>{ROOMS[room].summary}"]'
        for room in ROOMS
    )
    arrows = (
        f"  {room} --> {' & '.join(sorted(imports))}"
        for room, imports in direct(room_imports()).items()
        if imports
    )
    return "\n".join(["```mermaid", "flowchart TD", *boxes, *sorted(arrows), "```"])


if __name__ == "__main__":
    PAGE.write_text(CHART.sub(chart(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
