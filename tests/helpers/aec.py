"""What the tests of AEC wrappers share."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pettingzoo.test
import pytest

import tzaar_envs

every_name = pytest.mark.parametrize("name", tzaar_envs.list_games())

quiet = [
    pytest.mark.filterwarnings("error"),
    # Said of every environment whose observation is a dict with a mask, but for PettingZoo's own.
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array$:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning"),
    # An agent whose game is over has no legal action.
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros:UserWarning"),
]


def api_test(env: Any) -> None:
    """PettingZoo's own test, with the same random actions in each run."""
    for seat, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seat)
    pettingzoo.test.api_test(env, num_cycles=300)


def turns(env: Any, seed: int) -> Iterator[tuple[str, int | None]]:
    """Play a random game; yield who acts and what it will play, before it does."""
    choices = random.Random(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        game_env = env.unwrapped
        legal = game_env.infos[game_env.agent_selection]["action_mask"].nonzero()[0]
        action = int(choices.choice(legal)) if legal.size else None
        yield agent, action
        env.step(action)
