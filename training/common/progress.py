"""Progress bars of a training run, one for each stage: the warm start, then the training."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


@dataclass(frozen=True)
class ProgressBar:
    """The bar of one stage."""

    bars: Progress
    task: TaskID

    def move_to(self, completed: float, status: str | None = None) -> None:
        """Show how much is done, and a note if there is a new one."""
        self.bars.update(self.task, completed=completed)
        if status is not None:
            self.bars.update(self.task, status=status)

    def advance(self, done: float, status: str) -> None:
        """Show that so much more is done, and a note."""
        self.bars.update(self.task, advance=done, status=status)


class ProgressBars:
    """The bars of all stages so far, shown between `start` and `stop`."""

    def __init__(self, console: Console) -> None:
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.percentage:>3.0f} %  {task.fields[status]}"),
            TimeElapsedColumn(),
            console=console,
        )

    def start(self) -> None:
        """Show the bars, and whatever is printed above them."""
        self._bars.start()

    def stop(self) -> None:
        """Leave the bars as they are; does nothing the second time."""
        self._bars.stop()

    def add(self, title: str, total: float) -> ProgressBar:
        """Return the bar of a new stage, which ends at `total`."""
        return ProgressBar(self._bars, self._bars.add_task(title, total=total, status=""))
