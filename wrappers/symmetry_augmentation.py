"""Data augmentation: batches of training data under random symmetries of the game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.symmetry import Symmetry
from tzaar_envs.envs.copies import whole_copy
from tzaar_envs.jit.rng import random_generator
from tzaar_envs.wrappers.vector_transitions import Transitions

Number = TypeVar("Number", bound=np.generic)


class SymmetryAugmentation:
    """Draws a symmetry of the game for every row of a batch and applies it to the row.

    All symmetries, including the identity, are equally likely; a game with no other symmetry leaves
    batches unchanged. Values and rewards stay the same: they belong to the observer, who sees the
    same game in the image (see `core.symmetry`).

    Args:
        game: the game.
        seed: determines all draws.
    """

    __copy__ = whole_copy

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self.game = game
        self._rng = random_generator(seed)

    def draw(self, rows: int) -> NDArray[np.int64]:
        """Return int64 `(rows,)`: for each row the index of a symmetry in `game.symmetries`."""
        return self._rng.integers(len(self.game.symmetries), size=rows)

    def augment(
        self, observations: NDArray[Number], *values: NDArray[np.generic]
    ) -> tuple[NDArray[np.generic], ...]:
        """Return a batch under newly drawn symmetries, one per row.

        Args:
            observations: `(n, *observation_shape)` or `(n, observation_size)`.
            *values: masks, policies, visits ..., each `(n, num_actions)`.

        Returns:
            New arrays: the observations, then the values in the same order.

        Raises:
            ValueError: an array of another shape.
        """
        drawn = self.draw(len(observations))
        images: list[NDArray[np.generic]] = [self.observations(drawn, observations)]
        return (*images, *(self.values(drawn, array) for array in values))

    def augment_transitions(self, batch: Transitions) -> Transitions:
        """Return transitions under newly drawn symmetries, one for both ends of a transition.

        The seats stay unchanged.
        """
        drawn = self.draw(len(batch))
        return replace(
            batch,
            observations=self.observations(drawn, batch.observations),
            masks=self.values(drawn, batch.masks),
            actions=self.actions(drawn, batch.actions),
            next_observations=self.observations(drawn, batch.next_observations),
            next_masks=self.values(drawn, batch.next_masks),
        )

    def observations(
        self, drawn: NDArray[np.int64], observations: NDArray[Number]
    ) -> NDArray[Number]:
        """Return observations, one per row, under the symmetries drawn for them."""
        return self._by_row(drawn, observations, Symmetry.apply_to_observations)

    def values(self, drawn: NDArray[np.int64], values: NDArray[Number]) -> NDArray[Number]:
        """Return masks, policies or other values `(n, num_actions)` under their symmetries."""
        return self._by_row(drawn, values, Symmetry.apply_to_actions)

    def actions(self, drawn: NDArray[np.int64], actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return actions `(n,)` under their symmetries."""
        return self._by_row(drawn, actions, Symmetry.images_of)

    def _by_row(
        self,
        drawn: NDArray[np.int64],
        array: NDArray[Number],
        apply: Callable[[Symmetry, NDArray[Number]], NDArray[Number]],
    ) -> NDArray[Number]:
        if len(array) != len(drawn):
            raise ValueError(f"an array has {len(array)} rows, the observations {len(drawn)}")
        images = np.empty_like(array)
        for number, symmetry in enumerate(self.game.symmetries):
            rows = np.flatnonzero(drawn == number)
            images[rows] = apply(symmetry, array[rows])
        return images
