"""Gymnasium vector environment: thousands of games of one kind, for self-play."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.core.options import resolve_keywords
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.core.state import State
from tzaar_envs.envs.base import plain, score_unit
from tzaar_envs.envs.base_vector import VECTOR_OPTIONS, BaseVectorEnv, Infos, Seeds


class VectorGameEnv(BaseVectorEnv):
    """Many games at once; the caller plays all seats of every row.

    A row is the game that `GameEnv` plays with the same seed and actions, step by step, for any
    number of rows and threads.

    **Observation**: `(num_envs, *observation_shape)`, int8 or what `dtype` says, as the player to
    move sees it; where the game is over, as the player sees it whose turn it would be.

    **Action**: `MultiDiscrete`, one action of the player to move for each row.

    **Reward**: float64 `(num_envs,)`, of the player who has just moved.

    **Infos**, arrays over all rows:

    | key             | content                                                                   |
    |-----------------|---------------------------------------------------------------------------|
    | `action_mask`   | int8 `(num_envs, num_actions)`, of the player to move; zeros if over       |
    | `player`        | int64 `(num_envs,)`, the player to move; -1 where the game is over         |
    | `rewards`       | float64 `(num_envs, num_players)`, every player's reward for this step     |
    | `scores`        | the same shape: the points of games that have just ended, see `_scores`    |
    | `final_obs`     | with `autoreset="same_step"`: last observations, see `_final_obs`          |

    **Autoreset**, as in Gymnasium: with `"next_step"`, the step after an end ignores the action,
    and returns reward 0 and the first observation of a new game; with `"same_step"`, the step that
    ends a game returns the first observation of the next one; with `"disabled"`, the caller
    restarts games with `reset(options={"reset_mask": mask})`. A new game continues the random
    stream of the one before it.

    **Threads**: `num_threads` share a step if that pays, as measured while the games are played.
    The environment itself is for one thread at a time: a second one gets a RuntimeError.

    **Copies**: with `copy=False`, observations, masks, players and rewards of all players are
    read-only arrays that the next call overwrites, which saves time.

    Args:
        spec: the game.
        seed: the seed of the first `reset` if that call gets none.
        **options: those of `VECTOR_OPTIONS` and of the game.

    Raises:
        UnknownOptionError: an option that does not exist.
        ValueError: a value that is not allowed.
    """

    def __init__(self, spec: GameSpec, seed: Seeds = None, **options: Any) -> None:
        values = resolve_keywords(
            (*VECTOR_OPTIONS, *spec.options), plain(options), spec.env_id, ("seed",)
        )
        own = {option.name: values.pop(option.name) for option in VECTOR_OPTIONS}
        game = Game(spec, **values)
        unit = score_unit(spec, own["reward"])
        super().__init__(game, Batch(game, own["num_envs"], own["num_threads"], unit), own, seed)

    def _seed(self, seed: int) -> None:
        """Do nothing: all draws belong to a single game."""

    def _open(self, rows: NDArray[np.bool_], start: State | None = None) -> None:
        if self._last is not None:
            self._last.forget(rows)
        if start is None:
            self.batch.reset(rows)
        else:
            self.batch.set_positions(rows, start.words)

    def _advance(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        new_array = self._copy and self._cast is None
        if self._last is None:
            self.batch.step_or_reset(actions, new_array)
        else:
            self._last.forget(self._over)
            with self._last.played(actions, ~self._over):
                self.batch.step_or_reset(actions, new_array)
        return self.batch.mover_rewards.copy()

    def _show_last(self, rows: NDArray[np.bool_]) -> None:
        """Do nothing: the batch has written them."""

    def _infos(self) -> Infos:
        return {
            "action_mask": self._masks(),
            "player": self._returned(self.batch.players),
        }

    def sample_actions(self) -> NDArray[np.int64]:
        """Return int64 `(num_envs,)`: a uniformly random legal action of each player to move.

        They are drawn as the masks are written, at almost no cost: one choice per step, from
        generators that the seeds of the rows determine; 0 where a game is over.
        """
        return self.batch.random_actions.copy()
