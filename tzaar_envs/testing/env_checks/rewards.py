"""Rewards: of every agent, finite, and paid out once."""

from __future__ import annotations

import math
from typing import Any

from tzaar_envs.testing.env_checks.episode import Episode
from tzaar_envs.testing.env_checks.problem import Problem


def finite_numbers(env: Any, episode: Episode) -> Problem | None:
    """Rewards are numbers."""
    for number, turn in enumerate(episode.turns, start=1):
        for agent, reward in turn.rewards.items():
            try:
                is_finite = math.isfinite(reward)
            except TypeError:
                return Problem(f"the reward of {agent} is {reward!r}, not a number", number)
            if not is_finite:
                return Problem(f"the reward of {agent} is {reward}", number)
    return None


def last_tells_all(env: Any, episode: Episode) -> Problem | None:
    """`last()` tells an agent the sum of its rewards since it acted."""
    owed = dict.fromkeys(env.possible_agents, 0.0)
    for number, turn in enumerate(episode.turns):
        for agent, told in turn.last_rewards.items():
            if not math.isclose(told, owed[agent], abs_tol=1e-6):
                return Problem(
                    f"last() tells {agent} a reward of {told:g}, but its rewards since it acted "
                    f"add up to {owed[agent]:g}",
                    number,
                )
            owed[agent] = 0.0
        if not turn.was_over:  # a step of None pays nothing
            for agent, reward in turn.rewards.items():
                owed[agent] = owed.get(agent, 0.0) + reward
    return None
