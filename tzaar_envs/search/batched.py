"""Many tree searches at once, with one call of an evaluator for the leaves of all of them.

If they are few, each has several leaves in a call, since a network values eight positions in little
more time than one.

Search number `n` has the row `n` of all arrays, and its root is node `n` of the tree. Its `k`
simulations of a round have the rows `n * k` to `n * k + k - 1` of the paths and of `waiting`. So
that they do not all take the same way, each counts as lost until it is finished (virtual loss:
Chaslot, Winands and van den Herik, 2008).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.validation import array_of
from tzaar_envs.jit.compile import compiled
from tzaar_envs.search import tree as t
from tzaar_envs.search.control import UNLIMITED, Budget
from tzaar_envs.search.leaf_network import no_network
from tzaar_envs.search.result import SearchResults
from tzaar_envs.search.simulation import (
    descend,
    has_room,
    imagine,
    list_actions,
    read_tree,
    value_finished,
)

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
    """Return how many leaves of each search to evaluate in one call.

    Without a time limit it does not depend on the number of searches, so that results do not.
    """
    if budget.simulations < UNLIMITED:
        return max(1, min(_MOST_LEAVES, budget.simulations // _SIMULATIONS_PER_LEAF))
    return max(1, _MOST_LEAVES // searches)


def search_batched(
    game: Game,
    settings: t.SearchSettings,
    evaluator: Evaluator,
    words: NDArray[np.int64],
    generators: NDArray[np.uint64],
    budget: Budget,
    threads: int,
    results: SearchResults,
) -> None:
    """Search all positions, with one call of the evaluator for all leaves of a round.

    Args:
        game: the game.
        settings: how to search.
        evaluator: values leaves.
        words: int64 `(n, state_size)`, the positions.
        generators: uint64 `(n, 1)`, the random choices of each search.
        budget: of each search; milliseconds are multiplied by the number of searches.
        threads: how many share the searches.
        results: to be filled in.
    """
    count = len(words)
    bounds = [count * part // threads for part in range(threads + 1)]
    rows = [slice(*pair) for pair in itertools.pairwise(bounds)]
    at_once = leaves_at_once(budget, count)
    parts = [
        _Part(game, settings, words[own], generators[own], budget.simulations, at_once)
        for own in rows
    ]
    with ThreadPoolExecutor(threads) as pool:
        for_each: Callable[..., Iterable[Any]] = map
        if threads > 1:  # a thread takes 50 us to answer
            for_each = pool.map

        def evaluate_leaves() -> None:
            leaves = np.concatenate([part.paths.state[part.waiting] for part in parts])
            if len(leaves) == 0:
                return
            answers = ask(evaluator, game, leaves)
            ends = np.cumsum([np.count_nonzero(part.waiting) for part in parts])[:-1]
            list(for_each(_Part.finish, parts, *(np.split(answer, ends) for answer in answers)))

        evaluate_leaves()
        rounds = 0
        while budget.next_chunk(rounds, searches=count):
            list(for_each(_Part.descend, parts))
            evaluate_leaves()
            rounds += 1
            if all(part.is_finished for part in parts):
                break
    for own, part in zip(rows, parts, strict=True):
        results.simulations[own], results.nodes[own], results.depths[own] = part.progress
        for root, row in enumerate(range(own.start, own.stop)):
            read_tree(part.search, root, results, row)
    results.seconds[:] = budget.elapsed / count


def ask(
    evaluator: Evaluator, game: Game, leaves: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the priors and values that an evaluator gives to positions, as float64.

    Raises:
        ValueError: another shape or type, or a number that is not allowed, such as the NaN of a
            network that has diverged.
    """
    who = getattr(evaluator, "name", None) or f"evaluator {evaluator!r}"
    answer = evaluator(leaves)
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise ValueError(f"{who} returned {answer!r:.100}: use a pair of priors and values")
    shapes = (len(leaves), game.num_actions), (len(leaves), game.num_players)
    priors: NDArray[np.float64] = array_of(f"{who}: priors", answer[0], np.float64, shapes[0])
    values: NDArray[np.float64] = array_of(f"{who}: values", answer[1], np.float64, shapes[1])
    if (action := _first_unusable(priors, 0.0)) >= 0:
        found, which = priors.flat[action], f"prior of action {action % game.num_actions}"
    elif (player := _first_unusable(values, -np.inf)) >= 0:
        found, which = values.flat[player], f"value for player {player % game.num_players}"
    else:
        return priors, values
    raise ValueError(
        f"{who} gave {found} as the {which}: priors must be finite and 0 or more, values finite; "
        "a network that gives anything else has diverged"
    )


@compiled
def _first_unusable(numbers: NDArray[np.float64], least: float) -> int:
    """Return the flat index of the first number that is not finite or below `least`, else -1."""
    flat = numbers.reshape(-1)
    for index in range(flat.size):
        if not (least <= flat[index] < np.inf and flat[index] > -np.inf):
            return index
    return -1


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


