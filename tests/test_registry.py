"""The registry: names, suggestions, other registries, and games of other packages."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium
import pettingzoo
import pytest
from processes import install, run_python
from variants import every_game

import tzaar_envs
from tzaar_envs import registry
from tzaar_envs.core.game import Game
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.parallel import ParallelGameEnv

NAMES = tzaar_envs.list_games()


def test_lists_are_sorted_and_belong_together() -> None:
    assert {"turm_und_waechter", "tzaar"} <= set(NAMES)
    assert sorted(NAMES) == NAMES
    assert tzaar_envs.list_envs() == [registry.find_spec(name).env_id for name in NAMES]
    assert {"turm_und_waechter_v0", "tzaar_v0"} <= set(tzaar_envs.list_envs())


@pytest.mark.parametrize("name", NAMES)
def test_a_game_has_these_names(name: str) -> None:
    spec = registry.find_spec(name)
    dashed = f"{name.replace('_', '-')}-v{spec.version}"
    gymnasium_id = f"tzaar_envs/{registry.camel_case(name)}-v{spec.version}"
    pettingzoo_id = f"tzaar_envs/{name}-v{spec.version}"
    for alias in (name, spec.env_id, dashed, pettingzoo_id, gymnasium_id):
        assert registry.find_spec(alias) is spec
        assert tzaar_envs.load_game(alias).spec is spec
        assert tzaar_envs.make(alias).game.spec is spec


@every_game
def test_pettingzoo_makes_it(game: Game) -> None:
    spec = game.spec
    for env_id in (f"{spec.name}-v{spec.version}", spec.env_id, spec.name):
        env = pettingzoo.make("aec", f"tzaar_envs/{env_id}", illegal="raise", **game.options)
        assert isinstance(env, GameEnv)
        assert env.game == game
    with pytest.raises(ValueError, match="has no option 'colour'"):
        pettingzoo.make("aec", f"tzaar_envs/{spec.env_id}", colour=1)


@every_game
def test_the_parallel_environment_is_that_of_simultaneous_choices(game: Game) -> None:
    spec = game.spec
    env_id = f"tzaar_envs/{spec.name}-v{spec.version}"
    if spec.simultaneous:
        for env in (
            pettingzoo.make("parallel", env_id, illegal="raise", **game.options),
            tzaar_envs.make_parallel(spec.env_id, illegal="raise", **game.options),
        ):
            assert isinstance(env, ParallelGameEnv)
            assert env.game == game
            env.reset(seed=0)
            with pytest.raises(ValueError, match="no action was given for player_0"):
                env.step({})
    else:
        with pytest.raises(ValueError, match=f"^{spec.env_id} has no parallel environment: its "):
            tzaar_envs.make_parallel(spec.name, **game.options)
        with pytest.raises(pettingzoo.env_registry.exceptions.NameNotFound):
            pettingzoo.make("parallel", env_id)


GYMNASIUM_IDS = {
    "black_elephant": "tzaar_envs/BlackElephant-v0",
    "turm_und_waechter": "tzaar_envs/TurmUndWaechter-v0",
    "twenty_one": "tzaar_envs/TwentyOne-v0",
    "tzaar": "tzaar_envs/Tzaar-v0",
    "zatre": "tzaar_envs/Zatre-v0",
}


@pytest.mark.parametrize("name", NAMES)
def test_gymnasium_knows_it(name: str) -> None:
    spec = gymnasium.registry[GYMNASIUM_IDS[name]]
    assert spec.kwargs == {"game": name}


@pytest.mark.parametrize("name", NAMES)
def test_module_of_the_environment(name: str) -> None:
    module = __import__(f"tzaar_envs.{registry.find_spec(name).env_id}", fromlist=["env"])
    assert module.env().game == module.raw_env().game == tzaar_envs.load_game(name)
    assert module.env(render_mode="ansi").render_mode == "ansi"


def test_registering_again_does_nothing() -> None:
    tzaar_envs.register(registry.find_spec("tzaar"))
    assert tzaar_envs.list_games() == NAMES


# --- Games of other packages ---------------------------------------------------------------------

FIND_NIM = """
import json, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import tzaar_envs
    games = tzaar_envs.list_games()
    envs = tzaar_envs.list_envs()
