"""The public names of the suite, and those that the fuzzer does not call, each with the reason."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_SOURCES = {"tzaar_envs.wrappers": "wrappers", "tzaar_envs.training": "training"}

_DATA = "made by the suite, and read; it has no function"
_KERNEL = "compiled code calls it, with numbers that the rules have checked"
_EXTRA = "needs an extra; its tests are in tests/extras"
_PYTHON = "PettingZoo's or PyTorch's own, which calls what is fuzzed"

NOT_CALLED = {
    **dict.fromkeys(
        (
            "AgentSource",
            "ChanceMode",
            "Dynamics",
            "GameOverError",
            "IllegalActionError",
            "Information",
            "MoveData",
            "NotationError",
            "Records",
            "Transitions",
            "UnknownGameError",
            "toolkit",
            "Baseline",
            "EndReason",
            "Field",
            "GameSpec",
            "HEADER",
            "Header",
            "Mask",
            "NOBODY",
            "Observation",
            "Playouts",
            "RUNNING",
            "Ratings",
            "RngState",
            "Rules",
            "SEAT",
            "STATUS",
            "Scene",
            "SearchResult",
            "SearchResults",
            "Standings",
            "StateArray",
            "TERMINATED",
            "TRUNCATED",
            "Theme",
            "TournamentResult",
            "View",
            "__version__",
            "interrupted",
            "summaries",
            "shares_of",
            "groups",
            "texts",
            "kernel",
            "encoded_options",
            "idle_mask",
            "is_flat",
            "feature_shape",
            "outputs",
            "acting",
            "num_agents",
            "last_search",
            "fits",
            "most_inputs",
            "rows_of_entries",
            "input_scale",
        ),
        _DATA,
    ),
    **dict.fromkeys(
        (
            "below",
            "between",
            "compiled",
            "fill_plane",
            "lowest_bit",
            "pick",
            "popcount",
            "rng",
            "share",
            "share_win",
            "shuffle",
        ),
        _KERNEL,
    ),
    **dict.fromkeys(
        (
            "OpenSpielGame",
            "RLlibEnv",
            "TorchRLVectorEnv",
            "export_policy",
            "make_py_observer",
            "max_chance_nodes_in_history",
            "new_initial_state",
            "rand_action",
            "register_games",
        ),
        _EXTRA,
    ),
    **dict.fromkeys(
        ("GameEnv", "ParallelGameEnv", "VectorGameEnv"), "made by make, make_parallel and make_vec"
    ),
    **dict.fromkeys(
        ("agent_iter", "inputs", "first_layer"),
        _PYTHON,
    ),
    **dict.fromkeys(
        ("require_state", "require_game", "words_of"), "agents call it with what they are asked"
    ),
    **dict.fromkeys(("leaf_network", "copy"), "searches with networks call it"),
    **dict.fromkeys(
        ("branch", "end_by_forfeit", "expected_returns", "unrevealed"),
        "of GameHistory: arena, terminal and browser call it; tests/arena/test_history.py",
    ),
    **dict.fromkeys(("checked", "load_rules", "refusal", "where"), "what is fuzzed calls it"),
    "search_in_steps": "the search of a page: tests/search/test_control.py",
    "EngineAgent": "starts a program each time; `Engine`, on which it rests, is fuzzed",
    "main": "the command line: tests/cli, and tests/test_hostile_files.py with its files",
    "match_progress": "draws a bar",
    "notation": "the module; its functions are called",
    "setting": "describes a field of the settings of a training script",
    "overlays": "the module; State.scene calls its functions",
}
"""Why a public name is not called, by the name or by that of a method of a public class."""


def public_names() -> set[str]:
    """Return what the packages export, what the API reference lists, and the methods of classes."""
    return {*_exported(), *_documented()}


def _exported() -> Iterator[str]:
    for tree in _sources().values():
        for node in tree.body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                yield from ast.literal_eval(node.value)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):  # `import name as name` hands a name on
                yield from (each.name for each in node.names if each.name == each.asname)


def _documented() -> Iterator[str]:
    for page in (ROOT / "docs" / "api").glob("*.md"):
        for target in re.findall(r"^::: (\S+)", page.read_text(encoding="utf-8"), re.MULTILINE):
            package, _, name = target.rpartition(".")
            yield name
            yield from _methods(package, name)


def _methods(package: str, name: str) -> Iterator[str]:
    """Yield the public methods and properties of a class that a package defines or hands on."""
    for source, folder in _SOURCES.items():
        package = package.replace(source, folder)
    folder = package.replace(".", "/")
    for path, tree in _sources().items():
        if not path.startswith(folder):
            continue
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                for each in node.body:
                    if isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
                        yield each.name


@functools.cache
def _sources() -> dict[str, ast.Module]:
    """Return all modules by their paths in the checkout."""
    folders = [ROOT / "tzaar_envs", ROOT / "wrappers", ROOT / "training"]
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for folder in folders
        for path in folder.rglob("*.py")
        if "template" not in path.parts
    }


def called_names() -> set[str]:
    """Return all names that the modules of the fuzzer use."""
    found: set[str] = set()
    for path in Path(__file__).parent.glob("*.py"):
        if path.name == Path(__file__).name:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                    found.add(name)
                case ast.Constant(value=str(name)):
                    found.add(name)
    return found
