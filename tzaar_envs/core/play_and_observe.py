"""Checked actions as one compiled call, for environments with mask and observation after them.

Such a call keeps the interpreter lock, so no other thread comes between the check and the play.
"""

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, observe_of
from tzaar_envs.core.masks import write_mask
from tzaar_envs.jit.arrays import Mask, Observation, RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import forget

OVER = -1
ILLEGAL = -2


@compiled
def play(
    functions: FunctionTable, state: StateArray, action: int, tape: RngState, mask: Mask
) -> bool:
    """Play an action of the game; return False, and play nothing, if `mask` does not allow it."""
    if mask[action] == 0:
        return False
    forget(tape)
    apply_of(functions)(state, action, tape)
    return True


@compiled
def play_and_observe(
    functions: FunctionTable,
    state: StateArray,
    action: int,
    tape: RngState,
    mask: Mask,
    next_mask: Mask,
    observation: Observation,
) -> int:
    """Play an action of the game, write mask and observation of the next seat to act; return it.

    Return `ILLEGAL`, and play nothing, if `mask` does not allow the action; return `OVER`,
    without writing an observation, if the game is over. Otherwise `mask` and `next_mask` are equal
    afterwards: one to keep and one to hand out.
    """
    if not play(functions, state, action, tape, mask):
        return ILLEGAL
    write_mask(functions, state, mask)
    if state[STATUS] != RUNNING:
        return OVER
    for each in range(mask.size):  # `next_mask[:] = mask` takes ten times as long to compile
        next_mask[each] = mask[each]
    observe_of(functions)(state, state[SEAT], observation.reshape(-1))
    return state[SEAT]
