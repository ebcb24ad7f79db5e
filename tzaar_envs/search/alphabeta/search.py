"""Alpha-beta search for two players without chance and hidden information, compiled once.

Iterative deepening over principal variation search with a transposition table and move ordering.
All values are those of minimax to the same depth: nothing is pruned by a heuristic.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.compile import first_compilation
from tzaar_envs.jit.in_use import InUse, exclusive
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.search.alphabeta.hashing import hash_factors
from tzaar_envs.search.alphabeta.iteration import advance, begin
from tzaar_envs.search.alphabeta.ordering import new_history
from tzaar_envs.search.alphabeta.stack import (
    ACTIONS,
    BEST,
    BEST_ACTION,
    COPIED,
    COUNT,
    COUNTERS,
    KILLERS,
    LEAVES,
    LOG_LENGTH,
    MAX_DEPTH,
    NO_ACTION,
    NODES,
    PV,
    PV_LENGTH,
    SEARCH,
    STATE,
    new_stack,
)
from tzaar_envs.search.alphabeta.transposition import LAST_SEARCH, new_table
from tzaar_envs.search.alphabeta.values import UNIT, evaluation
from tzaar_envs.search.control import SearchControl
from tzaar_envs.search.leaf_network import CompiledEvaluator, no_network, require_game
from tzaar_envs.search.result import SearchResult

ENTRIES = 1 << 17  # of the transposition table: 2 MiB
_SLICE = 2048  # nodes between two looks at the clock: about half a millisecond


def checked_budget(depth: int, ms: float) -> tuple[int, float]:
    """Return depth and milliseconds, of which 0 sets no limit.

    Raises:
        ValueError: one of them is not allowed, or both are 0.
    """
    depth = operator.index(depth)
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth={depth!r} is not allowed: use 0 to {MAX_DEPTH} plies")
    if not 0 <= ms < float("inf"):
        raise ValueError(f"ms={ms!r} is not allowed: use 0 or more milliseconds")
    if depth == 0 and ms == 0:
        raise ValueError("depth=0 and ms=0 set no limit: give one of them")
    return depth, ms


def why_unsuitable(game: Game) -> str | None:
    """Return in a few words why alpha-beta cannot search a game; None if it can."""
    if game.num_players != 2:
        return f"it has {game.num_players} players"
    if not game.spec.is_deterministic:
        return "its actions involve chance, or something is hidden"
    return None


class _Found(NamedTuple):
    """What the iterations so far have found; `depth` is that of the last finished one."""

    value: float
    line: tuple[int, ...]
    depth: int
    proven: bool


class AlphaBeta:
    """Searches positions of one game.

    Attributes:
        game: the game.
        in_use: held by `search`, so that a second thread gets a RuntimeError.
        control: of the searches from now on; None: they end with their depth or time.

    Args:
        game: two players, nothing hidden, no chance after the set-up.
        entries: of the transposition table, a power of two.
        evaluator: a network that values positions in place of the game's evaluation function.

    Raises:
        ValueError: alpha-beta cannot search the game, or `entries` is not allowed.
    """

    def __init__(
        self, game: Game, entries: int = ENTRIES, evaluator: CompiledEvaluator | None = None
    ) -> None:
        if reason := why_unsuitable(game):
            raise ValueError(
                f"alpha-beta cannot search {game.name}: {reason}; it needs 2 players, nothing "
                "hidden and no chance after the set-up"
            )
        if entries < 2 or entries & (entries - 1):
            raise ValueError(f"entries={entries!r} is not allowed: use a power of two from 2 on")
        if evaluator is not None:
            require_game(evaluator, game)
        self.game = game
        self._evaluator = None if evaluator is None else evaluator.copy()
        self.in_use = InUse("this search")
        self.control: SearchControl | None = None
        rules = game.rules
        size = rules.state_size
        self._stack = new_stack(size, game.num_actions)
        self._table = new_table(entries)
        self._history = new_history(game.num_actions)
        self._factors = hash_factors(rules.key_size or size)
        self._counters = np.zeros(COUNTERS, np.int64)
        self._counters[COPIED] = rules.key_size if rules.log_length else size
        self._counters[LOG_LENGTH] = rules.log_length
        self._rng = new_generator(0)

    @exclusive
    def search(
        self, state: State, depth: int = 0, ms: float = 0, rng: np.random.Generator | None = None
    ) -> SearchResult:
        """Search a position by iterative deepening until depth or time are used up.

        With a depth alone, the result depends on the position and `rng` only, never on earlier
        searches.

        Args:
            state: a position whose game is not over.
            depth: in plies, at most `MAX_DEPTH`; 0 sets no limit.
            ms: the time in milliseconds; 0 sets no limit. The first iteration is always finished.
            rng: shuffles the actions of the position, of which the first best one is taken; without
                it they are in ascending order.

        Raises:
            ValueError: the game is over or another one, the budget is not allowed, or an action
                involved chance.
        """
        limits = None if self.control is None else self.control.limits
        if limits is not None:
            depth, ms = min(limits.depth, MAX_DEPTH) or MAX_DEPTH, limits.seconds * 1000
        depth, ms = checked_budget(depth, ms)
        if state.game != self.game:
            raise ValueError(f"the position is of {state.game!r}, the search is for {self.game!r}")
        if state.is_terminal:
            raise ValueError("there is no legal action: the game is over")
        start = time.perf_counter()
        deadline = start + ms / 1000 if ms else float("inf")
        generator = self._rng.copy()
        with first_compilation("alphabeta", advance):
            root_actions = self._new_root(state, rng)
            for found in self._deepen(root_actions, depth or MAX_DEPTH, deadline):
                result = self._result(state, found, time.perf_counter() - start)
                if self.control is not None:
                    self.control.report(result)
        if (self._rng != generator).any():
            raise ValueError(
                f"alpha-beta cannot search {self.game.name}: its actions involve chance"
            )
        return result

    def _result(self, state: State, found: _Found, seconds: float) -> SearchResult:
        value = found.value
        return SearchResult(
            action=found.line[0],
            value=value,
            values=(value, -value) if state.current_player == 0 else (-value, value),
            proven=found.proven,
            depth=found.depth,
            nodes=int(self._counters[NODES]),
            principal_variation=found.line,
            seconds=seconds,
        )

    def _new_root(self, state: State, rng: np.random.Generator | None) -> NDArray[np.int64]:
        """Forget earlier searches and return the root's actions, a view of the stack's."""
        stack, counters = self._stack, self._counters
        actions = state.legal_actions()
        if rng is not None:
            rng.shuffle(actions)
        root_actions = stack[0, stack[0, ACTIONS] :][: actions.size]
        root_actions[:] = actions
        stack[0, COUNT] = actions.size
        stack[0, STATE : stack[0, ACTIONS]] = state.words
        stack[:, KILLERS : KILLERS + 2] = NO_ACTION
        self._history[:] = 0
        counters[NODES] = 0
        counters[SEARCH] += 1
        if counters[SEARCH] > LAST_SEARCH:
            self._table[:] = 0
            counters[SEARCH] = 1
        return root_actions

    def _deepen(
        self, root_actions: NDArray[np.int64], depth: int, deadline: float
    ) -> Iterator[_Found]:
        """Search one ply deeper in each iteration, beginning with the best action of the last one.

        Yields what was found by the end of each iteration, also of an unfinished last one.
        """
        stack, counters = self._stack, self._counters
        finished_depth, proven = 0, False
        value, line = 0, (int(root_actions[0]),)
        while finished_depth < depth and not proven:
            begin(stack, self._history, self._factors, counters, finished_depth + 1)
            finished = self._advance()
            while not finished and (finished_depth == 0 or not self._is_over(deadline)):
                finished = self._advance()
            if stack[0, BEST_ACTION] != NO_ACTION:
                # An unfinished iteration counts too: it began with the best action of the last one.
                value = int(stack[0, BEST])
                line = tuple(stack[0, PV:][: stack[0, PV_LENGTH]].tolist())
                place = int(np.flatnonzero(root_actions == line[0])[0])
                root_actions[: place + 1] = np.roll(root_actions[: place + 1], 1)
            if finished:
                finished_depth += 1
                proven = bool(abs(value) > UNIT or counters[LEAVES] == 0)
            yield _Found(evaluation(value), line, finished_depth, proven)
            if not finished or self._is_over(deadline):
                break

    def _is_over(self, deadline: float) -> bool:
        """Whether a limit is reached, or somebody has stopped the search."""
        if time.perf_counter() >= deadline:
            return True
        if self.control is None:
            return False
        limits = self.control.limits
        spent = limits is not None and 0 < limits.nodes <= self._counters[NODES]
        return spent or self.control.is_stopped

    def _advance(self) -> bool:
        evaluator = self._evaluator
        return advance(
            self.game.rules.functions,
            no_network() if evaluator is None else evaluator.leaf_network(),
            self._stack,
            self._table,
            self._history,
            self._factors,
            self._counters,
            self._rng,
            _SLICE,
        )
