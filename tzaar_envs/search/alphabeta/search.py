"""Alpha-beta search for two seats without chance and hidden information, compiled once.

Iterative deepening over principal variation search (Marsland and Campbell, 1982) with a
transposition table and move ordering. A node is one position; its value is that of the seat to act
there. That seat may be the one that acted before (two actions per turn), so values and windows
change their sign by the seats of parent and child, never by the ply. All results are those of
minimax to the same depth: nothing is pruned on a guess.

The path from the root stands in an array, not on the call stack. So a search can stop after any
number of nodes and go on later, which is how a time budget is kept: compiled code knows no clock.
"""

from __future__ import annotations

import operator
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, evaluate_of, legal_of
from tzaar_envs.core.state import State
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.borrow import borrowed
from tzaar_envs.jit.compile import compiled, first_compilation
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.search.alphabeta.hashing import hash_factors, key_of
from tzaar_envs.search.alphabeta.ordering import learn, new_history, pick, rate
from tzaar_envs.search.alphabeta.transposition import (
    DATA,
    EXACT,
    LAST_SEARCH,
    LOWER,
    NOT_FOUND,
    UPPER,
    Table,
    action_in,
    bound_in,
    depth_in,
    find,
    new_table,
    store,
    value_in,
)
from tzaar_envs.search.alphabeta.tree import (
    ACTIONS,
    ALPHA,
    BEST,
    BEST_ACTION,
    BETA,
    COPIED,
    COUNT,
    COUNTERS,
    FLOOR,
    KEY,
    KILLERS,
    LEAVES,
    LENGTH,
    LINE,
    LOG_LENGTH,
    MAX_DEPTH,
    NO_ACTION,
    NODES,
    PLY,
    REMAINING,
    SCORES,
    SEARCH,
    STATE,
    TRIED,
    Tree,
    new_tree,
)

ENTRIES = 1 << 17  # of the transposition table: 2 MiB
_SLICE = 2048  # nodes between two looks at the clock: about half a millisecond

# Values are integers: `UNIT` for 1.0 of an evaluation, `WIN - plies` for a sure win in so many.
UNIT = 1_000_000
WIN = 2_000_000
_INFINITY = 4_000_000


@compiled
def advance(
    functions: FunctionTable,
    tree: Tree,
    table: Table,
    history: NDArray[np.int64],
    factors: NDArray[np.int64],
    counters: StateArray,
    rng: RngState,
    nodes: int,
) -> bool:
    """Search on, for about so many nodes; return whether the iteration is finished."""
    functions, tree, table, history = (
        borrowed(functions),
        borrowed(tree),
        borrowed(table),
        borrowed(history),
    )
    factors, counters, rng = borrowed(factors), borrowed(counters), borrowed(rng)
    ply = counters[PLY]
    limit = counters[NODES] + nodes
    while counters[NODES] < limit:
        if tree[ply, TRIED] < tree[ply, COUNT] and tree[ply, BEST] < tree[ply, BETA]:
            over = play_next(functions, tree, counters, rng, ply)
            if over or tree[ply, REMAINING] == 1:
                counters[LEAVES] += not over
                take(tree, ply, leaf_value(functions, tree, ply))
                continue
            # A later action only has to be shown to be no better: a window without room will do.
            beta = tree[ply, BETA] if tree[ply, TRIED] == 1 else tree[ply, ALPHA] + 1
            settled = open_child(functions, tree, table, history, factors, counters, ply, beta)
        else:
            close(tree, table, history, counters, ply)
            if ply == 0:
                return True
            ply -= 1
            settled = True
        if settled and is_better(tree, ply):
            beta = tree[ply, BETA]
            settled = open_child(functions, tree, table, history, factors, counters, ply, beta)
        if settled:
            take(tree, ply, child_value(tree, ply))
        else:
            ply += 1
    counters[PLY] = ply
    return False