print(json.dumps([games, envs, [str(warning.message) for warning in caught]]))
"""


def found_games(folder: Path) -> tuple[list[str], list[str], list[str]]:
    games, envs, messages = json.loads(run_python(FIND_NIM, path=folder))
    return games, envs, messages


@pytest.mark.parametrize("entry_point", ["nim_game:SPEC", "nim_game:register"])
def test_installed_game_is_found(tmp_path: Path, entry_point: str) -> None:
    install("nim_game", tmp_path, f"nim = {entry_point}")
    games, envs, messages = found_games(tmp_path)
    assert games == sorted([*NAMES, "nim"])
    assert envs == sorted([*tzaar_envs.list_envs(), "nim_v3"])
    assert messages == []


def test_broken_games_only_warn(tmp_path: Path) -> None:
    broken = {
        "nim_game:MISSING": "has no attribute 'MISSING'",
        "no_such_package:SPEC": "No module named 'no_such_package'",
        "nim_game:MOST_TAKEN": "'int' object is not callable",
        "nim_game:Layout": "could not be registered",
        "builtins:dict": "register takes a GameSpec, not {}",
        "sys:exit": "could not be registered: SystemExit",
        "leaver:SPEC": "could not be registered: no licence",
    }
    (tmp_path / "leaver.py").write_text("import sys\nsys.exit('no licence')\n")
    lines = [f"broken_{number} = {entry_point}" for number, entry_point in enumerate(broken)]
    install("nim_game", tmp_path, "\n".join([*lines, "nim = nim_game:SPEC"]))
    games, _, messages = found_games(tmp_path)
    assert games == sorted([*NAMES, "nim"])
    assert len(messages) == len(broken)
    for number, (entry_point, message) in enumerate(broken.items()):
        named = f"the game of entry point 'broken_{number}' ({entry_point}) could not be"
        [told] = [text for text in messages if named in text]
        assert message in told


USE_NIM = """
import copy, json, pickle, random, warnings
import numpy as np
import tzaar_envs
from tzaar_envs import registry

env = tzaar_envs.make("nim_v3", heaps=4, misere=True)
assert "tzaar_v0" in tzaar_envs.list_envs()

import pettingzoo, pettingzoo.test
from tzaar_envs.core.playouts import perft
from tzaar_envs.core.playouts import random_playouts

warnings.simplefilter("error")
warnings.filterwarnings("ignore", "Observation is not a NumPy array$")
warnings.filterwarnings("ignore", "Observation space for each agent probably")
warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")
pettingzoo.test.api_test(env, num_cycles=1000)
pettingzoo.test.seed_test(lambda: tzaar_envs.make("nim"), num_cycles=1000)
made = pettingzoo.make("aec", "tzaar_envs/nim-v3", heaps=2)
assert made.game == tzaar_envs.load_game("nim", heaps=2), made.game
assert "tzaar_envs/Nim-v3" in __import__("gymnasium").registry

game = tzaar_envs.load_game("nim", heaps=2)
assert game.observation_shape == (4,)
state = game.parse("1,2 a")
assert state.observation(1).tolist() == [2, 0, 1, 2]
assert [state.action_name(action) for action in state.legal_actions()] == ["1-1", "2-1", "2-2"]
assert [perft(state, depth) for depth in range(5)] == [1, 3, 5, 3, 0]
for name in ("2-2", "1-1"):
    state.apply(state.parse_action(name))
assert state.returns().tolist() == [-1.0, 1.0]
assert pickle.loads(pickle.dumps(state)) == copy.deepcopy(state) == game.parse("0,0 a")
playouts = random_playouts(game, 100, seed=1)
assert (np.abs(playouts.returns) == 1).all() and playouts.plies.max() <= 18
env.reset(options={"position": "1,0,0,0 b"})
env.step(0)
assert env.rewards == {"player_0": 1.0, "player_1": -1.0}, env.rewards
messages = []
for options in ({"heaps": 6}, {"heaps": 2.0}, {"misere": 1}, {"heap": 2}):
    try:
        tzaar_envs.load_game("nim", **options)
    except ValueError as error:
        messages.append(str(error))
print("RESULT", json.dumps(messages))
"""


def test_installed_game_has_all_that_the_own_games_have(tmp_path: Path) -> None:
    install("nim_game", tmp_path, "nim = nim_game:SPEC")
    result = run_python(USE_NIM, path=tmp_path).split("RESULT ")[1]
    assert json.loads(result) == [
        "option heaps=6 is not allowed: use 1 to 5",
        "option heaps=2.0 is not allowed: use 1 to 5",
        "option misere=1 is not allowed: use True, False",
        "nim has no option 'heap': did you mean 'heaps'? its options are heaps, misere",
    ]