class _Part:
    """Searches that one thread runs side by side, `k` simulations each in every round.

    Attributes:
        search: their tree.
        paths: one row for every simulation; `state` is the position of its leaf.
        waiting: bool `(n * k,)`, whether the leaf must be evaluated.
        progress: how far each search is.

    Args:
        game: the game.
        settings: how to search.
        words: int64 `(n, state_size)`, the positions.
        generators: uint64 `(n, 1)`, the random choices of each search.
        simulations: the limit of each search.
        at_once: `k`.
    """

    def __init__(
        self,
        game: Game,
        settings: t.SearchSettings,
        words: NDArray[np.int64],
        generators: NDArray[np.uint64],
        simulations: int,
        at_once: int,
    ) -> None:
        count, longest = len(words), game.max_plies + 1
        rows = count * at_once
        self._words = words
        self._generators = generators
        self._simulations = simulations
        self.search = t.new_search(
            game, no_network(), settings, 2 * rows, 2 * rows * game.num_actions, generators[0]
        )
        self.paths = t.SearchPath(
            depth=np.zeros((rows, 1), np.int64),
            nodes=np.empty((rows, longest), np.int64),
            seats=np.empty((rows, longest), np.int64),
            edges=np.empty((rows, longest), np.int64),
            state=words.repeat(at_once, axis=0),
            values=np.zeros((rows, game.num_players)),
        )
        self.waiting = np.arange(rows) % at_once == 0
        self.progress = Progress(
            simulations=np.zeros(count, np.int64),
            nodes=np.ones(count, np.int64),
            depths=np.zeros(count, np.int64),
        )
        _add_roots(self.search, words, self.paths, generators)

    @property
    def is_finished(self) -> bool:
        """Whether every search has reached its limit or proven its value."""
        done = self.progress.simulations
        proven = self.search.tree.nodes.proven[: len(done)] == 1
        return bool(((done >= self._simulations) | proven).all())

    def descend(self) -> None:
        """Run simulations of every search down to their leaves, and set which are waiting."""
        searches, num_actions = len(self.waiting), self.search.scratch.actions.size
        while not has_room(self.search.tree, self.search.settings, num_actions, searches):
            self.search = self.search._replace(tree=t.enlarged(self.search.tree))
        _descend_rows(
            self.search, self._words, self.paths, self._generators, self._simulations,
            self.waiting, self.progress,
        )  # fmt: skip

    def finish(self, priors: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Finish the simulations of the waiting leaves, whose priors and values come in order."""
        _finish_rows(
            self.search, self.paths, self._generators, self.waiting, self.progress, priors, values
        )


# --- compiled rounds ------------------------------------------------------------------------------


@compiled
def _search_of(
    search: t.TreeSearch, paths: t.SearchPath, generators: NDArray[np.uint64], row: int
) -> t.TreeSearch:
    """Return the search to which a row belongs, with that row as its path."""
    path = t.SearchPath(
        paths.depth[row],
        paths.nodes[row],
        paths.seats[row],
        paths.edges[row],
        paths.state[row],
        paths.values[row],
    )
    rng = generators[row // (len(paths.state) // len(generators))]
    return t.TreeSearch(
        search.functions, search.network, search.settings, search.tree, path, search.scratch, rng
    )


@compiled
def _add_roots(
    search: t.TreeSearch,
    words: NDArray[np.int64],
    paths: t.SearchPath,
    generators: NDArray[np.uint64],
) -> None:
    """Make the roots, nodes 0 to n - 1, the leaves of the first evaluation."""
    at_once = len(paths.state) // len(words)
    for root in range(len(words)):
        own = _search_of(search, paths, generators, root * at_once)
        if search.settings.hidden:
            imagine(
                own.functions, own.settings.determinizations, own.path.values.size, words[root],
                own.path.state, own.scratch.trial, own.rng,
            )  # fmt: skip
        own.path.nodes[0] = t.add_node(search.tree, t.DETERMINISTIC)
        own.path.seats[0] = own.path.state[SEAT]


@compiled(nogil=True)
def _descend_rows(
    search: t.TreeSearch,
    words: NDArray[np.int64],
    paths: t.SearchPath,
    generators: NDArray[np.uint64],
    simulations: int,
    waiting: NDArray[np.bool_],
    progress: Progress,
) -> None:
    """Run the simulations of each unfinished search down to their leaves.

    One is finished at once if the value of the leaf is known; otherwise the leaf is waiting. A
    search whose simulation comes to a leaf that is waiting already makes no more in this round.
    """
    tree = search.tree
    waiting[:] = False
    at_once = waiting.size // len(words)
    for root in range(len(words)):
        first = root * at_once
        pending = 0
        for row in range(first, first + at_once):
            if progress.simulations[root] + pending >= simulations or tree.nodes[root].proven:
                break
            own = _search_of(search, paths, generators, row)
            before = tree.used[t.NODES]
            descend(own, root, words[root], t.NONE)
            progress.nodes[root] += tree.used[t.NODES] - before
            progress.depths[root] = max(progress.depths[root], own.path.depth[0])
            if value_finished(own.functions, own.settings, tree, own.path):
                t.back_up(tree, own.path)
                progress.simulations[root] += 1
            elif _leads_to_waiting(paths, waiting, first, row):
                break
            else:
                waiting[row] = True
                pending += 1
                if at_once > 1:
                    _lose(tree, own.path, 1)


@compiled
def _leads_to_waiting(
    paths: t.SearchPath, waiting: NDArray[np.bool_], first: int, row: int
) -> bool:
    """Whether a path ends at the leaf of a waiting one among the rows from `first` to it."""
    leaf = paths.nodes[row, paths.depth[row, 0]]
    for other in range(first, row):
        if waiting[other] and paths.nodes[other, paths.depth[other, 0]] == leaf:
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
def _finish_rows(
    search: t.TreeSearch,
    paths: t.SearchPath,
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
            own = _search_of(search, paths, generators, row)
            depth = own.path.depth[0]
            if at_once > 1:
                _lose(search.tree, own.path, -1)
            leaf = own.path.nodes[depth]
            list_actions(own.functions, own.tree, leaf, own.path.state, own.scratch, own.rng)
            t.set_priors(search.tree, leaf, priors[answer])
            own.path.values[:] = values[answer]
            t.back_up(search.tree, own.path)
            if depth > 0:  # evaluating the root itself is not a simulation
                progress.simulations[row // at_once] += 1
            answer += 1
