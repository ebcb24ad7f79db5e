"""Tables: environments of either API behind one interface, so that a check is written once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Table(Protocol):
    """An environment that is played step by step.

    Attributes:
        env: the environment.
        is_parallel: whether it has the parallel API.
    """

    env: Any
    is_parallel: bool

    def reset(self, seed: int | None) -> None:
        """Start a game."""

    def asked(self) -> list[str]:
        """Return the agents that have to act, also those whose game is over; none at the end."""

    def observation(self, agent: str) -> Any:
        """Return what an agent that is asked sees."""

    def info(self, agent: str) -> Mapping[str, Any]:
        """Return the info of an agent."""

    def is_over(self, agent: str) -> bool:
        """Return whether the game of an agent is over."""

    def step(self, actions: Mapping[str, Any]) -> None:
        """Play the actions of all agents that are asked."""

    def flags(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Return rewards, terminations and truncations of the last step."""


class _Aec:
    """An AEC environment."""

    is_parallel = False

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self, seed: int | None) -> None:
        self.env.reset(seed=seed)

    def asked(self) -> list[str]:
        return [self.env.agent_selection] if self.env.agents else []

    def observation(self, agent: str) -> Any:
        return self.env.observe(agent)

    def info(self, agent: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.env.infos[agent]
        return found

    def is_over(self, agent: str) -> bool:
        return bool(self.env.terminations[agent] or self.env.truncations[agent])

    def step(self, actions: Mapping[str, Any]) -> None:
        self.env.step(actions[self.env.agent_selection])

    def flags(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        env = self.env
        return dict(env.rewards), dict(env.terminations), dict(env.truncations)


class _Parallel:
    """A parallel environment."""

    is_parallel = True

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self, seed: int | None) -> None:
        self.observations, self.infos = self.env.reset(seed=seed)
        self._flags: tuple[dict[str, Any], ...] = ({}, {}, {})

    def asked(self) -> list[str]:
        return [*self.env.agents]

    def observation(self, agent: str) -> Any:
        return self.observations[agent]

    def info(self, agent: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.infos.get(agent, {})
        return found

    def is_over(self, agent: str) -> bool:
        return False

    def step(self, actions: Mapping[str, Any]) -> None:
        self.observations, *flags, self.infos = self.env.step(dict(actions))
        self._flags = tuple(dict(each) for each in flags)

    def flags(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        rewards, terminations, truncations = self._flags
        return rewards, terminations, truncations


def table_of(env: Any) -> Table:
    """Return the table of an environment of either API.

    Raises:
        TypeError: it is neither an AEC nor a parallel environment.
    """
    if hasattr(env, "agent_iter"):
        return _Aec(env)
    if hasattr(env, "possible_agents") and not hasattr(env, "observe"):
        return _Parallel(env)
    raise TypeError(f"{env!r} is neither an AEC nor a parallel environment of PettingZoo")


def mask_of(observation: Any, info: Mapping[str, Any]) -> NDArray[Any] | None:
    """Return the mask of an agent, of its observation or its info; None if there is none."""
    for place in (observation, info):
        if isinstance(place, Mapping) and place.get("action_mask") is not None:
            return np.asarray(place["action_mask"])
    return None
