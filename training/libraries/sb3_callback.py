"""Callback and logger that connect Stable-Baselines3 to a session (needs the extra `sb3`)."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from tzaar_envs.training.common.opponent_schedule import OpponentSchedule
from tzaar_envs.training.common.session import Session


class SessionCallback(BaseCallback):
    """Counts steps, records finished games, and stops at the end of the budget.

    Args:
        session: of the run.
        schedule: of the opponents.
    """

    def __init__(self, session: Session[Any], schedule: OpponentSchedule) -> None:
        super().__init__()
        self.session = session
        self.schedule = schedule

    def _on_step(self) -> bool:
        self.session.steps = int(self.num_timesteps)
        self.schedule.record_games(self.locals["infos"])
        return self.session.running


class SessionLog(KVWriter):
    """Writes what SB3 logs to the log of a session.

    Args:
        session: of the run.
    """

    def __init__(self, session: Session[Any]) -> None:
        self.session = session

    def write(self, key_values: dict[str, Any], key_excluded: Any, step: int = 0) -> None:
        """Write the numbers."""
        self.session.write(
            {name: value for name, value in key_values.items() if isinstance(value, int | float)}
        )

    def close(self) -> None:
        """Do nothing: the log belongs to the session."""


def session_logger(session: Session[Any]) -> Logger:
    """Return a logger for a model's `set_logger`."""
    return Logger(None, [SessionLog(session)])
