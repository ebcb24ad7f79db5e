"""The kit as classes of pytest, in a project of somebody else."""

import os
import subprocess
import sys
from pathlib import Path

from check_kit import FAULTS

from tzaar_envs.testing.check_game import GAME_CHECKS

PROJECT = """
from gymnasium.spaces import Discrete
from pettingzoo import ParallelEnv
from tzaar_envs.testing.pytest_classes import EnvTests

class Guess(ParallelEnv):
    metadata = {"name": "guess_v0"}
    possible_agents = ["one", "two"]
    last = 1
    observation_spaces = action_spaces = {"one": Discrete(3), "two": Discrete(3)}

    def reset(self, seed=None, options=None):
        self.agents, self.left = [*self.possible_agents], 3
        return {agent: 0 for agent in self.agents}, {agent: {} for agent in self.agents}

    def step(self, actions):
        assert all(action in range(3) for action in actions.values())
        self.left -= 1
        over = {agent: self.left == 0 for agent in self.agents}
        names, self.agents = self.agents, [] if self.left == 0 else self.agents
        seen = {agent: self.last for agent in names}
        zeros = {agent: 0.0 for agent in names}
        return seen, zeros, over, {agent: False for agent in names}, {agent: {} for agent in names}

class OutOfSpace(Guess):
    last = 7

class TestGuess(EnvTests):
    make_env = Guess
    arguments = {"episodes": 1}

class TestOutOfSpace(EnvTests):
    make_env = OutOfSpace
    arguments = {"episodes": 1}
"""


def test_each_check_is_a_test_and_nothing_of_ours_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "test_guess.py").write_text(PROJECT)
    cache = tmp_path / "cache"
    words = [sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:cacheprovider", "test_guess.py"]
    environment = os.environ | {"TZAAR_ENVS_CACHE_DIR": str(cache)}
    done = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    failed = [line for line in lines if line.startswith("FAILED")]
    assert done.returncode == 1, done.stdout
    assert {line.split("::")[1] for line in failed} == {"TestOutOfSpace"}, done.stdout
    assert any("test_environment[observations]" in line for line in failed), done.stdout
    assert "7 is not in Discrete(3)" in done.stdout
    assert not cache.exists()


def test_every_check_that_finds_something_has_a_test() -> None:
    assert {fault.check for fault in FAULTS} <= {*GAME_CHECKS}
