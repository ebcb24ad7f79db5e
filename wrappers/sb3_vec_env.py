"""Many games against agents as one Stable-Baselines3 VecEnv (needs the extra `sb3`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from tzaar_envs.agents import Agent
from tzaar_envs.core.base_env import ILLEGAL_REWARD, final_rewards, observation_box
from tzaar_envs.core.game import Game
from tzaar_envs.wrappers.opponents import OpponentPool, Table, play_opponents


class SingleAgentVecEnv(VecEnv):
    """`num_envs` games as `SingleAgentEnv` plays them, with the opponents asked for all at once.

    A finished game is replaced by a new one in the same step; its last observation stands in
    `infos[i]["terminal_observation"]`. The masks of all games come from one array, so
    `env_method("action_masks")` costs nothing. An illegal action loses its game.

    With `shaping` > 0 each step is also rewarded with the growth of the game's evaluation of the
    learner's seat, `shaping * (gamma * value(new) - value(old))`, where a finished game counts 0.
    Such potential-based rewards change how fast an agent learns, not what is best (Ng, Harada and
    Russell, 1999). `infos[i]["episode"]` at the end of a game holds the unshaped reward.

    Args:
        game: the game.
        opponents: see `OpponentPool`.
        num_envs: how many games are played at once.
        seat: the learner's seat; None draws it for each game.
        seed: fixes everything.
        reward: `"outcome"` or `"score"`, see `GameEnv`.
        shaping: the weight of the shaping reward, 0 for none.
        gamma: the discount of the learning algorithm.
    """

    def __init__(
        self,
        game: Game,
        opponents: Sequence[str | Agent],
        num_envs: int,
        *,
        seat: int | None = None,
        seed: int | None = None,
        reward: str = "outcome",
        shaping: float = 0.0,
        gamma: float = 1.0,
    ) -> None:
        self.render_mode = None
        super().__init__(num_envs, observation_box(game), spaces.Discrete(game.num_actions))
        self.game = game
        self.pool = OpponentPool(game, opponents, seat)
        self._reward = reward
        self._shaping = shaping
        self._gamma = gamma
        self._tables: list[Table] = []
        self._values = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._masks = np.zeros((num_envs, game.num_actions), np.bool_)
        self.seed(seed)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Fix everything that follows the next `reset`."""
        self.pool.seed(seed)
        sequences = np.random.SeedSequence(seed).generate_state(self.num_envs, np.uint64)
        self._game_seeds = [int(word) for word in sequences]
        return [seed] * self.num_envs

    def reset(self) -> NDArray[np.int8]:
        """Start all games anew, return int8 `(num_envs, *observation_shape)`."""
        self._tables = [Table(self.game.new_state(seed)) for seed in self._game_seeds]
        self.pool.open(self._tables)
        for index in range(self.num_envs):
            self._begin(index)
        return self._observations()

    def _begin(self, index: int) -> None:
        table = self._tables[index]
        self._lengths[index] = 0
        self._values[index] = self._value(table)
        self._masks[index] = table.state.legal_mask()

    def _value(self, table: Table) -> float:
        if self._shaping == 0.0 or table.state.is_terminal:
            return 0.0
        return table.state.evaluate(table.seat)

    def _observations(self) -> NDArray[np.int8]:
        return np.stack([table.state.observation(table.seat) for table in self._tables])

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the learner's action for every game."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions; return observations, rewards, ends of games and infos."""
        rewards = np.zeros(self.num_envs, np.float32)
        dones = np.zeros(self.num_envs, np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in self._tables]
        for index, (table, action) in enumerate(zip(self._tables, self._actions, strict=True)):
            if table.state.is_legal(int(action)):
                table.state.apply(int(action))
            else:
                rewards[index] = ILLEGAL_REWARD
                infos[index]["illegal"] = int(action)
                dones[index] = True
        play_opponents([t for t, done in zip(self._tables, dones, strict=True) if not done])

        self._lengths += 1
        for index, table in enumerate(self._tables):
            if table.state.is_terminal and not dones[index]:
                dones[index] = True
                rewards[index] = final_rewards(table.state, self._reward)[table.seat]
        ended: list[int] = dones.nonzero()[0].tolist()
        for index in ended:
            self._describe_end(infos[index], index, float(rewards[index]))
        for index, table in enumerate(self._tables):
            value = 0.0 if dones[index] else self._value(table)
            rewards[index] += self._shaping * (self._gamma * value - self._values[index])
            self._values[index] = value
            self._masks[index] = table.state.legal_mask()
        for index in ended:
            self._tables[index].state.restart()
        self.pool.open([self._tables[index] for index in ended])
        for index in ended:
            self._begin(index)
        return self._observations(), rewards, dones, infos

    def _describe_end(self, info: dict[str, Any], index: int, reward: float) -> None:
        table = self._tables[index]
        info["terminal_observation"] = table.state.observation(table.seat)
        info["TimeLimit.truncated"] = table.state.is_truncated
        info["episode"] = {"r": reward, "l": int(self._lengths[index]), "t": 0.0}
        info["opponents"] = [agent.name for agent in table.agents.values()]

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool `(num_envs, num_actions)`, the legal actions of every game."""
        return self._masks

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Answer `action_masks`, the only method of the games that can be called."""
        if method_name != "action_masks":
            raise AttributeError(f"the games have no method {method_name!r}, only 'action_masks'")
        return [self._masks[index] for index in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether the games have an attribute."""
        return attr_name == "action_masks" or hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute that all games share."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuse: the games have nothing to set."""
        raise AttributeError(f"{attr_name!r} of single games cannot be set")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """Return False for every game."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Do nothing: no resource is held."""
