"""The search stack of alpha-beta: the path from the root, one row for each ply, and some counters.

The stack is int64 `(MAX_DEPTH + 1, width)`; row `ply` holds the node that many plies below the
root. A row begins with the words listed below; then follow the state, the actions in the order in
which they are tried, and the scores that decide this order. Everything is in one array and is read
word by word, because Numba counts references of every further array and of every view of a part,
which together took twice as long as playing the actions.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Stack: TypeAlias = NDArray[np.int64]

MAX_DEPTH = 64

NO_ACTION = (1 << 20) - 1

# The words of a node.
REMAINING = 0  # plies to the horizon
ALPHA_ORIGINAL = 1  # alpha as it was when the node was opened
ALPHA = 2
BETA = 3
BEST = 4  # best value so far
BEST_ACTION = 5  # NO_ACTION until one was better than the original alpha
COUNT = 6  # of legal actions
TRIED = 7  # how many of them were tried
KEY = 8
KILLERS = 9  # the newer one, the older one
ACTIONS = 11  # where in the row the actions begin
SCORES = 12  # where in the row their scores begin
PV_LENGTH = 13  # length of the principal variation from here
PV = 14  # its actions
STATE = PV + MAX_DEPTH + 1

# The words of the counters.
NODES = 0  # positions that were reached by playing an action, leaves included
PLY = 1  # where the search continues
LEAVES = 2  # nodes at the horizon in this iteration whose game is not over
SEARCH = 3  # number of the search, for the transposition table
COPIED = 4  # words of a state that are always copied
LOG_LENGTH = 5  # index of the word of a state that holds how many more are copied; 0: none
COUNTERS = 6


def new_stack(state_size: int, num_actions: int) -> Stack:
    """Return a stack in which nothing has been searched."""
    actions = STATE + state_size
    scores = actions + num_actions
    stack = np.zeros((MAX_DEPTH + 1, scores + num_actions), np.int64)
    stack[:, ACTIONS] = actions
    stack[:, SCORES] = scores
    return stack
