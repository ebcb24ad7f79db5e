"""The agent `python:MODULE:CLASS`: a user's own class, object or function."""

import os
import sys
import zipfile
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.arena import play_match

GAME = tzaar_envs.load_game("turm_und_waechter")

CODE = """
from helper import NAME
from tzaar_envs.agents import Agent

class First(Agent):
    name = NAME

    def __init__(self, game):
        self.game = game

    def seed(self, seed):
        self.seeded = seed

    def act(self, state):
        return int(state.legal_actions()[0])

class Plain(Agent):
    def __init__(self, game):
        pass

    def seed(self, seed):
        pass

    def act(self, state):
        return int(state.legal_actions()[0])

class Shortsighted(First):
    def act(self, seen):
        return int(seen["action_mask"].argmax())

def made(game):
    return First(game)

def broken(game):
    return 1 / 0

one = made(None)
number = 3
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "helper.py").write_text("NAME = 'first'\n")
    (tmp_path / "random.py").write_text(CODE)
    (tmp_path / "my_agents.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "random.py"


def test_a_class_a_function_and_a_module_name_the_same_agent(file: Path) -> None:
    state = GAME.new_state(1)
    texts = [f"python:{file}:First", f"python:{file}:made", "python:my_agents:First"]
    for text in texts:
        agent = make_agent(text, GAME, seed=5)
        assert agent.name == "first"
        assert vars(agent)["seeded"] == 5
        assert agent.act(state) == state.legal_actions()[0]
    result = play_match(GAME, [texts[0], "random"], games=2, seed=1)
    assert result.agents == ("first", "random")
    assert result.header.agents[0] == texts[0]
    plain = make_agent(f"python:{file}:Plain", "turm_und_waechter")  # without name and game
    assert (plain.name, plain.act(state)) == ("Plain", state.legal_actions()[0])


def test_a_changed_file_is_read_again(file: Path) -> None:
    text = f"python:{file}:Plain"
    assert make_agent(text, GAME).name == "Plain"
    file.write_text(CODE.replace("class Plain(Agent):", "class Plain(Agent):\n    name = 'new'"))
    os.utime(file, (1, 1))  # whatever the clock's resolution
    assert make_agent(text, GAME).name == "new"


def test_an_environment_plays_against_it(file: Path) -> None:
    env = gymnasium.make("tzaar_envs/TurmUndWaechter-v0", opponent=f"python:{file}:First")
    _, info = env.reset(seed=1)
    assert not env.step(int(np.flatnonzero(info["action_mask"])[0]))[2]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("python:random.py", "use python:MODULE:CLASS or python:FILE.py:CLASS"),
        ("python:random.py:Second", "random.py has no Second"),
        ("python:random.py:number", "is 3, not an Agent: name an agent, its class, or a function"),
        ("python:random.py:one", "plays None, but was asked about"),
        (
            "python:random.py:broken",
            "broken' cannot be made: ZeroDivisionError: division by zero",
        ),
        ("python:nowhere.py:First", "there is no Python file 'nowhere.py'"),
        ("python:no_such_module:First", "No module named 'no_such_module'"),
    ],
)
def test_what_is_no_agent_is_named(file: Path, text: str, error: str) -> None:
    with pytest.raises((ValueError, FileNotFoundError, ModuleNotFoundError), match=error):
        make_agent(text, GAME)


def test_a_model_of_another_library_comes_with_the_lines_that_wrap_it(tmp_path: Path) -> None:
    model = tmp_path / "model.zip"
    with zipfile.ZipFile(model, "w") as archive:
        archive.writestr("_stable_baselines3_version", "2.9.0")
    with pytest.raises(ValueError, match=r"plays as python:FILE.py:CLASS[^$]*MaskablePPO.load\("):
        make_agent(f"policy:{model}", GAME)
