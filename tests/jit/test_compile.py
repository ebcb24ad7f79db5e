"""The on-disk cache: used by fresh processes, and never stale."""

from __future__ import annotations

import ast
import importlib
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import pytest
from processes import THIRD_PARTY, run_python

import tzaar_envs
from tzaar_envs.core.playouts import random_playouts
from tzaar_envs.jit import compile as compiling
from tzaar_envs.jit.compile import Dispatcher

PACKAGE = Path(tzaar_envs.__file__).parent
LINKED = ("", "training", "wrappers")  # folders that may be links, into which `rglob` does not go

START_NIM = """
import json
import numpy as np
import tzaar_envs
from nim_game.rules import HEAPS, STATE_SIZE, legal, reset
from tzaar_envs.jit.rng import new_generator
state = np.empty(STATE_SIZE, np.int64)
reset(state, np.array([5, 0]), new_generator(1))
legal(state, np.empty(15, np.int32))
print(json.dumps({
    "source": tzaar_envs.__file__,
    "start": state[HEAPS].tolist(),
    "hits": sum(sum(function.stats.cache_hits.values()) for function in (reset, legal)),
    "misses": sum(sum(function.stats.cache_misses.values()) for function in (reset, legal)),
}))
"""


class Copy:
    """A copy of the suite with a third party's game, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.sources = folder / "sources"
        self.cache = folder / "cache"
        # Bytecode comes along, but not files that another process is about to rename.
        ignore = shutil.ignore_patterns("*.pyc.*")
        shutil.copytree(PACKAGE, self.sources / "tzaar_envs", ignore=ignore)
        shutil.copytree(THIRD_PARTY / "nim_game", self.sources / "nim_game", ignore=ignore)

    def start_nim(self) -> dict[str, Any]:
        """Start a game in a new process, with two of its functions: to compile all takes long."""
        # Without bytecode of what is edited: Python looks at times in whole seconds.
        printed = run_python(
            START_NIM,
            path=self.sources,
            cache=self.cache,
            PYTHONDONTWRITEBYTECODE="1",
        )
        found: dict[str, Any] = json.loads(printed)
        assert Path(found["source"]).is_relative_to(self.sources)
        return found

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.sources / file
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))

    def cached_files(self) -> dict[str, int]:
        return {
            str(path): path.stat().st_mtime_ns for path in self.cache.rglob("*") if path.is_file()
        }


@pytest.fixture
def suite(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_fresh_process_starts_from_the_cache_and_never_from_a_stale_one(suite: Copy) -> None:
    rules = suite.sources / "nim_game" / "rules.py"
    untouched = rules.stat()
    first = suite.start_nim()
    assert first["misses"] == 2
    files = suite.cached_files()
    assert files

    # A constant in another file of the game: reset() in rules.py was compiled with its old value.
    suite.edit("nim_game/sizes.py", "LEAST_MATCHES = 4", "LEAST_MATCHES = 9")
    constant = suite.start_nim()
    assert constant["start"] == [9] * 5
    assert constant["start"] != first["start"]

    # A function of the core that reset() calls.
    suite.edit("nim_game/sizes.py", "LEAST_MATCHES = 9", "LEAST_MATCHES = 4")
    suite.edit("tzaar_envs/jit/rng.py", "return product >> 32", "return bound - 1  ")
    callee = suite.start_nim()
    assert callee["start"] == [9] * 5
    assert callee["misses"] == 2

    # Back to the first sources: their cache is still there, and is used as it is.
    suite.edit("tzaar_envs/jit/rng.py", "return bound - 1  ", "return product >> 32")
    back = suite.start_nim()
    assert back["start"] == first["start"]
    assert (back["hits"], back["misses"]) == (2, 0)
    assert files.items() <= suite.cached_files().items()

    after = rules.stat()
    assert (after.st_mtime_ns, after.st_size) == (untouched.st_mtime_ns, untouched.st_size)


LOAD_NIM = """
import sys
import tzaar_envs
import nim_game
tzaar_envs.register(nim_game.SPEC)
rules = tzaar_envs.load_game("nim").rules
stats = [getattr(rules, name).stats for name in ("reset", "legal", "apply", "observe", "returns")]
print(sum(sum(entry.cache_misses.values()) for entry in stats))
"""


def test_of_many_processes_one_compiles_and_says_so(tmp_path: Path) -> None:
    suite = Copy(tmp_path)
    environment = {
        **os.environ,
        "PYTHONPATH": str(suite.sources),
        "TZAAR_ENVS_CACHE_DIR": str(suite.cache),
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", LOAD_NIM],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    found = [process.communicate(timeout=300) for process in processes]
    assert sorted(int(misses) for misses, _ in found) == [0, 5]
    told = [said for _, said in found if said]
    assert told == ["tzaar-envs: compiling nim_game, once on this machine ...\n"]


def test_nothing_is_announced_or_noted_where_nothing_is_compiled(tmp_path: Path) -> None:
    run_python(
        "import tzaar_envs as t; t.load_game('tzaar')", cache=tmp_path, NUMBA_DISABLE_JIT="1"
    )
    assert not list(tmp_path.rglob("*.compiled"))


def test_cache_that_cannot_be_written_only_warns(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    code = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from tzaar_envs.jit import rng
    print(rng.below(rng.new_generator(1), 1))
    print(*{str(warning.message) for warning in caught}, sep="|")
"""
    number, message = run_python(code, cache=blocked / "cache").splitlines()
    assert number == "0"
    assert str(blocked) in message
    assert "set TZAAR_ENVS_CACHE_DIR to a writable folder" in message
    assert "|" not in message


