"""Limits of what browsers may ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What all browsers together, or one of them, may use.

    Attributes:
        browsers: connected at the same time.
        games: kept at the same time, those of browsers that have left included.
        kept_seconds: how long a game waits for its browser to come back.
        lines: of one game, with all branches.
        message_bytes: of a message, a dropped file included.
        messages_per_second: of one browser, in the long run.
        burst: messages that one browser may send at once.
        simulations: of an agent's search for one move, and of an analysis.
        depth: of an agent's search, in plies.
        seconds: that an agent may take for a move, and an analysis for a position.
        processes: that look for moves, and as many again that analyse.
        pause: seconds that an agent's move is shown before the next agent's.
    """

    browsers: int = 16
    games: int = 64
    kept_seconds: float = 1800.0
    lines: int = 12
    message_bytes: int = 2**22
    messages_per_second: float = 20.0
    burst: int = 60
    simulations: int = 100_000
    depth: int = 8
    seconds: float = 30.0
    processes: int = 2
    pause: float = 0.4

    def __post_init__(self) -> None:
        for name in ("browsers", "games", "simulations", "depth", "seconds", "processes"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}={getattr(self, name)} is not allowed: use more than 0")
