"""Views: environments whose agents see the same information in another form.

Each of the three functions takes an AEC or a parallel environment and returns one of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import BaseParallelWrapper, BaseWrapper

from tzaar_envs.envs.base import whole_copy

Seen = dict[str, Any]
"""The view of an agent: the arrays `observation` and `action_mask`."""


def check_env(env: Any, wrapper: str, parallel: bool = False, *, of_suite: bool = False) -> None:
    """Refuse anything but an environment with observations in the form of `GameEnv`.

    Args:
        env: The environment.
        wrapper: Name of the wrapper, for the error.
        parallel: Whether a parallel environment is allowed too.
        of_suite: Whether it must have a `Game`.

    Raises:
        ValueError: `env` is something else.
    """
    if not isinstance(env, AECEnv) and not (parallel and isinstance(env, ParallelEnv)):
        kinds = "AEC and parallel environments" if parallel else "AEC environments"
        raise ValueError(f"{wrapper} wraps {kinds}, not {env!r}")
    if of_suite and not hasattr(env.unwrapped, "game"):
        raise ValueError(f"{wrapper} wraps environments of tzaar-envs, not {env!r}")
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        if not isinstance(space, spaces.Dict) or set(space) != {"observation", "action_mask"}:
            raise ValueError(
                f"{wrapper} needs observations with the keys 'observation' and 'action_mask', not "
                f"{space}: mask_location must be the outermost wrapper"
            )


class ObservationForm(NamedTuple):
    """The form in which an agent sees an observation and its mask.

    Attributes:
        observation: Key of the observation array; None: the array is the whole observation.
        in_info: Whether `infos[agent]["action_mask"]` stays; if not, libraries that store infos do
            not store the mask twice.
        dtype: Type of the observation array; None: as the environment has it.
        reshape: Gives observations another shape; None: they keep theirs.
    """

    observation: str | None = None
    in_info: bool = False
    dtype: type[Any] | None = None
    reshape: Callable[[NDArray[Any]], NDArray[Any]] | None = None

    def space(self, space: spaces.Dict) -> spaces.Space[Any]:
        """Return the observation space of an agent."""
        box = space["observation"]
        assert isinstance(box, spaces.Box)
        low, high = self._array(box.low), self._array(box.high)
        box = spaces.Box(low, high, dtype=low.dtype.type)
        if self.observation is None:
            return box
        return spaces.Dict({self.observation: box, "action_mask": space["action_mask"]})

    def see(self, seen: Seen) -> Any:
        """Return an agent's view, in arrays that share no memory with older ones."""
        array = self._array(seen["observation"])
        if self.observation is None:
            return array
        return {self.observation: array, "action_mask": seen["action_mask"]}

    def info(self, info: dict[str, Any]) -> dict[str, Any]:
        """Return the info of an agent."""
        if self.in_info:
            return info
        return {key: value for key, value in info.items() if key != "action_mask"}

    def _array(self, array: NDArray[Any]) -> NDArray[Any]:
        if self.reshape is not None:
            array = self.reshape(array)
        return array if self.dtype is None else array.astype(self.dtype)


LOCATIONS = {
    "pettingzoo": ObservationForm("observation", in_info=True),
    # MaskablePPO calls `action_masks()`.
    "sb3": ObservationForm(in_info=True),
    # RLlib's ActionMaskingTorchRLModule, whose first layer takes no integers.
    "rllib": ObservationForm("observations", dtype=np.float32),
}


class GameWrapper(BaseWrapper[str, Any, int]):
    """Base of the wrappers around AEC environments.

    AECEnv would look up each value that these methods need separately, through all wrappers.
    """

    __copy__ = whole_copy

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, terminated, truncated and info of the selected agent."""
        result: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        return result

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Yield the selected agent repeatedly until all have left."""
        return self.env.agent_iter(max_iter)