@compiled
def begin(
    tree: Tree,
    history: NDArray[np.int64],
    factors: NDArray[np.int64],
    counters: StateArray,
    depth: int,
) -> None:
    """Begin an iteration; the root's actions stand in the order in which they are to be tried."""
    set_window(tree, 0, depth, -_INFINITY, _INFINITY)
    for index in range(tree[0, COUNT]):
        tree[0, tree[0, SCORES] + index] = 0
    tree[0, KEY] = key_of(tree[0, STATE : tree[0, ACTIONS]], factors)
    history[:] >>= 1
    counters[PLY] = 0
    counters[LEAVES] = 0


@compiled
def set_window(tree: Tree, ply: int, remaining: int, alpha: int, beta: int) -> None:
    """Prepare a node of which nothing was tried yet."""
    tree[ply, REMAINING] = remaining
    tree[ply, FLOOR] = alpha
    tree[ply, ALPHA] = alpha
    tree[ply, BETA] = beta
    tree[ply, BEST] = -_INFINITY
    tree[ply, BEST_ACTION] = NO_ACTION
    tree[ply, TRIED] = 0
    tree[ply, LENGTH] = 0


@compiled
def play_next(
    functions: FunctionTable, tree: Tree, counters: StateArray, rng: RngState, ply: int
) -> bool:
    """Play the next action of a node, to the row of its child; return whether the game is over."""
    action = pick(tree, ply)
    # Of a log only the part in use is copied: all of it took two fifths of the time.
    end = STATE + counters[COPIED]
    if counters[LOG_LENGTH]:
        end += tree[ply, STATE + counters[LOG_LENGTH]]
    for index in range(STATE, end):
        tree[ply + 1, index] = tree[ply, index]
    apply_of(functions)(tree[ply + 1, STATE : tree[ply, ACTIONS]], action, rng)
    counters[NODES] += 1
    return tree[ply + 1, STATE + STATUS] != RUNNING


@compiled
def leaf_value(functions: FunctionTable, tree: Tree, ply: int) -> int:
    """Return the value of a child that is not searched, for the seat that acted.

    A sure win is the better the sooner it comes.
    """
    child = tree[ply + 1, STATE : tree[ply, ACTIONS]]
    tree[ply + 1, LENGTH] = 0
    value = evaluate_of(functions)(child, tree[ply, STATE + SEAT])
    if child[STATUS] != RUNNING and value == 1.0:
        return WIN - ply - 1
    if child[STATUS] != RUNNING and value == -1.0:
        return ply + 1 - WIN
    return np.int64(np.rint(value * UNIT))  # type: ignore[return-value]


@compiled
def open_child(
    functions: FunctionTable,
    tree: Tree,
    table: Table,
    history: NDArray[np.int64],
    factors: NDArray[np.int64],
    counters: StateArray,
    ply: int,
    beta: int,
) -> bool:
    """Begin the child of a node, within the node's own window from alpha to `beta`.

    Returns whether it has its value already, from the table. That is never so in a window with
    room, hence the principal variation is whole.
    """
    child = ply + 1
    remaining = tree[ply, REMAINING] - 1
    alpha = tree[ply, ALPHA]
    if tree[child, STATE + SEAT] == tree[ply, STATE + SEAT]:
        set_window(tree, child, remaining, alpha, beta)
    else:
        set_window(tree, child, remaining, -beta, -alpha)

    state = tree[child, STATE : tree[ply, ACTIONS]]
    key = key_of(state, factors)
    tree[child, KEY] = key
    first = NO_ACTION
    entry = find(table, key, counters[SEARCH])
    if entry != NOT_FOUND:
        data = table[entry, DATA]
        first = action_in(data)
        if beta - alpha == 1 and depth_in(data) >= remaining and settles(tree, child, data):
            return True
    actions = tree[child, tree[child, ACTIONS] : tree[child, SCORES]]
    tree[child, COUNT] = legal_of(functions)(state, actions)
    rate(tree, history, child, first)
    return False


