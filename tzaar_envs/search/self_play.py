"""Records of self-play in compiled code, and the targets of learning that follow from them.

Every position of a game is recorded with what a search found there. The target of the values is the
lambda-return over the values of the searches (Sutton, 1988): it looks as far ahead as the searches
can be trusted. An action at random ends it, since the search would not have played it.

Where something is hidden, the seat to act may not know what the seat before it has done. A seat
that compares what its actions lead to has to know what a position is worth as it sees it, so it
learns such positions as well (afterstates: Sutton and Barto, 2018, section 6.8).

The searches are those of `search.one_ply.self_play` and `search.mcts.self_play`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, legal_of, reset_of
from tzaar_envs.core.validation import integer
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import below, new_generator, next_word
from tzaar_envs.search.leaf_network import CompiledEvaluator, LeafNetwork, require_game
from tzaar_envs.system.interrupts import interruptible

_MOST = 1_000_000  # positions, or plies


class Play(NamedTuple):
    """How games are played, besides the search.

    Attributes:
        randomness: probability of a random action, at each move.
        trace: lambda of the value targets, 0 to 1: 0 learns the values of the searches, 1 the
            results of the games.
        opening: a game begins with up to so many random plies, whose positions are not recorded.
    """

    randomness: float
    trace: float
    opening: int


class Records(NamedTuple):
    """Positions of finished games, in order, with room for `N` positions and `A` actions.

    Attributes:
        states: int64 `(N, state_size)`.
        observers: int64 `(N,)`, the seat that sees it. A position that another seat has just made
            is an afterstate: its value is that of the next position, and its policy says nothing.
        first_action: int64 `(N + 1,)`: the legal actions of a position are those from here to the
            first one of the next position.
        actions: int32 `(A,)`.
        policy: float32 `(A,)`, the probability that the search gives each of them.
        values: float64 `(N, players)`, the targets of the expected returns.
        at_random: bool `(N,)`, whether the action was played at random.
        counts: int64 `(2,)`: positions and games.
    """

    states: NDArray[np.int64]
    observers: NDArray[np.int64]
    first_action: NDArray[np.int64]
    actions: NDArray[np.int32]
    policy: NDArray[np.float32]
    values: NDArray[np.float64]
    at_random: NDArray[np.bool_]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class Positions:
    """Positions of finished games with the targets of learning; see `Records` for the arrays.

    Attributes:
        states: int64 `(n, state_size)`.
        observers: int64 `(n,)`.
        first_action: int64 `(n + 1,)`.
        actions: int32.
        policy: float32.
        values: float64 `(n, players)`.
        games: how many games they are from.
    """

    states: NDArray[np.int64]
    observers: NDArray[np.int64]
    first_action: NDArray[np.int64]
    actions: NDArray[np.int32]
    policy: NDArray[np.float32]
    values: NDArray[np.float64]
    games: int


def checked_play(given: Play) -> Play:
    """Return how games are played, as numbers of the right types.

    Raises:
        ValueError: a number that is not allowed.
    """
    checked = Play(float(given.randomness), float(given.trace), integer("opening", given.opening))
    if not (0 <= checked.randomness <= 1 and 0 <= checked.trace <= 1):
        raise ValueError(f"{given} is not allowed: use a randomness and a trace from 0 to 1")
    if not 0 <= checked.opening <= _MOST:
        raise ValueError(f"opening={given.opening} is not allowed: use 0 to {_MOST:,} plies")
    return checked


def _checked_count(positions: int) -> int:
    """Return a number of positions to record.

    Raises:
        ValueError: it is not allowed.
    """
    positions = integer("positions", positions)
    if not 1 <= positions <= _MOST:
        raise ValueError(f"positions={positions} is not allowed: use 1 to {_MOST:,}")
    return positions


def _new_records(game: Game, positions: int) -> Records:
    """Return room for so many positions and the rest of the game of the last one."""
    room = positions + 2 * game.max_plies + 1  # each ply may have an afterstate
    return Records(
        states=np.empty((room, game.rules.state_size), np.int64),
        observers=np.empty(room, np.int64),
        first_action=np.empty(room + 1, np.int64),
        actions=np.empty(room * game.num_actions, np.int32),
        policy=np.empty(room * game.num_actions, np.float32),
        values=np.empty((room, game.num_players)),
        at_random=np.empty(room, np.bool_),
        counts=np.zeros(2, np.int64),
    )


def _positions_in(records: Records) -> Positions:
    """Return what is recorded; the arrays are views."""
    count, games = records.counts.tolist()
    listed = records.first_action[count]
    return Positions(
        records.states[:count],
        records.observers[:count],
        records.first_action[: count + 1],
        records.actions[:listed],
        records.policy[:listed],
        records.values[:count],
        games,
    )


@compiled
def _clear_records(records: Records) -> None:
    """Forget all positions."""
    records.counts[:] = 0
    records.first_action[0] = 0


@compiled
def open_game(
    functions: FunctionTable,
    options: StateArray,
    play: Play,
    state: StateArray,
    actions: StateArray,
    rng: RngState,
) -> None:
    """Start a game and play its random opening; `actions` is scratch, `(num_actions,)`."""
    reset_of(functions)(state, options, rng)
    for _ in range(below(rng, play.opening + 1)):
        if state[STATUS] == RUNNING:
            count = legal_of(functions)(state, actions)
            apply_of(functions)(state, actions[below(rng, count)], rng)


@compiled
def drawn_action(records: Records, place: int, play: Play, rng: RngState) -> int:
    """Return the action to play in a recorded position: its first one, or a random one."""
    first = records.first_action[place]
    at_random = next_word(rng) < play.randomness * 2.0**32
    records.at_random[place] = at_random
    chosen = below(rng, records.first_action[place + 1] - first) if at_random else 0
    return np.int64(records.actions[first + chosen])  # type: ignore[return-value]


@compiled
def add_afterstate(records: Records, place: int, state: StateArray, seat: int) -> int:
    """Record a position as the seat sees it that has made it, unless it acts again; see `Records`.

    Returns:
        The next free place.
    """
    if state[STATUS] != RUNNING or state[SEAT] == seat:
        return place
    records.states[place] = state
    records.observers[place] = seat
    start = records.first_action[place]
    records.actions[start] = 0
    records.policy[start] = 1.0  # a single action of probability 1 has no gradient
    records.first_action[place + 1] = start + 1
    return place + 1


@compiled
def end_game(
    records: Records, first: int, last: int, trace: float, returns: NDArray[np.float64]
) -> None:
    """Count a game, and turn the values of its searches into lambda-returns, from its end on."""
    for place in range(last - 1, first - 1, -1):
        if records.observers[place] != records.states[place, SEAT]:
            records.values[place] = records.values[place + 1]
        elif not records.at_random[place]:
            for seat in range(returns.size):
                future = returns[seat] if place == last - 1 else records.values[place + 1, seat]
                value = records.values[place, seat]
                records.values[place, seat] = value + trace * (future - value)
    records.counts[0] = last
    records.counts[1] += 1


class SelfPlay(ABC):
    """Plays games of a network against itself, in one thread.

    Attributes:
        game: the game.
        evaluator: the network.

    Args:
        game: the game.
        evaluator: the network.
        play: how to play.
        positions: how many a call of `play` returns, at least.

    Raises:
        TypeError: a number of another type.
        ValueError: a network of another game, or a number that is not allowed.
    """

    def __init__(
        self, game: Game, evaluator: CompiledEvaluator, play: Play, positions: int
    ) -> None:
        require_game(evaluator, game)
        self.game = game
        self.evaluator = evaluator
        self._play = checked_play(play)
        self._positions = _checked_count(positions)
        self._records = _new_records(game, self._positions)
        self._stop = np.zeros(1, np.int64)

    def play(self, seed: int | Sequence[int] | None = None) -> Positions:
        """Play whole games; the arrays are only valid until the next call.

        Args:
            seed: fixes the games; None takes entropy from the system.
        """
        _clear_records(self._records)
        try:
            interruptible(lambda: self._play_games(seed), self.stop)
        finally:
            self._stop[0] = 0
        return _positions_in(self._records)

    def stop(self) -> None:
        """Let `play` return at once, with the games that are finished; another thread may call it.

        If nothing is played now, the next call returns at once.
        """
        self._stop[0] = 1

    def _play_games(self, seed: int | Sequence[int] | None) -> None:
        """Add games to the records until there are enough positions."""
        state = np.zeros(self.game.rules.state_size, np.int64)
        rng = new_generator(seed)
        network = self.evaluator.copy()  # whose memory no other thread uses
        leaf_network = network.leaf_network()
        while self._records.counts[0] < self._positions and not self._stop[0]:
            self._play_game(leaf_network, state, rng)

    @abstractmethod
    def _play_game(self, network: LeafNetwork, state: StateArray, rng: RngState) -> None:
        """Add a game to the records, unless `stop` is called meanwhile.

        Args:
            network: the network, as compiled code sees it.
            state: where to play the game.
            rng: draws everything.
        """
