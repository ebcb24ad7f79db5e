"""A game as a file: what kind of file, its name says."""

from __future__ import annotations

from pathlib import Path

from tzaar_envs.replay.film import FilmStyle, write_gif, write_mp4, write_svgs
from tzaar_envs.replay.page import game_page
from tzaar_envs.replay.played_game import PlayedGame
from tzaar_envs.system.files import write_atomically


def check_replay_path(path: Path) -> None:
    """Refuse a name that is not one for a replay.

    Raises:
        ValueError: the suffix is not known.
    """
    if path.suffix.lower() not in ("", ".html", ".gif", ".mp4"):
        raise ValueError(
            f"{str(path)!r} is not allowed: use a name with .html, .gif or .mp4, or without "
            "a suffix for a folder of SVGs"
        )


def write_replay(path: str | Path, played: PlayedGame, style: FilmStyle | None = None) -> Path:
    """Write a game as a page (`.html`), a film (`.gif`, `.mp4`), or a folder of SVGs (no suffix).

    Args:
        path: of the file; an existing file is replaced, its folder must exist.
        played: the game.
        style: of films and SVGs.

    Returns:
        The path.

    Raises:
        ValueError: the name has another suffix.
        ModuleNotFoundError: the extra that this kind of file needs is not installed.
        OSError: it cannot be written.
    """
    path, style = Path(path), style or FilmStyle()
    check_replay_path(path)
    if path.suffix.lower() == ".html":
        write_atomically(path, game_page(played))
        return path
    write = {".gif": write_gif, ".mp4": write_mp4, "": write_svgs}[path.suffix.lower()]
    write(path, played, style)
    return path