@compiled
def settles(tree: Tree, ply: int, data: int) -> bool:
    """Whether an entry of the table makes a search of the node needless; then set its value."""
    # The table counts the plies to a sure end from the position, a search from its root.
    value = value_in(data)
    if value > UNIT:
        value -= ply
    elif value < -UNIT:
        value += ply
    bound = bound_in(data)
    settled = bound == EXACT
    settled |= bound == LOWER and value >= tree[ply, BETA]
    settled |= bound == UPPER and value <= tree[ply, ALPHA]
    if settled:
        tree[ply, BEST] = value
    return settled


@compiled
def child_value(tree: Tree, ply: int) -> int:
    """Return the value of a child for the seat that acted."""
    value = tree[ply + 1, BEST]
    return value if tree[ply + 1, STATE + SEAT] == tree[ply, STATE + SEAT] else -value


@compiled
def is_better(tree: Tree, ply: int) -> bool:
    """Whether a child proved better than all before in a window without room.

    It is to be searched once more then, for its true value.
    """
    narrowed = tree[ply + 1, BETA] - tree[ply + 1, FLOOR] < tree[ply, BETA] - tree[ply, ALPHA]
    return narrowed and tree[ply, ALPHA] < child_value(tree, ply) < tree[ply, BETA]


@compiled
def take(tree: Tree, ply: int, value: int) -> None:
    """Note the value of the action that was tried last."""
    tree[ply, BEST] = max(tree[ply, BEST], value)
    if value > tree[ply, ALPHA]:
        action = tree[ply, tree[ply, ACTIONS] + tree[ply, TRIED] - 1]
        tree[ply, ALPHA] = value
        tree[ply, BEST_ACTION] = action
        if tree[ply, BETA] - tree[ply, FLOOR] > 1:
            length = tree[ply + 1, LENGTH]
            tree[ply, LENGTH] = length + 1
            tree[ply, LINE] = action
            for index in range(length):
                tree[ply, LINE + 1 + index] = tree[ply + 1, LINE + index]


@compiled
def close(
    tree: Tree, table: Table, history: NDArray[np.int64], counters: StateArray, ply: int
) -> None:
    """Learn from a node that is finished."""
    value = tree[ply, BEST]
    bound = EXACT
    if value >= tree[ply, BETA]:
        bound = LOWER
        learn(tree, history, ply)
    elif value <= tree[ply, FLOOR]:
        bound = UPPER
    if value > UNIT:
        value += ply
    elif value < -UNIT:
        value -= ply
    store(
        table,
        tree[ply, KEY],
        counters[SEARCH],
        tree[ply, REMAINING],
        value,
        bound,
        tree[ply, BEST_ACTION],
    )


@dataclass(frozen=True)
class Found:
    """What a search came to.

    Attributes:
        action: the best one.
        value: of the position for the seat to act, -1 .. 1; exactly 1 or -1 only if that is sure.
        line: the principal variation, `action` first; to the horizon, or to a sure end.
        depth: of the last iteration that was finished, in plies; 0 if none was.
        nodes: positions that were reached by playing an action, leaves included.
        sure: the result is certain and cannot come sooner: all lines within `depth` are known.
    """

    action: int
    value: float
    line: tuple[int, ...]
    depth: int
    nodes: int
    sure: bool


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
        return f"it has {game.num_players} seats"
    if not game.spec.is_deterministic:
        return "chance comes with its actions, or something is hidden"
    return None


