"""Names for the arrays that pass between the parts of the suite."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

StateArray: TypeAlias = NDArray[np.int64]
"""`(state_size,)`, one whole position of a game."""

RngState: TypeAlias = NDArray[np.uint64]
"""`(1,)`, the state of a random generator, see `core.rng`."""

Mask: TypeAlias = NDArray[np.int8]
"""`(num_actions,)`, 1 where the action is legal for the player to move, else 0."""

Observation: TypeAlias = NDArray[np.int8]
"""`observation_shape`, what one seat can see of a position."""
