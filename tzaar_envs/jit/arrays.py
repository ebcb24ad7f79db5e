"""Type aliases of the arrays that the rest of the suite exchanges."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

StateArray: TypeAlias = NDArray[np.int64]
"""`(state_size,)`: one position of a game, hidden information included."""

RngState: TypeAlias = NDArray[np.uint64]
"""`(1,)`: the state of a random generator; longer for a tape. See `jit.rng`."""

Mask: TypeAlias = NDArray[np.int8]
"""`(num_actions,)`: 1 where the action is legal for the player to move, else 0."""

Observation: TypeAlias = NDArray[np.int8]
"""`observation_shape`: what one player can see of a position."""
