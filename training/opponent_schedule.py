"""Who the learner plays against: the baselines first, then also earlier versions of itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from tzaar_envs.agents import Agent
from tzaar_envs.wrappers.opponents import OpponentPool

RECENT_GAMES = 200


class OpponentSchedule:
    """Changes an opponent pool as the learner gets better.

    The learner starts against the first baseline. Each time it has won `threshold` of its recent
    games against the newest baseline, the next one joins. From the second baseline on, snapshots of
    the learner join too. Half of the games are then against snapshots, the rest against the
    baselines, of which the newest gets four times the games of the others.

    Args:
        pool: whose opponents are replaced.
        baselines: from weak to strong.
        threshold: the rate of wins at which the next baseline joins.
        most_snapshots: older ones make room.
    """

    def __init__(
        self,
        pool: OpponentPool,
        baselines: Sequence[Agent],
        threshold: float = 0.8,
        most_snapshots: int = 6,
    ) -> None:
        self.pool = pool
        self.baselines = list(baselines)
        self.threshold = threshold
        self.stage = 0
        self.snapshots: deque[Agent] = deque(maxlen=most_snapshots)
        self._recent: deque[bool] = deque(maxlen=RECENT_GAMES)
        self.apply()

    @property
    def newest_baseline(self) -> Agent:
        """The strongest baseline that has joined."""
        return self.baselines[self.stage]

    @property
    def recent_wins(self) -> float:
        """The rate of wins in the recent games against the newest baseline."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def apply(self) -> None:
        """Give the pool the opponents of the present stage."""
        joined = self.baselines[: self.stage + 1]
        weights = [1.0] * self.stage + [4.0]
        share = sum(weights) / len(self.snapshots) if self.snapshots else 0.0
        self.pool.replace([*joined, *self.snapshots], [*weights, *[share] * len(self.snapshots)])

    def record(self, opponents: Sequence[str], won: bool) -> None:
        """Take note of a finished game; the next baseline joins when it is time."""
        if self.newest_baseline.name not in opponents:
            return
        self._recent.append(won)
        full = len(self._recent) == RECENT_GAMES
        if full and self.recent_wins >= self.threshold and self.stage + 1 < len(self.baselines):
            self.stage += 1
            self._recent.clear()
            self.apply()

    def add_snapshot(self, snapshot: Agent) -> None:
        """Let a version of the learner join, once the second baseline has."""
        if self.stage > 0:
            self.snapshots.append(snapshot)
            self.apply()
