"""Turned positions: what tells the observers apart, and what makes them see the same.

With two players, a symmetry that swaps their seats shows player 1 a position as player 0 would see
it. Games whose board looks the same from both seats need none.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import Symmetry

Marker: TypeAlias = tuple[
    Annotated[int, msgspec.Meta(ge=0)], Annotated[int, msgspec.Meta(ge=-128, le=127)]
]
"""An index of a flattened observation, and the value there if the observer is player 1."""

_GAMES = 24  # random games that show which entries never change
_POSITIONS = 3000  # of them, at most


def turning_symmetry(game: Game) -> Symmetry | None:
    """Return the symmetry by which player 1 sees a position as player 0 would; None without one."""
    if game.num_players != 2:
        return None
    return next((symmetry for symmetry in game.symmetries if symmetry.swaps_seats), None)


def turning_tables(
    game: Game | None, size: int, actions: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where player 1 finds what player 0 would see, and what its actions would be.

    Args:
        game: the game; None, or one without such a symmetry: nothing is turned.
        size: the number of entries of a flattened observation.
        actions: the number of actions.

    Returns:
        int64 `(size,)`, where player 1 finds each entry that it sees as player 0; and int64
        `(actions,)`, the number of each action of player 1 if it were player 0.
    """
    symmetry = None if game is None else turning_symmetry(game)
    if symmetry is None:
        return np.arange(size), np.arange(actions)
    return symmetry.observation, np.argsort(symmetry.actions)


def marker_of(game: Game) -> tuple[int, int] | None:
    """Return `marker_in` of random games; None if positions cannot be turned."""
    if turning_symmetry(game) is None:
        return None
    return marker_in(*random_observations(game))


def random_observations(game: Game) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Return flattened observations of all players in random games, and who sees them."""
    rng = np.random.Generator(np.random.PCG64(0))
    seen, seats = [], []
    for number in range(_GAMES):
        state = game.new_state((0, number))
        while not state.is_terminal:
            state.apply(int(rng.choice(state.legal_actions())))
            for player in range(game.num_players):
                seen.append(state.observation(player).ravel())
                seats.append(player)
    observations, observers = np.stack(seen), np.array(seats)
    if len(observations) > _POSITIONS:
        chosen = rng.choice(len(observations), _POSITIONS, replace=False)
        observations, observers = observations[chosen], observers[chosen]
    return observations, observers


def marker_in(seen: NDArray[np.int8], seats: NDArray[np.int64]) -> tuple[int, int] | None:
    """Return an entry that tells the two observers apart, and its value for player 1."""
    first, second = seen[seats == 0], seen[seats == 1]
    constant = (first == first[0]).all(axis=0) & (second == second[0]).all(axis=0)
    entries = (constant & (first[0] != second[0])).nonzero()[0]
    return (int(entries[0]), int(second[0, entries[0]])) if len(entries) else None
