"""Self-play by alpha-beta in compiled code: whole games of a network against itself.

Each position is searched to a fixed depth, and the network learns what the searches find (Veness,
Silver, Uther and Blair, "Bootstrapping from game tree search", 2009). In tactical games a search of
one or two plies sees what a small network does not, so the network need only learn the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.border import integer
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, legal_of, reset_of, returns_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.borrow import borrowed
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import below, shuffle
from tzaar_envs.search.alphabeta.hashing import hash_factors
from tzaar_envs.search.alphabeta.iteration import advance, begin
from tzaar_envs.search.alphabeta.ordering import new_history
from tzaar_envs.search.alphabeta.search import check_suitable
from tzaar_envs.search.alphabeta.stack import (
    ACTIONS,
    BEST,
    BEST_ACTION,
    COPIED,
    COUNT,
    COUNTERS,
    KILLERS,
    LOG_LENGTH,
    MAX_DEPTH,
    NO_ACTION,
    NODES,
    SCORES,
    SEARCH,
    STATE,
    Stack,
    new_stack,
)
from tzaar_envs.search.alphabeta.transposition import LAST_SEARCH, Table, new_table
from tzaar_envs.search.alphabeta.values import UNIT
from tzaar_envs.search.leaf_network import CompiledEvaluator, LeafNetwork
from tzaar_envs.search.self_play import (
    Play,
    Records,
    SelfPlay,
    drawn_action,
    end_game,
)

_ENTRIES = 1 << 12  # of the transposition table: searches are small
_SLICE = 2048  # nodes between two looks at `stop`: about half a millisecond


class SearchMemory(NamedTuple):
    """The arrays of an alpha-beta search; see the modules that make them."""

    stack: Stack
    table: Table
    history: NDArray[np.int64]
    factors: NDArray[np.int64]
    counters: StateArray


def new_search_memory(game: Game) -> SearchMemory:
    """Return the memory for positions of a game."""
    rules = game.rules
    counters = np.zeros(COUNTERS, np.int64)
    counters[COPIED] = rules.key_size if rules.log_length else rules.state_size
    counters[LOG_LENGTH] = rules.log_length
    return SearchMemory(
        new_stack(rules.state_size, game.num_actions),
        new_table(_ENTRIES),
        new_history(game.num_actions),
        hash_factors(rules.key_size or rules.state_size),
        counters,
    )


@compiled
def search_to_depth(
    functions: FunctionTable,
    network: LeafNetwork,
    memory: SearchMemory,
    state: StateArray,
    depth: int,
    rng: RngState,
    stop: StateArray,
) -> float:
    """Return the value of a position for the seat to act, by iterative deepening to a depth.

    Afterwards the root's actions, `memory.stack[0, COUNT]` from `memory.stack[0, ACTIONS]` on,
    begin with the best one. Ties are broken at random. The search ends early, with any value, when
    another thread changes `stop`, int64 `(1,)`, from 0.
    """
    functions, state, rng = borrowed(functions), borrowed(state), borrowed(rng)
    network, memory = borrowed(network), borrowed(memory)
    stack, counters = memory.stack, memory.counters
    stack[0, STATE : stack[0, ACTIONS]] = state
    actions = stack[0, stack[0, ACTIONS] : stack[0, SCORES]]
    stack[0, COUNT] = legal_of(functions)(state, actions)
    shuffle(rng, actions[: stack[0, COUNT]])
    forget_searches(memory, depth)
    for iteration in range(1, depth + 1):
        begin(stack, memory.history, memory.factors, counters, iteration)
        while not advance(
            functions, network, stack, memory.table, memory.history, memory.factors, counters, rng,
            _SLICE,
        ):  # fmt: skip
            if stop[0]:
                return 0.0
        move_to_front(actions, stack[0, BEST_ACTION])
        if abs(stack[0, BEST]) > UNIT:
            break
    return max(-1.0, min(1.0, stack[0, BEST] / UNIT))


@compiled
def forget_searches(memory: SearchMemory, depth: int) -> None:
    """Forget what earlier searches knew, so that a result does not depend on them."""
    for ply in range(depth + 1):
        memory.stack[ply, KILLERS] = NO_ACTION
        memory.stack[ply, KILLERS + 1] = NO_ACTION
    memory.history[:] = 0
    memory.counters[NODES] = 0
    memory.counters[SEARCH] += 1
    if memory.counters[SEARCH] > LAST_SEARCH:
        memory.table[:] = 0
        memory.counters[SEARCH] = 1


@compiled
def move_to_front(actions: StateArray, action: int) -> None:
    """Move an action to the front; those before it move back by one place."""
    place = 0
    while actions[place] != action:
        place += 1
    for index in range(place, 0, -1):
        actions[index] = actions[index - 1]
    actions[0] = action


@compiled(nogil=True)
def play_game(
    functions: FunctionTable,
    network: LeafNetwork,
    memory: SearchMemory,
    depth: int,
    play: Play,
    options: StateArray,
    state: StateArray,
    returns: NDArray[np.float64],
    rng: RngState,
    records: Records,
    stop: StateArray,
) -> None:
    """Play a whole game, and add its positions to the records; unless `stop` changes from 0."""
    apply = apply_of(functions)
    actions = memory.stack[0, memory.stack[0, ACTIONS] : memory.stack[0, SCORES]]
    first = place = records.counts[0]
    reset_of(functions)(state, options, rng)
    for _ in range(below(rng, play.opening + 1)):
        if state[STATUS] == RUNNING:
            apply(state, actions[below(rng, legal_of(functions)(state, actions))], rng)
    while state[STATUS] == RUNNING:
        value = search_to_depth(functions, network, memory, state, depth, rng, stop)
        if stop[0]:
            return
        records.states[place] = state
        records.values[place, state[SEAT]] = value
        records.values[place, 1 - state[SEAT]] = -value
        start = records.first_action[place]
        count = memory.stack[0, COUNT]
        for index in range(count):
            records.actions[start + index] = actions[index]
            records.policy[start + index] = 1.0 if index == 0 else 0.0
        records.first_action[place + 1] = start + count
        apply(state, drawn_action(records, place, play, rng), rng)
        place += 1
    returns_of(functions)(state, returns)
    end_game(records, first, place, play.trace, returns)


class AlphaBetaSelfPlay(SelfPlay):
    """Plays games of a network against itself, in one thread.

    Args:
        game: two players, nothing hidden, no chance after the set-up.
        evaluator: the network.
        depth: of the searches, in plies.
        play: how to play.
        positions: how many a call of `play` returns, at least.

    Raises:
        ValueError: alpha-beta cannot search the game, the network is for another one, or a number
            is not allowed.
    """

    def __init__(
        self,
        game: Game,
        evaluator: CompiledEvaluator,
        depth: int,
        play: Play,
        positions: int = 2000,
    ) -> None:
        check_suitable(game)
        if not 1 <= integer("depth", depth) <= MAX_DEPTH:
            raise ValueError(f"depth={depth} is not allowed: use 1 to {MAX_DEPTH} plies")
        super().__init__(game, evaluator, play, positions)
        self._depth = depth
        self._memory = new_search_memory(game)
        self._returns = np.zeros(game.num_players)

    def _play_game(self, network: LeafNetwork, state: StateArray, rng: RngState) -> None:
        play_game(
            self.game.rules.functions,
            network,
            self._memory,
            self._depth,
            self._play,
            self.game.encoded_options,
            state,
            self._returns,
            rng,
            self._records,
            self._stop,
        )
