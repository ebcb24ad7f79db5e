"""Self-play in compiled code: whole games of a network against itself, recorded for learning.

Every position of a game is recorded with what a search found there. The target of the values is the
lambda-return over the values of the searches (Sutton, 1988): it looks as far ahead as the searches
can be trusted. An action at random ends it, since the search would not have played it.

Where something is hidden, the seat to act may not know what the seat before it has done. A seat
that compares what its actions lead to has to know what a position is worth as it sees it, so it
learns such positions as well (afterstates: Sutton and Barto, 2018, section 6.8).

There is one loop, and two ways of choosing a move. By one ply, the network learns the value of the
position after the best action as that of the position before, and the best action as its policy. By
Gumbel search, it learns the improved policy, and what that can expect.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, legal_of, reset_of, returns_of
from tzaar_envs.core.validation import integer_from
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.jit.rng import below, new_generator, next_word
from tzaar_envs.search.afterstates import Afterstates, look_ahead, new_afterstates
from tzaar_envs.search.gumbel import Gumbel, new_candidates, search_by_gumbel
from tzaar_envs.search.leaf_network import CompiledEvaluator, require_game
from tzaar_envs.search.tree import NETWORK, SearchSettings, TreeSearch, new_search, plant
from tzaar_envs.system.interrupts import interruptible

_MOST = 1_000_000  # positions, plies, simulations, or actions
_MOST_DRAWS = 1_000
_DEPTH_WITH_HIDDEN = 64  # actions may be listed again at so many nodes of a path


class OnePly(NamedTuple):
    """A search by one ply.

    Attributes:
        draws: Outcomes of chance, or of what is hidden, that a value is the mean of.
    """

    draws: int = 1


class GameSettings(NamedTuple):
    """The settings of the games, besides those of the search.

    Attributes:
        epsilon: Probability of a random action, at each move.
        td_lambda: Lambda of the value targets, 0 to 1: 0 learns the values of the searches, 1 the
            results of the games.
        opening: A game begins with up to so many random plies, whose positions are not recorded.
    """

    epsilon: float
    td_lambda: float
    opening: int

    def checked(self) -> GameSettings:
        """Return the same as numbers of the right types.

        Raises:
            ValueError: A number that is not allowed.
        """
        opening = integer_from("opening", self.opening, 0, _MOST)
        checked = GameSettings(float(self.epsilon), float(self.td_lambda), opening)
        if not (0 <= checked.epsilon <= 1 and 0 <= checked.td_lambda <= 1):
            raise ValueError(f"{self} is not allowed: use an epsilon and a td_lambda from 0 to 1")
        return checked


class Records(NamedTuple):
    """`N` positions of finished games, in order, their `A` legal actions, the targets of learning.

    Attributes:
        states: int64 `(N, state_size)`.
        observers: int64 `(N,)`, the seat that sees it. A position that another seat has just made
            is an afterstate: its value is that of the next position, and its policy says nothing.
        first_action: int64 `(N + 1,)`: the legal actions of a position are those from here to the
            first one of the next position.
        actions: int32 `(A,)`.
        policy: float32 `(A,)`, the probability that the search gives each of them.
        values: float64 `(N, players)`, the targets of the expected returns.
        games: Number of games that they are from.
    """

    states: NDArray[np.int64]
    observers: NDArray[np.int64]
    first_action: NDArray[np.int64]
    actions: NDArray[np.int32]
    policy: NDArray[np.float32]
    values: NDArray[np.float64]
    games: int

    def first(self, count: int, games: int) -> Records:
        """Return a copy of so many positions, the first ones, which are from so many games."""
        listed = self.first_action[count]
        return Records(
            self.states[:count].copy(),
            self.observers[:count].copy(),
            self.first_action[: count + 1].copy(),
            self.actions[:listed].copy(),
            self.policy[:listed].copy(),
            self.values[:count].copy(),
            games,
        )


class GumbelPlayer(NamedTuple):
    """A Gumbel search and what it reads and writes.

    Attributes:
        gumbel: Parameters of the search at the root.
        search: The search, with a tree of its own for every position.
        candidates: Records of the root's edges, see `gumbel.new_candidates`.
    """

    gumbel: Gumbel
    search: TreeSearch
    candidates: Any


class Games(NamedTuple):
    """The data of self-play, besides that of the search.

    Attributes:
        functions: The game's.
        options: int64, the game's, encoded.
        settings: The settings of the games.
        hidden: Whether the game has hidden information.
        records: Room for positions.
        at_random: bool `(N,)`, whether the action at each position was played at random.
        counts: int64 `(2,)`, the positions and games recorded so far.
        state: int64 `(state_size,)`, the position at hand.
        actions: int64 `(num_actions,)`, working memory.
        returns: float64 `(players,)`, working memory.
        rng: Generator for everything that is drawn.
        stop: int64 `(1,)`; another thread changes it from 0 to end the game.
    """

    functions: FunctionTable
    options: StateArray
    settings: GameSettings
    hidden: bool
    records: Records
    at_random: NDArray[np.bool_]
    counts: NDArray[np.int64]
    state: StateArray
    actions: StateArray
    returns: NDArray[np.float64]
    rng: RngState
    stop: StateArray


# --- a game ---------------------------------------------------------------------------------------


@compiled(nogil=True)
def play_game(games: Games, one_ply: Afterstates | None, gumbel: GumbelPlayer | None) -> None:
    """Play a whole game, and record its positions, unless it is stopped.

    One of the searches is None: Numba leaves out what is called only with another type.
    """
    games = borrowed(games)
    records, state, rng = games.records, games.state, games.rng
    first_action, actions = records.first_action, records.actions
    apply = apply_of(games.functions)
    place = games.counts[0]
    open_game(games)
    while state[STATUS] == RUNNING:
        seat = state[SEAT]
        records.states[place] = state
        records.observers[place] = seat
        count = 0
        if one_ply is not None:
            count = choose_by_one_ply(one_ply, records, place, rng)
        if gumbel is not None:
            count = choose_by_gumbel(gumbel, records, place, games.stop)
        if games.stop[0]:
            return
        start = first_action[place]
        first_action[place + 1] = start + count
        at_random = next_word(rng) < games.settings.epsilon * 2.0**32
        games.at_random[place] = at_random
        apply(state, np.int64(actions[start + (below(rng, count) if at_random else 0)]), rng)
        place += 1
        if games.hidden and state[STATUS] == RUNNING and state[SEAT] != seat:  # an afterstate
            records.states[place] = state
            records.observers[place] = seat
            start = first_action[place]
            actions[start] = 0
            records.policy[start] = 1.0  # a single action of probability 1 has no gradient
            first_action[place + 1] = start + 1
            place += 1
    end_game(games, place)


@compiled
def choose_by_one_ply(search: Afterstates, records: Records, place: int, rng: RngState) -> int:
    """Record actions, policy and values of a position by one ply; return how many are legal.

    The action to play is the first one.
    """
    state = records.states[place]
    count = look_ahead(search, state, rng)
    best = np.argmax(search.values[:count, state[SEAT]])
    records.values[place] = search.values[best]
    start = records.first_action[place]
    records.policy[start : start + count] = 0.0
    records.policy[start] = 1.0
    for index in range(count):
        records.actions[start + index] = search.actions[index]
    records.actions[start] = search.actions[best]
    records.actions[start + best] = search.actions[0]
    return count


@compiled
def choose_by_gumbel(player: GumbelPlayer, records: Records, place: int, stop: StateArray) -> int:
    """Record what `choose_by_one_ply` does, by Gumbel search."""
    candidates, tree = player.candidates, player.search.tree
    plant(tree)
    state, values = records.states[place], records.values[place]
    count = search_by_gumbel(player.search, player.gumbel, 0, state, candidates, values, stop)
    start = records.first_action[place]
    for index in range(count):
        records.actions[start + index] = tree.edges[candidates[index].edge].action
        records.policy[start + index] = candidates[index].policy
    return count


@compiled
def open_game(games: Games) -> None:
    """Start a game and play its random opening."""
    functions, state, rng = games.functions, games.state, games.rng
    reset_of(functions)(state, games.options, rng)
    for _ in range(below(rng, games.settings.opening + 1)):
        if state[STATUS] == RUNNING:
            count = legal_of(functions)(state, games.actions)
            apply_of(functions)(state, games.actions[below(rng, count)], rng)


@compiled
def end_game(games: Games, last: int) -> None:
    """Count a game, and turn the values of its searches into lambda-returns, from its end on."""
    records, returns, td_lambda = games.records, games.returns, games.settings.td_lambda
    returns_of(games.functions)(games.state, returns)
    for place in range(last - 1, games.counts[0] - 1, -1):
        if records.observers[place] != records.states[place, SEAT]:
            records.values[place] = records.values[place + 1]
        elif not games.at_random[place]:
            for seat in range(returns.size):
                future = returns[seat] if place == last - 1 else records.values[place + 1, seat]
                value = records.values[place, seat]
                records.values[place, seat] = value + td_lambda * (future - value)
    games.counts[0] = last
    games.counts[1] += 1


# --- games ----------------------------------------------------------------------------------------


class SelfPlay:
    """Plays games of a network against itself, in one thread.

    Args:
        game: The game.
        search: Search that chooses the moves.
        settings: The settings of the games.
        positions: Positions that a call of `play` returns, at least.

    Raises:
        ValueError: A number that is not allowed.
    """

    def __init__(
        self, game: Game, search: OnePly | Gumbel, settings: GameSettings, positions: int = 2000
    ) -> None:
        self.game = game
        self._search = _checked(search)
        self._settings = settings.checked()
        self._positions = integer_from("positions", positions, 1, _MOST)
        room = self._positions + 2 * game.max_plies + 1  # each ply may have an afterstate
        self._records = Records(
            states=np.empty((room, game.rules.state_size), np.int64),
            observers=np.empty(room, np.int64),
            first_action=np.zeros(room + 1, np.int64),
            actions=np.empty(room * game.num_actions, np.int32),
            policy=np.empty(room * game.num_actions, np.float32),
            values=np.empty((room, game.num_players)),
            games=0,
        )
        self._stop = np.zeros(1, np.int64)

    def play(
        self, evaluator: CompiledEvaluator, seed: int | Sequence[int] | None = None
    ) -> Records:
        """Play whole games.

        Args:
            evaluator: The network; threads may share it.
            seed: Seed for the games; None takes entropy from the system.

        Raises:
            ValueError: A network of another game.
        """
        require_game(evaluator, self.game)
        game, rules = self.game, self.game.rules
        games = Games(
            functions=rules.functions,
            options=game.encoded_options,
            settings=self._settings,
            hidden=game.spec.hidden_information,
            records=self._records,
            at_random=np.empty(len(self._records.states), np.bool_),
            counts=np.zeros(2, np.int64),
            state=np.zeros(rules.state_size, np.int64),
            actions=np.empty(game.num_actions, np.int64),
            returns=np.zeros(game.num_players),
            rng=new_generator(seed),
            stop=self._stop,
        )
        network = evaluator.copy()  # whose working memory no other thread uses
        one_ply: Afterstates | None = None
        gumbel: GumbelPlayer | None = None
        if isinstance(self._search, OnePly):
            one_ply = new_afterstates(game, network.leaf_network(), self._search.draws)
        else:
            settings = SearchSettings(True, self._search.exploration, NETWORK, games.hidden)
            nodes = self._search.simulations + 2
            listed = self._search.simulations + (_DEPTH_WITH_HIDDEN if games.hidden else 2)
            edges = listed * game.num_actions
            search = new_search(game, network.leaf_network(), settings, nodes, edges, games.rng)
            gumbel = GumbelPlayer(self._search, search, new_candidates(game.num_actions))

        def play_games() -> None:
            while games.counts[0] < self._positions and not self._stop[0]:
                play_game(games, one_ply, gumbel)

        try:
            interruptible(play_games, self.stop)
        finally:
            self._stop[0] = 0
        return self._records.first(*games.counts.tolist())

    def stop(self) -> None:
        """Let `play` return at once, with the games that are finished; another thread may call it.

        If nothing is played now, the next call returns at once.
        """
        self._stop[0] = 1


def _checked(given: OnePly | Gumbel) -> OnePly | Gumbel:
    """Return the parameters of a search as numbers of the right types.

    Raises:
        ValueError: A number that is not allowed.
    """
    if isinstance(given, OnePly):
        return OnePly(integer_from("draws", given.draws, 1, _MOST_DRAWS))
    counts = (
        integer_from("simulations", given.simulations, 1, _MOST),
        integer_from("max_num_considered_actions", given.max_num_considered_actions, 1, _MOST),
    )
    weights = float(given.value_scale), float(given.exploration)
    if not all(0 <= weight < math.inf for weight in weights):
        raise ValueError(f"{given} is not allowed: use 0 or more for the weights")
    return Gumbel(*counts, *weights)
