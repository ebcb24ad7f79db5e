"""What happens between the steps of a Stable-Baselines3 algorithm (needs the extra `sb3`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stable_baselines3.common.callbacks import BaseCallback

if TYPE_CHECKING:
    from tzaar_envs.training.sb3_maskable_ppo import Run


class RunCallback(BaseCallback):
    """Keeps a run going: budget, schedule of opponents, snapshots, evaluations, progress.

    Args:
        run: the run that learns.
    """

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run
        self._steps_before = int(run.model.num_timesteps)
        self._seconds_before = run.seconds
        self._last_snapshot = self._steps_before
        self._last_evaluation = run.seconds

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "episode" in info:
                self.run.schedule.record(info["opponents"], won=info["episode"]["r"] > 0)
        return self.run.used < 1.0

    def _on_rollout_end(self) -> None:
        run, arguments = self.run, self.run.arguments
        if self.num_timesteps - self._last_snapshot >= arguments.snapshot_every:
            self._last_snapshot = self.num_timesteps
            run.add_snapshot()
        interval = 60 * arguments.evaluate_every
        # The end of the training is evaluated anyhow, so not also shortly before.
        if run.seconds - self._last_evaluation >= interval and run.seconds_left > interval / 2:
            self._last_evaluation = run.seconds
            run.evaluate()
        self._show()

    def _on_training_end(self) -> None:
        self.run.evaluate()

    def _show(self) -> None:
        run = self.run
        rate = (self.num_timesteps - self._steps_before) / (run.seconds - self._seconds_before)
        recent = run.schedule.recent_wins
        newest = run.schedule.newest_baseline.name
        status = f"{self.num_timesteps:,} steps, {rate:,.0f}/s, {recent:.0%} wins vs {newest}"
        run.progress.update(run.task, completed=run.used, status=status)
        self.logger.record("schedule/recent_wins", recent)
        self.logger.record("schedule/stage", run.schedule.stage)
        self.logger.record("schedule/snapshots", len(run.schedule.snapshots))
        self.logger.record("time/steps_per_second", rate)
