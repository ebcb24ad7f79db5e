"""`turn-search`: a search over all ways to lay the tiles of the turn.

The value of a first placement is that of the best continuation, by the game's evaluation function
at the end of the turn; `greedy` evaluates each placement as if the turn ended with it. Nearly all
turns have two placements, and there are about 90 ways to lay them.

The hidden hands are redrawn before the search, and the tiles that come next are drawn; the
evaluation hardly depends on them, so one sample is enough.
"""

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.zatre import board as b
from tzaar_envs.games.zatre.baselines import evaluate
from tzaar_envs.games.zatre.rules import apply, determinize, legal
from tzaar_envs.jit.arrays import RngState
from tzaar_envs.jit.compile import compiled

# Only hands that could not be laid before are larger; a longer turn is scored as if it ended.
PLACEMENTS = 3


def action_values(game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
    """Return float64 `(len(states), num_actions)`: the evaluation after the best turn with each.

    It is that of the player to move, -1 .. 1; minus infinity where the action is not legal.

    Args:
        game: Zatre with any options.
        states: Positions, int64 `(n, state_size)`.
        rng: Generator for the hands of the other seats and the next tiles.
    """
    values = np.full((len(states), game.num_actions), -np.inf)
    positions = np.empty((PLACEMENTS + 1, states.shape[1]), np.int64)
    actions = np.empty((PLACEMENTS, game.num_actions), np.int64)
    for state, out in zip(states, values, strict=True):
        positions[0] = state
        search(positions, actions, rng, out)
    return values


@compiled
def search(
    positions: NDArray[np.int64],
    actions: NDArray[np.int64],
    rng: RngState,
    best: NDArray[np.float64],
) -> None:
    """Raise the values of the first placements to that of the best turn with each.

    Args:
        positions: int64 `(PLACEMENTS + 1, state_size)`: the position to search from, and room for
            one after each placement.
        actions: int64 `(PLACEMENTS, num_actions)`: room for the legal actions at each depth.
        rng: Generator for hidden hands and for the tiles drawn at the end of the turn.
        best: float64 `(num_actions,)`, minus infinity before.
    """
    seat = positions[0, SEAT]
    determinize(positions[0], seat, rng)
    tried = np.zeros(PLACEMENTS, np.int64)
    count = np.zeros(PLACEMENTS, np.int64)
    count[0] = legal(positions[0], actions[0])
    depth = 0
    while depth >= 0:
        if tried[depth] == count[depth]:
            depth -= 1
            continue
        after = positions[depth + 1]
        after[:] = positions[depth]
        apply(after, actions[depth, tried[depth]], rng)
        tried[depth] += 1
        goes_on = after[STATUS] == RUNNING and after[b.PLACED_COUNT] > 0
        if goes_on and depth + 1 < PLACEMENTS:
            depth += 1
            tried[depth] = 0
            count[depth] = legal(after, actions[depth])
        else:
            first = actions[0, tried[0] - 1]
            best[first] = max(best[first], evaluate(after, seat))
