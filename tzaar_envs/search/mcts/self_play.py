"""Self-play in compiled code: whole games of a network against itself, with a search at each move.

One call plays games to their ends and writes every position with the targets of learning. The
target of the values is the lambda-return over the values of the searches (Sutton, 1988): it looks
as far ahead as the searches can be trusted. An action at random ends it, since the search would not
have played it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.border import integer
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, STATUS, apply_of, reset_of, returns_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import below, new_generator, next_word
from tzaar_envs.search.leaf_network import CompiledEvaluator, LeafNetwork, require_game
from tzaar_envs.search.mcts.gumbel import Gumbel, RootEdges, new_root_edges, search_by_gumbel
from tzaar_envs.search.mcts.selection import NETWORK, Settings
from tzaar_envs.search.mcts.tree import DETERMINISTIC, Tree, add_node, clear, new_tree
from tzaar_envs.search.mcts.workspace import Scratch, SearchPath, new_path, new_scratch

_MOST = 1_000_000  # positions, simulations, or actions
_DEPTH_WITH_HIDDEN = 64  # actions may be listed again at so many nodes of a path


class Play(NamedTuple):
    """How games are played, besides the search.

    Attributes:
        randomness: probability of a random action, at each move.
        trace: lambda of the value targets, 0 to 1: 0 learns the values of the searches, 1 the
            results of the games.
    """

    randomness: float
    trace: float


class Records(NamedTuple):
    """Positions of finished games, in order, with room for `N` positions and `A` actions.

    Attributes:
        states: int64 `(N, state_size)`.
        first_action: int64 `(N + 1,)`: the legal actions of a position are those from here to the
            first one of the next position.
        actions: int32 `(A,)`.
        policy: float32 `(A,)`, the probability that the search gives each of them.
        values: float64 `(N, players)`, the targets of the expected returns.
        at_random: bool `(N,)`, whether the action was played at random.
        counts: int64 `(3,)`: positions, games, and moves played.
    """

    states: NDArray[np.int64]
    first_action: NDArray[np.int64]
    actions: NDArray[np.int32]
    policy: NDArray[np.float32]
    values: NDArray[np.float64]
    at_random: NDArray[np.bool_]
    counts: NDArray[np.int64]


@compiled(nogil=True)
def play_games(
    functions: FunctionTable,
    network: LeafNetwork,
    settings: Settings,
    gumbel: Gumbel,
    play: Play,
    options: StateArray,
    tree: Tree,
    path: SearchPath,
    scratch: Scratch,
    candidates: RootEdges,
    state: StateArray,
    rng: RngState,
    records: Records,
    positions: int,
) -> None:
    """Play whole games until there are at least this many positions."""
    apply = apply_of(functions)
    records.counts[:] = 0
    records.first_action[0] = 0
    place = 0
    while place < positions:
        first = place
        reset_of(functions)(state, options, rng)
        while state[STATUS] == RUNNING:
            clear(tree)
            add_node(tree, DETERMINISTIC)
            records.states[place] = state
            count = search_by_gumbel(
                functions, network, settings, gumbel, tree, 0, state, path, scratch, candidates,
                records.values[place], rng,
            )  # fmt: skip
            start = records.first_action[place]
            for index in range(count):
                records.actions[start + index] = tree.edges[candidates.edges[index]].action
                records.policy[start + index] = candidates.policy[index]
            records.first_action[place + 1] = start + count
            at_random = next_word(rng) < play.randomness * 2.0**32
            records.at_random[place] = at_random
            chosen = below(rng, count) if at_random else 0
            apply(state, np.int64(records.actions[start + chosen]), rng)
            place += 1
        returns_of(functions)(state, path.values)
        trace_values(records, first, place, play.trace, path.values)
        records.counts[0] = place
        records.counts[1] += 1


@compiled
def trace_values(
    records: Records, first: int, last: int, trace: float, returns: NDArray[np.float64]
) -> None:
    """Turn the values of the searches of a game into lambda-returns, from its end to its start."""
    for place in range(last - 1, first - 1, -1):
        if not records.at_random[place]:
            for seat in range(returns.size):
                future = returns[seat] if place == last - 1 else records.values[place + 1, seat]
                value = records.values[place, seat]
                records.values[place, seat] = value + trace * (future - value)


@dataclass(frozen=True)
class Positions:
    """Positions of finished games with the targets of learning; see `Records` for the arrays.

    Attributes:
        states: int64 `(n, state_size)`.
        first_action: int64 `(n + 1,)`.
        actions: int32.
        policy: float32.
        values: float64 `(n, players)`.
        games: how many games they are from.
    """

    states: NDArray[np.int64]
    first_action: NDArray[np.int64]
    actions: NDArray[np.int32]
    policy: NDArray[np.float32]
    values: NDArray[np.float64]
    games: int


def _checked_gumbel(given: Gumbel) -> Gumbel:
    simulations = integer("simulations", given.simulations)
    considered = integer("considered", given.considered)
    if not (1 <= simulations <= _MOST and 1 <= considered <= _MOST):
        raise ValueError(f"{given} is not allowed: use 1 to {_MOST:,} simulations and actions")
    offset, scale = float(given.visit_offset), float(given.value_scale)
    if not (0 <= offset < math.inf and 0 <= scale < math.inf):
        raise ValueError(f"{given} is not allowed: use 0 or more for the weights of values")
    return Gumbel(simulations, considered, offset, scale)


def _checked_play(given: Play) -> Play:
    checked = Play(float(given.randomness), float(given.trace))
    if not all(0 <= number <= 1 for number in checked):
        raise ValueError(f"{given} is not allowed: use numbers from 0 to 1")
    return checked


class SelfPlay:
    """Plays games of a network against itself, in one thread.

    Args:
        game: the game.
        evaluator: the network.
        gumbel: how to search.
        play: how to play.
        exploration: of PUCT, below the root.
        positions: how many a call of `play` returns, at least.

    Raises:
        TypeError: a number of another type.
        ValueError: a network of another game, or a number that is not allowed.
    """

    def __init__(
        self,
        game: Game,
        evaluator: CompiledEvaluator,
        gumbel: Gumbel,
        play: Play,
        exploration: float = 1.0,
        positions: int = 2000,
    ) -> None:
        require_game(evaluator, game)
        gumbel, play = _checked_gumbel(gumbel), _checked_play(play)
        positions = integer("positions", positions)
        if not 1 <= positions <= _MOST:
            raise ValueError(f"positions={positions} is not allowed: use 1 to {_MOST:,}")
        exploration = float(exploration)
        if not 0 <= exploration < math.inf:
            raise ValueError(f"exploration={exploration} is not allowed: use 0 or more")
        self.game = game
        self.evaluator = evaluator
        self._gumbel = gumbel
        self._play = play
        hidden = game.spec.hidden_information
        self._settings = Settings(True, exploration, NETWORK, hidden)
        listed = gumbel.simulations + (_DEPTH_WITH_HIDDEN if hidden else 2)
        self._tree = new_tree(gumbel.simulations + 2, listed * game.num_actions, game.num_players)
        self._path, self._scratch = new_path(game), new_scratch(game)
        self._candidates = new_root_edges(game.num_actions)
        self._positions = positions
        room = positions + game.max_plies + 1
        self._records = Records(
            states=np.empty((room, game.rules.state_size), np.int64),
            first_action=np.empty(room + 1, np.int64),
            actions=np.empty(room * game.num_actions, np.int32),
            policy=np.empty(room * game.num_actions, np.float32),
            values=np.empty((room, game.num_players)),
            at_random=np.empty(room, np.bool_),
            counts=np.zeros(3, np.int64),
        )

    def play(self, seed: int | Sequence[int] | None = None) -> Positions:
        """Play whole games; the arrays are only valid until the next call.

        Args:
            seed: fixes the games; None takes entropy from the system.
        """
        records = self._records
        play_games(
            self.game.rules.functions,
            self.evaluator.leaf_network(),
            self._settings,
            self._gumbel,
            self._play,
            self.game.encoded_options,
            self._tree,
            self._path,
            self._scratch,
            self._candidates,
            np.zeros(self.game.rules.state_size, np.int64),
            new_generator(seed),
            records,
            self._positions,
        )
        count, games, _ = records.counts.tolist()
        listed = records.first_action[count]
        return Positions(
            records.states[:count],
            records.first_action[: count + 1],
            records.actions[:listed],
            records.policy[:listed],
            records.values[:count],
            games,
        )
