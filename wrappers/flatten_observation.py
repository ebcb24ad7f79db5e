"""Flat observations, for networks without convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from tzaar_envs.wrappers.observation_view import ObservationView


class FlattenObservation(ObservationView):
    """An AEC environment with observations `(observation_size,)` and unchanged masks.

    Planes follow each other, each row by row, as in the tables of `game.symmetries`.

    Args:
        env: an environment of the suite, wrapped or not.

    Raises:
        ValueError: an environment whose observations have another form.
    """

    def _view_space(self, space: spaces.Dict) -> spaces.Space[Any]:
        box = space["observation"]
        assert isinstance(box, spaces.Box)
        flat = spaces.Box(box.low.ravel(), box.high.ravel(), dtype=np.int8)
        return spaces.Dict({"observation": flat, "action_mask": space["action_mask"]})

    def _view(self, seen: dict[str, Any]) -> Any:
        return {"observation": seen["observation"].ravel(), "action_mask": seen["action_mask"]}
