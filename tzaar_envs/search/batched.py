"""Many tree searches at once, with one call of an evaluator for the leaves of all of them.

If they are few, each has several leaves in a call, since a network values eight positions in little
more time than one.

Search number `n` has the row `n` of all arrays, and its root is node `n` of the tree. Its `k`
simulations of a round have the rows `n * k` to `n * k + k - 1` of the paths and of `waiting`. So
that they do not all take the same way, each counts as lost until it is finished (virtual loss:
Chaslot, Winands and van den Herik, 2008).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import array_of
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.search import simulation as sim
from tzaar_envs.search import tree as t
from tzaar_envs.search.control import UNLIMITED, Budget
from tzaar_envs.search.leaf_network import no_network
from tzaar_envs.search.result import SearchResults

Evaluator: TypeAlias = Callable[
    [NDArray[np.int64]], tuple[NDArray[np.floating], NDArray[np.floating]]
]
"""From positions `(n, state_size)` to priors `(n, num_actions)` and values `(n, num_players)`.

Priors are the probabilities of the actions of the seat to act, 0 or more; those of illegal actions
are ignored, the others need not add up to 1. Values are the expected returns of all seats. All
numbers are finite. Errors name the evaluator by its attribute `name`, if it has one.
"""

_MOST_LEAVES = 8  # of one search in a call
_SIMULATIONS_PER_LEAF = 50  # with fewer, searches choose worse for not knowing the other leaves


def leaves_at_once(budget: Budget, searches: int) -> int:
    """Return the number of leaves of each search to evaluate in one call.

    Without a time limit it does not depend on the number of searches, so that results do not.
    """
    if budget.simulations < UNLIMITED:
        return max(1, min(_MOST_LEAVES, budget.simulations // _SIMULATIONS_PER_LEAF))
    return max(1, _MOST_LEAVES // searches)


class _Searches(NamedTuple):
    """Searches side by side, `k` simulations each in every round.

    Attributes:
        search: Their tree.
        words: int64 `(n, state_size)`, the positions.
        generators: uint64 `(n, 1)`, the random choices of each search.
        paths: One row for every simulation; `state` is the position of its leaf.
        waiting: bool `(n * k,)`, whether the leaf must be evaluated.
        simulations: int64 `(n,)`, how many were run.
        nodes: int64 `(n,)`, the size of each tree.
        depths: int64 `(n,)`, the depth of its deepest leaf, in plies.
    """

    search: t.TreeSearch
    words: NDArray[np.int64]
    generators: NDArray[np.uint64]
    paths: t.SearchPath
    waiting: NDArray[np.bool_]
    simulations: NDArray[np.int64]
    nodes: NDArray[np.int64]
    depths: NDArray[np.int64]


def search_batched(
    game: Game,
    settings: t.SearchSettings,
    evaluator: Evaluator,
    words: NDArray[np.int64],
    generators: NDArray[np.uint64],
    budget: Budget,
    results: SearchResults,
) -> None:
    """Search all positions, with one call of the evaluator for all leaves of a round.

    Args:
        game: The game.
        settings: Parameters of the search.
        evaluator: Values leaves.
        words: int64 `(n, state_size)`, the positions.
        generators: uint64 `(n, 1)`, the random choices of each search.
        budget: Budget of each search; milliseconds are multiplied by the number of searches.
        results: Results to be filled in.
    """
    count = len(words)
    leaves = count * leaves_at_once(budget, count)
    edges = 2 * leaves * game.num_actions
    searches = _Searches(
        t.new_search(game, no_network(), settings, 2 * leaves, edges, generators[0]),
        words,
        generators,
        t.new_path(game, leaves),
        np.zeros(leaves, np.bool_),
        results.simulations,
        results.nodes,
        results.depths,
    )
    rounds = 0
    while True:
        searches = _descend(searches, budget.simulations)
        leaf_states = searches.paths.state[searches.waiting]
        if len(leaf_states) > 0:
            _finish(searches, *ask(evaluator, game, leaf_states))
        if _are_finished(searches, budget) or not budget.next_chunk(rounds, searches=count):
            break
        rounds += 1
        if count == 1 and budget.control is not None and budget.control.wants_report:
            sim.read_tree(searches.search, 0, results, 0)
            results.seconds[0] = budget.elapsed
            budget.control.report(results[0])
    for root in range(count):
        sim.read_tree(searches.search, root, results, root)
    results.seconds[:] = budget.elapsed / count


def ask(
    evaluator: Evaluator, game: Game, leaves: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the priors and values that an evaluator gives to positions, as float64.

    Raises:
        ValueError: Another shape or type, or a number that is not allowed, such as the NaN of a
            network that has diverged.
    """
    who = getattr(evaluator, "name", None) or f"evaluator {evaluator!r}"
    answer = evaluator(leaves)
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise ValueError(f"{who} returned {answer!r:.100}: use a pair of priors and values")
    shapes = (len(leaves), game.num_actions), (len(leaves), game.num_players)
    priors: NDArray[np.float64] = array_of(f"{who}: priors", answer[0], np.float64, shapes[0])
    values: NDArray[np.float64] = array_of(f"{who}: values", answer[1], np.float64, shapes[1])
    for what, numbers, allowed in (
        ("prior of action", priors, np.isfinite(priors) & (priors >= 0)),
        ("value for player", values, np.isfinite(values)),
    ):
        if not allowed.all():
            row, index = np.argwhere(~allowed)[0]
            raise ValueError(
                f"{who} gave {numbers[row, index]} as the {what} {index}: priors must be finite "
                "and 0 or more, values finite; a network that gives anything else has diverged"
            )
    return priors, values


