"""One ply over the evaluation function, at every node that a search adds.

What the evaluation function says after each action counts as a first visit of it, and says how
likely the search is to try it: the prior is the softmax of these guesses.
"""

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, evaluate_of, returns_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.mcts.selection import Settings
from tzaar_envs.search.mcts.tree import NONE, Tree

WIN = 1.0  # no return is greater

_SHARPNESS = 4.0  # of the priors: guesses that differ by 1 are e**4 times as likely


@compiled
def look_ahead(
    functions: FunctionTable,
    settings: Settings,
    tree: Tree,
    node: int,
    count: int,
    state: StateArray,
    trial: StateArray,
    rng: RngState,
) -> None:
    """Guess what the first `count` edges of a node are worth; a win at once proves the node.

    Args:
        functions: of the game.
        settings: see `Settings`.
        tree: the tree.
        node: a node.
        count: how many edges are new.
        state: the position there.
        trial: scratch, int64 `(state_size,)`.
        rng: for what chance brings with the actions.
    """
    seat = state[SEAT]
    edge = tree.nodes[node].first_edge
    for _ in range(count):
        before = rng[0]
        trial[:] = state
        apply_of(functions)(trial, tree.edges[edge].action, rng)
        tree.edges[edge].guess = evaluate_of(functions)(trial, seat)
        is_sure = rng[0] == before and not settings.hidden
        if is_sure and trial[STATUS] != RUNNING and tree.edges[edge].guess == WIN:
            tree.edges[edge].known = WIN
            tree.nodes[node].proven = 1
            returns_of(functions)(trial, tree.exact[node])
            return
        edge = tree.edges[edge].next_edge
    _set_priors(tree, node)


@compiled
def _set_priors(tree: Tree, node: int) -> None:
    total = 0.0
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        tree.edges[edge].prior = np.exp(_SHARPNESS * tree.edges[edge].guess)
        total += tree.edges[edge].prior
        edge = tree.edges[edge].next_edge
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        tree.edges[edge].prior /= total
        edge = tree.edges[edge].next_edge


@compiled
def best_guess(tree: Tree, node: int) -> int:
    """Return the edge with the greatest guess."""
    best = tree.nodes[node].first_edge
    edge = tree.edges[best].next_edge
    while edge != NONE:
        if tree.edges[edge].guess > tree.edges[best].guess:
            best = edge
        edge = tree.edges[edge].next_edge
    return best
