"""The games in a file of any kind: saved games, recorded games, tournaments, matches."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from tzaar_envs.arena.records import GameRecord, games_in

_LONGEST = 64  # bytes of the first line


def read_file(path: str | Path) -> list[GameRecord]:
    """Return the games in a file.

    Args:
        path: a file of `tzaar_envs.arena.records`, or the JSON of a match, which evaluations in
            training write too.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: it cannot be read.
        ValueError: it is not such a file, it is damaged, or it holds no games; says why.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder: name a file of games")
    with path.open("rb") as file:
        return read_content(file, path)


def read_content(file: BinaryIO, name: str | Path) -> list[GameRecord]:
    """Return the games in an open file.

    Args:
        file: as in `read_file`, at its beginning.
        name: what errors call it.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not such a file, it is damaged, or it holds no games; says why.
    """
    first = file.readline(_LONGEST)
    file.seek(0)
    if first.strip() == b"{":  # a match is one object in many lines
        from tzaar_envs.arena.match_result import MatchResult

        games = MatchResult.decode(file.read(), name).games
    else:
        games = list(games_in(file, name))
    if not games:
        raise ValueError(f"{str(name)!r} holds no games")
    return games
