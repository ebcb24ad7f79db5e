"""Outcomes of chance that simulations share (common random numbers).

Dice have so many outcomes that a search would hardly meet one twice: below a roll it would look no
further than one ply, and compare actions by the luck that they happened to have. So an action has
few outcomes at first, and more with its visits (progressive widening: Couëtoux, Hoock, Sokolovska,
Teytaud and Bonnard, "Continuous upper confidence trees", 2011). They come from runs of luck that
all actions of the same depth have in common (common random numbers).

Random playouts, which have luck of their own, do without: there it brings no depth.

What is hidden is drawn again in every simulation. If a run had hidden information of its own, the
tree below its outcomes would learn that.
"""

import numpy as np

from tzaar_envs.jit.arrays import RngState
from tzaar_envs.jit.compile import compiled

RUNS = 16
_USES = 8  # of each run
_DEPTHS = 1 << 20  # numbers for each run

# The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
# generators", 2014).
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_CARRIES = np.uint64(4294883353)  # of `jit.rng`, from 1 on
_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFFFFFF)


@compiled
def run_of(visits: int, runs: int) -> int:
    """Return the run of luck for the next simulation that takes an action.

    Args:
        visits: Simulations that took it before.
        runs: Runs that are used in turn, before as many others take their place.
    """
    return visits // (runs * _USES) * runs + visits % runs


@compiled
def set_luck(luck: RngState, salt: int, run: int, depth: int) -> None:
    """Set a generator to the luck of a run at a depth, for searches with this salt."""
    word = np.uint64(salt) + np.uint64(run * _DEPTHS + depth) * _STEP
    word = (word ^ (word >> np.uint64(30))) * _FIRST
    word = (word ^ (word >> np.uint64(27))) * _SECOND
    word ^= word >> np.uint64(31)
    carry = (word >> _HALF) % _CARRIES + np.uint64(1)
    luck[0] = (carry << _HALF) | (word & _LOW_HALF)
