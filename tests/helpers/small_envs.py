"""A tiny game as an AEC and as a parallel environment, whose faults are subclasses."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

LENGTH = 4


class CountingEnv(AECEnv):
    """Two players add 1 or 2 in turn, not twice the same; after four turns the last one wins."""

    metadata = {"name": "counting_v0", "render_modes": []}  # noqa: RUF012 - as PettingZoo has it

    def __init__(self) -> None:
        self.render_mode = None
        self.possible_agents = ["player_0", "player_1"]
        self._observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 20, (2,), np.int8),
                "action_mask": spaces.Box(0, 1, (3,), np.int8),
            }
        )
        self._action_space = spaces.Discrete(3)

    def observation_space(self, agent: str) -> Any:
        return self._observation_space

    def action_space(self, agent: str) -> Any:
        return self._action_space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None or not hasattr(self, "rng"):
            self.rng = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[0]
        self.total = int(self.rng.integers(0, 5))
        self.before = 0
        self.turns = 0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def legal(self, action: int) -> bool:
        return 0 <= action < 3 and (action == 0 or action != self.before)

    def mask(self) -> np.ndarray:
        return np.array([self.legal(action) for action in range(3)], np.int8)

    def observe(self, agent: str) -> Any:
        acts = agent == self.agent_selection and not self.terminations[agent]
        return {
            "observation": np.array([self.total, self.before], np.int8),
            "action_mask": self.mask() if acts else np.zeros(3, np.int8),
        }

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not self.legal(int(action)):
            raise ValueError(f"action {action} is not legal")
        self.play(int(action))

    def play(self, action: int) -> None:
        agent = self.agent_selection
        other = self.agents[1 - self.agents.index(agent)]
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.total += action
        self.before = action
        self.turns += 1
        if self.turns == LENGTH:
            self.end(agent, other)
        self.agent_selection = other
        self._accumulate_rewards()

    def end(self, winner: str, loser: str) -> None:
        self.rewards = {winner: 1.0, loser: -1.0}
        self.terminations = dict.fromkeys(self.agents, True)


class HidesAnAction(CountingEnv):
    """Its mask never allows 2."""

    def mask(self) -> np.ndarray:
        mask = super().mask()
        mask[2] = 0
        return mask


class HasCards(CountingEnv):
    """Each player holds a card that only it sees."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(seed, options)
        self.cards = {agent: int(self.rng.integers(0, 20)) for agent in self.agents}

    def observe(self, agent: str) -> Any:
        observation = super().observe(agent)
        observation["observation"][1] = self.cards[agent]
        return observation

    def redraw(self, agent: str, seed: int) -> None:
        [other] = {*self.possible_agents} - {agent}
        self.cards[other] = int(np.random.default_rng(seed).integers(0, 20))


class GuessingEnv(ParallelEnv):
    """Two players guess a number four times; each is paid for every hit."""

    metadata = {"name": "guessing_v0", "render_modes": []}  # noqa: RUF012

    def __init__(self) -> None:
        self.render_mode = None
        self.possible_agents = ["player_0", "player_1"]
        self._observation_space = spaces.Box(0, 10, (1,), np.int8)
        self._action_space = spaces.Discrete(3)

    def observation_space(self, agent: str) -> Any:
        return self._observation_space

    def action_space(self, agent: str) -> Any:
        return self._action_space

    def observations(self) -> dict[str, Any]:
        return {agent: np.array([self.turns], np.int8) for agent in self.possible_agents}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None or not hasattr(self, "rng"):
            self.rng = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.turns = 0
        return self.observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> Any:
        if any(not 0 <= action < 3 for action in actions.values()):
            raise ValueError("no such number")
        wanted = int(self.rng.integers(0, 3))
        self.turns += 1
        agents = self.agents
        rewards = {agent: float(actions[agent] == wanted) for agent in agents}
        over = self.turns == LENGTH
        if over:
            self.agents = []
        return (
            self.observations(),
            rewards,
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            {agent: {} for agent in agents},
        )
