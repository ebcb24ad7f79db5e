"""Random playouts: whole games of uniformly random legal actions, compiled once for all games."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.border import integer
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import (
    RUNNING,
    STATUS,
    TRUNCATED,
    apply_of,
    legal_of,
    reset_of,
    returns_of,
)
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import below, new_generator

# Compiled code returns after so many games, since only Python notices Ctrl-C.
_SLICE = 64


@dataclass(frozen=True)
class Playouts:
    """The results of random games.

    Attributes:
        plies: int64 `(games,)`, the length of each game.
        returns: float64 `(games, num_players)`, the return of every player.
        truncated: bool `(games,)`, whether only a move cap ended the game.
        branching: the mean number of legal actions.
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
    legal = legal_of(functions)
    apply = apply_of(functions)
    for game in range(results.shape[0]):
        reset_of(functions)(state, options, rng)
        plies = 0
        choices = 0
        while state[STATUS] == RUNNING:
            count = legal(state, actions)
            apply(state, actions[below(rng, count)], rng)
            plies += 1
            choices += count
        counts[game, 0] = plies
        counts[game, 1] = choices
        counts[game, 2] = state[STATUS]
        returns_of(functions)(state, results[game])


def random_playouts(game: Game, games: int, seed: int | None = None) -> Playouts:
    """Play random games from the start position.

    Args:
        game: the game.
        games: how many to play, at least 1.
        seed: determines chance events and actions; None takes entropy from the system.

    Raises:
        TypeError: `games` is not an integer.
        ValueError: `games` is less than 1, or `seed` is not a seed.
    """
    games = integer("games", games)
    if games < 1:
        raise ValueError(f"games={games!r} is not allowed: play at least 1")
    rules = game.rules
    counts = np.empty((games, 3), np.int64)
    results = np.empty((games, game.num_players), np.float64)
    state, actions = np.zeros(rules.state_size, np.int64), np.empty(game.num_actions, np.int64)
    rng = new_generator(seed)
    for first in range(0, games, _SLICE):
        part = slice(first, first + _SLICE)
        _play_out(
            rules.functions, game.encoded_options, state, actions, rng, counts[part], results[part]
        )
    plies, choices, status = counts.T
    return Playouts(
        plies=plies.copy(),
        returns=results,
        truncated=status == TRUNCATED,
        branching=float(choices.sum() / plies.sum()),
    )
