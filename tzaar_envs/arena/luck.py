"""Luck: what chance gave to each seat of games, and their results without it.

Dice decide most single games between good players, so it takes many games to see a difference. A
network's value rises with a lucky outcome and falls with an unlucky one; what it rises on average
is 0 whatever the network, as the outcome does not depend on the players. So the return of a seat,
less the sum of these rises, has the same expectation as the return, and varies much less if the
network is good (a control variate).

Sources: M. Zinkevich, M. Bowling, N. Bard, M. Kan, D. Billings, "Optimal unbiased estimators for
evaluating agent performance" (AAAI 2006); M. White, M. Bowling, "Learning a value analysis tool for
agent evaluation" (IJCAI 2009). Backgammon players know it as the luck-adjusted result.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.arena.plan import Progress
from tzaar_envs.arena.records import GameRecord
from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import integer_from
from tzaar_envs.jit.compile import first_compilation
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.networks.evaluator import load_compiled
from tzaar_envs.networks.file import find_policy
from tzaar_envs.search.afterstates import add_luck, new_afterstates

DRAWS = 64


def shares_without_luck(
    seats: NDArray[np.int64],
    shares: NDArray[np.float64],
    starts: NDArray[np.int64],
    luck: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return each seat's share of the win without luck, for ratings; every row still sums to 1.

    Between agents of very different strength luck decides little, so only as much of it is taken
    away as explains the results of a line-up: its coefficient of regression, near 1 where agents
    are close and the values right, near 0 where one wins every game. That of a start is found
    without its own games, which keeps the shares unbiased. No agent's mean share of a line-up
    becomes less than 0 or more than 1.

    Args:
        seats: int64 `(games, seats)`, the agent at each seat.
        shares: float64 `(games, seats)`, see `ratings.win_shares`.
        starts: int64 `(games,)`, the start of each game.
        luck: float64 `(games, seats)`, what chance gave to each seat, in returns.
    """
    others = seats.shape[1] - 1  # returns are of -1 / others to 1
    luck = (luck - luck.mean(axis=1, keepdims=True)) * others / (others + 1)
    result = shares.copy()
    line_ups, line_up = np.unique(np.sort(seats, axis=1), axis=0, return_inverse=True)
    for number in range(len(line_ups)):
        own = line_up.ravel() == number
        result[own] -= _explained(seats[own], shares[own], starts[own], luck[own])
    return result


def _explained(
    seats: NDArray[np.int64],
    shares: NDArray[np.float64],
    starts: NDArray[np.int64],
    luck: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the part of the luck that explains the shares of one line-up, `(games, seats)`."""
    games = np.maximum(np.bincount(seats.ravel()), 1)
    means = np.bincount(seats.ravel(), shares.ravel()) / games
    _, start = np.unique(starts, return_inverse=True)

    def of_other_starts(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        rest: NDArray[np.float64] = numbers.sum() - np.bincount(start, numbers)[start]
        return rest

    products = of_other_starts(((shares - means[seats]) * luck).sum(axis=1))
    squares = of_other_starts((luck**2).sum(axis=1))
    known = squares > 1e-9
    slope = np.maximum(np.divide(products, squares, out=np.zeros_like(products), where=known), 0)
    explained: NDArray[np.float64] = slope[:, None] * luck

    taken = np.bincount(seats.ravel(), explained.ravel()) / games
    room = np.where(taken > 0, means, 1 - means)
    limited = np.abs(taken) > room
    if limited.any():
        explained *= (room[limited] / np.abs(taken[limited])).min()
    return explained


# --- Measuring ------------------------------------------------------------------------------------


class LuckMeter:
    """Tells how much chance gave to each seat of a game that was played.

    Args:
        game: The game.
        policy: The file of a policy with a sparse network, or `reference`.
        draws: The number of other outcomes to compare each outcome of chance with, 1 or more. With
            few, their own luck stays in the result.

    Raises:
        FileNotFoundError: There is no such policy.
        ValueError: Chance has no part in the game after the start, the policy does not fit it or
            has no sparse network, or an argument is not allowed.
    """

    def __init__(self, game: Game, policy: str | Path, draws: int = DRAWS) -> None:
        if not game.spec.chance_in_play:
            raise ValueError(
                f"{game.name} has no chance after the start, so there is no luck to measure"
            )
        self.game, self.draws = game, integer_from("draws", draws, 1)
        self._network = load_compiled(find_policy(policy, game.spec), game)

    def of_games(
        self, games: Sequence[GameRecord], progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """Measure what chance gave in each game to each seat, float64 `(games, seats)`, in returns.

        Args:
            games: Records of games of this game.
            progress: Called as `progress(done, games)`.

        Raises:
            ValueError: A record of another game, or with other options.
        """
        luck = np.zeros((len(games), self.game.num_players))
        search = new_afterstates(self.game, self._network.leaf_network(), self.draws)
        for number, record in enumerate(games):
            # All share the random opening.
            states = record.states(self.game)[record.opening :]
            positions = np.array([state.words for state in states])
            actions = [
                state.parse_action(action)
                for state, action in zip(states, record.actions[record.opening :], strict=False)
            ]
            # Whatever the order of the games: it follows from their times.
            told = record.seed, record.position, record.actions, record.outcomes
            rng = new_generator(zlib.crc32(repr(told).encode()))
            with first_compilation("the luck measurement", add_luck):
                add_luck(search, positions, np.array(actions, np.int64), rng, luck[number])
            if progress is not None:
                progress(number + 1, len(games))
        return luck
