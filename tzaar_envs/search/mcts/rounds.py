"""A round of many searches: simulations of each, interrupted while their leaves are evaluated.

Search number `n` has the row `n` of all arrays, and its root is node `n` of the tree. Its `k`
simulations of a round have the rows `n * k` to `n * k + k - 1` of `paths` and `waiting`. So that
they do not all take the same way, each counts as lost until it is finished (virtual loss: Chaslot,
Winands and van den Herik, 2008).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.leaf_network import LeafNetwork
from tzaar_envs.search.mcts.backup import back_up
from tzaar_envs.search.mcts.beliefs import imagine
from tzaar_envs.search.mcts.expansion import list_actions
from tzaar_envs.search.mcts.leaves import value_finished
from tzaar_envs.search.mcts.priors import set_priors
from tzaar_envs.search.mcts.selection import Settings
from tzaar_envs.search.mcts.simulation import descend
from tzaar_envs.search.mcts.tree import DETERMINISTIC, NODES, NONE, Tree, add_node
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
    words: NDArray[np.int64],
    paths: SearchPath,
    trial: StateArray,
    generators: NDArray[np.uint64],
) -> None:
    """Make the roots, nodes 0 to n - 1, the leaves of the first evaluation."""
    at_once = len(paths.state) // len(generators)
    for search in range(len(generators)):
        row = search * at_once
        state = paths.state[row]
        if settings.hidden:
            imagine(
                functions, settings.beliefs, paths.values.shape[1], words[search], state, trial,
                generators[search],
            )  # fmt: skip
        paths.nodes[row, 0] = add_node(tree, DETERMINISTIC)
        paths.seats[row, 0] = state[SEAT]


@compiled(nogil=True)
def descend_rows(
    functions: FunctionTable,
    network: LeafNetwork,
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
    """Run the simulations of each unfinished search down to their leaves.

    One is finished at once if the value of the leaf is known; otherwise the leaf is waiting. A
    search whose simulation comes to a leaf that is waiting already makes no more in this round.
    """
    waiting[:] = False
    at_once = waiting.size // len(words)
    for root in range(len(words)):
        first = root * at_once
        pending = 0
        for row in range(first, first + at_once):
            if progress.simulations[root] + pending >= simulations or tree.nodes[root].proven:
                break
            path = _path_of(paths, row)
            before = tree.used[NODES]
            descend(
                functions, network, settings, tree, root, words[root], path, scratch,
                generators[root], NONE,
            )  # fmt: skip
            progress.nodes[root] += tree.used[NODES] - before
            progress.depths[root] = max(progress.depths[root], path.depth[0])
            if value_finished(functions, settings, tree, path):
                back_up(tree, path)
                progress.simulations[root] += 1
            elif leads_to_waiting(paths, waiting, first, row):
                break
            else:
                waiting[row] = True
                pending += 1
                if at_once > 1:
                    lose(tree, path, 1)


@compiled
def leads_to_waiting(paths: SearchPath, waiting: NDArray[np.bool_], first: int, row: int) -> bool:
    """Whether a path ends at the leaf of a waiting one among the rows from `first` to it."""
    leaf = paths.nodes[row, paths.depth[row, 0]]
    for other in range(first, row):
        if waiting[other] and paths.nodes[other, paths.depth[other, 0]] == leaf:
            return True
    return False


@compiled
def lose(tree: Tree, path: SearchPath, times: int) -> None:
    """Count the actions of a path as lost so many times more."""
    for level in range(path.depth[0]):
        edge = path.edges[level]
        tree.edges[edge].visits += times
        tree.edges[edge].value_sum -= times


@compiled(nogil=True)
def finish_rows(
    functions: FunctionTable,
    network: LeafNetwork,
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
    at_once = waiting.size // len(generators)
    for row in range(waiting.size):
        if waiting[row]:
            root = row // at_once
            path = _path_of(paths, row)
            depth = path.depth[0]
            if at_once > 1:
                lose(tree, path, -1)
            leaf = path.nodes[depth]
            list_actions(
                functions, network, settings, tree, leaf, path.state, scratch, generators[root]
            )
            set_priors(tree, leaf, priors[answer])
            path.values[:] = values[answer]
            back_up(tree, path)
            if depth > 0:  # evaluating the root itself is not a simulation
                progress.simulations[root] += 1
            answer += 1
