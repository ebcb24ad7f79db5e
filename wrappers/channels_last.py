"""Channels-last observations, as the image networks of some libraries expect them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from tzaar_envs.wrappers.observation_view import ObservationView, ParallelObservationView, View


class _PlanesLast(View):
    def _view_space(self, space: spaces.Dict) -> spaces.Space[Any]:
        box = space["observation"]
        assert isinstance(box, spaces.Box)
        if len(box.shape) != 3:
            raise ValueError(
                f"ChannelsLast needs observations (planes, rows, columns), not of shape {box.shape}"
            )
        low, high = np.moveaxis(box.low, 0, -1), np.moveaxis(box.high, 0, -1)
        moved = spaces.Box(low, high, dtype=box.dtype.type)
        return spaces.Dict({"observation": moved, "action_mask": space["action_mask"]})

    def _view(self, seen: dict[str, Any]) -> Any:
        moved = np.ascontiguousarray(np.moveaxis(seen["observation"], 0, -1))
        return {"observation": moved, "action_mask": seen["action_mask"]}


class ParallelChannelsLast(_PlanesLast, ParallelObservationView):
    """`ChannelsLast` of a parallel environment."""


class ChannelsLast(_PlanesLast, ObservationView):
    """An environment with observations `(rows, columns, planes)` and unchanged masks.

    Args:
        env: an environment of the suite, wrapped or not; of a parallel one it makes a
            `ParallelChannelsLast`.

    Raises:
        ValueError: an environment whose observations have another form, or no planes.
    """

    parallel = ParallelChannelsLast
