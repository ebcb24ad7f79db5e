"""Choices between one thread and several that do not depend on time."""

from __future__ import annotations

from tzaar_envs.jit.pace import Pace


class AlwaysShared(Pace):
    """Shares every task, however slow that is."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = True

    def record(self, seconds: float) -> None:
        """Learn nothing."""


class NeverShared(AlwaysShared):
    """Leaves every task to the calling thread."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = False
