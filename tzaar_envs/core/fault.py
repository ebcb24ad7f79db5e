"""Faults: how an agent can lose a game at once, whatever the position."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

Fault: TypeAlias = Literal["illegal action", "exception", "time", "crash"]
"""How an agent can lose a game at once."""


class FaultError(RuntimeError):
    """An agent cannot answer, and has lost its game.

    Attributes:
        fault: in what way.

    Args:
        fault: in what way.
        message: one sentence for people, which names the agent.
    """

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault: Fault = fault

    def __reduce__(self) -> tuple[Any, ...]:
        return FaultError, (self.fault, str(self))
