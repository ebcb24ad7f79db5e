"""Alpha-beta search for two players without chance and hidden information, compiled once.

Iterative deepening over principal variation search with a transposition table and move ordering.
To a given depth, all values are those of minimax: nothing is pruned by a heuristic. With a network
and a time in place of a depth, the search is selective: see `alphabeta_iteration`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.core.validation import integer_from
from tzaar_envs.jit.compile import first_compilation
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.search import alphabeta_iteration as ab
from tzaar_envs.search.alphabeta_iteration import MAX_DEPTH, UNIT
from tzaar_envs.search.control import SearchControl
from tzaar_envs.search.leaf_network import (
    CompiledEvaluator,
    no_network,
    require_game,
    require_position,
)
from tzaar_envs.search.result import SearchResult
from tzaar_envs.search.transposition import NO_ACTION, hash_factors, new_table

ENTRIES = 1 << 17  # of the transposition table: 3 MiB
_CACHED = 1 << 15  # values of the network: 512 KiB
_DEPTH_AFTER_FALL = 2  # plies: some milliseconds at most
_SHALLOW_EXCESS = UNIT // 4  # how much better a shallow value must be than a deep one
_SLICE = 2048  # nodes between two looks at the clock: about half a millisecond


def checked_budget(depth: int, ms: float) -> tuple[int, float]:
    """Return depth and milliseconds, of which 0 sets no limit.

    Raises:
        ValueError: One of them is not allowed, or both are 0.
    """
    depth = integer_from("depth", depth, 0, MAX_DEPTH)
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


class AlphaBeta:
    """Searches positions of one game.

    Attributes:
        game: The game.
        control: Control of the searches from now on; None: they end with their depth or time.

    Args:
        game: Two players, nothing hidden, no chance after the set-up.
        entries: Entries of the transposition table, a power of two.
        evaluator: A network that values positions in place of the game's evaluation function.

    Raises:
        ValueError: Alpha-beta cannot search the game, or `entries` is not allowed.
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
        self.control: SearchControl | None = None
        rules = game.rules
        size = rules.state_size
        self._memory = ab.AlphaBetaSearch(
            functions=rules.functions,
            network=no_network(),
            stack=ab.new_stack(size, game.num_actions),
            table=new_table(entries),
            history=np.zeros((2, game.num_actions), np.int64),
            factors=hash_factors(rules.key_size or size),
            cache=np.zeros(0 if evaluator is None else 2 * _CACHED, np.int64),
            counters=np.zeros(ab.COUNTERS, np.int64),
            rng=new_generator(0),
        )
        self._memory.counters[ab.COPIED] = rules.key_size if rules.log_length else size
        self._memory.counters[ab.LOG_LENGTH] = rules.log_length

    def search(
        self, state: State, depth: int = 0, ms: float = 0, rng: np.random.Generator | None = None
    ) -> SearchResult:
        """Search a position by iterative deepening until depth or time are used up.

        With a depth alone, the result depends on the position and `rng` only, never on earlier
        searches. Without one, a search with a network searches late actions less deeply.

        Args:
            state: A position whose game is not over.
            depth: Depth in plies, at most `MAX_DEPTH`; 0 sets no limit.
            ms: The time in milliseconds; 0 sets no limit. The first iteration is always finished;
                if the last one has just refuted its best action, a small search compares the
                others.
            rng: Generator that shuffles the actions of the position, of which the first best one is
                taken; without it they are in ascending order.

        Raises:
            ValueError: The game is over or another one, the budget is not allowed, or an action
                involved chance.
        """
        limits = None if self.control is None else self.control.limits
        if limits is None:
            depth, ms = checked_budget(depth, ms)
        else:
            depth, ms = min(limits.depth, MAX_DEPTH), limits.seconds * 1000
        require_position(state, self.game)
        start = time.perf_counter()
        deadline = start + ms / 1000 if ms else float("inf")
        generator = self._memory.rng.copy()
        self._memory.counters[ab.SELECTIVE] = self._evaluator is not None and depth == 0
        with first_compilation("alphabeta", ab.advance):
            root_actions = self._new_root(state, rng)
            for result in self._deepen(state, root_actions, depth or MAX_DEPTH, start, deadline):
                if self.control is not None:
                    self.control.report(result)
        if (self._memory.rng != generator).any():
            raise ValueError(
                f"alpha-beta cannot search {self.game.name}: its actions involve chance"
            )
        return result

    @property
    def _search(self) -> ab.AlphaBetaSearch:
        """The data that compiled code reads and writes, with the functions' current addresses."""
        network = no_network() if self._evaluator is None else self._evaluator.leaf_network()
        return self._memory._replace(functions=self.game.rules.functions, network=network)

    def _new_root(self, state: State, rng: np.random.Generator | None) -> NDArray[np.int64]:
        """Forget earlier searches and return the root's actions, a view of the stack's."""
        stack, counters = self._memory.stack, self._memory.counters
        actions = state.legal_actions()
        if rng is not None:
            rng.shuffle(actions)
        root_actions = stack[0, stack[0, ab.ACTIONS] :][: actions.size]
        root_actions[:] = actions
        stack[0, ab.COUNT] = actions.size
        stack[0, ab.STATE : stack[0, ab.ACTIONS]] = state.words
        stack[:, ab.KILLERS : ab.KILLERS + 2] = NO_ACTION
        self._memory.history[:] = 0
        counters[ab.NODES] = 0
        counters[ab.SEARCH] += 1
        return root_actions

    def _deepen(
        self,
        state: State,
        root_actions: NDArray[np.int64],
        depth: int,
        start: float,
        deadline: float,
    ) -> Iterator[SearchResult]:
        """Search one ply deeper in each iteration, beginning with the best action of the last one.

        Yields what was found by the end of each iteration, also of an unfinished last one.
        """
        stack, counters = self._memory.stack, self._memory.counters
        finished_depth, proven = 0, False
        value = 0
        line: tuple[int, ...] = (int(root_actions[0]),)
        while finished_depth < depth and not proven:
            ab.begin(self._search, finished_depth + 1)
            finished = ab.advance(self._search, _SLICE)
            while not finished and (finished_depth == 0 or not self._is_over(deadline)):
                finished = ab.advance(self._search, _SLICE)
            has_fallen = False
            if stack[0, ab.BEST_ACTION] != NO_ACTION:
                # An unfinished iteration counts too: it began with the best action of the last one.
                has_fallen = not finished and int(stack[0, ab.BEST]) < value
                value, line = self._found()
                place = int(np.flatnonzero(root_actions == line[0])[0])
                root_actions[: place + 1] = np.roll(root_actions[: place + 1], 1)
            if finished:
                finished_depth += 1
                proven = bool(abs(value) > UNIT or counters[ab.LEAVES] == 0)
            if has_fallen:
                value, line, proven = self._best_after_fall(root_actions, value, line)
            if not finished:
                proven = proven or value > UNIT  # whatever the other actions are worth
            own = ab.evaluation(value)
            yield SearchResult(
                action=line[0],
                value=own,
                values=(own, -own) if state.current_player == 0 else (-own, own),
                proven=proven,
                depth=finished_depth,
                nodes=int(counters[ab.NODES]),
                principal_variation=line,
                seconds=time.perf_counter() - start,
            )
            if not finished or self._is_over(deadline):
                break

    def _is_over(self, deadline: float) -> bool:
        """Whether a limit is reached or the search was stopped."""
        if time.perf_counter() >= deadline:
            return True
        if self.control is None:
            return False
        limits = self.control.limits
        spent = limits is not None and 0 < limits.nodes <= self._memory.counters[ab.NODES]
        return spent or self.control.is_stopped

    def _found(self) -> tuple[int, tuple[int, ...]]:
        """Return the best value at the root so far, and its principal variation."""
        stack = self._memory.stack
        return int(stack[0, ab.BEST]), tuple(stack[0, ab.PV :][: stack[0, ab.PV_LENGTH]].tolist())

    def _best_after_fall(
        self, root_actions: NDArray[np.int64], value: int, line: tuple[int, ...]
    ) -> tuple[int, tuple[int, ...], bool]:
        """Return the best action when an iteration ended with a worse value than the last one.

        Actions that it did not try may be better than the one that it has just refuted. A small
        search compares them.

        Args:
            root_actions: Actions of the root, the best one of the iteration first.
            value: Value of that action.
            line: Principal variation, which begins with it.

        Returns:
            Value, principal variation, whether all actions are known to lose.
        """
        stack = self._memory.stack
        tried = max(1, int(stack[0, ab.TRIED]) - 1)  # the last one was perhaps not finished
        untried = root_actions[tried:].copy()
        if not untried.size:
            return value, line, value < -UNIT
        root_actions[: untried.size] = untried
        stack[0, ab.COUNT] = untried.size
        for depth in range(1, _DEPTH_AFTER_FALL + 1):
            ab.begin(self._search, depth)
            while not ab.advance(self._search, _SLICE):
                pass
        other, other_line = self._found()
        if other > value + _SHALLOW_EXCESS:
            return other, other_line, False
        return value, line, value < -UNIT
