"""The built-in checks against PettingZoo's three standard wrappers around a plain environment."""

from __future__ import annotations

import operator
import random
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from variants import every_game, make_env

from tzaar_envs.core.game import Game


class PlainEnv(AECEnv):
    """A game as PettingZoo's own classic environments are written: nothing is checked."""

    def __init__(self, game: Game) -> None:
        self.metadata = {"name": "plain_v0"}
        self.render_mode = None
        self.game = game
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        shape, actions = game.observation_shape, game.num_actions
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 127, shape, np.int8),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.position = self.game.new_state(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.position.current_player]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        mask = self.position.legal_mask()
        if agent != self.agent_selection:
            mask[:] = 0
        seat = self.possible_agents.index(agent)
        return {"observation": self.position.observation(seat), "action_mask": mask}

    def render(self) -> None:
        return None

    def state(self) -> np.ndarray:
        seats = range(self.game.num_players)
        return np.concatenate([self.position.observation(seat) for seat in seats])

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0
        self.position.apply(int(action))
        if self.position.is_terminal:
            for agent, result in zip(self.possible_agents, self.position.returns(), strict=True):
                self.rewards[agent] = result
                self.terminations[agent] = not self.position.is_truncated
                self.truncations[agent] = self.position.is_truncated
            self._accumulate_rewards()
            self._deads_step_first()
        else:
            self.agent_selection = self.possible_agents[self.position.current_player]


def wrapped(game: Game) -> AECEnv:
    env: AECEnv = PlainEnv(game)
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    return wrappers.OrderEnforcingWrapper(env)


def outcome(action: Any, env: AECEnv) -> Any:
    """Do something with an environment, return what came of it or the error."""
    try:
        return action(env)
    except Exception as error:
        return type(error), str(error).split(":")[0]


def assert_same_moment(ours: AECEnv, theirs: AECEnv) -> None:
    for name in ("agents", "rewards", "terminations", "truncations", "num_agents"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert ours._cumulative_rewards == theirs.unwrapped._cumulative_rewards
    if not ours.agents:
        return
    assert ours.agent_selection == theirs.agent_selection
    for agent in ours.agents:
        mine, other = ours.observe(agent), theirs.observe(agent)
        np.testing.assert_array_equal(mine["observation"], other["observation"])
        # Theirs goes on to show the actions of a game that was stopped, ours shows none.
        shown = other["action_mask"] * (not ours.terminations[agent])
        np.testing.assert_array_equal(mine["action_mask"], shown)
    np.testing.assert_array_equal(ours.state(), theirs.state())
    assert ours.last(observe=False)[1:4] == theirs.last(observe=False)[1:4]


@every_game
@pytest.mark.parametrize(
    "use",
    [
        lambda env: env.step(0),
        lambda env: env.step(None),
        lambda env: env.observe("player_0"),
        lambda env: env.last(),
        lambda env: env.state(),
        lambda env: env.render(),
        lambda env: env.agent_iter(),
        lambda env: env.agents,
        lambda env: env.num_agents,
        lambda env: env.agent_selection,
        lambda env: env.rewards,
        lambda env: env.terminations,
        lambda env: env.truncations,
        lambda env: env.infos,
    ],
)
def test_same_errors_before_reset(game: Game, use: Any) -> None:
    expected = outcome(use, wrapped(game))
    assert isinstance(expected, tuple), expected
    assert outcome(use, make_env(game)) == expected


@every_game
@pytest.mark.parametrize("seed", range(6))
def test_same_game_with_wrong_steps_in_between(game: Game, seed: int) -> None:
    """Legal actions, one in thirty illegal, some outside of the space, None at the wrong time."""
    ours, theirs = make_env(game), wrapped(game)
    choices = random.Random(seed)
    ours.reset(seed=seed)
    theirs.reset(seed=seed)
    assert_same_moment(ours, theirs)
    while ours.agents:
        over = ours.terminations[ours.agent_selection] or ours.truncations[ours.agent_selection]
        legal = ours.last()[0]["action_mask"]
        if choices.random() < 0.1:
            action = choices.choice([-1, game.num_actions, 5 if over else None])
        elif over:
            action = None
        elif choices.random() < 0.01 * seed:
            action = int(choices.choice(np.flatnonzero(legal == 0)))
        else:
            action = int(choices.choice(np.flatnonzero(legal)))

        step = operator.methodcaller("step", action)
        mine, other = outcome(step, ours), outcome(step, theirs)
        assert mine == other
        assert_same_moment(ours, theirs)
    step = operator.methodcaller("step", 0)
    assert outcome(step, ours) == outcome(step, theirs)


@every_game
def test_loop_without_a_step_fails_alike(game: Game) -> None:
    def loop(env: AECEnv) -> None:
        env.reset(seed=1)
        for _ in env.agent_iter():
            env.last()

    expected = outcome(loop, wrapped(game))
    assert expected[0] is AssertionError
    assert outcome(loop, make_env(game)) == expected