PLAY_UNCOMPILED = """
import json, random
import tzaar_envs
from tzaar_envs.core.playouts import perft
from tzaar_envs.core.playouts import random_playouts
assert not hasattr(tzaar_envs.load_game("tzaar").rules.apply, "stats")
games = {}
for name in tzaar_envs.list_games():
    game = tzaar_envs.load_game(name)
    state, choices, moments = game.new_state(5), random.Random(5), []
    while not state.is_terminal:
        action = int(choices.choice(state.legal_actions()))
        moments.append([state.action_name(action), state.evaluate(0)])
        state.apply(action)
    playouts = random_playouts(game, 5, seed=5)
    games[name] = [
        moments, str(state), int(state.observation(0).sum()), state.legal_actions().tolist(),
        perft(game.new_state(5), 2), playouts.plies.tolist(), playouts.returns.tolist(),
    ]
print(json.dumps(games))
"""


def test_uncompiled_code_plays_the_same_games() -> None:
    from tzaar_envs.core.playouts import perft

    uncompiled = json.loads(run_python(PLAY_UNCOMPILED, NUMBA_DISABLE_JIT="1"))
    assert sorted(uncompiled) == tzaar_envs.list_games()
    for name, (moments, text, total, legal, count, plies, returns) in uncompiled.items():
        game = tzaar_envs.load_game(name)
        state, choices = game.new_state(5), random.Random(5)
        for action_name, value in moments:
            action = int(choices.choice(state.legal_actions()))
            assert state.action_name(action) == action_name
            assert state.evaluate(0) == pytest.approx(value)
            state.apply(action)
        assert str(state) == text
        assert int(state.observation(0).sum()) == total
        assert state.legal_actions().tolist() == legal
        assert perft(game.new_state(5), 2) == count
        playouts = random_playouts(game, 5, seed=5)
        assert playouts.plies.tolist() == plies
        assert playouts.returns.tolist() == returns


def test_whole_package_is_digested() -> None:
    """Each folder has a digest of its own, which also covers `jit` and `core`."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    digests = {folder: compiling.source_digest(folder) for folder in folders}
    assert digests[PACKAGE / "jit"] == digests.pop(PACKAGE / "core")
    assert len(set(digests.values())) == len(digests)
    assert all(compiling._DIGEST.fullmatch(digest) for digest in digests.values())


def imported_names(source: Path) -> dict[str, str]:
    """Return the names that a file imports from modules of the suite, with these modules."""
    found = {}
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tzaar_envs"):
            is_package = PACKAGE.parent.joinpath(*(node.module or "").split(".")).is_dir()
            for alias in node.names:
                module = f"{node.module}.{alias.name}" if is_package else node.module or ""
                found[alias.asname or alias.name] = module
    return found


def compiled_functions(module: ModuleType) -> list[Any]:
    """Return the plain functions that a module compiles."""
    return [
        each.py_func
        for each in vars(module).values()
        if isinstance(each, Dispatcher) and each.__module__ == module.__name__
    ]


def test_compiled_functions_use_only_what_their_cache_depends_on() -> None:
    """Otherwise a change elsewhere would leave them as they were."""
    checked = 0
    for path in [path for each in LINKED for path in sorted((PACKAGE / each).rglob("*.py"))]:
        if "@compiled" not in path.read_text(encoding="utf-8") or path.parent.name == "jit":
            continue
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        allowed = {
            PACKAGE / "jit",
            PACKAGE / "core",
            path.parent,
            *compiling._enclosing_packages(path.parent),
        }
        names = imported_names(path)
        for function in compiled_functions(importlib.import_module(name)):
            for used in function.__code__.co_names:
                folder = Path(*names.get(used, "tzaar_envs.core.game").split(".")[1:-1])
                assert PACKAGE / folder in allowed, f"{name}.{function.__name__} uses {used}"
                checked += used in names
    assert checked > 500


SCALED = """
def scaled(number, factor):
    return number * factor


def total(number):
    return scaled(number, 2) + scaled(number, 3) + scaled(number, number)
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_constants_are_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tzaar_envs.jit.compile._source_folder", lambda function: tmp_path)
    monkeypatch.setattr("tzaar_envs.jit.compile._cache_folder", lambda source: tmp_path / "cache")
    for expected in ((1, 1), (0, 0)):  # in a first process, and in a later one
        names: dict[str, Any] = {"__name__": __name__}
        exec(compile(SCALED, __file__, "exec"), names)
        scaled = names["scaled"] = compiling.compiled(names["scaled"])
        total = compiling.compiled(names["total"])
        assert total(5) == 50
        misses = [sum(each.stats.cache_misses.values()) for each in (scaled, total)]
        assert tuple(misses) == expected
