"""Flat observations, for networks without convolutions."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces

from tzaar_envs.wrappers.observation_view import ObservationView, ParallelObservationView, View


class _Flat(View):
    def _view_space(self, space: spaces.Dict) -> spaces.Space[Any]:
        box = space["observation"]
        assert isinstance(box, spaces.Box)
        low, high = box.low.ravel(), box.high.ravel()
        flat = spaces.Box(low, high, dtype=box.dtype.type)
        return spaces.Dict({"observation": flat, "action_mask": space["action_mask"]})

    def _view(self, seen: dict[str, Any]) -> Any:
        return {"observation": seen["observation"].ravel(), "action_mask": seen["action_mask"]}


class ParallelFlattenObservation(_Flat, ParallelObservationView):
    """`FlattenObservation` of a parallel environment."""


class FlattenObservation(_Flat, ObservationView):
    """An environment with observations `(observation_size,)` and unchanged masks.

    Planes follow each other, each row by row, as in the tables of `game.symmetries`.

    Args:
        env: an environment of the suite, wrapped or not; of a parallel one it makes a
            `ParallelFlattenObservation`.

    Raises:
        ValueError: an environment whose observations have another form.
    """

    parallel = ParallelFlattenObservation
