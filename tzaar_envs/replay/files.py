"""Files of games: those that hold them, and what is written to look at one."""

from __future__ import annotations

import io
from pathlib import Path

from tzaar_envs.arena.records import GameRecord, games_in, without_mark
from tzaar_envs.arena.standings import Standings
from tzaar_envs.replay.film import FilmStyle, write_gif, write_mp4, write_svgs
from tzaar_envs.replay.page import game_page
from tzaar_envs.replay.played_game import PlayedGame
from tzaar_envs.system.files import write_atomically

MAX_PAGES = 24
"""So many pages a tournament's report has at most."""


def _write_page(path: Path, played: PlayedGame, style: FilmStyle) -> None:
    write_atomically(path, game_page(played))


_WRITERS = {".html": _write_page, ".gif": write_gif, ".mp4": write_mp4, "": write_svgs}


def read_file(path: str | Path) -> list[GameRecord]:
    """Return the games in a file.

    Args:
        path: A file of `tzaar_envs.arena.records`, or the JSON of a match, which evaluations in
            training write too.

    Raises:
        FileNotFoundError: There is no such file.
        OSError: It cannot be read.
        ValueError: It is not such a file, it is damaged, or it holds no games; says why.
    """
    return read_content(Path(path).read_bytes(), path)


def read_content(content: bytes, name: str | Path) -> list[GameRecord]:
    """Return the games in the content of such a file.

    Args:
        content: See `read_file`.
        name: The name in errors.

    Raises:
        ValueError: It is not such a file, it is damaged, or it holds no games; says why.
    """
    first = io.BytesIO(content).readline()
    if without_mark(first).strip() == b"{":  # a match is one object in many lines
        from tzaar_envs.arena.match import MatchResult

        games = MatchResult.decode(content, name).games
    else:
        games = list(games_in(io.BytesIO(content), name))
    if not games:
        raise ValueError(f"{str(name)!r} holds no games")
    return games


def check_replay_path(path: Path) -> None:
    """Refuse a name that is not one for a replay.

    Raises:
        ValueError: The suffix is not known.
    """
    if path.suffix.lower() not in _WRITERS:
        raise ValueError(
            f"{str(path)!r} is not allowed: use a name with .html, .gif or .mp4, or without "
            "a suffix for a folder of SVGs"
        )


def write_replay(path: str | Path, played: PlayedGame, style: FilmStyle | None = None) -> Path:
    """Write a game as a page (`.html`), a film (`.gif`, `.mp4`), or a folder of SVGs (no suffix).

    Args:
        path: The file; an existing one is replaced, its folder must exist.
        played: The game.
        style: The style of films and SVGs.

    Returns:
        The path.

    Raises:
        ValueError: The name has another suffix.
        ModuleNotFoundError: The extra that this kind of file needs is not installed.
        OSError: It cannot be written.
    """
    path = Path(path)
    check_replay_path(path)
    _WRITERS[path.suffix.lower()](path, played, style or FilmStyle())
    return path


def write_pages(folder: Path, standings: Standings) -> dict[str, str]:
    """Write a page for one game of each of the first line-ups of tournaments, for their report.

    Args:
        folder: Beside the report; it is created, and pages of the same names are replaced.
        standings: Those of the tournaments.

    Returns:
        The titles of the pages, by their paths relative to the report.

    Raises:
        ValueError: A game cannot have been played as recorded; names the file and says why.
        OSError: A page cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages: dict[str, str] = {}
    for number, records in enumerate(standings.tournaments):
        games = {game.match: game for game in records if game.match is not None}
        firsts = {game.line_up: game for game in sorted(games, reverse=True)}
        for line_up, game in sorted(firsts.items())[: MAX_PAGES - len(pages)]:
            record = games[game]
            try:
                played = PlayedGame(record)
            except ValueError as error:
                raise ValueError(
                    f"{standings.files[number]!r}, line-up {line_up}, start {game.start}, rotation "
                    f"{game.rotation}: {error}"
                ) from None
            name = f"{number + 1}-{line_up}-{game.start}-{game.rotation}.html"
            write_atomically(folder / name, game_page(played))
            pages[f"{folder.name}/{name}"] = f"{' - '.join(record.agents)}: {played.result}"
    return pages
