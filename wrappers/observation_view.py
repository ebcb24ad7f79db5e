"""Bases of the wrappers that change observations: for AEC and for parallel environments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import BaseParallelWrapper, BaseWrapper

from tzaar_envs.envs.copies import whole_copy


def check_env(env: Any, who: str, parallel: bool = False) -> None:
    """Refuse anything but an environment with observations in the form of `GameEnv`.

    Args:
        env: what should be an AEC environment.
        who: the wrapper, for the error.
        parallel: whether a parallel environment will do too.

    Raises:
        ValueError: `env` is something else.
    """
    if not isinstance(env, AECEnv) and not (parallel and isinstance(env, ParallelEnv)):
        kinds = "AEC and parallel environments" if parallel else "AEC environments"
        raise ValueError(f"{who} wraps {kinds}, not {env!r}")
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        if not isinstance(space, spaces.Dict) or set(space) != {"observation", "action_mask"}:
            raise ValueError(
                f"{who} needs observations with the keys 'observation' and 'action_mask', not "
                f"{space}: MaskLocation must be the outermost wrapper"
            )


class View:
    """What a wrapper makes of observations and infos, in AEC and in parallel environments.

    Attributes:
        observation_spaces: the new space of each agent.
    """

    observation_spaces: dict[str, spaces.Space[Any]]

    def _set_spaces(self, env: Any) -> None:
        self.observation_spaces = {
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


class ObservationView(View, BaseWrapper[str, Any, int]):
    """An AEC environment whose agents see the same information in another form.

    Attributes:
        parallel: the same for parallel environments, which the call of this class with one
            returns; None: there is none.

    Args:
        env: an environment of the suite, wrapped or not.

    Raises:
        ValueError: an environment whose observations have another form.
    """

    __copy__ = whole_copy

    parallel: ClassVar[type[ParallelObservationView] | None] = None

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """Return a new view, of the class `parallel` if the environment is parallel."""
        env = args[0] if args else options.get("env")
        if cls.parallel is not None and isinstance(env, ParallelEnv):
            return cls.parallel(*args, **options)
        return super().__new__(cls)

    def __init__(self, env: AECEnv[str, Any, int]) -> None:
        check_env(env, type(self).__name__, self.parallel is not None)
        super().__init__(env)
        self._set_spaces(env)

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


class ParallelObservationView(View, BaseParallelWrapper[str, Any, int]):
    """A parallel environment whose agents see the same information in another form.

    Args:
        env: a parallel environment of the suite, wrapped or not.

    Raises:
        ValueError: an environment whose observations have another form.
    """

    __copy__ = whole_copy

    def __init__(self, env: ParallelEnv[str, Any, int]) -> None:
        check_env(env, type(self).__name__, parallel=True)
        super().__init__(env)
        self._set_spaces(env)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a game; return observations and infos of all agents."""
        observations, infos = self.env.reset(seed, options)
        return self._view_all(observations), self._view_infos(infos)

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play the actions; return observations, rewards, ends and infos of all agents."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        seen = self._view_all(observations)
        return seen, rewards, terminated, truncated, self._view_infos(infos)

    def _view_all(self, observations: dict[str, Any]) -> dict[str, Any]:
        return {agent: self._view(seen) for agent, seen in observations.items()}

    def _view_infos(self, infos: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        return {agent: self._view_info(info) for agent, info in infos.items()}
