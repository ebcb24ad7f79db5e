"""Many searches in lockstep, so that one call of an evaluator values the leaves of all of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT, determinize_of
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.budget import Budget
from tzaar_envs.search.mcts.selection import Settings
from tzaar_envs.search.mcts.simulation import (
    Path,
    Scratch,
    back_up,
    descend,
    has_room,
    list_actions,
    new_scratch,
    value_finished,
)
from tzaar_envs.search.mcts.tree import NONE, SURE, Tree, add_node, enlarged, new_tree
from tzaar_envs.search.result import SearchResult, fill_row

Evaluator: TypeAlias = Callable[
    [NDArray[np.int64]], tuple[NDArray[np.floating], NDArray[np.floating]]
]
"""From positions `(n, state_size)` to priors `(n, num_actions)` and values `(n, num_players)`.

Priors are the probabilities of the seat to act, 0 or more; those of actions that are not legal do
not count, the others need not add up to 1. Values are the expected returns of all seats.
"""


class Lockstep:
    """Searches that go on together.

    Attributes:
        leaves: int64 `(n, state_size)`, the position of every search's leaf.
        waiting: bool `(n,)`, the leaf must be evaluated.
        done: int64 `(n,)`, how many simulations each search has run.

    Args:
        game: the game.
        settings: how to search.
        words: int64 `(n, state_size)`, the positions.
        generators: uint64 `(n, 1)`, the random choices of each search.
        simulations: for each search, at most.
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
        self._paths = Path(
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
        self.done = np.zeros(count, np.int64)
        _plant(self._functions, settings, self.tree, self._paths, generators)

    @property
    def is_finished(self) -> bool:
        """Whether every search has spent its simulations or proven its value."""
        proven = self.tree.nodes.proven[: len(self.done)] == 1
        return bool(((self.done >= self._simulations) | proven).all())

    def descend(self) -> None:
        """Run a simulation of every search, down to its leaf; say which leaves are waiting."""
        searches = len(self.done)
        while not has_room(self.tree, self._settings, self._num_actions, searches):
            self.tree = enlarged(self.tree)
        _descend_rows(
            self._functions, self._settings, self.tree, self._words, self._paths, self._scratch,
            self._generators, self._simulations, self.waiting, self.done,
        )  # fmt: skip

    def finish(self, priors: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Take what the evaluator said of the waiting leaves, in their order."""
        _finish_rows(
            self._functions, self._settings, self.tree, self._paths, self._scratch,
            self._generators, self.waiting, self.done, priors, values,
        )  # fmt: skip

    def add_noise(self, noise: NDArray[np.float64], fraction: float) -> None:
        """Mix noise into the priors of the roots, as AlphaZero does (Silver et al., 2018).

        Args:
            noise: float64 `(n, num_actions)`, positive; it is scaled to the sum 1 over the legal
                actions, so that numbers from a gamma distribution make Dirichlet noise.
            fraction: the weight of the noise, 0 to 1.
        """
        _mix_noise(self.tree, noise, fraction)


def search_together(
    game: Game,
    settings: Settings,
    evaluator: Evaluator,
    noise: tuple[float, float] | None,
    words: NDArray[np.int64],
    generators: NDArray[np.uint64],
    budget: Budget,
    threads: int,
    result: SearchResult,
) -> None:
    """Search all positions, with one call of the evaluator for all leaves of a round.

    Args:
        game: the game.
        settings: how to search.
        evaluator: values leaves.
        noise: parameter and weight of Dirichlet noise at the roots; None for no noise.
        words: int64 `(n, state_size)`, the positions.
        generators: uint64 `(n, 1)`, the random choices of each search.
        budget: of each search; milliseconds are multiplied by the number of searches.
        threads: how many share the searches.
        result: to be filled in.
    """
    count = len(words)
    bounds = [count * part // threads for part in range(threads + 1)]
    rows = [slice(*pair) for pair in itertools.pairwise(bounds)]
    parts = [
        Lockstep(game, settings, words[own], generators[own], budget.simulations) for own in rows
    ]
    with ThreadPoolExecutor(threads) as pool:
        _answer(pool, parts, evaluator)
        if noise is not None:
            for own, part in zip(rows, parts, strict=True):
                part.add_noise(_gamma(generators[own], noise[0], game.num_actions), noise[1])
        rounds = 0
        while budget.next_chunk(rounds, searches=count):
            list(pool.map(Lockstep.descend, parts))
            _answer(pool, parts, evaluator)
            rounds += 1
            if all(part.is_finished for part in parts):
                break
    variation = np.empty(game.max_plies + 1, np.int64)
    for own, part in zip(rows, parts, strict=True):
        for root, row in enumerate(range(own.start, own.stop)):
            fill_row(result, row, part.tree, root, int(part.done[root]), variation)


def _answer(pool: ThreadPoolExecutor, parts: list[Lockstep], evaluator: Evaluator) -> None:
    """Have all waiting leaves evaluated, and finish their simulations."""
    leaves = np.concatenate([part.leaves[part.waiting] for part in parts])
    if len(leaves) == 0:
        return
    priors, values = (np.asarray(answer, np.float64) for answer in evaluator(leaves))
    bounds = np.cumsum([np.count_nonzero(part.waiting) for part in parts])[:-1]
    list(pool.map(Lockstep.finish, parts, np.split(priors, bounds), np.split(values, bounds)))


def _gamma(generators: NDArray[np.uint64], shape: float, size: int) -> NDArray[np.float64]:
    """Return float64 `(n, size)` from a gamma distribution; each row follows from a generator."""
    rows = [
        np.random.Generator(np.random.PCG64(int(word))).gamma(shape, size=size)
        for word in generators[:, 0]
    ]
    # Small parameters bring zeros, of which a share could not be told.
    return np.stack(rows) + np.finfo(np.float64).tiny


@compiled
def _path_of(paths: Path, row: int) -> Path:
    return Path(
        paths.depth[row],
        paths.nodes[row],
        paths.seats[row],
        paths.edges[row],
        paths.state[row],
        paths.values[row],
    )


@compiled
def _plant(
    functions: FunctionTable,
    settings: Settings,
    tree: Tree,
    paths: Path,
    generators: NDArray[np.uint64],
) -> None:
    """Make the roots, nodes 0 to n - 1, the leaves of the first evaluation."""
    for row in range(len(generators)):
        state = paths.state[row]
        if settings.hidden:
            determinize_of(functions)(state, state[SEAT], generators[row])
        paths.nodes[row, 0] = add_node(tree, SURE)
        paths.seats[row, 0] = state[SEAT]


@compiled(nogil=True)
def _descend_rows(
    functions: FunctionTable,
    settings: Settings,
    tree: Tree,
    words: NDArray[np.int64],
    paths: Path,
    scratch: Scratch,
    generators: NDArray[np.uint64],
    simulations: int,
    waiting: NDArray[np.bool_],
    done: StateArray,
) -> None:
    for root in range(done.size):
        waiting[root] = False
        if done[root] < simulations and not tree.nodes[root].proven:
            path = _path_of(paths, root)
            descend(functions, settings, tree, root, words[root], path, scratch, generators[root])
            if value_finished(functions, settings, tree, path):
                back_up(tree, path)
                done[root] += 1
            else:
                waiting[root] = True


@compiled(nogil=True)
def _finish_rows(
    functions: FunctionTable,
    settings: Settings,
    tree: Tree,
    paths: Path,
    scratch: Scratch,
    generators: NDArray[np.uint64],
    waiting: NDArray[np.bool_],
    done: StateArray,
    priors: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    answer = 0
    for root in range(done.size):
        if waiting[root]:
            path = _path_of(paths, root)
            depth = path.depth[0]
            leaf = path.nodes[depth]
            list_actions(functions, settings, tree, leaf, path.state, scratch, generators[root])
            _set_priors(tree, leaf, priors[answer])
            path.values[:] = values[answer]
            back_up(tree, path)
            done[root] += depth > 0  # the evaluation of the root itself is no simulation
            answer += 1


@compiled
def _set_priors(tree: Tree, node: int, priors: NDArray[np.float64]) -> None:
    """Scale priors to the sum 1 over the edges of a node; if all are 0 they stay alike."""
    total = 0.0
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        total += priors[tree.edges[edge].action]
        edge = tree.edges[edge].next_edge
    if total > 0.0:
        edge = tree.nodes[node].first_edge
        while edge != NONE:
            tree.edges[edge].prior = priors[tree.edges[edge].action] / total
            edge = tree.edges[edge].next_edge


@compiled
def _mix_noise(tree: Tree, noise: NDArray[np.float64], fraction: float) -> None:
    for root in range(len(noise)):
        total = 0.0
        edge = tree.nodes[root].first_edge
        while edge != NONE:
            total += noise[root, tree.edges[edge].action]
            edge = tree.edges[edge].next_edge
        edge = tree.nodes[root].first_edge
        while edge != NONE:
            share = noise[root, tree.edges[edge].action] / total
            tree.edges[edge].prior += fraction * (share - tree.edges[edge].prior)
            edge = tree.edges[edge].next_edge
