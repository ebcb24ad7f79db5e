"""The type of functions that value every legal action of a position."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.jit.arrays import RngState

ActionValues: TypeAlias = Callable[[Game, NDArray[np.int64], RngState], NDArray[np.float64]]
"""From a game, `n` positions and a generator for chance to float64 `(n, num_actions)`.

The greater the better for the player to move; minus infinity where an action is not legal. Values
are on the scale of returns: points are divided by the `score_unit` of the game's spec.
"""
