"""The arrays of an alpha-beta search: the path from the root, node by node, and some counters.

A node is a row of the tree, int64 `(MAX_DEPTH + 1, width)`; row `ply` belongs to the node so many
plies below the root. It begins with the words below; after them come the state, then the actions in
the order in which they are tried, then the scores that this order follows. Everything stands in one
array, and is read word by word, because Numba counts references of every further array and of every
view of a part, which together took twice as long as playing the actions.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Tree: TypeAlias = NDArray[np.int64]

MAX_DEPTH = 64

NO_ACTION = (1 << 20) - 1

# The words of a node.
REMAINING = 0  # plies to the horizon
FLOOR = 1  # the lower end of the window as it was at first
ALPHA = 2
BETA = 3
BEST = 4  # value so far
BEST_ACTION = 5  # NO_ACTION until one was better than the floor
COUNT = 6  # of legal actions
TRIED = 7  # of them
KEY = 8
KILLERS = 9  # the newer one, the older one
ACTIONS = 11  # where in the row the actions begin
SCORES = 12  # and where their scores
LENGTH = 13  # of the principal variation from here, which follows
LINE = 14
STATE = LINE + MAX_DEPTH + 1

# The words of the counters.
NODES = 0  # positions that were reached by playing an action, leaves included
PLY = 1  # where the search goes on
LEAVES = 2  # that the horizon made, in this iteration
SEARCH = 3  # its number, for the table
COPIED = 4  # words of a state that a copy always takes
LOG_LENGTH = 5  # the word of a state that says how many more it takes; 0: none
COUNTERS = 6


def new_tree(state_size: int, num_actions: int) -> Tree:
    """Return a tree of which nothing is searched yet."""
    actions = STATE + state_size
    scores = actions + num_actions
    tree = np.zeros((MAX_DEPTH + 1, scores + num_actions), np.int64)
    tree[:, ACTIONS] = actions
    tree[:, SCORES] = scores
    return tree
