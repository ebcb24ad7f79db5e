"""Writers for the planes of a flattened observation."""

from tzaar_envs.jit.arrays import Observation
from tzaar_envs.jit.compile import compiled


@compiled
def fill_plane(out: Observation, plane: int, cells: int, value: int) -> None:
    """Write the same number on all cells of a plane.

    Args:
        out: the observation, int8, planes first.
        plane: the number of the plane.
        cells: how many cells a plane has.
        value: the number.
    """
    # A loop over indices that might be negative would not be vectorized.
    out[plane * cells : (plane + 1) * cells] = value
