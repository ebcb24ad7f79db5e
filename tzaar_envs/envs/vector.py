"""Thousands of games of a kind as one Gymnasium vector environment, for self-play."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.core.options import resolve_options
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.core.state import State
from tzaar_envs.envs.base import score_unit
from tzaar_envs.envs.base_vector import VECTOR_OPTIONS, BaseVectorEnv, Infos, Seeds, plain


class VectorGameEnv(BaseVectorEnv):
    """Many games at once, each row one game in which all seats are played by the caller.

    A row is the game that `GameEnv` plays with the same seed and actions, step by step, whatever
    the number of rows and threads.

    **Observation**: int8 `(num_envs, *observation_shape)`, what the player to move sees; of a game
    that is over, what the seat sees that would be to move.

    **Action**: `MultiDiscrete`, one action of the player to move for each row.

    **Reward**: float64 `(num_envs,)`, that of the player who has just moved.

    **Infos**, with the arrays of all rows:

    | key             | content                                                                   |
    |-----------------|---------------------------------------------------------------------------|
    | `action_mask`   | int8 `(num_envs, num_actions)`, of the player to move; zeros if over       |
    | `player`        | int64 `(num_envs,)`, the seat to move; -1 where the game is over           |
    | `rewards`       | float64 `(num_envs, num_players)`, every seat's reward of this step        |
    | `scores`        | the same shape: the points, where `_scores`: games that have just ended    |
    | `final_obs`     | with `autoreset="same_step"`: last observations, where `_final_obs`        |

    **Autoreset**, as Gymnasium means it: in the `"next_step"` after an end the action is ignored,
    the reward is 0 and the observation is the first of the next game; with `"same_step"` it is so
    at once; with `"disabled"` the caller says which games start anew, with
    `reset(options={"reset_mask": mask})`. A next game's chance goes on from the last one's.

    **Copies**: with `copy=False`, observations, masks, players and rewards of all seats are the
    arrays that the next call writes to, which saves time and half of the memory.

    Args:
        spec: the record of the game.
        seed: of the first `reset`, if it is given none.
        **options: those in `VECTOR_OPTIONS` and those of the game.

    Raises:
        ValueError: an unknown option or a value that is not allowed.
    """

    def __init__(self, spec: GameSpec, seed: Seeds = None, **options: Any) -> None:
        values = resolve_options((*VECTOR_OPTIONS, *spec.options), plain(options), spec.env_id)
        own = {option.name: values.pop(option.name) for option in VECTOR_OPTIONS}
        game = Game(spec, **values)
        unit = score_unit(spec, own["reward"])
        super().__init__(game, Batch(game, own["num_envs"], own["num_threads"], unit), own, seed)

    def _seed(self, seed: int) -> None:
        """Do nothing: all that is drawn belongs to a game."""

    def _open(self, rows: NDArray[np.bool_], start: State | None = None) -> None:
        if start is None:
            self.batch.reset(rows)
        else:
            self.batch.set_positions(rows, start.words)

    def _advance(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        self.batch.step_or_start(actions)
        return self.batch.mover_rewards.copy()

    def _show_last(self, rows: NDArray[np.bool_]) -> None:
        """Do nothing: they show the seat that would be to move."""

    def _infos(self) -> Infos:
        batch = self.batch
        return {
            "action_mask": self._returned(batch.masks),
            "player": self._returned(batch.players),
        }

    def sample_actions(self) -> NDArray[np.int64]:
        """Return int64 `(num_envs,)`: a uniformly random legal action of each player to move.

        They are drawn as the masks are written, which costs next to nothing: one choice for each
        step, from generators that follow from the seeds of the rows; 0 where a game is over.
        """
        return self.batch.random_actions.copy()
