"""Uncompiled code: it stays within all arrays, also constant ones, and plays the same game.

With `NUMBA_DISABLE_JIT=1`, NumPy checks every index, and an error has a line.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple

import numba

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.testing import child
from tzaar_envs.testing.game_checks.moment import random_game

PLIES = 60  # of one game for each variant

SHOWN = ("state", "list of legal actions", "observation", "redrawn position", "list of results")
"""What `child.digests` has digests of."""


class Uncompiled(NamedTuple):
    """A game that was played uncompiled.

    Attributes:
        options: of the game.
        actions: what was played.
        shown: digests of what every position showed, see `child.digests`.
        error: why it ended before; empty if it did not.
    """

    options: dict[str, Any]
    actions: tuple[int, ...]
    shown: list[list[int]]
    error: str


def play_uncompiled(
    spec: GameSpec, variants: Sequence[dict[str, Any]], seed: int
) -> list[Uncompiled]:
    """Play a random game of each variant without compiled code; none if that is not possible."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return []  # all other checks do that
    task = child.Task(spec, tuple(variants), seed, PLIES)
    try:
        answers, failure = child.run(task, NUMBA_DISABLE_JIT="1")
    except (pickle.PicklingError, AttributeError, TypeError):
        return []  # the check of loading says so
    played = [
        Uncompiled(
            options,
            tuple(answer["actions"]),
            answer.get("shown", []),
            answer.get("error", ""),
        )
        for options, answer in zip(variants, answers, strict=False)
    ]
    if failure and len(played) < len(variants):
        played.append(Uncompiled(variants[len(played)], (), [], f"a process without it {failure}"))
    return played


def difference(game: Game, played: Uncompiled, seed: int) -> tuple[str, tuple[int, ...]] | None:
    """Return how the compiled game differs from the uncompiled one, and the actions up to there."""
    for moment, shown in zip(random_game(game, seed), played.shown, strict=False):
        for what, digest, other in zip(SHOWN, child.digests(moment), shown, strict=True):
            if digest != other:
                return f"the {what} differs between compiled and uncompiled code", moment.actions
    return None
