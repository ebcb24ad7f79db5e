"""Random symmetries: every game on a randomly rotated or mirrored board."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from tzaar_envs.core.game import Game
from tzaar_envs.jit.rng import random_generator
from tzaar_envs.wrappers.observation_view import ObservationView


class RandomSymmetry(ObservationView):
    """An AEC environment that shows each game under a symmetry, drawn when the game starts.

    All agents see the image of the position and play actions of the image. On-policy algorithms,
    which cannot augment their data afterwards, thus see every orientation of the board. A game
    without symmetries does not change. Wrappers that reshape observations must be outside this one,
    because symmetry tables apply to the observations of the game itself.

    Attributes:
        symmetry: the symmetry of this game; `game_state` and `render` show the position without it.

    Args:
        env: an environment of the suite, with no wrappers that change its observations.
        seed: determines the draws until `reset` gets a seed.

    Raises:
        ValueError: an environment whose observations have another form.
    """

    def __init__(self, env: AECEnv[str, Any, int], seed: int | None = None) -> None:
        super().__init__(env)
        self._game: Game = env.unwrapped.game
        for agent in env.possible_agents:
            shape = env.observation_space(agent)["observation"].shape
            if shape != self._game.observation_shape:
                raise ValueError(
                    f"RandomSymmetry needs observations of shape {self._game.observation_shape}, "
                    f"not {shape}: put it inside the wrappers that reshape them"
                )
        self._rng = random_generator(seed)
        self.symmetry = self._game.symmetries[0]
        self._infos: dict[str, dict[str, Any]] | None = None  # until the next step

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game under a new symmetry, which the seed determines too; see `GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        if seed is not None:
            self._rng = random_generator(seed)
        symmetries = self._game.symmetries
        self.symmetry = symmetries[self._rng.integers(len(symmetries))]
        self._infos = None

    def step(self, action: int | None) -> None:
        """Play the action whose image is given, see `GameEnv.step`."""
        if isinstance(action, int | np.integer) and 0 <= action < self._game.num_actions:
            action = int(self.symmetry.actions[action])
        self.env.step(action)  # refuses anything that is not an action
        self._infos = None

    def state(self) -> NDArray[np.int8]:
        """Return the observations of all players, concatenated along the first axis."""
        seen: NDArray[np.int8] = self.env.state()
        by_seat = seen.reshape(-1, *self._game.observation_shape)
        return self.symmetry.apply_to_observations(by_seat).reshape(seen.shape)

    def _view_space(self, space: spaces.Dict) -> spaces.Space[Any]:
        return space

    def _view(self, seen: dict[str, Any]) -> Any:
        return {
            "observation": self.symmetry.apply_to_observations(seen["observation"]),
            "action_mask": self.symmetry.apply_to_actions(seen["action_mask"]),
        }

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The infos of all agents; the objects stay the same until the next step."""
        if self._infos is None:
            self._infos = super().infos
        return self._infos

    def _view_info(self, info: dict[str, Any]) -> dict[str, Any]:
        mask = info["action_mask"]
        if not mask.any():
            return info
        return info | {"action_mask": self.symmetry.apply_to_actions(mask)}
