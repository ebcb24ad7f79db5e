"""Every game on a board that is turned or mirrored at random."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from tzaar_envs.core.game import Game
from tzaar_envs.wrappers.observation_view import ObservationView


class RandomSymmetry(ObservationView):
    """An AEC environment that shows each game under a symmetry, drawn when the game starts.

    All agents see the image of the position under it, and play actions of the image. So algorithms
    that learn from what they have just played, and cannot add images to their data afterwards, see
    all directions of the board alike. In a game without symmetries nothing changes. Wrappers that
    reshape observations belong outside of it, since tables know those of the game and no others.

    Attributes:
        symmetry: the one of this game; `game_state` and `render` show the position without it.

    Args:
        env: an environment of the suite, in wrappers that leave observations alone or in none.
        seed: fixes the draws until `reset` is given a seed.

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
                    f"not {shape}: put it inside of the wrappers that reshape them"
                )
        self._rng = np.random.Generator(np.random.PCG64(seed))
        self.symmetry = self._game.symmetries[0]
        self._infos: dict[str, dict[str, Any]] | None = None  # until the next step

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game under a new symmetry, see `GameEnv.reset`; the seed fixes that as well."""
        self.env.reset(seed=seed, options=options)
        if seed is not None:
            self._rng = np.random.Generator(np.random.PCG64(seed))
        symmetries = self._game.symmetries
        self.symmetry = symmetries[self._rng.integers(len(symmetries))]
        self._infos = None

    def step(self, action: int | None) -> None:
        """Play what an action of the image stands for, see `GameEnv.step`."""
        if isinstance(action, int | np.integer) and 0 <= action < self._game.num_actions:
            action = int(self.symmetry.actions[action])
        self.env.step(action)  # refuses what is no action
        self._infos = None

    def state(self) -> NDArray[np.int8]:
        """Return what all seats together see: their observations along the first axis."""
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
        """The infos of all agents, the same objects until the next step."""
        if self._infos is None:
            self._infos = super().infos
        return self._infos

    def _view_info(self, info: dict[str, Any]) -> dict[str, Any]:
        mask = info["action_mask"]
        if not mask.any():
            return info
        return info | {"action_mask": self.symmetry.apply_to_actions(mask)}
