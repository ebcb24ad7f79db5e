"""Stable-Baselines3 VecEnv of many games against agents (needs the extra `sb3`)."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import integer_from, integers_of
from tzaar_envs.envs.base import (
    ENV_OPTIONS,
    observation_box,
    parse_start,
    reset_options,
    score_unit,
    split_options,
    whole_copy,
)
from tzaar_envs.envs.opponents import OpponentPool, Opponents, SeatedBatch, pool_of
from tzaar_envs.envs.rendering import FPS, LastActions
from tzaar_envs.jit.arrays import ReusedArrays
from tzaar_envs.jit.rng import seed_sequence

_OPTIONS = [option for option in ENV_OPTIONS if option.name in ("reward", "dtype")]
_KEYWORDS = "opponent", "num_envs", "num_threads", "seat", "seed", "draw", "shaping", "gamma"


class SingleAgentVecEnv(VecEnv):
    """Many games of `SingleAgentEnv`, stepped as one batch.

    The step that ends a game also starts the next one; `infos[i]["terminal_observation"]` holds the
    last observation. The masks of all games are read-only views of one array, so
    `env_method("action_masks")` is cheap. An illegal action loses its game.

    With `shaping` > 0 each step adds the reward `shaping * (gamma * value(new) - value(old))`, with
    the game's evaluation for the learner's seat as value and 0 for a finished game. Such
    potential-based rewards change how fast an agent learns, not which policy is optimal (Ng, Harada
    and Russell, 1999). `infos[i]["episode"]` at the end of a game holds the reward of the game
    itself, without `draw` and shaping.

    Attributes:
        shaping: The weight of the shaping reward, which may be lowered between two steps.

    Args:
        game: The name of a game, or a game.
        opponent: The opponents, as in `SingleAgentEnv`.
        num_envs: The number of games played at once.
        num_threads: The number of threads that share the games.
        seat: The learner's seat; None draws it for each game.
        seed: Determines everything that is drawn.
        draw: The reward of a game that ends with the reward 0. Below 0 it makes a learner that has
            found out how to draw try to win.
        shaping: The weight of the shaping reward, 0 for none.
        gamma: The discount of the learning algorithm.
        **options: `reward` and `dtype`, see `GameEnv`, and with the name of a game the options of
            the game.

    Raises:
        UnknownOptionError: An option that does not exist.
        ValueError: An unknown name, or a value that is not allowed.
    """

    __copy__ = whole_copy

    def __init__(
        self,
        game: str | Game,
        opponent: Opponents | OpponentPool = "random",
        num_envs: int = 1,
        *,
        num_threads: int = 1,
        seat: int | None = None,
        seed: int | None = None,
        draw: float = 0.0,
        shaping: float = 0.0,
        gamma: float = 1.0,
        **options: Any,
    ) -> None:
        for name, value in (("draw", draw), ("shaping", shaping), ("gamma", gamma)):
            if not isinstance(value, Real) or not math.isfinite(value):
                raise ValueError(f"{name}={value!r} is not allowed: use a finite number")
        game, own = split_options(game, options, _OPTIONS, _KEYWORDS)
        num_envs = integer_from("num_envs", num_envs, 1)
        num_threads = integer_from("num_threads", num_threads, 1)
        self.render_mode = "rgb_array"
        space = observation_box(game, own["dtype"])
        super().__init__(num_envs, space, spaces.Discrete(game.num_actions))
        self.metadata["render_fps"] = FPS
        self.game = game
        self.pool = pool_of(game, opponent)
        unit = score_unit(game.spec, own["reward"])
        self.games = SeatedBatch(self.pool, num_envs, num_threads, unit, seat)
        self._draw = draw
        self.shaping = shaping
        self._gamma = gamma
        self._every_row = np.ones(num_envs, np.bool_)
        self._values = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._copies = ReusedArrays((num_envs, *game.observation_shape), own["dtype"])
        self._started = False
        self.seed(seed)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Seed everything that is drawn from the next `reset` on."""
        self._pool_seed = seed
        sequences = seed_sequence(seed).generate_state(self.num_envs, np.uint64)
        self._seeds = [int(word) for word in sequences]
        return [seed] * self.num_envs

    def reset(self) -> NDArray[Any]:
        """Restart all games; return their observations, `(num_envs, *observation_shape)`.

        Without a new seed the random streams continue. `set_options({"position": text})` lets
        the games of the next call start from a position in the game's notation.

        Raises:
            ValueError: A position that is invalid or whose game is over.
        """
        given = [reset_options(options, "position").get("position") for options in self._options]
        starts = {text: None if text is None else parse_start(self.game, text) for text in given}
        for row, seed in enumerate(self._seeds):
            if seed is not None:
                self.games.batch.seed(row, seed)
        if self._pool_seed is not None:
            self.pool.seed(self._pool_seed)
            self._pool_seed = None
        self._reset_seeds()
        self._reset_options()
        self.games.is_broken = False
        for text, start in starts.items():
            self.games.open(np.array([each == text for each in given]), start)
        self._begin(self._every_row)
        self._started = True
        return self._copies.copy_of(self.games.batch.observations)

    def _begin(self, rows: NDArray[np.bool_]) -> None:
        """Note that games have just been opened."""
        self._lengths[rows] = 0
        if self.shaping:
            self._values[rows] = self.games.batch.evaluate(self.games.seats)[rows]

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Store the learner's action for every game.

        Raises:
            ValueError: Actions that are not integers, or too many or too few. `step_wait` raises it
                for an action that the game does not have; nothing is played then.
        """
        self._actions = integers_of("actions", actions, self.num_envs)

    def step_wait(
        self,
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions; return observations, rewards, ends of games and infos.

        Raises:
            gymnasium.error.ResetNeeded: Before `reset`, or after an error of an opponent.
        """
        if not self._started:
            raise ResetNeeded("reset() needs to be called before step()")
        games, batch = self.games, self.games.batch
        games.step(self._actions, self._every_row)
        self._lengths += 1
        rewards = batch.rewards[np.arange(self.num_envs), games.seats]
        ended = batch.over.copy()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ended.any():
            rows = ended.nonzero()[0]
            last_seen = batch.observe(rows, games.seats[rows]).astype(self.observation_space.dtype)
            for row, last in zip(rows.tolist(), last_seen, strict=True):
                # Not "TimeLimit.truncated", even after a move cap: what the rules give then is
                # the whole return, to which SB3 would add a value.
                infos[row] = {
                    "episode": {"r": float(rewards[row]), "l": int(self._lengths[row]), "t": 0.0},
                    "opponents": [agent.name for agent in games.agents[row] if agent is not None],
                    "terminal_observation": last,
                }
                if batch.terminated[row] and batch.truncated[row]:
                    infos[row]["illegal"] = int(self._actions[row])
            rewards[ended & (rewards == 0.0)] = self._draw
        if self.shaping:
            values = np.where(ended, 0.0, batch.evaluate(games.seats))
            rewards += self.shaping * (self._gamma * values - self._values)
            self._values = values
        games.open(ended)
        self._begin(ended)
        observations = self._copies.copy_of(batch.observations)
        return observations, rewards.astype(np.float32), ended, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool `(num_envs, num_actions)`, the legal actions of every game, read-only."""
        return self.games.batch.masks.view(np.bool_)

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Return the `action_masks` of some games; no other method can be called."""
        if method_name != "action_masks":
            raise AttributeError(f"the games have no method {method_name!r}, only 'action_masks'")
        masks = self.action_masks()
        return [masks[index] for index in self._get_indices(indices)]

    def get_images(self) -> list[NDArray[np.uint8]]:
        """Return pixels for every game, uint8 `(height, width, 3)`, as `VecVideoRecorder` asks.

        From the first call on, the last actions are known and marked.
        """
        if not self._started:
            raise ResetNeeded("reset() needs to be called before get_images()")
        if self.games.last is None:
            self.games.last = LastActions(self.games.batch, self.num_envs)
        return self.games.last.pictures()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute, which all games share."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuse: games have no attributes of their own."""
        raise AttributeError(f"{attr_name!r} of single games cannot be set")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """Return False for every game."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """End the threads."""
        self.games.batch.close()
