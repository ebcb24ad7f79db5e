"""Symmetries of the board: for the games of an environment, and for batches of training data."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import Symmetry
from tzaar_envs.envs.base import whole_copy
from tzaar_envs.jit.rng import random_generator
from tzaar_envs.wrappers.transitions import Transitions
from tzaar_envs.wrappers.views import GameWrapper, Seen, check_env


class RandomSymmetry(GameWrapper):
    """An AEC environment that shows each game under a symmetry, drawn when the game starts.

    All agents see the image of the position and play actions of the image. On-policy algorithms,
    which cannot augment their data afterwards, thus see every orientation of the board. A game
    without symmetries does not change. Wrappers that reshape observations must be outside this one,
    because symmetry tables apply to the observations of the game itself.

    Attributes:
        symmetry: The symmetry of this game; `game_state` and `render` show the position without it.

    Args:
        env: An environment of the suite, with no wrappers that change its observations.
        seed: Seed of the draws until `reset` gets one.

    Raises:
        ValueError: An environment whose observations have another form.
    """

    def __init__(self, env: AECEnv[str, Any, int], seed: int | None = None) -> None:
        check_env(env, "RandomSymmetry", of_suite=True)
        super().__init__(env)
        self._game: Game = env.unwrapped.game
        shape = env.observation_space(env.possible_agents[0])["observation"].shape
        if shape != self._game.observation_shape:
            raise ValueError(
                f"RandomSymmetry needs observations of shape {self._game.observation_shape}, "
                f"not {shape}: put it inside the wrappers that reshape them"
            )
        self._rng = random_generator(seed)
        self.symmetry = self._game.symmetries[0]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game under a new symmetry, which the seed determines too; see `GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        if seed is not None:
            self._rng = random_generator(seed)
        symmetries = self._game.symmetries
        self.symmetry = symmetries[self._rng.integers(len(symmetries))]
        self._turn_infos()

    def step(self, action: int | None) -> None:
        """Play the action whose image is given, see `GameEnv.step`."""
        with contextlib.suppress(TypeError):  # the environment refuses what is not an action
            if 0 <= operator.index(action) < self._game.num_actions:  # type: ignore[arg-type]
                action = int(self.symmetry.actions[action])
        self.env.step(action)
        self._turn_infos()

    def state(self) -> NDArray[np.int8]:
        """Return the observations of all players, concatenated along the first axis."""
        seen: NDArray[np.int8] = self.env.state()
        by_seat = seen.reshape(-1, *self._game.observation_shape)
        return self.symmetry.apply_to_observations(by_seat).reshape(seen.shape)

    def observe(self, agent: str) -> Seen:
        """Return an agent's present view of the image."""
        seen, symmetry = self.env.observe(agent), self.symmetry
        return {
            "observation": symmetry.apply_to_observations(seen["observation"]),
            "action_mask": symmetry.apply_to_actions(seen["action_mask"]),
        }

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, terminated, truncated and info of the selected agent."""
        _, reward, terminated, truncated, _ = self.env.last(False)
        agent = self.env.agent_selection
        seen = self.observe(agent) if observe else None
        return seen, reward, terminated, truncated, self.infos[agent]

    def _turn_infos(self) -> None:
        image = self.symmetry.apply_to_actions
        self.infos = {
            agent: info | {"action_mask": image(info["action_mask"])}
            for agent, info in self.env.infos.items()
        }


class SymmetryAugmentation:
    """Draws a symmetry of the game for every row of a batch and applies it to the row.

    All symmetries, including the identity, are equally likely; a game with no other symmetry leaves
    batches unchanged. Values and rewards stay the same: they belong to the observer, who sees the
    same game in the image (see `core.layout`).

    Args:
        game: The game.
        seed: Seed of all draws.
    """

    __copy__ = whole_copy

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self.game = game
        self._rng = random_generator(seed)

    def draw(self, rows: int) -> NDArray[np.int64]:
        """Return int64 `(rows,)`: for each row the index of a symmetry in `game.symmetries`."""
        return self._rng.integers(len(self.game.symmetries), size=rows)

    def augment(
        self, observations: NDArray[np.generic], *values: NDArray[np.generic]
    ) -> tuple[NDArray[np.generic], ...]:
        """Return a batch under newly drawn symmetries, one per row.

        Args:
            observations: `(n, *observation_shape)` or `(n, observation_size)`.
            *values: Masks, policies, visits ..., each `(n, num_actions)`.

        Returns:
            New arrays: the observations, then the values in the same order.

        Raises:
            ValueError: An array of another shape.
        """
        drawn = self.draw(len(observations))
        seen = self._images(drawn, observations, Symmetry.apply_to_observations)
        others = (self._images(drawn, array, Symmetry.apply_to_actions) for array in values)
        return (seen, *others)

    def augment_transitions(self, batch: Transitions) -> Transitions:
        """Return transitions under newly drawn symmetries, one for both ends of a transition.

        The seats stay unchanged.
        """
        drawn = self.draw(len(batch))
        kinds: dict[str, Callable[..., NDArray[Any]]] = {
            "observations": Symmetry.apply_to_observations,
            "masks": Symmetry.apply_to_actions,
            "actions": Symmetry.images_of,
            "next_observations": Symmetry.apply_to_observations,
            "next_masks": Symmetry.apply_to_actions,
        }
        return replace(
            batch,
            **{
                name: self._images(drawn, getattr(batch, name), apply)
                for name, apply in kinds.items()
            },
        )

    def _images(
        self,
        drawn: NDArray[np.int64],
        array: NDArray[Any],
        apply: Callable[[Symmetry, NDArray[Any]], NDArray[Any]],
    ) -> NDArray[Any]:
        """Return an array whose rows are images under the symmetries drawn for them."""
        if len(array) != len(drawn):
            raise ValueError(f"an array has {len(array)} rows, the observations {len(drawn)}")
        images = np.empty_like(array)
        for number, symmetry in enumerate(self.game.symmetries):
            rows = np.flatnonzero(drawn == number)
            images[rows] = apply(symmetry, array[rows])
        return images
