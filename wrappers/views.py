"""Views: environments whose agents see the same information in another form.

Each of the three functions takes an AEC or a parallel environment and returns one of the same kind.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import BaseParallelWrapper, BaseWrapper

from tzaar_envs.envs.base import whole_copy

Seen = dict[str, Any]
"""What an agent sees: the arrays `observation` and `action_mask`."""


def check_env(env: Any, wrapper: str, parallel: bool = False) -> None:
    """Refuse anything but an environment with observations in the form of `GameEnv`.

    Args:
        env: The environment.
        wrapper: Name of the wrapper, for the error.
        parallel: Whether a parallel environment is allowed too.

    Raises:
        ValueError: `env` is something else.
    """
    if not isinstance(env, AECEnv) and not (parallel and isinstance(env, ParallelEnv)):
        kinds = "AEC and parallel environments" if parallel else "AEC environments"
        raise ValueError(f"{wrapper} wraps {kinds}, not {env!r}")
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        if not isinstance(space, spaces.Dict) or set(space) != {"observation", "action_mask"}:
            raise ValueError(
                f"{wrapper} needs observations with the keys 'observation' and 'action_mask', not "
                f"{space}: mask_location must be the outermost wrapper"
            )


def _unchanged(value: Any) -> Any:
    return value


class ViewFunctions(NamedTuple):
    """What becomes of the spaces, observations and infos of an environment.

    Attributes:
        space: Maps the observation space of an agent.
        observation: Maps what an agent sees; the new arrays share no memory with older ones.
        info: Maps the info of an agent.
    """

    space: Callable[[spaces.Dict], spaces.Space[Any]] = _unchanged
    observation: Callable[[Seen], Any] = _unchanged
    info: Callable[[dict[str, Any]], dict[str, Any]] = _unchanged


class ObservationView(BaseWrapper[str, Any, int]):
    """A view of an AEC environment.

    Args:
        env: The environment.
        view: What becomes of observations and infos.
    """

    __copy__ = whole_copy

    def __init__(self, env: AECEnv[str, Any, int], view: ViewFunctions) -> None:
        super().__init__(env)
        self._view = view
        self.observation_spaces = {
            agent: view.space(env.observation_space(agent)) for agent in env.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent, the same object at each call."""
        return self.observation_spaces[agent]

    def observe(self, agent: str) -> Any:
        """Return what an agent sees now."""
        return self._view.observation(self.env.observe(agent))

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The infos of all agents."""
        return {agent: self._view.info(info) for agent, info in self.env.infos.items()}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool `(num_actions,)`, the legal actions of the selected agent."""
        mask: NDArray[np.int8] = self.env.infos[self.env.agent_selection]["action_mask"]
        return mask.astype(np.bool_)

    # AECEnv would look up each value that these need separately, through all wrappers.

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, terminated, truncated and info of the selected agent."""
        seen, reward, terminated, truncated, _ = self.env.last(observe)
        viewed = self._view.observation(seen) if observe else None
        return viewed, reward, terminated, truncated, self.infos[self.env.agent_selection]

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Yield the selected agent repeatedly until all have left."""
        return self.env.agent_iter(max_iter)


