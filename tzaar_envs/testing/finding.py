"""Findings: what a check has found, with the game that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """A promise that a game or an environment breaks.

    Attributes:
        check: the name of the check, which is that of its module.
        sentence: what is wrong, in one sentence.
        seed: the seed of the game that shows it; None if it needs no game.
        actions: the actions of that game up to the point where it shows, in order; of a parallel
            environment a dictionary for each step.
    """

    check: str
    sentence: str
    seed: int | None = None
    actions: tuple[Any, ...] = ()

    def __str__(self) -> str:
        shown = f"{self.check}: {self.sentence}"
        if self.seed is None:
            return shown
        played = ", ".join(map(str, self.actions))
        return f"{shown} (seed {self.seed}, {f'actions {played}' if played else 'at the start'})"


def sentence_of(error: BaseException) -> str:
    """Return an error that a game or an environment raised as the end of a sentence."""
    message = " ".join(str(error).split())
    return f"raises {type(error).__name__}" + (f": {message[:300]}" if message else "")
