"""A game as text for terminals."""

from __future__ import annotations

from collections.abc import Iterator

from tzaar_envs.replay.played_game import PlayedGame
from tzaar_envs.replay.words import search_text


def game_text(played: PlayedGame, colour: bool = False) -> Iterator[str]:
    """Yield the heading, every position with the move that led to it, and the result.

    Args:
        played: the game.
        colour: whether boards have ANSI colours.
    """
    yield "\n".join(filter(None, (played.title, played.setting)))
    for ply, state in enumerate(played.positions):
        heading = [move_text(played, ply)] if ply else ["Start"]
        if ply and (found := search_text(played.data(ply - 1))):
            heading.append(f"  {found}")
        yield "\n".join([*heading, "", state.draw(colour, played.viewer)])
    yield "\n".join(filter(None, (played.result, played.reason)))


def move_text(played: PlayedGame, ply: int) -> str:
    """Return in one line what the last of so many moves was."""
    how = ", random opening" if ply <= played.record.opening else ""
    mover = played.seats[played.players[ply - 1]]
    return f"{ply}/{played.plies} {mover}: {played.moves[ply - 1]}{how}"