class ParallelObservationView(BaseParallelWrapper[str, Any, int]):
    """A view of a parallel environment.

    Args:
        env: The environment.
        view: What becomes of observations and infos.
    """

    __copy__ = whole_copy

    def __init__(self, env: ParallelEnv[str, Any, int], view: ViewFunctions) -> None:
        super().__init__(env)
        self._view = view
        self.observation_spaces = {
            agent: view.space(env.observation_space(agent)) for agent in env.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent, the same object at each call."""
        return self.observation_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a game; return observations and infos of all agents."""
        observations, infos = self.env.reset(seed, options)
        return self._viewed(observations, self._view.observation), self._viewed(
            infos, self._view.info
        )

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
        seen = self._viewed(observations, self._view.observation)
        return seen, rewards, terminated, truncated, self._viewed(infos, self._view.info)

    @staticmethod
    def _viewed(values: dict[str, Any], view: Callable[[Any], Any]) -> dict[str, Any]:
        return {agent: view(value) for agent, value in values.items()}


def _with_view(env: Any, view: ViewFunctions) -> Any:
    if isinstance(env, ParallelEnv):
        return ParallelObservationView(env, view)
    return ObservationView(env, view)


# --- Channels last --------------------------------------------------------------------------------


def channels_last(env: Any) -> Any:
    """Return a view with observations `(rows, columns, planes)` and unchanged masks.

    Image networks of some libraries expect the planes as the last axis.

    Args:
        env: An AEC or parallel environment of the suite, wrapped or not.

    Raises:
        ValueError: An environment whose observations have another form, or no planes.
    """
    check_env(env, "channels_last", parallel=True)
    return _with_view(env, ViewFunctions(_channels_last_space, _channels_last))


def _channels_last_space(space: spaces.Dict) -> spaces.Dict:
    box = space["observation"]
    assert isinstance(box, spaces.Box)
    if len(box.shape) != 3:
        raise ValueError(
            f"channels_last needs observations (planes, rows, columns), not of shape {box.shape}"
        )
    low, high = np.moveaxis(box.low, 0, -1), np.moveaxis(box.high, 0, -1)
    moved = spaces.Box(low, high, dtype=box.dtype.type)
    return spaces.Dict({"observation": moved, "action_mask": space["action_mask"]})


def _channels_last(seen: Seen) -> Seen:
    moved = np.ascontiguousarray(np.moveaxis(seen["observation"], 0, -1))
    return {"observation": moved, "action_mask": seen["action_mask"]}


# --- Flat observations ----------------------------------------------------------------------------


def flatten_observation(env: Any) -> Any:
    """Return a view with observations `(observation_size,)` and unchanged masks.

    Planes follow each other, each row by row, as in the tables of `game.symmetries`.

    Args:
        env: An AEC or parallel environment of the suite, wrapped or not.

    Raises:
        ValueError: An environment whose observations have another form.
    """
    check_env(env, "flatten_observation", parallel=True)
    return _with_view(env, ViewFunctions(_flat_space, _flat))


def _flat_space(space: spaces.Dict) -> spaces.Dict:
    box = space["observation"]
    assert isinstance(box, spaces.Box)
    flat = spaces.Box(box.low.ravel(), box.high.ravel(), dtype=box.dtype.type)
    return spaces.Dict({"observation": flat, "action_mask": space["action_mask"]})


def _flat(seen: Seen) -> Seen:
    return {"observation": seen["observation"].ravel(), "action_mask": seen["action_mask"]}


# --- Mask locations -------------------------------------------------------------------------------


class Location(NamedTuple):
    """A place for observation and mask.

    Attributes:
        observation: Key of the observation array; None: the array is the whole observation.
        mask: Key of the mask beside it.
        in_info: Whether `infos[agent]["action_mask"]` stays; if not, libraries that store infos do
            not store the mask twice.
        mask_dtype: Type of the mask in the observation, int8 or bool.
        dtype: Type of the observation array; None: as the environment has it.
        no_action: Value of all entries of the mask while an agent has no legal action.
    """

    observation: str | None = None
    mask: str = "action_mask"
    in_info: bool = False
    mask_dtype: type[Any] = np.int8
    dtype: type[Any] | None = None
    no_action: int = 0


LOCATIONS = {
    "pettingzoo": Location("observation", in_info=True),
    "info": Location(in_info=True),
    # MaskablePPO calls `action_masks()`.
    "sb3": Location(in_info=True),
    # RLlib's ActionMaskingTorchRLModule, whose first layer takes no integers.
    "rllib": Location("observations", dtype=np.float32),
    # The keys and the type of tianshou.env.PettingZooEnv.
    "tianshou": Location("obs", "mask", mask_dtype=np.bool_),
    # As torchrl.envs.PettingZooWrapper shows waiting agents: a softmax over nothing is NaN.
    "torchrl": Location("observation", no_action=1),
}


def mask_location(env: Any, location: str = "pettingzoo") -> Any:
    """Return a view with masks where a library expects them.

    | `location`     | observation                                      | mask also                |
    |----------------|--------------------------------------------------|--------------------------|
    | `"pettingzoo"` | dict of `observation` and `action_mask`          | in `infos`               |
    | `"info"`       | the array alone                                  | in `infos`               |
    | `"sb3"`        | the array alone                                  | in `infos`               |
    | `"rllib"`      | dict of `observations` float32 and `action_mask` |                          |
    | `"tianshou"`   | dict of `obs` and `mask`, bool                   |                          |
    | `"torchrl"`    | dict of `observation` and `action_mask`          |                          |

    Masks are int8, except with `"tianshou"`. With `"torchrl"` the mask of an agent without a legal
    action is all ones, not zeros. `action_masks()` of an AEC environment returns the selected
    agent's mask with every location. The PettingZoo adapters of Tianshou and TorchRL expect masks
    where PettingZoo has them and produce the last two forms; these two locations are for code that
    does not use the adapters.

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
    check_env(env, "mask_location", parallel=True)
    place = LOCATIONS[location]
    return _with_view(
        env,
        ViewFunctions(
            functools.partial(_located_space, place),
            functools.partial(_located, place),
            _unchanged if place.in_info else _without_mask,
        ),
    )


def _located_space(place: Location, space: spaces.Dict) -> spaces.Space[Any]:
    box = space["observation"]
    assert isinstance(box, spaces.Box)
    if place.dtype is not None:
        low, high = box.low.astype(place.dtype), box.high.astype(place.dtype)
        box = spaces.Box(low, high, None, place.dtype)
    if place.observation is None:
        return box
    shape = space["action_mask"].shape
    assert shape is not None
    mask = spaces.Box(0, 1, shape, place.mask_dtype)
    return spaces.Dict({place.observation: box, place.mask: mask})


def _located(place: Location, seen: Seen) -> Any:
    array, mask = seen["observation"], seen["action_mask"]
    if place.dtype is not None:
        array = array.astype(place.dtype)
    if place.observation is None:
        return array
    if place.no_action and not mask.any():
        mask = np.full_like(mask, place.no_action)
    return {place.observation: array, place.mask: mask.astype(place.mask_dtype)}


def _without_mask(info: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in info.items() if key != "action_mask"}
