"""A round of many searches: one simulation of each, interrupted while its leaf is evaluated.

Search number `n` has the row `n` of all arrays, and its root is node `n` of the tree.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import SEAT, determinize_of
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.mcts.backup import back_up
from tzaar_envs.search.mcts.expansion import list_actions
from tzaar_envs.search.mcts.leaves import value_finished
from tzaar_envs.search.mcts.priors import set_priors
from tzaar_envs.search.mcts.selection import Settings
from tzaar_envs.search.mcts.simulation import descend
from tzaar_envs.search.mcts.tree import DETERMINISTIC, NODES, Tree, add_node
from tzaar_envs.search.mcts.workspace import Scratch, SearchPath


class Progress(NamedTuple):
    """How far each search is.

    Attributes:
        simulations: int64 `(n,)`, how many were run.
        nodes: int64 `(n,)`, the size of its tree.
        depths: int64 `(n,)`, the depth of its deepest leaf, in plies.
    """

    simulations: NDArray[np.int64]
    nodes: NDArray[np.int64]
    depths: NDArray[np.int64]


@compiled
def _path_of(paths: SearchPath, row: int) -> SearchPath:
    return SearchPath(
        paths.depth[row],
        paths.nodes[row],
        paths.seats[row],
        paths.edges[row],
        paths.state[row],
        paths.values[row],
    )


@compiled
def add_roots(
    functions: FunctionTable,
    settings: Settings,
    tree: Tree,
    paths: SearchPath,
    generators: NDArray[np.uint64],
) -> None:
    """Make the roots, nodes 0 to n - 1, the leaves of the first evaluation."""
    for row in range(len(generators)):
        state = paths.state[row]
        if settings.hidden:
            determinize_of(functions)(state, state[SEAT], generators[row])
        paths.nodes[row, 0] = add_node(tree, DETERMINISTIC)
        paths.seats[row, 0] = state[SEAT]


@compiled(nogil=True)
def descend_rows(
    functions: FunctionTable,
    settings: Settings,
    tree: Tree,
    words: NDArray[np.int64],
    paths: SearchPath,
    scratch: Scratch,
    generators: NDArray[np.uint64],
    simulations: int,
    waiting: NDArray[np.bool_],
    progress: Progress,
) -> None:
    """Run a simulation of each unfinished search down to its leaf.

    It is finished at once if the value of the leaf is known; otherwise the leaf is waiting.
    """
    for root in range(waiting.size):
        waiting[root] = False
        if progress.simulations[root] < simulations and not tree.nodes[root].proven:
            path = _path_of(paths, root)
            before = tree.used[NODES]
            descend(functions, settings, tree, root, words[root], path, scratch, generators[root])
            progress.nodes[root] += tree.used[NODES] - before
            progress.depths[root] = max(progress.depths[root], path.depth[0])
            if value_finished(functions, settings, tree, path):
                back_up(tree, path)
                progress.simulations[root] += 1
            else:
                waiting[root] = True


@compiled(nogil=True)
def finish_rows(
    functions: FunctionTable,
    settings: Settings,
    tree: Tree,
    paths: SearchPath,
    scratch: Scratch,
    generators: NDArray[np.uint64],
    waiting: NDArray[np.bool_],
    progress: Progress,
    priors: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Expand the waiting leaves with their priors, and back up their values.

    Priors and values have one row for each waiting leaf, in their order.
    """
    answer = 0
    for root in range(waiting.size):
        if waiting[root]:
            path = _path_of(paths, root)
            depth = path.depth[0]
            leaf = path.nodes[depth]
            list_actions(functions, settings, tree, leaf, path.state, scratch, generators[root])
            set_priors(tree, leaf, priors[answer])
            path.values[:] = values[answer]
            back_up(tree, path)
            if depth > 0:  # evaluating the root itself is not a simulation
                progress.simulations[root] += 1
            answer += 1
