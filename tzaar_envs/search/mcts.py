"""Monte Carlo tree search, written once for all games; `docs/search.md` explains how it works."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.spec import resolve_options
from tzaar_envs.core.state import State
from tzaar_envs.core.validation import array_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import first_compilation
from tzaar_envs.jit.rng import new_generators
from tzaar_envs.search import tree as t
from tzaar_envs.search.batched import Evaluator, search_batched
from tzaar_envs.search.chance import RUNS
from tzaar_envs.search.control import Budget, SearchControl
from tzaar_envs.search.leaf_network import (
    CompiledEvaluator,
    no_network,
    require_game,
    require_position,
)
from tzaar_envs.search.options import LEAVES, MCTS_OPTIONS
from tzaar_envs.search.result import SearchResult, SearchResults
from tzaar_envs.search.simulation import DETERMINIZATIONS, read_tree, simulate

# Room of a new tree; both are doubled as often as needed.
_FIRST_NODES = 512
_FIRST_EDGES = 4  # times the number of actions

_LARGEST = 2 << 30  # bytes of a tree's edges: it grows no further when they are full

_FIRST_STEP = 0.05  # seconds: the first result of a search in steps comes soon


class Mcts:
    """Searches positions of one game; several threads may do so at once.

    Attributes:
        control: Control of the searches from now on; None: they end with their budget.

    Args:
        game: The game.
        evaluator: Values leaves and actions, for instance by a network, in place of the option
            `leaf`. A `CompiledEvaluator` is part of the compiled search; for any other, all
            positions of a call are searched together.
        **options: Options, see `MCTS_OPTIONS`.

    Raises:
        ValueError: An unknown option, a value that is not allowed, or options that exclude each
            other.
    """

    def __init__(self, game: Game, evaluator: Evaluator | None = None, **options: Any) -> None:
        chosen = resolve_options(MCTS_OPTIONS, options, "mcts")
        if evaluator is not None and "leaf" in options:
            raise ValueError(
                f"leaf={chosen['leaf']!r} is not allowed with an evaluator, which values leaves"
            )
        if chosen["priors"] != "policy" and not isinstance(evaluator, CompiledEvaluator):
            raise ValueError(
                f"priors={chosen['priors']!r} is not allowed without a sparse network as evaluator"
            )
        require_game(evaluator, game)
        self.game = game
        self.evaluator = evaluator
        self.options = chosen
        self._network = evaluator if isinstance(evaluator, CompiledEvaluator) else None
        self._is_compiled = evaluator is None or self._network is not None
        leaf = LEAVES.index(chosen["leaf"])
        if evaluator is not None:
            leaf = t.EVALUATION  # an evaluator gives priors of its own, so nothing looks ahead
        if self._network is not None:
            leaf = t.NETWORK if chosen["priors"] == "policy" else t.NETWORK_LOOKAHEAD
        chooses_together = game.spec.simultaneous and leaf != t.PLAYOUT
        self.settings = t.SearchSettings(
            puct=chosen["rule"] == "puct",
            exploration=float(chosen["exploration"]),
            leaf=leaf,
            hidden=game.spec.hidden_information,
            determinizations=DETERMINIZATIONS if chooses_together else 1,
            runs=RUNS if not game.spec.is_deterministic and leaf != t.PLAYOUT else 0,
        )
        self.control: SearchControl | None = None

    def search(
        self,
        states: NDArray[np.int64],
        generators: NDArray[np.uint64] | int | Sequence[int] | None = None,
    ) -> SearchResults:
        """Search positions in which a player is to move.

        The result for a position depends on its generator alone, not on the other positions or the
        number of threads, unless the budget is in milliseconds. In compiled code a search ends
        early when its tree has grown to some gigabytes.

        Args:
            states: int64 `(n, state_size)`, positions of this game with these options; see
                `State.words` and `Batch.states`. Other words are not noticed, and can crash the
                process.
            generators: uint64 `(n, 1)`, the random choices of each search, or a seed for all.

        Raises:
            ValueError: A game is over; positions or generators of another shape or type; or an
                evaluator whose answer is not allowed.
        """
        states = self.game.checked_positions(states)
        if (states[:, STATUS] != RUNNING).any():
            raise ValueError("there is no legal action: the game is over")
        if isinstance(generators, np.ndarray):
            generators = array_of("generators", generators, np.uint64, (len(states), 1)).copy()
        else:
            generators = new_generators(generators, len(states))
        players = states[:, SEAT].copy()
        results = SearchResults(players, self.game.num_actions, self.game.num_players)
        self._search_all(states, generators, results)
        if not np.isfinite(results.values).all():
            raise ValueError(f"the evaluation of {self.game.name} gave a value that is not finite")
        return results

    def search_in_steps(
        self, state: State, generator: int | Sequence[int] | None = None, seconds: float = 0.25
    ) -> Iterator[SearchResult]:
        """Search one position, and yield what has been found so far again and again.

        The search ends with its budget, when its value is proven, or when iteration stops.

        Args:
            state: A position whose game is not over.
            generator: A seed for the random choices of the search.
            seconds: Between two results, the last one excepted.

        Raises:
            ValueError: The game is over or another one, or the search needs an evaluator called
                from Python.
        """
        require_position(state, self.game)
        if not self._is_compiled:
            raise ValueError(f"{self.evaluator!r} is not compiled: search the position at once")
        player = np.array([state.current_player], np.int64)
        results = SearchResults(player, self.game.num_actions, self.game.num_players)
        budget, due = self._budget(), _FIRST_STEP
        _network, search = self._new_search(new_generators(generator, 1)[0])
        for search, simulations in self._grow(search, state.words, budget):  # noqa: B020
            if budget.elapsed >= due:
                self._read(search, simulations, budget, results, 0)
                yield results[0]
                due = budget.elapsed + seconds
        self._read(search, simulations, budget, results, 0)
        yield results[0]

    def _search_all(
        self, states: NDArray[np.int64], generators: NDArray[np.uint64], results: SearchResults
    ) -> None:
        threads = min(self.options["threads"], len(states))
        stop = threading.Event()
        if threads == 0:
            return
        if self.evaluator is not None and not self._is_compiled:
            with first_compilation("mcts with an evaluator", simulate):
                search_batched(
                    self.game, self.settings, self.evaluator, states, generators, self._budget(),
                    results,
                )  # fmt: skip
        elif threads == 1:
            self._search_rows(range(len(states)), states, generators, results, stop)
        else:
            with ThreadPoolExecutor(threads) as pool:
                parts = [range(part, len(states), threads) for part in range(threads)]
                running = [
                    pool.submit(self._search_rows, part, states, generators, results, stop)
                    for part in parts
                ]
                try:
                    for done in running:
                        done.result()
                except BaseException:  # Ctrl-C, for instance
                    stop.set()
                    raise

    def _search_rows(
        self,
        rows: range,
        states: NDArray[np.int64],
        generators: NDArray[np.uint64],
        results: SearchResults,
        stop: threading.Event,
    ) -> None:
        """Search some positions one after the other, until `stop` is set."""
        _network, search = self._new_search(generators[rows[0]])
        for row in rows:
            budget = self._budget()
            search = search._replace(rng=generators[row])
            for search, simulations in self._grow(search, states[row], budget):  # noqa: B020
                if stop.is_set():
                    return
                if self.control is not None and self.control.wants_report:
                    self._read(search, simulations, budget, results, row)
                    self.control.report(results[row])
            self._read(search, simulations, budget, results, row)

    def _grow(
        self, search: t.TreeSearch, words: StateArray, budget: Budget
    ) -> Iterator[tuple[t.TreeSearch, int]]:
        """Search a position within a budget; yield the search and its simulations so far.

        The memory of `search` is used again; its tree may have to be replaced by a larger one.
        """
        t.plant(search.tree)
        search.scratch.playout_moves[0] = 0
        simulations = 0
        enlarging = 0.0  # seconds that it took last time
        while (left := budget.next_chunk(simulations)) and not search.tree.nodes[0].proven:
            with first_compilation("mcts", simulate):
                done = simulate(search, 0, words, left)
            simulations += done
            is_full = done < left and not search.tree.nodes[0].proven
            # A tree twice the size takes as long.
            is_over = is_full and (
                search.tree.edges.nbytes >= _LARGEST or budget.seconds_left < 2 * enlarging
            )
            if is_full and not is_over:
                begun = budget.elapsed
                search = search._replace(tree=t.enlarged(search.tree))
                enlarging = budget.elapsed - begun
            yield search, simulations
            if is_over or search.tree.used[t.DEEPEST] >= budget.depth:
                break

    def _new_search(self, rng: RngState) -> tuple[CompiledEvaluator | None, t.TreeSearch]:
        """Return an empty search for one thread, after the owner of its network.

        Threads must not share a network's working memory, and the owner must outlive the search.
        """
        network = None if self._network is None else self._network.copy()
        leaf_network = no_network() if network is None else network.leaf_network()
        edges = _FIRST_EDGES * self.game.num_actions
        search = t.new_search(self.game, leaf_network, self.settings, _FIRST_NODES, edges, rng)
        return network, search

    @staticmethod
    def _read(
        search: t.TreeSearch, simulations: int, budget: Budget, results: SearchResults, row: int
    ) -> None:
        """Fill in what a search has found so far."""
        read_tree(search, 0, results, row)
        results.simulations[row] = simulations
        results.playout_moves[row] = search.scratch.playout_moves[0]
        results.nodes[row] = search.tree.used[t.NODES]
        results.depths[row] = search.tree.used[t.DEEPEST]
        results.seconds[row] = budget.elapsed

    def _budget(self) -> Budget:
        control = self.control
        if control is not None and control.limits is not None:
            limits = control.limits
            return Budget(limits.nodes, limits.seconds, control, limits.depth)
        if ms := self.options["ms"]:
            return Budget(seconds=ms / 1000, control=control)
        return Budget(self.options["simulations"], control=control)
