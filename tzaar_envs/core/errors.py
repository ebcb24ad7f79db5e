"""Errors of the suite: what is not allowed, and agents that forfeit a game."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias


class UnknownGameError(ValueError):
    """There is no game of this name."""


class UnknownOptionError(ValueError, TypeError):
    """An option or keyword argument that does not exist.

    It is a TypeError too, as Python raises it for a keyword that a function does not have: some
    libraries try keywords, and do without those that raise one.
    """


class NotationError(ValueError):
    """A text is not a position, or not an action, in the notation of the game."""


class IllegalActionError(ValueError):
    """An action cannot be played in this position; nothing was played."""


class GameOverError(ValueError):
    """There is nothing to play or to search: the game is over."""


class MissingActionError(IllegalActionError):
    """An action that the game does not have; nothing was played."""


Forfeit: TypeAlias = Literal["illegal action", "unreadable reply", "exception", "time", "crash"]
"""The kinds of forfeit: ways to lose a game at once, whatever the position."""


class ForfeitError(RuntimeError):
    """An agent cannot answer, and has lost its game.

    Attributes:
        reason: The kind of forfeit.

    Args:
        reason: The kind of forfeit.
        message: One sentence for people, which names the agent.
    """

    def __init__(self, reason: Forfeit, message: str) -> None:
        super().__init__(message)
        self.reason: Forfeit = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return ForfeitError, (self.reason, str(self))
