"""Many searches at once, with one call of an evaluator for the leaves of all of them."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.search.budget import Budget
from tzaar_envs.search.mcts.answers import Evaluator, ask
from tzaar_envs.search.mcts.priors import DirichletNoise, draw_gamma, mix_noise
from tzaar_envs.search.mcts.results import SearchResults, read_tree
from tzaar_envs.search.mcts.rounds import Progress, add_roots, descend_rows, finish_rows
from tzaar_envs.search.mcts.selection import Settings
from tzaar_envs.search.mcts.simulation import has_room
from tzaar_envs.search.mcts.tree import enlarged, new_tree
from tzaar_envs.search.mcts.workspace import SearchPath, new_scratch


class BatchedSearch:
    """Searches that run side by side, one simulation each in every round.

    Attributes:
        leaves: int64 `(n, state_size)`, the position of every search's leaf.
        waiting: bool `(n,)`, whether the leaf must be evaluated.
        progress: how far each search is.

    Args:
        game: the game.
        settings: how to search.
        words: int64 `(n, state_size)`, the positions.
        generators: uint64 `(n, 1)`, the random choices of each search.
        simulations: the limit of each search.
    """

    def __init__(
        self,
        game: Game,
        settings: Settings,
        words: NDArray[np.int64],
        generators: NDArray[np.uint64],
        simulations: int,
    ) -> None:
        count, longest = len(words), game.max_plies + 1
        self._functions = game.rules.functions
        self._settings = settings
        self._words = words
        self._generators = generators
        self._simulations = simulations
        self._num_actions = game.num_actions
        self._scratch = new_scratch(game)
        self._paths = SearchPath(
            depth=np.zeros((count, 1), np.int64),
            nodes=np.empty((count, longest), np.int64),
            seats=np.empty((count, longest), np.int64),
            edges=np.empty((count, longest), np.int64),
            state=words.copy(),
            values=np.zeros((count, game.num_players)),
        )
        self.tree = new_tree(2 * count, 2 * count * game.num_actions, game.num_players)
        self.leaves = self._paths.state
        self.waiting = np.ones(count, np.bool_)
        self.progress = Progress(
            simulations=np.zeros(count, np.int64),
            nodes=np.ones(count, np.int64),
            depths=np.zeros(count, np.int64),
        )
        add_roots(self._functions, settings, self.tree, self._paths, generators)

    @property
    def is_finished(self) -> bool:
        """Whether every search has reached its limit or proven its value."""
        done = self.progress.simulations
        proven = self.tree.nodes.proven[: len(done)] == 1
        return bool(((done >= self._simulations) | proven).all())

    def descend(self) -> None:
        """Run a simulation of every search down to its leaf, and set which leaves are waiting."""
        searches = len(self.waiting)
        while not has_room(self.tree, self._settings, self._num_actions, searches):
            self.tree = enlarged(self.tree)
        descend_rows(
            self._functions, self._settings, self.tree, self._words, self._paths, self._scratch,
            self._generators, self._simulations, self.waiting, self.progress,
        )  # fmt: skip

    def finish(self, priors: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Finish the simulations of the waiting leaves, whose priors and values come in order."""
        finish_rows(
            self._functions, self._settings, self.tree, self._paths, self._scratch,
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
    parts = [
        BatchedSearch(game, settings, words[own], generators[own], budget.simulations)
        for own in rows
    ]
    with ThreadPoolExecutor(threads) as pool:
        _evaluate_leaves(pool, parts, evaluator, game)
        if noise is not None:
            for part in parts:
                part.add_noise(noise)
        rounds = 0
        while budget.next_chunk(rounds, searches=count):
            list(pool.map(BatchedSearch.descend, parts))
            _evaluate_leaves(pool, parts, evaluator, game)
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
    pool: ThreadPoolExecutor, parts: list[BatchedSearch], evaluator: Evaluator, game: Game
) -> None:
    """Have all waiting leaves evaluated, and finish their simulations."""
    leaves = np.concatenate([part.leaves[part.waiting] for part in parts])
    if len(leaves) == 0:
        return
    priors, values = ask(evaluator, game, leaves)
    bounds = np.cumsum([np.count_nonzero(part.waiting) for part in parts])[:-1]
    list(pool.map(BatchedSearch.finish, parts, np.split(priors, bounds), np.split(values, bounds)))
