"""Base of the wrappers that change the observations of AEC environments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from tzaar_envs.envs.copies import whole_copy


def check_env(env: Any, who: str) -> None:
    """Refuse anything but an AEC environment with observations in the form of `GameEnv`.

    Raises:
        ValueError: `env` is something else.
    """
    if not isinstance(env, AECEnv):
        raise ValueError(f"{who} wraps AEC environments, not {env!r}")
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        if not isinstance(space, spaces.Dict) or set(space) != {"observation", "action_mask"}:
            raise ValueError(
                f"{who} needs observations with the keys 'observation' and 'action_mask', not "
                f"{space}: MaskLocation must be the outermost wrapper"
            )


class ObservationView(BaseWrapper[str, Any, int]):
    """An AEC environment whose agents see the same information in another form.

    Args:
        env: an environment of the suite, wrapped or not.

    Raises:
        ValueError: an environment whose observations have another form.
    """

    __copy__ = whole_copy

    def __init__(self, env: AECEnv[str, Any, int]) -> None:
        check_env(env, type(self).__name__)
        super().__init__(env)
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: self._view_space(env.observation_space(agent)) for agent in env.possible_agents
        }

    @abstractmethod
    def _view_space(self, space: spaces.Dict) -> spaces.Space[Any]:
        """Return the space of the new observations."""

    @abstractmethod
    def _view(self, seen: dict[str, Any]) -> Any:
        """Return the new observation; its arrays share no memory with any returned before."""

    def _view_info(self, info: dict[str, Any]) -> dict[str, Any]:
        """Return the new info of an agent."""
        return info

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent, the same object at each call."""
        return self.observation_spaces[agent]

    def observe(self, agent: str) -> Any:
        """Return what an agent sees now."""
        return self._view(self.env.observe(agent))

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The infos of all agents."""
        return {agent: self._view_info(info) for agent, info in self.env.infos.items()}

    # AECEnv would look up each value that these need separately, through all wrappers.

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, terminated, truncated and info of the selected agent."""
        seen, reward, terminated, truncated, _ = self.env.last(observe)
        viewed = self._view(seen) if observe else None
        return viewed, reward, terminated, truncated, self.infos[self.env.agent_selection]

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Yield the selected agent repeatedly until all have left."""
        return self.env.agent_iter(max_iter)
