"""Mask locations: the action mask where a library expects it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from tzaar_envs.wrappers.observation_view import ObservationView, ParallelObservationView, View


@dataclass(frozen=True)
class Location:
    """A place for observation and mask.

    Attributes:
        observation: the key of the observation array; None: the array is the whole observation.
        mask: the key of the mask beside it; None: the observation holds no mask.
        in_info: whether `infos[agent]["action_mask"]` stays; if not, libraries that store infos do
            not store the mask twice.
        dtype: the type of the mask in the observation, int8 or bool.
        seen: the type of the observation array; None: as the environment has it.
        no_action: the value of all entries of the mask while an agent has no legal action.
    """

    observation: str | None = None
    mask: str | None = None
    in_info: bool = False
    dtype: type[Any] = np.int8
    seen: type[Any] | None = None
    no_action: int = 0


LOCATIONS = {
    "pettingzoo": Location("observation", "action_mask", in_info=True),
    "info": Location(in_info=True),
    # MaskablePPO calls `action_masks()`.
    "sb3": Location(in_info=True),
    # ActionMaskingTorchRLModule (rllib/examples/rl_modules/classes/action_masking_rlm.py), whose
    # first layer takes no integers.
    "rllib": Location("observations", "action_mask", seen=np.float32),
    # The keys and the type of tianshou.env.PettingZooEnv.
    "tianshou": Location("obs", "mask", dtype=np.bool_),
    # As torchrl.envs.PettingZooWrapper shows waiting agents: a softmax over nothing is NaN.
    "torchrl": Location("observation", "action_mask", no_action=1),
}


class _Located(View):
    """The view of both classes, for the location `_location`."""

    _location: Location

    def _set_location(self, location: str) -> None:
        if location not in LOCATIONS:
            listing = ", ".join(map(repr, LOCATIONS))
            raise ValueError(f"location={location!r} is not allowed: use one of {listing}")
        self._location = LOCATIONS[location]

    def _view_space(self, space: spaces.Dict) -> spaces.Space[Any]:
        place = self._location
        box = space["observation"]
        if place.seen is not None:
            assert isinstance(box, spaces.Box)
            box = spaces.Box(
                box.low.astype(place.seen), box.high.astype(place.seen), None, place.seen
            )
        if place.observation is None or place.mask is None:
            return box
        shape = space["action_mask"].shape
        assert shape is not None
        mask = spaces.Box(0, 1, shape, place.dtype)
        return spaces.Dict({place.observation: box, place.mask: mask})

    def _view(self, seen: dict[str, Any]) -> Any:
        place = self._location
        array = seen["observation"]
        if place.seen is not None:
            array = array.astype(place.seen)
        if place.observation is None or place.mask is None:
            return array
        mask = seen["action_mask"]
        if place.no_action and not mask.any():
            mask = np.full_like(mask, place.no_action)
        return {place.observation: array, place.mask: mask.astype(place.dtype)}

    def _view_info(self, info: dict[str, Any]) -> dict[str, Any]:
        if self._location.in_info:
            return info
        return {key: value for key, value in info.items() if key != "action_mask"}


class ParallelMaskLocation(_Located, ParallelObservationView):
    """`MaskLocation` of a parallel environment.

    Args:
        env: a parallel environment of the suite, wrapped or not.
        location: one of `LOCATIONS`.

    Raises:
        ValueError: an unknown location, or an environment whose observations have another form.
    """

    def __init__(self, env: ParallelEnv[str, Any, int], location: str = "pettingzoo") -> None:
        self._set_location(location)
        super().__init__(env)


class MaskLocation(_Located, ObservationView):
    """An environment with masks where a library expects them.

    | `location`     | observation                                      | mask also                |
    |----------------|--------------------------------------------------|--------------------------|
    | `"pettingzoo"` | dict of `observation` and `action_mask`          | in `infos`               |
    | `"info"`       | the array alone                                  | in `infos`               |
    | `"sb3"`        | the array alone                                  | in `infos`               |
    | `"rllib"`      | dict of `observations` float32 and `action_mask` |                          |
    | `"tianshou"`   | dict of `obs` and `mask`, bool                   |                          |
    | `"torchrl"`    | dict of `observation` and `action_mask`          |                          |

    Masks are int8, except with `"tianshou"`. With `"torchrl"` the mask of an agent without a legal
    action is all ones, not zeros. `action_masks()` returns the selected agent's mask with every
    location. The PettingZoo adapters of Tianshou and TorchRL expect masks where PettingZoo has them
    and produce the last two forms; these two locations are for code that does not use the adapters.

    This must be the outermost wrapper: the others expect masks where PettingZoo has them.

    Args:
        env: an environment of the suite, wrapped or not; of a parallel one it makes a
            `ParallelMaskLocation`.
        location: one of `LOCATIONS`.

    Raises:
        ValueError: an unknown location, or an environment whose observations have another form.
    """

    parallel = ParallelMaskLocation

    def __init__(self, env: AECEnv[str, Any, int], location: str = "pettingzoo") -> None:
        self._set_location(location)
        super().__init__(env)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool `(num_actions,)`, the legal actions of the selected agent."""
        mask: NDArray[np.int8] = self.env.infos[self.env.agent_selection]["action_mask"]
        return mask.astype(np.bool_)
