"""Matches that commands play, with a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tzaar_envs.cli.output import progress_of_matches

if TYPE_CHECKING:
    from tzaar_envs.arena import MatchResult
    from tzaar_envs.core.game import Game


def played_match(
    play: Callable[..., MatchResult],
    game: Game,
    agents: Sequence[str],
    games: int | None,
    seed: int,
    workers: int,
    opening_plies: int,
) -> MatchResult:
    """Return the result of `play`, which is `play_match` or takes the same arguments.

    Args:
        play: plays the games.
        game: the game.
        agents: see `play_match`.
        games: how many; None: 100 for each seat.
        seed: see `play_match`.
        workers: see there.
        opening_plies: see there.
    """
    count = 100 * game.num_players if games is None else games
    with progress_of_matches() as progress:
        return play(game, agents, count, seed, workers, opening_plies, progress)
