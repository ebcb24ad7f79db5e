"""What happens between the steps of a Stable-Baselines3 algorithm (needs the extra `sb3`)."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from tzaar_envs.training.common.opponent_schedule import OpponentRun


class RunCallback(BaseCallback):
    """Keeps a run going: budget, schedule of opponents, snapshots, evaluations, progress.

    Args:
        run: the run that learns.
    """

    def __init__(self, run: OpponentRun[Any]) -> None:
        super().__init__()
        self.run = run

    def _on_step(self) -> bool:
        self.run.steps = int(self.num_timesteps)
        self.run.record_games(self.locals["infos"])
        return self.run.used < 1.0

    def _on_rollout_end(self) -> None:
        self.run.after_rollout({})


class RunLog(KVWriter):
    """Hands what SB3 logs to the log of a run.

    Args:
        run: the run that learns.
    """

    def __init__(self, run: OpponentRun[Any]) -> None:
        self.run = run

    def write(self, key_values: dict[str, Any], key_excluded: Any, step: int = 0) -> None:
        """Write the numbers."""
        self.run.record(
            {name: value for name, value in key_values.items() if isinstance(value, int | float)}
        )

    def close(self) -> None:
        """Do nothing: the log belongs to the run."""


def logger_of(run: OpponentRun[Any]) -> Logger:
    """Return a logger for `set_logger` that writes to the log of a run."""
    return Logger(None, [RunLog(run)])
