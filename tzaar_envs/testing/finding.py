"""Findings: what a check has found, with the game that shows it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gymnasium.utils.env_checker import data_equivalence


@dataclass(frozen=True)
class Finding:
    """A promise that a game or an environment breaks.

    Attributes:
        check: The name of the check.
        sentence: The problem, in one sentence.
        seed: The seed of the game that shows it; None if it needs no game.
        actions: The actions of that game up to the point where it shows, in order; of a parallel
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
    message = textwrap.shorten(str(error), 300, placeholder=" ...")
    return f"raises {type(error).__name__}" + (f": {message}" if message else "")


def difference(shown: Mapping[str, Any], again: Mapping[str, Any]) -> str | None:
    """Return the name of the first thing that is not the same in both; None if all are."""
    return next(
        (what for what, value in shown.items() if not data_equivalence(value, again[what])), None
    )


def disagreement(
    legal: Iterable[int], allowed: Iterable[int], named: Callable[[int], str]
) -> str | None:
    """Return the difference between a mask and another source of legal actions; None if they agree.

    Args:
        legal: The legal actions of the other source.
        allowed: The actions that the mask allows.
        named: Words for an action.
    """
    told, listed = {int(action) for action in legal}, {int(action) for action in allowed}
    for hidden in sorted(told - listed):
        return f"the mask hides action {named(hidden)}, which is legal"
    for wrong in sorted(listed - told):
        return f"the mask allows action {named(wrong)}, which is not legal"
    return None
