"""Games that agents play to become a dataset."""

from __future__ import annotations

from collections.abc import Sequence

from tzaar_envs.arena import AgentSource, MatchResult, play_match
from tzaar_envs.arena.plan import Progress
from tzaar_envs.core.game import Game


def seated(game: Game, agents: Sequence[AgentSource]) -> list[AgentSource]:
    """Return an agent for each seat: those that are given, or one that has all seats."""
    return [*agents] * (game.num_players if len(agents) == 1 else 1)


def play_games(
    game: Game,
    agents: Sequence[AgentSource],
    games: int,
    seed: int = 0,
    workers: int = 1,
    opening_plies: int = 0,
    progress: Progress | None = None,
) -> MatchResult:
    """Let agents play games, each start once in every rotation of the seats.

    Args:
        game: the game.
        agents: one for each seat, or one for all.
        games: how many, see `play_match`.
        seed: see there.
        workers: see there.
        opening_plies: see there; these plies are not part of a dataset.
        progress: see there.

    Raises:
        ValueError: an argument is not allowed.
        ModuleNotFoundError: an agent needs an extra that is not installed.
        RuntimeError: worker processes die before they play.
    """
    return play_match(game, seated(game, agents), games, seed, workers, opening_plies, progress)
