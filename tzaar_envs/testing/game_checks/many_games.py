"""Many games: what happens rarely, found by compiled random games."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import (
    RUNNING,
    SEAT,
    STATUS,
    TRUNCATED,
    apply_of,
    legal_of,
    observe_of,
    reset_of,
    returns_of,
)
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import below, new_generator
from tzaar_envs.testing.finding import Finding

PLIES = 50_000  # of all games together, if they were as long as can be
_FEWEST = 100  # games
_UNCOMPILED = 5  # games

_FINE = 0
_STUCK = 1
_TOO_LONG = 2
_CUT_EARLY = 3
_RETURN = 4
_OBSERVATION = 5
_ACTION = 6
_SENTENCES = {
    _STUCK: "the game runs, but nothing is legal",
    _TOO_LONG: "the game runs after max_plies plies",
    _CUT_EARLY: "the game is truncated before max_plies plies",
    _RETURN: "a return at the end is not in -1 to 1",
    _OBSERVATION: "an observation is not within the highs of its planes",
    _ACTION: "a legal action does not exist",
}


@compiled
def _play(
    functions: FunctionTable,
    options: StateArray,
    rng: RngState,
    choices: RngState,
    state: StateArray,
    highs: NDArray[np.int8],
    players: int,
    num_actions: int,
    played: NDArray[np.int64],
) -> tuple[int, int]:
    """Play a random game; return what is wrong, and the number of plies."""
    actions = np.empty(num_actions, np.int64)
    seen = np.zeros(highs.size, np.int8)
    returns = np.zeros(players)
    reset_of(functions)(state, options, rng)
    ply = 0
    while state[STATUS] == RUNNING:
        if ply == played.size:
            return _TOO_LONG, ply
        observe_of(functions)(state, state[SEAT], seen)
        for index in range(seen.size):
            if not 0 <= seen[index] <= highs[index]:
                return _OBSERVATION, ply
        count = legal_of(functions)(state, actions)
        if count == 0:
            return _STUCK, ply
        action = actions[below(choices, count)]
        if not 0 <= action < num_actions:
            return _ACTION, ply
        played[ply] = action
        apply_of(functions)(state, action, rng)
        ply += 1
    if state[STATUS] == TRUNCATED and ply != played.size:
        return _CUT_EARLY, ply
    returns_of(functions)(state, returns)
    for player in range(players):
        if not -1.0 <= returns[player] <= 1.0:
            return _RETURN, ply
    return _FINE, ply


def findings(game: Game, seed: int) -> list[Finding]:
    """Return a finding of the first of many random games in which something is wrong."""
    cells = int(np.prod(game.layout.board_shape))
    highs = np.repeat(np.array(game.layout.plane_highs, np.int8), cells)
    played = np.zeros(game.max_plies, np.int64)
    state = np.zeros(game.rules.state_size, np.int64)
    games = max(_FEWEST, PLIES // game.max_plies)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        games = _UNCOMPILED
    for number in range(seed, seed + games):
        what, plies = _play(
            game.rules.functions,
            game.encoded_options,
            new_generator(number),
            new_generator([number, 1]),
            state,
            highs,
            game.num_players,
            game.num_actions,
            played,
        )
        if what != _FINE:
            actions = tuple(played[:plies].tolist())
            return [Finding("many_games", _SENTENCES[what], number, actions)]
    return []
