"""Batched TorchRL environment of many games (needs the extra `torchrl`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from tzaar_envs.core.game import Game
from tzaar_envs.envs.vector import VectorGameEnv


class TorchRLVectorEnv(EnvBase):
    """The games of `make_vec` as a TorchRL environment: one per row, the caller plays all seats.

    A step passes whole arrays, without work per game. TorchRL itself resets games that are over.

    | key                               | content                                                 |
    |-----------------------------------|---------------------------------------------------------|
    | `observation`                     | int8 `(num_envs, *observation_shape)`, as the player to |
    |                                   | move sees it                                            |
    | `action_mask`                     | bool `(num_envs, num_actions)`, its legal actions; all  |
    |                                   | True in a finished game, as distributions need one      |
    | `player`                          | int64 `(num_envs,)`, the player to move; -1 in a        |
    |                                   | finished game                                           |
    | `action`                          | int64 `(num_envs,)`                                     |
    | `reward`                          | float32 `(num_envs, 1)`, of the player who has just     |
    |                                   | moved                                                   |
    | `rewards`                         | float32 `(num_envs, num_players)`, of every player:     |
    |                                   | all get theirs when one of them ends the game           |
    | `done`, `terminated`, `truncated` | bool `(num_envs, 1)`                                    |

    Args:
        game: the game.
        num_envs: the number of games played at once.
        num_threads: the number of threads that share a step.
        seed: determines all chance events.
        **options: `illegal` and `reward`, see `GameEnv`. An illegal action raises by default.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        num_threads: int = 1,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(device="cpu", batch_size=(num_envs,))
        self.game = game
        self.games = VectorGameEnv(
            game.spec,
            num_envs=num_envs,
            num_threads=num_threads,
            autoreset="disabled",
            **{"illegal": "raise", **options},
            **game.options,
        )
        shape = self.batch_size
        self.observation_spec = Composite(
            observation=Unbounded((*shape, *game.observation_shape), dtype=torch.int8),
            action_mask=Binary(shape=(*shape, game.num_actions), dtype=torch.bool),
            player=Unbounded(shape, dtype=torch.int64),
            rewards=Unbounded((*shape, game.num_players)),
            shape=shape,
        )
        self.action_spec = Categorical(game.num_actions, shape)
        self.reward_spec = Unbounded((*shape, 1))
        ends = ("done", "terminated", "truncated")
        self.done_spec = Composite(
            {key: Binary(shape=(*shape, 1), dtype=torch.bool) for key in ends}, shape=shape
        )
        self._seed = seed

    def _set_seed(self, seed: int | None) -> None:
        """Seed all chance events from the next reset on."""
        self._seed = seed

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        """Restart all games, or those that the key `_reset` selects."""
        selected = None if tensordict is None else tensordict.get("_reset", None)
        options = {} if selected is None else {"reset_mask": selected.view(-1).numpy()}
        observations, infos = self.games.reset(seed=self._seed, options=options)
        self._seed = None
        return TensorDict(self._seen(observations, infos), self.batch_size)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Play one action in every game."""
        actions = tensordict["action"].numpy()
        observations, rewards, terminated, truncated, infos = self.games.step(actions)
        columns = {
            "reward": rewards.astype(np.float32),
            "done": terminated | truncated,
            "terminated": terminated,
            "truncated": truncated,
        }
        ends = {name: torch.from_numpy(column)[:, None] for name, column in columns.items()}
        return TensorDict({**self._seen(observations, infos), **ends}, self.batch_size)

    def _seen(self, observations: NDArray[np.int8], infos: dict[str, Any]) -> dict[str, Any]:
        masks, players = infos["action_mask"].view(np.bool_), infos["player"]
        masks[players < 0] = True
        return {
            "observation": torch.from_numpy(observations),
            "action_mask": torch.from_numpy(masks),
            "player": torch.from_numpy(players),
            "rewards": torch.from_numpy(infos["rewards"].astype(np.float32)),
        }

    def rand_action(self, tensordict: TensorDictBase | None = None) -> TensorDictBase:
        """Write a random legal action of every game into `action`, drawn by PyTorch."""
        chosen = TensorDict(batch_size=self.batch_size) if tensordict is None else tensordict
        masks = torch.tensor(self.games.batch.masks, dtype=torch.float32)
        return chosen.set("action", masks.multinomial(1)[:, 0])

    def close(self, *, raise_if_closed: bool = True) -> None:
        """End the threads."""
        self.games.close()
        super().close(raise_if_closed=raise_if_closed)
