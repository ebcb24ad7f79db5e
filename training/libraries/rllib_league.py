"""A league: a learner, snapshots of it, and a random player.

The number of members is fixed. A new snapshot replaces the weights of the oldest, so no process of
a cluster has to learn of a new member; until then the snapshots have the initial weights of the
learner.

Half of the games are self-play, in which all seats learn. In the others the learner has one seat,
drawn for every game, and each other seat is drawn from the league.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEARNER = "learner"
RANDOM = "random"
SELF_PLAY = 0.5  # share of the games
RANDOM_SEATS = 0.1  # share of the seats of others in the other games

_ENOUGH_GAMES = 100  # until the win rate counts


def snapshot_names(number: int) -> list[str]:
    """Return the names of the snapshots."""
    return [f"snapshot_{place}" for place in range(number)]


def draw_seats(
    rng: np.random.Generator, agents: Sequence[str], snapshots: Sequence[str]
) -> dict[str, str]:
    """Return the member that plays each agent of a new game."""
    if rng.random() < SELF_PLAY:
        return dict.fromkeys(agents, LEARNER)
    seats = {
        agent: RANDOM
        if rng.random() < RANDOM_SEATS
        else snapshots[int(rng.integers(len(snapshots)))]
        for agent in agents
    }
    seats[agents[int(rng.integers(len(agents)))]] = LEARNER
    return seats


@dataclass
class LeagueRecord:
    """Counts of a league.

    Attributes:
        snapshots: number of snapshots that have joined.
        since: steps of the run when the last one joined.
        games: number of games against other members since then.
        wins: of the learner in these games.
    """

    snapshots: int = 0
    since: int = 0
    games: int = 0
    wins: int = 0

    @property
    def win_rate(self) -> float:
        """The learner's win rate since the last snapshot."""
        return self.wins / self.games if self.games else 0.0

    def is_due(self, steps: int, every: int, wins: float) -> bool:
        """Return whether the next snapshot joins.

        Args:
            steps: of the run.
            every: steps after which a snapshot joins at the latest.
            wins: win rate at which it joins earlier.
        """
        return steps - self.since >= every or (
            self.games >= _ENOUGH_GAMES and self.win_rate >= wins
        )

    def next_place(self, names: Sequence[str]) -> str:
        """Return the snapshot that the next one replaces: the oldest."""
        return names[self.snapshots % len(names)]

    def join(self, steps: int) -> None:
        """Record a new snapshot."""
        self.snapshots, self.since, self.games, self.wins = self.snapshots + 1, steps, 0, 0
