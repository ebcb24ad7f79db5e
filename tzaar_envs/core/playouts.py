"""Perft and random playouts: whole games in compiled code, compiled once for all games."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core import kernel as k
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.core.validation import integer_from
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.jit.rng import below, new_generator

# Compiled code returns after so many positions, since only Python notices Ctrl-C.
_POSITIONS_PER_CALL = 1 << 14


@compiled
def _count(
    functions: FunctionTable,
    states: NDArray[np.int64],
    actions: NDArray[np.int64],
    rngs: NDArray[np.uint64],
    counts: NDArray[np.int64],
    tried: NDArray[np.int64],
    row: int,
    total: NDArray[np.int64],
) -> int:
    """Continue to count; return the row to continue with, 0 when all sequences are counted.

    Row k of the arrays is for the position k plies above the leaves: the position itself, its
    actions, its generator, how many actions it has, and how many of them have been played. The last
    ply is counted, not played.
    """
    functions, states, actions = borrowed(functions), borrowed(states), borrowed(actions)
    rngs = borrowed(rngs)
    legal = k.legal_of(functions)
    apply = k.apply_of(functions)
    for _ in range(_POSITIONS_PER_CALL):
        while tried[row] == counts[row]:
            row += 1
            if row == tried.size:
                return 0
        child = row - 1
        states[child] = states[row]
        rngs[child] = rngs[row]
        apply(states[child], actions[row, tried[row]], rngs[child])
        tried[row] += 1
        count = legal(states[child], actions[child])
        if child == 1:
            total[0] += count
        else:
            counts[child] = count
            tried[child] = 0
            row = child
    return row


def perft(state: State, depth: int) -> int:
    """Return the number of sequences of exactly `depth` legal actions from a position.

    A finished game has none. Chance events are drawn from a copy of the state's generator, so in
    games with chance between actions the number depends on its seed.

    Raises:
        ValueError: `depth` is not an integer from 0 on.
    """
    depth = integer_from("depth", depth, 0)
    if depth > state.game.max_plies:
        return 0
    first_actions = state.legal_actions()
    if depth < 2:
        return first_actions.size if depth else 1
    rules = state.game.rules
    states = np.zeros((depth + 1, rules.state_size), np.int64)
    states[depth] = state.words
    actions = np.empty((depth + 1, state.game.num_actions), np.int64)
    actions[depth, : first_actions.size] = first_actions
    rngs = np.zeros((depth + 1, 1), np.uint64)
    rngs[depth] = state.generator
    counts, tried, total = np.zeros((3, depth + 1), np.int64)
    counts[depth] = first_actions.size
    row = depth
    while row:
        row = _count(rules.functions, states, actions, rngs, counts, tried, row, total)
    return int(total[0])


# Compiled code returns after so many games, since only Python notices Ctrl-C.
_GAMES_PER_CALL = 64


@dataclass(frozen=True)
class Playouts:
    """The results of random games.

    Attributes:
        plies: int64 `(games,)`, the length of each game.
        returns: float64 `(games, num_players)`, the return of every player.
        truncated: bool `(games,)`, whether only a move cap ended the game.
        branching: The mean number of legal actions.
    """

    plies: NDArray[np.int64]
    returns: NDArray[np.float64]
    truncated: NDArray[np.bool_]
    branching: float


@compiled
def _play_out(
    functions: FunctionTable,
    options: StateArray,
    state: StateArray,
    actions: StateArray,
    rng: RngState,
    counts: NDArray[np.int64],
    results: NDArray[np.float64],
) -> None:
    functions, state, actions = borrowed(functions), borrowed(state), borrowed(actions)
    options, rng, results = borrowed(options), borrowed(rng), borrowed(results)
    legal = k.legal_of(functions)
    apply = k.apply_of(functions)
    for game in range(results.shape[0]):
        k.reset_of(functions)(state, options, rng)
        plies = 0
        choices = 0
        while state[k.STATUS] == k.RUNNING:
            count = legal(state, actions)
            apply(state, actions[below(rng, count)], rng)
            plies += 1
            choices += count
        counts[game, 0] = plies
        counts[game, 1] = choices
        counts[game, 2] = state[k.STATUS]
        k.returns_of(functions)(state, results[game])


def random_playouts(game: Game, games: int, seed: int | None = None) -> Playouts:
    """Play random games from the start position.

    Args:
        game: The game.
        games: Number of games to play, at least 1.
        seed: Seed for chance events and actions; None takes entropy from the system.

    Raises:
        ValueError: `games` is not an integer from 1 on, or `seed` is not a seed.
    """
    games = integer_from("games", games, 1)
    rules = game.rules
    counts = np.empty((games, 3), np.int64)
    results = np.empty((games, game.num_players), np.float64)
    state, actions = np.zeros(rules.state_size, np.int64), np.empty(game.num_actions, np.int64)
    rng = new_generator(seed)
    for first in range(0, games, _GAMES_PER_CALL):
        part = slice(first, first + _GAMES_PER_CALL)
        _play_out(
            rules.functions, game.encoded_options, state, actions, rng, counts[part], results[part]
        )
    plies, choices, status = counts.T
    return Playouts(
        plies=plies.copy(),
        returns=results,
        truncated=status == k.TRUNCATED,
        branching=float(choices.sum() / plies.sum()),
    )
