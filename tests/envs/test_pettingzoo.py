"""PettingZoo's own tests, on every registered environment and option."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import numpy as np
import pettingzoo.test
import pytest
from gymnasium import spaces
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from variants import every_game, every_game_and_env_variant, make_env

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.envs.aec import GameEnv

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # Said of every environment whose observation is a dict with a mask, but for PettingZoo's own.
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array$:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning"),
    # An agent whose game is over has no legal action.
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros:UserWarning"),
]


@pytest.fixture(autouse=True)
def without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a window show its pictures without a pause."""
    monkeypatch.setattr("tzaar_envs.envs.rendering.FPS", 0)


class LegalActions(spaces.Discrete):
    """An action space that samples legal actions where PettingZoo's test does not mind the mask."""

    def __init__(self, env: GameEnv) -> None:
        super().__init__(env.game.num_actions, seed=1)
        self.env = env

    def sample(self, mask: Any = None) -> Any:
        return super().sample(self.env.infos[self.env.agent_selection]["action_mask"])


def seeded(env: Any) -> Any:
    """Return the environment with the same random actions in each run."""
    for seat, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seat)
    return env


@every_game_and_env_variant
def test_api(game: Game, variant: dict[str, Any]) -> None:
    pettingzoo.test.api_test(seeded(make_env(game, **variant)), num_cycles=1000)


@every_game_and_env_variant
def test_seeds(game: Game, variant: dict[str, Any]) -> None:
    pettingzoo.test.seed_test(partial(make_env, game, **variant), num_cycles=1000)


@every_game_and_env_variant
def test_state(game: Game, variant: dict[str, Any]) -> None:
    env = make_env(game, **variant)
    for agent in env.possible_agents:
        env.action_spaces[agent] = LegalActions(env)
    parallel = turn_based_aec_to_parallel(make_env(game, **variant))
    pettingzoo.test.state_test(env, parallel, num_cycles=1000)
    assert env.agents == []  # it has seen a whole game


@pytest.mark.parametrize(
    ("name", "viewer"),
    [*((name, "all") for name in tzaar_envs.list_games()), ("zatre", "player_0")],
)
def test_rendering(name: str, viewer: str) -> None:
    """In every mode; the pictures of all variants are tested in `render/`."""

    def constructor(render_mode: str) -> Any:
        return seeded(tzaar_envs.make(name, render_mode=render_mode, viewer=viewer))

    pettingzoo.test.render_test(constructor)


@every_game
def test_parallel_view_plays_a_game(game: Game) -> None:
    env = turn_based_aec_to_parallel(make_env(game))
    observations, infos = env.reset(seed=1)
    choices = random.Random(1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        actions = {
            agent: int(choices.choice(np.flatnonzero(observation["action_mask"])))
            for agent, observation in observations.items()
            if observation["action_mask"].any()
        }
        assert len(actions) == 1
        observations, rewards, *_, infos = env.step(actions)
        for agent, reward in rewards.items():
            total[agent] += reward
        assert set(infos) == set(env.possible_agents)
    assert sum(total.values()) == pytest.approx(0)
