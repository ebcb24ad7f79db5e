"""A league: a learner, earlier versions of it, and one that plays at random.

The number of members is fixed. A new snapshot takes the place of the oldest by its weights alone,
so that no process of a cluster ever has to be told of a new member; before the first snapshots the
places hold what the learner began with.

Half of the games are self-play, all seats learning. In the others the learner has one seat, drawn
for every game, and every other seat is drawn from the league.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEARNER = "learner"
RANDOM = "random"
SELF_PLAY = 0.5  # of the games
RANDOM_SEATS = 0.1  # of the seats that the learner has not in the other games

_ENOUGH_GAMES = 100  # before the wins among them count


def snapshot_names(number: int) -> list[str]:
    """Return the names of the members that are snapshots."""
    return [f"snapshot_{place}" for place in range(number)]


def draw_seats(
    rng: np.random.Generator, agents: Sequence[str], snapshots: Sequence[str]
) -> dict[str, str]:
    """Return the member that every agent of a new game is."""
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
    """What a run knows of its league.

    Attributes:
        snapshots: how many have joined.
        since: the steps of the run when the last one did.
        games: against other members since then.
        wins: of the learner in these.
    """

    snapshots: int = 0
    since: int = 0
    games: int = 0
    wins: int = 0

    @property
    def win_rate(self) -> float:
        """The part of the games that the learner has won since the last snapshot."""
        return self.wins / self.games if self.games else 0.0

    def is_due(self, steps: int, every: int, wins: float) -> bool:
        """Whether the next snapshot is to join.

        Args:
            steps: of the run.
            every: steps after which one joins at the latest.
            wins: the win rate at which it joins earlier.
        """
        return steps - self.since >= every or (
            self.games >= _ENOUGH_GAMES and self.win_rate >= wins
        )

    def next_place(self, names: Sequence[str]) -> str:
        """Return the snapshot that makes room for the next: the oldest."""
        return names[self.snapshots % len(names)]

    def join(self, steps: int) -> None:
        """Take note of a new snapshot."""
        self.snapshots, self.since, self.games, self.wins = self.snapshots + 1, steps, 0, 0
