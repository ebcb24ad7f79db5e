"""Monte Carlo tree search, written once for all games; `docs/search.md` explains how it works."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.spec import resolve_keywords
from tzaar_envs.core.validation import array_of, generators_of
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import first_compilation
from tzaar_envs.jit.rng import new_generators
from tzaar_envs.search.budget import Budget
from tzaar_envs.search.control import SearchControl
from tzaar_envs.search.leaf_network import CompiledEvaluator, no_network, require_game
from tzaar_envs.search.luck import RUNS
from tzaar_envs.search.mcts.answers import Evaluator
from tzaar_envs.search.mcts.batched import search_batched
from tzaar_envs.search.mcts.beliefs import DRAWS
from tzaar_envs.search.mcts.priors import DirichletNoise, draw_gamma, mix_noise
from tzaar_envs.search.mcts.results import SearchResults, new_results, read_tree
from tzaar_envs.search.mcts.reuse import subtree_of
from tzaar_envs.search.mcts.selection import (
    EVALUATION,
    NETWORK,
    NETWORK_LOOKAHEAD,
    PLAYOUT,
    Settings,
)
from tzaar_envs.search.mcts.simulation import judge_root, simulate
from tzaar_envs.search.mcts.tree import (
    DEEPEST,
    DETERMINISTIC,
    NODES,
    Tree,
    add_node,
    clear,
    enlarged,
    new_tree,
)
from tzaar_envs.search.mcts.workspace import SearchPath, new_path, new_scratch
from tzaar_envs.search.options import LEAVES, MCTS_OPTIONS

# Room of a new tree; both are doubled as often as needed.
_FIRST_NODES = 512
_FIRST_EDGES = 4  # times the number of actions

_MOST_ALPHA = 1e6  # sums of gamma variates must be finite


class Mcts:
    """Searches positions of one game.

    Several threads may search at once, except with the option `reuse`, which keeps a tree: a second
    thread then gets a RuntimeError.

    Attributes:
        control: of the searches from now on; None: they end with their budget.

    Args:
        game: the game.
        evaluator: values leaves and actions, for instance by a network, in place of the option
            `leaf`. A `CompiledEvaluator` is part of the compiled search; for any other, all
            positions of a call are searched together.
        noise: in the priors of the roots; needs an evaluator.
        **options: see `MCTS_OPTIONS`.

    Raises:
        ValueError: an unknown option, a value that is not allowed, or options that exclude each
            other.
    """

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator | None = None,
        noise: DirichletNoise | None = None,
        **options: Any,
    ) -> None:
        chosen = resolve_keywords(MCTS_OPTIONS, options, "mcts")
        if evaluator is not None and "leaf" in options:
            raise ValueError(
                f"leaf={chosen['leaf']!r} is not allowed with an evaluator, which values leaves"
            )
        if chosen["priors"] != "policy" and not isinstance(evaluator, CompiledEvaluator):
            raise ValueError(
                f"priors={chosen['priors']!r} is not allowed without a sparse network as evaluator"
            )
        if chosen["reuse"] and (evaluator is not None or game.spec.hidden_information):
            reason = "it has hidden information" if evaluator is None else "not with an evaluator"
            raise ValueError(f"reuse=True is not allowed for {game.name}: {reason}")
        if noise is not None:
            if evaluator is None:
                raise ValueError(f"noise={noise!r} is not allowed: it needs an evaluator")
            if chosen["priors"] != "policy":
                raise ValueError(
                    f"noise={noise!r} is not allowed with priors={chosen['priors']!r}: use 'policy'"
                )
            if not (0 < noise.alpha <= _MOST_ALPHA and 0 <= noise.fraction <= 1):
                raise ValueError(
                    f"noise={noise!r} is not allowed: use an alpha above 0, at most {_MOST_ALPHA:g}"
                    ", and a fraction from 0 to 1"
                )
        require_game(evaluator, game)
        self.game = game
        self.evaluator = evaluator
        self.noise = noise
        self.options = chosen
        self._compiled = evaluator if isinstance(evaluator, CompiledEvaluator) else None
        leaf = LEAVES.index(chosen["leaf"])
        if evaluator is not None:
            leaf = EVALUATION  # an evaluator gives priors of its own, so nothing looks ahead
        if self._compiled is not None:
            leaf = NETWORK if chosen["priors"] == "policy" else NETWORK_LOOKAHEAD
        self.settings = Settings(
            puct=chosen["rule"] == "puct",
            exploration=float(chosen["exploration"]),
            leaf=leaf,
            hidden=game.spec.hidden_information,
            beliefs=DRAWS if game.spec.simultaneous and leaf != PLAYOUT else 1,
            runs=RUNS if not game.spec.is_deterministic and leaf != PLAYOUT else 0,
        )
        self.control: SearchControl | None = None
        self._state_size = game.rules.state_size
        self._kept: tuple[Tree, StateArray] | None = None

    def forget(self) -> None:
        """Drop the tree of the last search, so that the next search does not reuse it."""
        self._kept = None

    def search(
        self,
        states: NDArray[np.int64],
        generators: NDArray[np.uint64] | int | Sequence[int] | None = None,
        *,
        trusted: bool = False,
    ) -> SearchResults:
        """Search positions in which a player is to move.

        The result for a position depends on its generator alone, not on the other positions or the
        number of threads, unless the budget is in milliseconds.

        Args:
            states: int64 `(n, state_size)`; see `State.words` and `Batch.states`.
            generators: uint64 `(n, 1)`, the random choices of each search, or a seed for all.
            trusted: the positions come from a `State` or `Batch` of the game, so that they need not
                be checked, which takes some 0.1 ms each.

        Raises:
            ValueError: a game is over; positions or generators of another shape or type; words that
                no position has; or an evaluator whose answer is not allowed.
        """
        if trusted:
            states = array_of("states", states, np.int64, (len(states), self._state_size))
        else:
            states = self.game.checked_positions(states)
        if (states[:, STATUS] != RUNNING).any():
            raise ValueError("there is no legal action: the game is over")
        if isinstance(generators, np.ndarray):
            generators = generators_of(generators, len(states))
        else:
            generators = new_generators(generators, len(states))
        if len(states) != 1:
            self.forget()  # threads must not compete for it
        players = states[:, SEAT].copy()
        results = new_results(players, self.game.num_actions, self.game.num_players)
        kind = "mcts" if self._is_compiled else "mcts with an evaluator"
        with first_compilation(kind, simulate):
            self._search_all(states, generators, results)
        if not np.isfinite(results.values).all():
            raise ValueError(f"the evaluation of {self.game.name} gave a value that is not finite")
        return results

    def _search_all(
        self, states: NDArray[np.int64], generators: NDArray[np.uint64], results: SearchResults
    ) -> None:
        threads = min(self.options["threads"], len(states))
        stop = threading.Event()
        if threads == 0:
            return
        if self.evaluator is not None and not self._is_compiled:
            search_batched(
                self.game, self.settings, self.evaluator, self.noise, states, generators,
                self._budget(), threads, results,
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
        game = self.game
        tree = new_tree(_FIRST_NODES, _FIRST_EDGES * game.num_actions, game.num_players)
        path = new_path(game)
        scratch = new_scratch(game)
        functions = game.rules.functions
        # Threads must not share its working memory.
        compiled = None if self._compiled is None else self._compiled.copy()
        network = no_network() if compiled is None else compiled.leaf_network()
        for row in rows:
            words, rng = states[row], generators[row]
            budget = self._budget()
            tree = self._start_tree(tree, words)
            scratch.playout_moves[0] = 0
            total = 0
            enlarging = 0.0  # seconds that it took last time
            if self.noise is not None:
                judge_root(functions, network, self.settings, tree, 0, words, path, scratch, rng)
                gamma = draw_gamma(generators[row : row + 1], self.noise, game.num_actions)
                mix_noise(tree, gamma, self.noise.fraction)
            while (left := budget.next_chunk(total)) and not tree.nodes[0].proven:
                if stop.is_set():
                    return
                done = simulate(
                    functions, network, self.settings, tree, 0, words, left, path, scratch, rng
                )
                total += done
                if done < left and not tree.nodes[0].proven:
                    if budget.seconds_left < 2 * enlarging:  # a tree twice the size takes as long
                        break
                    begun = budget.elapsed
                    tree = enlarged(tree)
                    enlarging = budget.elapsed - begun
                if self._is_deep_enough(int(tree.used[DEEPEST])):
                    break
                if self.control is not None and self.control.wants_report:
                    self._read(results, row, tree, path, total, budget)
                    self.control.report(results[row])
            self._read(results, row, tree, path, total, budget)
            results.playout_moves[row] = scratch.playout_moves[0]
            if self.options["reuse"] and len(states) == 1:
                self._kept = tree, words.copy()

    @staticmethod
    def _read(
        results: SearchResults,
        row: int,
        tree: Tree,
        path: SearchPath,
        simulations: int,
        budget: Budget,
    ) -> None:
        """Fill in what a search has found so far."""
        read_tree(results, row, tree, 0, path.nodes)
        results.simulations[row] = simulations
        results.nodes[row] = tree.used[NODES]
        results.depths[row] = tree.used[DEEPEST]
        results.seconds[row] = budget.elapsed

    @property
    def _is_compiled(self) -> bool:
        """Whether whole searches run in compiled code."""
        return self.evaluator is None or self._compiled is not None

    def _budget(self) -> Budget:
        control = self.control
        if control is not None and control.limits is not None:
            return Budget(control.limits.nodes, control.limits.seconds, control)
        if ms := self.options["ms"]:
            return Budget(seconds=ms / 1000, control=control)
        return Budget(self.options["simulations"], control=control)

    def _is_deep_enough(self, depth: int) -> bool:
        limits = None if self.control is None else self.control.limits
        return limits is not None and 0 < limits.depth <= depth

    def _start_tree(self, tree: Tree, words: StateArray) -> Tree:
        """Return a tree that has a root: the one kept for this position, else an empty one."""
        if self._kept is not None:
            kept = subtree_of(self.game, *self._kept, words)
            self._kept = None
            if kept is not None:
                return kept
        clear(tree)
        add_node(tree, DETERMINISTIC)
        return tree
