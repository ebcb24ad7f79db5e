"""Many searches at once, with one call of an evaluator for the leaves of all of them.

If they are few, each has several leaves in a call, since a network values eight positions in little
more time than one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.search.budget import UNLIMITED, Budget
from tzaar_envs.search.leaf_network import no_network
from tzaar_envs.search.mcts.answers import Evaluator, ask
from tzaar_envs.search.mcts.priors import DirichletNoise, draw_gamma, mix_noise
from tzaar_envs.search.mcts.results import SearchResults, read_tree
from tzaar_envs.search.mcts.rounds import Progress, add_roots, descend_rows, finish_rows
from tzaar_envs.search.mcts.selection import Settings
from tzaar_envs.search.mcts.simulation import has_room
from tzaar_envs.search.mcts.tree import enlarged, new_tree
from tzaar_envs.search.mcts.workspace import SearchPath, new_scratch

ForEach: TypeAlias = Callable[..., Iterable[Any]]

_MOST_LEAVES = 8  # of one search in a call
_SIMULATIONS_PER_LEAF = 50  # with fewer, searches choose worse for not knowing the other leaves


def leaves_at_once(budget: Budget, searches: int) -> int:
    """Return how many leaves of each search to evaluate in one call.

    Without a time limit it does not depend on the number of searches, so that results do not.
    """
    if budget.simulations < UNLIMITED:
        return max(1, min(_MOST_LEAVES, budget.simulations // _SIMULATIONS_PER_LEAF))
    return max(1, _MOST_LEAVES // searches)


class BatchedSearch:
    """Searches that run side by side, `k` simulations each in every round.

    Attributes:
        leaves: int64 `(n * k, state_size)`, the position of every simulation's leaf.
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
        settings: Settings,
        words: NDArray[np.int64],
        generators: NDArray[np.uint64],
        simulations: int,
        at_once: int,
    ) -> None:
        count, longest = len(words), game.max_plies + 1
        rows = count * at_once
        self._functions = game.rules.functions
        self._settings = settings
        self._words = words
        self._generators = generators
        self._simulations = simulations
        self._num_actions = game.num_actions
        self._scratch = new_scratch(game)
        self._paths = SearchPath(
            depth=np.zeros((rows, 1), np.int64),
            nodes=np.empty((rows, longest), np.int64),
            seats=np.empty((rows, longest), np.int64),
            edges=np.empty((rows, longest), np.int64),
            state=words.repeat(at_once, axis=0),
            values=np.zeros((rows, game.num_players)),
        )
        self.tree = new_tree(2 * rows, 2 * rows * game.num_actions, game.num_players)
        self.leaves = self._paths.state
        self.waiting = np.arange(rows) % at_once == 0
        self.progress = Progress(
            simulations=np.zeros(count, np.int64),
            nodes=np.ones(count, np.int64),
            depths=np.zeros(count, np.int64),
        )
        add_roots(
            self._functions, settings, self.tree, words, self._paths, self._scratch.trial,
            generators,
        )  # fmt: skip

    @property
    def is_finished(self) -> bool:
        """Whether every search has reached its limit or proven its value."""
        done = self.progress.simulations
        proven = self.tree.nodes.proven[: len(done)] == 1
        return bool(((done >= self._simulations) | proven).all())

    def descend(self) -> None:
        """Run simulations of every search down to their leaves, and set which are waiting."""
        simulations = len(self.waiting)
        while not has_room(self.tree, self._settings, self._num_actions, simulations):
            self.tree = enlarged(self.tree)
        descend_rows(
            self._functions, no_network(), self._settings, self.tree, self._words, self._paths,
            self._scratch, self._generators, self._simulations, self.waiting, self.progress,
        )  # fmt: skip

    def finish(self, priors: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Finish the simulations of the waiting leaves, whose priors and values come in order."""
        finish_rows(
            self._functions, no_network(), self._settings, self.tree, self._paths, self._scratch,
            self._generators, self.waiting, self.progress, priors, values,
        )  # fmt: skip

    def add_noise(self, noise: DirichletNoise) -> None:
        """Mix noise into the priors of the roots."""
        gamma = draw_gamma(self._generators, noise, self._num_actions)
        mix_noise(self.tree, gamma, noise.fraction)


def search_batched(
    game: Game,
    settings: Settings,
    evaluator: Evaluator,
    noise: DirichletNoise | None,
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
        noise: in the priors of the roots; None for no noise.
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
        BatchedSearch(game, settings, words[own], generators[own], budget.simulations, at_once)
        for own in rows
    ]
    with ThreadPoolExecutor(threads) as pool:
        for_each: ForEach = pool.map if threads > 1 else map  # a thread takes 50 us to answer
        _evaluate_leaves(for_each, parts, evaluator, game)
        if noise is not None:
            for part in parts:
                part.add_noise(noise)
        rounds = 0
        while budget.next_chunk(rounds, searches=count):
            list(for_each(BatchedSearch.descend, parts))
            _evaluate_leaves(for_each, parts, evaluator, game)
            rounds += 1
            if all(part.is_finished for part in parts):
                break
    line = np.empty(game.max_plies + 1, np.int64)
    for own, part in zip(rows, parts, strict=True):
        results.simulations[own], results.nodes[own], results.depths[own] = part.progress
        for root, row in enumerate(range(own.start, own.stop)):
            read_tree(results, row, part.tree, root, line)
    results.seconds[:] = budget.elapsed / count


def _evaluate_leaves(
    for_each: ForEach, parts: list[BatchedSearch], evaluator: Evaluator, game: Game
) -> None:
    """Have all waiting leaves evaluated, and finish their simulations."""
    leaves = np.concatenate([part.leaves[part.waiting] for part in parts])
    if len(leaves) == 0:
        return
    priors, values = ask(evaluator, game, leaves)
    bounds = np.cumsum([np.count_nonzero(part.waiting) for part in parts])[:-1]
    list(for_each(BatchedSearch.finish, parts, np.split(priors, bounds), np.split(values, bounds)))