def _descend(searches: _Searches, simulations: int) -> _Searches:
    """Run simulations of every search down to their leaves, and set which are waiting.

    Returns the same searches, with a larger tree if it was full.
    """
    search, leaves = searches.search, len(searches.waiting)
    while not sim.has_room(search.tree, search.settings, search.scratch.actions.size, leaves):
        search = search._replace(tree=t.enlarged(search.tree))
    searches = searches._replace(search=search)
    _descend_rows(searches, simulations)
    return searches


def _are_finished(searches: _Searches, budget: Budget) -> bool:
    """Whether every search has reached its limit or proven its value."""
    proven = searches.search.tree.nodes.proven[: len(searches.words)] == 1
    limited = (searches.simulations >= budget.simulations) | (searches.depths >= budget.depth)
    return bool((limited | proven).all())


# --- compiled rounds ------------------------------------------------------------------------------


@compiled
def _search_of(searches: _Searches, row: int) -> t.TreeSearch:
    """Return the search to which a row belongs, with that row as its path."""
    search, paths = searches.search, searches.paths
    path = t.SearchPath(
        paths.depth[row],
        paths.nodes[row],
        paths.seats[row],
        paths.edges[row],
        paths.state[row],
        paths.values[row],
    )
    rng = searches.generators[row // (len(searches.waiting) // len(searches.generators))]
    return t.TreeSearch(
        search.functions, search.network, search.settings, search.tree, path, search.scratch, rng
    )


@compiled(nogil=True)
def _descend_rows(searches: _Searches, simulations: int) -> None:
    """Run the simulations of each unfinished search down to their leaves.

    One is finished at once if the value of the leaf is known; otherwise the leaf is waiting. A
    search whose simulation comes to a leaf that is waiting already makes no more in this round. In
    the first round the roots, nodes 0 to n - 1, are the leaves.
    """
    searches = borrowed(searches)
    tree, waiting, words = searches.search.tree, searches.waiting, searches.words
    waiting[:] = False
    at_once = waiting.size // len(words)
    for root in range(len(words)):
        first = root * at_once
        if root == tree.used[t.NODES]:
            sim.set_out(_search_of(searches, first), t.add_node(tree, t.DETERMINISTIC), words[root])
            searches.nodes[root] = 1
            waiting[first] = True
            continue
        pending = 0
        for row in range(first, first + at_once):
            if searches.simulations[root] + pending >= simulations or tree.nodes[root].proven:
                break
            own = _search_of(searches, row)
            before = tree.used[t.NODES]
            sim.descend(own, root, words[root], t.NONE)
            searches.nodes[root] += tree.used[t.NODES] - before
            searches.depths[root] = max(searches.depths[root], own.path.depth[0])
            if sim.value_finished(own.functions, own.settings, tree, own.path):
                t.back_up(tree, own.path)
                searches.simulations[root] += 1
            elif _leads_to_waiting(searches, first, row):
                break
            else:
                waiting[row] = True
                pending += 1
                if at_once > 1:
                    _lose(tree, own.path, 1)


@compiled
def _leads_to_waiting(searches: _Searches, first: int, row: int) -> bool:
    """Whether a path ends at the leaf of a waiting one among the rows from `first` to it."""
    paths = searches.paths
    leaf = paths.nodes[row, paths.depth[row, 0]]
    for other in range(first, row):
        if searches.waiting[other] and paths.nodes[other, paths.depth[other, 0]] == leaf:
            return True
    return False


@compiled
def _lose(tree: t.Tree, path: t.SearchPath, times: int) -> None:
    """Count the actions of a path as lost so many times more."""
    for level in range(path.depth[0]):
        edge = path.edges[level]
        tree.edges[edge].visits += times
        tree.edges[edge].value_sum -= times


@compiled(nogil=True)
def _finish(searches: _Searches, priors: NDArray[np.float64], values: NDArray[np.float64]) -> None:
    """Expand the waiting leaves with their priors, and back up their values.

    Priors and values have one row for each waiting leaf, in their order.
    """
    searches = borrowed(searches)
    answer = 0
    at_once = searches.waiting.size // len(searches.words)
    for row in range(searches.waiting.size):
        if searches.waiting[row]:
            own = _search_of(searches, row)
            path, depth = own.path, own.path.depth[0]
            if at_once > 1:
                _lose(own.tree, path, -1)
            leaf = path.nodes[depth]
            sim.list_actions(own.functions, own.tree, leaf, path.state, own.scratch, own.rng)
            t.set_priors(own.tree, leaf, priors[answer])
            path.values[:] = values[answer]
            t.back_up(own.tree, path)
            if depth > 0:  # evaluating the root itself is not a simulation
                searches.simulations[row // at_once] += 1
            answer += 1
