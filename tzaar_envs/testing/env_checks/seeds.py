"""Seeds: they determine the game, and nothing else does."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tzaar_envs.testing.env_checks.episode import Episode, Turn, first_difference, play
from tzaar_envs.testing.env_checks.problem import Problem
from tzaar_envs.testing.env_checks.table import Table

_STARTS = 8  # without a seed; one of them may be that of the seed by chance

MakeTable = Callable[[], Table]


def same_game_again(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """The same seed and actions lead to the same game, in a new environment and in the same one."""
    table = make()
    for what in ("the next environment", "the same environment"):
        differs = first_difference(episode.turns, play(table, episode.seed, most).turns)
        if differs:
            turns, where = differs
            return Problem(f"with the same seed and actions, {where} of {what} differ", turns)
    return None


def no_global_generator(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """The global generators of `random` and NumPy have no part in it."""
    kept = random.getstate(), np.random.get_state()  # noqa: NPY002 - it is what is tested
    try:
        games = []
        for seed in (1, 2):
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002
            games.append(play(make(), episode.seed, most))
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002
    differs = first_difference(games[0].turns, games[1].turns)
    if not differs:
        return None
    return Problem(f"{differs[1]} depend on the global random generators", differs[0])


def the_stream_goes_on(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """A second `reset` without a seed goes on with the stream of the first one."""
    table, other = make(), make()
    first = play(table, episode.seed, most)
    second = play(table, episode.seed, most, reseed=False)
    play(other, episode.seed, most)
    again = play(other, episode.seed, most, reseed=False)
    if table is not other and (differs := first_difference(second.turns, again.turns)):
        return Problem(
            f"reset without a seed after the same game leads to different {differs[1]}", 0
        )
    if not _start_differs(first, play(make(), episode.seed + 1, most)):
        return None  # there is one start only
    for _ in range(_STARTS):
        if first_difference(first.turns, second.turns):
            return None
        second = play(table, episode.seed, most, reseed=False)
    return Problem("reset without a seed repeats the game of the last seed", 0)


def _start_differs(one: Episode, other: Episode) -> bool:
    """Whether two games with different seeds show something else in the first turn already."""
    if not one.turns or not other.turns:
        return False
    first, other_first = (_without_choice(episode) for episode in (one, other))
    return first_difference([first], [other_first]) is not None


def _without_choice(episode: Episode) -> Turn:
    """Return the first turn without what was played."""
    return replace(episode.turns[0], actions={}, rewards={}, terminations={}, truncations={})
