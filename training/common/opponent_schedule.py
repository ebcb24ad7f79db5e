"""Schedule of opponents for a learner in one seat: baselines first, then also its own snapshots."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from tzaar_envs.agents import Agent
from tzaar_envs.envs.opponents import OpponentPool
from tzaar_envs.training.common.erring_agent import ErringAgent
from tzaar_envs.training.common.settings import (
    PPO_FROM_NOTHING,
    NetworkSettings,
    ResponseSettings,
    setting,
)

RECENT_GAMES = 200
MISTAKES = (0.4, 0.2, 0.1)
"""Shares of random actions with which a baseline also plays, so that there are games to win."""
SNAPSHOT_SHARE = 0.2
"""Share of the games that are against snapshots, beside a stronger baseline than the first."""
SNAPSHOT_SHARE_ALONE = 0.5
"""The same where snapshots are the strongest opponents."""


@dataclass
class OpponentSettings(ResponseSettings, NetworkSettings):
    """Arguments that all scripts with a schedule of opponents share."""

    shaping: float = setting(
        "Weight of reward shaping by the game's evaluation function; 0 turns it off. MaskablePPO "
        "lets it decay to 0.",
        1.0,
        "not negative",
    )
    draw: float = setting(
        "Reward of a draw in training; below 0, so that a learner that can draw tries to win.", -0.5
    )
    snapshot_every: int = setting(
        "Steps between snapshots of the policy, which become opponents; 0: none.",
        50_000,
        "not negative",
    )

    num_envs: int = setting("Number of games played in parallel.", 256, "positive")
    rollout: int = setting("Steps of each game between two updates of the network.", 16, "positive")
    batch_size: int = setting("Samples in each gradient step.", 1024, "positive")
    learning_rate: float = setting("Initial learning rate; decays to 10 %.", 1e-3, "positive")
    gamma: float = setting("Discount factor of future rewards, per decision.", 0.99, "fraction")

    def without_help(self) -> Self:
        """Return the settings as `from_scratch` means them."""
        settings = super().without_help()
        if self.opponent:
            settings = dataclasses.replace(settings, snapshot_every=0)
        return dataclasses.replace(settings, shaping=0.0) if self.from_scratch else settings


@dataclass
class OneSeatPpoSettings(OpponentSettings):
    """Arguments that all scripts share that learn by PPO in one seat."""

    # Rewards that come at the end alone need a long trace.
    from_nothing: ClassVar[Mapping[str, Any]] = {
        **PPO_FROM_NOTHING,
        "rollout": 64,
        "gae_lambda": 0.96,
    }

    batch_size: int = setting("Samples in each gradient step.", 256, "positive")
    learning_rate: float = setting("Initial learning rate; decays to 10 %.", 1.5e-3, "positive")
    epochs: int = setting("Passes over the samples in each update.", 1, "positive")
    gae_lambda: float = setting(
        "Smoothing factor (lambda) of generalized advantage estimation.", 0.6, "fraction"
    )
    clip_range: float = setting(
        "PPO clipping range: how far the probability ratio may move from 1.", 0.2, "fraction"
    )
    entropy: float = setting(
        "Weight of the entropy bonus, which rewards exploration.", 0.02, "not negative"
    )


@dataclass
class OneSeatDqnSettings(OpponentSettings):
    """Arguments that all scripts share that learn by DQN in one seat."""

    # Found by trials in all games, see docs/training.md.
    from_nothing: ClassVar[Mapping[str, Any]] = {
        "width": 16,
        "blocks": 1,
        "num_envs": 64,
        "batch_size": 512,
        "gradient_steps": 4,
        "learning_starts": 4096,
        "learning_rate": 2e-3,
    }

    gradient_steps: int = setting("Gradient steps in each update.", 12, "positive")
    buffer_size: int = setting("Capacity of the replay buffer, in decisions.", 50_000, "positive")
    learning_starts: int = setting(
        "Decisions in the replay buffer before the first update.", 20_000, "not negative"
    )
    n_steps: int = setting(
        "Number of decisions whose rewards count in the value of a position before the value of a "
        "later position does.",
        64,
        "positive",
    )
    advantage_weight: float = setting(
        "Weight of the error of advantages, beside that of values.", 100.0, "positive"
    )
    learning_rate: float = setting("Initial learning rate; decays to 10 %.", 5e-4, "positive")
    temperature: float = setting(
        "Initial temperature of the softmax of action values from which actions are drawn; decays "
        "to 10 %.",
        0.1,
        "positive",
    )


class OpponentSchedule:
    """Replaces the opponents of a pool as the learner gets better.

    The learner starts against the first baseline. Each time it has won `threshold` of its recent
    games against the newest baseline, the next one joins, as it is and with `MISTAKES`: against a
    much stronger opponent that never errs there is nothing to win, hence nothing to learn. Each of
    these plays twice as many games as each of the earlier baselines. From the second baseline on,
    or if there is only one, snapshots of the learner join too.

    Args:
        pool: the pool.
        baselines: from weak to strong.
        snapshot_every: steps between snapshots; 0: there are none.
        threshold: win rate at which the next baseline joins.
        max_snapshots: number of snapshots in the pool; a new one replaces the oldest.

    Attributes:
        stage: index of the newest baseline.
        snapshots: from old to new.
    """

    def __init__(
        self,
        pool: OpponentPool,
        baselines: Sequence[Agent],
        snapshot_every: int,
        threshold: float = 0.8,
        max_snapshots: int = 6,
    ) -> None:
        self.pool = pool
        self.baselines = list(baselines)
        self.snapshot_every = snapshot_every
        self.threshold = threshold
        self.stage = 0
        self.snapshots: deque[Agent] = deque(maxlen=max_snapshots)
        self._last_snapshot = 0  # steps
        self._recent: deque[bool] = deque(maxlen=RECENT_GAMES)
        self._update_pool()

    @property
    def newest_baseline(self) -> Agent:
        """The strongest baseline that has joined."""
        return self.baselines[self.stage]

    @property
    def recent_wins(self) -> float:
        """The win rate in the recent games against the newest baseline."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    @property
    def metrics(self) -> dict[str, float]:
        """Values for the log."""
        return {
            "schedule/recent_wins": self.recent_wins,
            "schedule/stage": self.stage,
            "schedule/snapshots": len(self.snapshots),
        }

    @property
    def status(self) -> str:
        """A note for the progress bar."""
        return f"{self.recent_wins:.0%} wins vs {self.newest_baseline.name}"

    def record_games(self, infos: Sequence[Mapping[str, Any]]) -> None:
        """Record the games that have ended, from the infos of a step of all games."""
        for info in infos:
            if "episode" in info:
                self.record(info["opponents"], won=info["episode"]["r"] > 0)

    def record(self, opponents: Sequence[str], won: bool) -> None:
        """Record a finished game; the next baseline joins when it is time."""
        if self.newest_baseline.name not in opponents:
            return
        self._recent.append(won)
        full = len(self._recent) == RECENT_GAMES
        if full and self.recent_wins >= self.threshold and self.stage + 1 < len(self.baselines):
            self.stage += 1
            self._recent.clear()
            self._update_pool()

    def is_snapshot_due(self, steps: int) -> bool:
        """Return whether to add a snapshot after so many steps."""
        return 0 < self.snapshot_every <= steps - self._last_snapshot

    def add_snapshot(self, snapshot: Agent, steps: int) -> None:
        """Add the learner after so many steps, unless a second baseline has yet to join."""
        self._last_snapshot = steps
        self.add_snapshots([snapshot])

    def add_snapshots(self, snapshots: Sequence[Agent]) -> None:
        """Add earlier versions of the learner, unless a second baseline has yet to join."""
        if self.stage > 0 or len(self.baselines) == 1:
            self.snapshots.extend(snapshots)
            self._update_pool()

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint holds; the snapshots have files of their own."""
        return {"stage": self.stage, "last_snapshot": self._last_snapshot}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a state, without snapshots.

        Raises:
            LookupError, TypeError, ValueError: it does not fit.
        """
        stage = state["stage"]
        if not isinstance(stage, int) or not 0 <= stage < len(self.baselines):
            raise ValueError(f"stage={stage!r} is not allowed: use 0 to {len(self.baselines) - 1}")
        self.stage = stage
        self._last_snapshot = int(state["last_snapshot"])
        self._update_pool()

    def _update_pool(self) -> None:
        """Give the pool the opponents of the present stage."""
        earlier, newest = self.baselines[: self.stage], self.newest_baseline
        opponents = [*earlier, newest]
        if self.stage > 0:  # the first baseline is the weakest already
            opponents += [ErringAgent(newest, share, seed) for seed, share in enumerate(MISTAKES)]
        weights = [1.0] * self.stage + [2.0] * (len(opponents) - self.stage)
        share = SNAPSHOT_SHARE if self.stage > 0 else SNAPSHOT_SHARE_ALONE
        each = share / (1 - share) * sum(weights) / max(1, len(self.snapshots))
        self.pool.replace([*opponents, *self.snapshots], [*weights, *[each] * len(self.snapshots)])
