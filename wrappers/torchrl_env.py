"""Batched TorchRL environment of many games (needs the extra `torchrl`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from tzaar_envs.core.game import Game
from tzaar_envs.envs.base import ENV_OPTIONS, split_options, whole_copy
from tzaar_envs.envs.vector import VectorGameEnv

_OPTIONS = [option for option in ENV_OPTIONS if option.name in ("illegal", "reward", "dtype")]


class TorchRLVectorEnv(EnvBase):
    """The games of `make_vec` as a TorchRL environment: one per row, the caller plays all seats.

    A step passes whole arrays, without work per game. TorchRL itself resets games that are over, or
    steps only the others (`break_when_all_done`).

    | key                               | content                                                 |
    |-----------------------------------|---------------------------------------------------------|
    | `observation`                     | int8 `(num_envs, *observation_shape)`, or what `dtype`  |
    |                                   | says, as the player to move sees it                     |
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
        game: The name of a game, or a game.
        num_envs: The number of games played at once.
        num_threads: The number of threads that share a step.
        seed: Determines all chance events.
        **options: `illegal`, `reward` and `dtype`, see `GameEnv`, and with the name of a game the
            options of the game. An illegal action raises by default.

    Raises:
        UnknownOptionError: An option that does not exist.
        ValueError: An unknown name, or a value that is not allowed.
    """

    __copy__ = whole_copy

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        num_threads: int = 1,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        known = ("num_envs", "num_threads", "seed")
        game, own = split_options(game, {"illegal": "raise"} | options, _OPTIONS, known)
        games = VectorGameEnv(
            game.spec, num_envs=num_envs, num_threads=num_threads, **own, **game.options
        )
        super().__init__(device="cpu", batch_size=(games.num_envs,))
        self.game = game
        self.games = games
        self._strict = own["illegal"] == "raise"
        self._dtype: torch.dtype = getattr(torch, own["dtype"])
        shape = self.batch_size
        self.observation_spec = Composite(
            observation=Unbounded((*shape, *game.observation_shape), dtype=self._dtype),
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
        self._set_seed(seed)

    def _set_seed(self, seed: int | None) -> None:
        """Seed all chance events of each game from its next reset on."""
        rows = range(self.batch_size[0])
        self._seeds = np.array([None if seed is None else seed + row for row in rows], object)

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        """Restart all games, or those that the key `_reset` selects."""
        selected = None if tensordict is None else tensordict.get("_reset", None)
        rows = np.ones(len(self._seeds), np.bool_)
        if selected is not None:
            rows = selected.view(-1).numpy()
        seeds = [seed if row else None for seed, row in zip(self._seeds, rows, strict=True)]
        self.games.reset(seed=seeds, options={"reset_mask": rows})
        self._seeds[rows] = None
        return TensorDict(self._seen(), self.batch_size)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Play one action in every game, or in those that the key `_step` selects."""
        batch, selected = self.games.batch, tensordict.get("_step", None)
        rows = np.ones(len(batch.over), np.bool_) if selected is None else selected.view(-1).numpy()
        if (over := batch.over & rows).any():
            raise ValueError(f"the game of row {int(over.argmax())} is over: reset it")
        batch.step(tensordict["action"].numpy(), rows, strict=self._strict)
        columns = {
            "reward": batch.mover_rewards.astype(np.float32),
            "done": batch.over.copy(),
            "terminated": batch.terminated.copy(),
            "truncated": batch.truncated.copy(),
        }
        ends = {name: torch.from_numpy(column)[:, None] for name, column in columns.items()}
        return TensorDict({**self._seen(), **ends}, self.batch_size)

    def _masks(self) -> torch.Tensor:
        """Return bool `(num_envs, num_actions)`: what may be played; all True where it is over."""
        batch = self.games.batch
        return torch.from_numpy(batch.masks.view(np.bool_) | batch.over[:, None])

    def _seen(self) -> dict[str, Any]:
        batch, masks = self.games.batch, self._masks()
        self.action_spec.update_mask(masks)  # of random actions
        return {
            "observation": torch.from_numpy(batch.copied_observations()).to(self._dtype),
            "action_mask": masks,
            "player": torch.from_numpy(batch.players.copy()),
            "rewards": torch.from_numpy(batch.rewards.astype(np.float32)),
        }

    def close(self, *, raise_if_closed: bool = True) -> None:
        """End the threads."""
        self.games.close()
        super().close(raise_if_closed=raise_if_closed)