class _View:
    """The part of a view that an AEC and a parallel environment have."""

    __copy__ = whole_copy

    def __init__(self, env: Any, form: ObservationForm) -> None:
        super().__init__(env)  # type: ignore[call-arg]
        self._form = form
        self.observation_spaces = {
            agent: form.space(env.observation_space(agent)) for agent in env.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent, the same object at each call."""
        return self.observation_spaces[agent]


class ObservationView(_View, GameWrapper):
    """A view of an AEC environment.

    Args:
        env: The environment.
        form: The form of observations and infos.
    """

    def observe(self, agent: str) -> Any:
        """Return an agent's present view."""
        return self._form.see(self.env.observe(agent))

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, terminated, truncated and info of the selected agent."""
        seen, reward, terminated, truncated, info = self.env.last(observe)
        viewed = self._form.see(seen) if observe else None
        return viewed, reward, terminated, truncated, self._form.info(info)

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The infos of all agents."""
        return {agent: self._form.info(info) for agent, info in self.env.infos.items()}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool `(num_actions,)`, the legal actions of the selected agent."""
        mask: NDArray[np.int8] = self.env.infos[self.env.agent_selection]["action_mask"]
        return mask.astype(np.bool_)


class ParallelObservationView(_View, BaseParallelWrapper[str, Any, int]):
    """A view of a parallel environment.

    Args:
        env: The environment.
        form: The form of observations and infos.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a game; return observations and infos of all agents."""
        observations, infos = self.env.reset(seed, options)
        return self._viewed(observations, infos)

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
        seen, told = self._viewed(observations, infos)
        return seen, rewards, terminated, truncated, told

    def _viewed(self, observations: dict[str, Any], infos: dict[str, Any]) -> tuple[Any, Any]:
        form = self._form
        seen = {agent: form.see(value) for agent, value in observations.items()}
        return seen, {agent: form.info(info) for agent, info in infos.items()}


def _viewed(env: Any, wrapper: str, form: ObservationForm) -> Any:
    check_env(env, wrapper, parallel=True)
    kind = ParallelObservationView if isinstance(env, ParallelEnv) else ObservationView
    return kind(env, form)


def channels_last(env: Any) -> Any:
    """Return a view with observations `(rows, columns, planes)` and unchanged masks.

    Image networks of some libraries expect the planes as the last axis.

    Args:
        env: An AEC or parallel environment of the suite, wrapped or not.

    Raises:
        ValueError: An environment whose observations have another form, or no planes.
    """
    return _viewed(env, "channels_last", LOCATIONS["pettingzoo"]._replace(reshape=_planes_last))


def _planes_last(array: NDArray[Any]) -> NDArray[Any]:
    if array.ndim != 3:
        raise ValueError(
            f"channels_last needs observations (planes, rows, columns), not of shape {array.shape}"
        )
    return np.ascontiguousarray(np.moveaxis(array, 0, -1))


def flatten_observation(env: Any) -> Any:
    """Return a view with observations `(observation_size,)` and unchanged masks.

    Planes follow each other, each row by row, as in the tables of `game.symmetries`.

    Args:
        env: An AEC or parallel environment of the suite, wrapped or not.

    Raises:
        ValueError: An environment whose observations have another form.
    """
    return _viewed(env, "flatten_observation", LOCATIONS["pettingzoo"]._replace(reshape=np.ravel))


def mask_location(env: Any, location: str = "pettingzoo") -> Any:
    """Return a view with masks where a library expects them.

    | `location`     | observation                                      | mask also                |
    |----------------|--------------------------------------------------|--------------------------|
    | `"pettingzoo"` | dict of `observation` and `action_mask`          | in `infos`               |
    | `"sb3"`        | the array alone                                  | in `infos`               |
    | `"rllib"`      | dict of `observations` float32 and `action_mask` |                          |

    `action_masks()` of an AEC environment returns the selected agent's mask with every location.
    The PettingZoo adapters of Tianshou and TorchRL expect masks where PettingZoo has them.

    This must be the outermost wrapper: the others expect masks where PettingZoo has them.

    Args:
        env: An AEC or parallel environment of the suite, wrapped or not.
        location: One of `LOCATIONS`.

    Raises:
        ValueError: An unknown location, or an environment whose observations have another form.
    """
    if location not in LOCATIONS:
        listing = ", ".join(map(repr, LOCATIONS))
        raise ValueError(f"location={location!r} is not allowed: use one of {listing}")
    return _viewed(env, "mask_location", LOCATIONS[location])
