"""Matches that commands play, with a progress bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tzaar_envs.cli.output import progress_of_matches, working

if TYPE_CHECKING:
    from tzaar_envs.arena import AgentSource, MatchResult
    from tzaar_envs.core.game import Game


def played_match(
    game: Game,
    agents: Sequence[AgentSource],
    games: int | None,
    seed: int,
    workers: int,
    opening_plies: int,
) -> MatchResult:
    """Return the result of `play_match`.

    Arguments that are not allowed are refused before anything is compiled.

    Args:
        game: the game.
        agents: see `play_match`.
        games: how many; None: 100 for each seat.
        seed: see `play_match`.
        workers: see there.
        opening_plies: see there.
    """
    count = 100 * game.num_players if games is None else games
    with working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.arena.match import plan_match, play_match

        plan_match(game, agents, count, seed, opening_plies)
        game.rules  # noqa: B018  # loaded here
    with progress_of_matches() as progress:
        return play_match(game, agents, count, seed, workers, opening_plies, progress)
