"""What `import tzaar_envs` loads, and which room of the suite may import which.

The table of rooms is `ROOMS` in docs/tools/rooms.py; the picture of the architecture shows it too.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import pydoc
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import rooms
from processes import run_python

import tzaar_envs

ENV_MODULES = {f"tzaar_envs.{env_id}" for env_id in tzaar_envs.list_envs()}
KNOW_THE_GAMES = {"tzaar_envs.registry", *ENV_MODULES}

HEAVY = {
    "numba", "llvmlite", "torch", "ray", "pygame", "rich", "cyclopts", "matplotlib",
    "stable_baselines3", "sb3_contrib", "tianshou", "torchrl", "safetensors", "onnxruntime",
    "onnxscript", "minari", "h5py", "msgspec", "filelock", "platformdirs", "resvg_py", "PIL",
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


def test_modules_of_the_environments_compile_nothing(tmp_path: Path) -> None:
    env_ids = tzaar_envs.list_envs()
    code = f"""
import sys
from tzaar_envs import {", ".join(env_ids)}
for module in ({", ".join(env_ids)}):
    print(callable(module.env), callable(module.raw_env), "torch" in sys.modules)
"""
    told = run_python(code, cache=tmp_path / "cache").splitlines()
    assert told == ["True True False"] * len(env_ids)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("room", sorted(rooms.ROOMS))
def test_room_imports_only_what_it_may(room: str) -> None:
    allowed = {room} | rooms.ROOMS[room].imports
    for module, imported in rooms.module_imports().items():
        if rooms.room_of(module) == room:
            for other in imported:
                assert rooms.room_of(other) in allowed, f"{module} imports {other}"


def test_imports_run_one_way() -> None:
    """No room and no module reaches itself; imports within functions and for types count too."""
    allowed = {name: room.imports for name, room in rooms.ROOMS.items()}
    modules, pair = rooms.module_imports(), rooms.KNOW_EACH_OTHER
    one_way = {name: found - pair if name in pair else found for name, found in modules.items()}
    for graph in (allowed, rooms.room_imports(), one_way):
        TopologicalSorter(graph).prepare()  # raises CycleError
    assert all(pair - {name} <= modules[name] for name in pair)


def test_games_do_not_import_each_other() -> None:
    for module, imported in rooms.module_imports().items():
        if module.startswith("tzaar_envs.games."):
            own = module.split(".")[2]
            for other in imported:
                if other.startswith("tzaar_envs.games."):
                    assert other.split(".")[2] == own, f"{module} imports {other}"


def names_of_games() -> set[str]:
    names = set(tzaar_envs.list_games()) | set(tzaar_envs.list_envs())
    return names | {name.replace("_v", "-v") for name in tzaar_envs.list_envs()}


def test_only_the_registry_and_the_environment_modules_know_the_games() -> None:
    checked = 0
    for module, source in rooms.modules().items():
        if rooms.room_of(module) == "games" or module in KNOW_THE_GAMES:
            continue
        checked += 1
        for other in rooms.module_imports()[module]:
            assert rooms.room_of(other) != "games", f"{module} imports {other}"
            assert other not in ENV_MODULES, f"{module} imports {other}"
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant):
                assert node.value not in names_of_games(), f"{source}:{node.lineno} names a game"
    assert checked > 100


PACKAGES = [each.name for each in pkgutil.iter_modules(tzaar_envs.__path__, "tzaar_envs.")]


@pytest.mark.parametrize("name", ["tzaar_envs", *PACKAGES])
def test_packages_can_be_looked_at_without_the_extras(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("ray", "torchrl", "tianshou", "pyspiel", "minari", "onnxruntime"):
        monkeypatch.setitem(sys.modules, library, None)
    module = importlib.import_module(name)
    assert not hasattr(module, "Tzar")
    exec(f"from {name} import *", {})
    inspect.getmembers(module)
    pydoc.render_doc(module)


def test_a_name_whose_library_is_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tzaar_envs import wrappers

    monkeypatch.setitem(sys.modules, "ray", None)
    assert not hasattr(wrappers, "RLlibEnv")
    assert "RLlibEnv" not in wrappers.__all__
    hint = re.escape('pip install "tzaar-envs[rllib]"')
    with pytest.raises(AttributeError, match=hint):
        wrappers.RLlibEnv  # noqa: B018
    with pytest.raises(ModuleNotFoundError, match=hint):
        from tzaar_envs.wrappers import RLlibEnv  # noqa: F401
