"""The games in a file of any kind: saved games, recorded games, tournaments, matches."""

from __future__ import annotations

from pathlib import Path

from tzaar_envs.records import GameRecord, read_games

_LONGEST = 64  # bytes of the first line


def read_file(path: str | Path) -> list[GameRecord]:
    """Return the games in a file.

    Args:
        path: a file of `tzaar_envs.records`, or the JSON of a match, which evaluations in training
            write too.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: it cannot be read.
        ValueError: it is not such a file, it is damaged, or it holds no games; says why.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder: name a file of games")
    with path.open("rb") as file:
        first = file.readline(_LONGEST)
    if first.strip() == b"{":  # a match is one object in many lines
        from tzaar_envs.arena.match_result import MatchResult

        games = MatchResult.load(path).games
    else:
        games = list(read_games(path))
    if not games:
        raise ValueError(f"{str(path)!r} holds no games")
    return games