class AlphaBeta:
    """Searches positions of one game.

    Args:
        game: two seats, nothing hidden, no chance after the set-up.
        entries: of the transposition table, a power of two.

    Raises:
        ValueError: the game does not suit, or `entries` is not allowed.
    """

    def __init__(self, game: Game, entries: int = ENTRIES) -> None:
        if reason := why_unsuitable(game):
            raise ValueError(
                f"alpha-beta cannot search {game.name}: {reason}; it needs 2 seats, nothing hidden "
                "and no chance after the set-up"
            )
        if entries < 2 or entries & (entries - 1):
            raise ValueError(f"entries={entries!r} is not allowed: use a power of two from 2 on")
        self.game = game
        rules = game.rules
        size = rules.state_size
        self._tree = new_tree(size, game.num_actions)
        self._table = new_table(entries)
        self._history = new_history(game.num_actions)
        self._factors = hash_factors(rules.key_size or size)
        self._counters = np.zeros(COUNTERS, np.int64)
        self._counters[COPIED] = rules.key_size if rules.log_length else size
        self._counters[LOG_LENGTH] = rules.log_length
        self._rng = new_generator(0)

    def search(
        self, state: State, depth: int = 0, ms: float = 0, rng: np.random.Generator | None = None
    ) -> Found:
        """Search a position, deeper and deeper, to a depth, for some time, or what ends sooner.

        The result of a depth alone follows from position and `rng`. It is never influenced by
        earlier searches.

        Args:
            state: a position whose game is not over.
            depth: in plies, at most `MAX_DEPTH`; 0 sets no limit.
            ms: the time in milliseconds; 0 sets no limit. The first iteration is always finished.
            rng: shuffles the actions of the position, of which the first best one is taken; without
                it they stand in ascending order.

        Raises:
            ValueError: the game is over or another one, the budget is not allowed, or chance came
                with an action.
        """
        depth, ms = checked_budget(depth, ms)
        if state.game != self.game:
            raise ValueError(f"the position is of {state.game!r}, the search is for {self.game!r}")
        if state.is_terminal:
            raise ValueError("there is no legal action: the game is over")
        deadline = time.perf_counter() + ms / 1000 if ms else float("inf")
        generator = self._rng.copy()
        with first_compilation("alphabeta", advance):
            found = self._deepen(self._new_root(state, rng), depth or MAX_DEPTH, deadline)
        if (self._rng != generator).any():
            raise ValueError(
                f"alpha-beta cannot search {self.game.name}: chance comes with its actions"
            )
        return found

    def _new_root(self, state: State, rng: np.random.Generator | None) -> NDArray[np.int64]:
        """Forget earlier searches and return the root's actions, a view of the tree's."""
        tree, counters = self._tree, self._counters
        actions = state.legal_actions()
        if rng is not None:
            rng.shuffle(actions)
        root = tree[0, tree[0, ACTIONS] :][: actions.size]
        root[:] = actions
        tree[0, COUNT] = actions.size
        tree[0, STATE : tree[0, ACTIONS]] = state.words
        tree[:, KILLERS : KILLERS + 2] = NO_ACTION
        self._history[:] = 0
        counters[NODES] = 0
        counters[SEARCH] += 1
        if counters[SEARCH] > LAST_SEARCH:
            self._table[:] = 0
            counters[SEARCH] = 1
        return root

    def _advance(self) -> bool:
        return advance(
            self.game.rules.functions,
            self._tree,
            self._table,
            self._history,
            self._factors,
            self._counters,
            self._rng,
            _SLICE,
        )

    def _deepen(self, root: NDArray[np.int64], depth: int, deadline: float) -> Found:
        tree, counters = self._tree, self._counters
        finished, sure = 0, False
        value, line = 0, (int(root[0]),)
        while finished < depth and not sure:
            begin(tree, self._history, self._factors, counters, finished + 1)
            done = self._advance()
            while not done and (finished == 0 or time.perf_counter() < deadline):
                done = self._advance()
            if tree[0, BEST_ACTION] != NO_ACTION:
                # An unfinished iteration counts too: it began with the best action of the last one.
                value = int(tree[0, BEST])
                line = tuple(tree[0, LINE:][: tree[0, LENGTH]].tolist())
                first = int(np.flatnonzero(root == line[0])[0])
                root[: first + 1] = np.roll(root[: first + 1], 1)
            if done:
                finished += 1
                sure = abs(value) > UNIT or counters[LEAVES] == 0
            if not done or time.perf_counter() >= deadline:
                break
        sign = (value > UNIT) - (value < -UNIT)
        return Found(
            action=line[0],
            value=float(sign) if sign else value / UNIT,
            line=line,
            depth=finished,
            nodes=int(counters[NODES]),
            sure=bool(sure),
        )
