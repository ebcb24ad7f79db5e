"""Who a learner in one seat plays against: baselines first, then also earlier versions of itself.

A script that trains against opponents has settings that extend `OpponentSettings` and a run that
extends `OpponentRun`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.envs.opponents import OpponentPool
from tzaar_envs.training.run import Run
from tzaar_envs.training.settings import Settings, setting

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


@dataclass
class OpponentSettings(Settings):
    """What a script that trains against opponents can be told besides."""

    shaping: float = setting(
        "Weight of reward shaping by the game's evaluation function; 0 turns it off.",
        0.5,
        "not negative",
    )
    snapshot_every: int = setting(
        "Steps between snapshots of the policy, which become opponents.", 50_000, "positive"
    )

    num_envs: int = setting("Number of games played in parallel.", 256, "positive")
    rollout: int = setting("Steps of each game between two updates of the network.", 16, "positive")
    batch_size: int = setting("Samples in each gradient step.", 1024, "positive")
    learning_rate: float = setting("Initial learning rate; decays to 10 %.", 1e-3, "positive")
    gamma: float = setting("Discount factor of future rewards, per decision.", 0.99, "fraction")


S = TypeVar("S", bound=OpponentSettings)


class OpponentRun(Run[S]):
    """A run against a schedule of opponents.

    `build` sets `schedule`, made by `new_schedule`; the learner calls `record_games` with what its
    steps bring, and `after_rollout` in place of `after_update`.
    """

    schedule: OpponentSchedule

    def new_schedule(self, pool: OpponentPool) -> OpponentSchedule:
        """Return the schedule of a pool, with all baselines of the game."""
        self._last_snapshot = 0
        baselines = [
            make_agent(name, self.game, [self.settings.seed, number])
            for number, name in enumerate(self.baselines)
        ]
        return OpponentSchedule(pool, baselines)

    def record_games(self, infos: Sequence[Mapping[str, Any]]) -> None:
        """Take note of the games that have ended, from the infos of a step."""
        for info in infos:
            if "episode" in info:
                self.schedule.record(info["opponents"], won=info["episode"]["r"] > 0)

    def after_rollout(self, values: Mapping[str, float]) -> None:
        """Let a snapshot join when it is time, then do what `after_update` does."""
        if self.steps - self._last_snapshot >= self.settings.snapshot_every:
            self._last_snapshot = self.steps
            self._add_snapshot()
        schedule = self.schedule
        own = {
            "schedule/recent_wins": schedule.recent_wins,
            "schedule/stage": schedule.stage,
            "schedule/snapshots": len(schedule.snapshots),
        }
        status = f"{schedule.recent_wins:.0%} wins vs {schedule.newest_baseline.name}"
        self.after_update({**values, **own}, status)

    def _add_snapshot(self) -> None:
        from tzaar_envs.agents.policy import PolicyAgent

        network = self.network()
        name = self.save_snapshot(network)
        self.schedule.add_snapshot(
            PolicyAgent(self.game, network, name=name, seed=self.steps, sample=True)
        )

    def schedule_state(self) -> dict[str, Any]:
        """Return what the schedule goes on from, for `state`."""
        return {"stage": self.schedule.stage, "last_snapshot": self._last_snapshot}

    def restore_schedule(self, state: dict[str, Any]) -> None:
        """Go on from what `schedule_state` has returned, with the snapshots in the folder.

        Raises:
            LookupError, TypeError, ValueError: it is something else.
        """
        from tzaar_envs.agents.policy import PolicyAgent

        self.schedule.stage = range(len(self.baselines))[state["stage"]]
        self._last_snapshot = int(state["last_snapshot"])
        self.schedule.apply()
        for snapshot in sorted(self.folder.snapshots.glob("*.safetensors")):
            self.schedule.add_snapshot(PolicyAgent.load(snapshot, self.game, sample=True))
