"""The command `replay`: a recorded game as a page, a film, pictures or text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tzaar_envs.cli.output import has_colours, new_console, table_of, working
from tzaar_envs.cli.parameters import check_free
from tzaar_envs.command_line import number

if TYPE_CHECKING:
    from tzaar_envs.arena.records import GameRecord


def replay(
    file: Annotated[
        Path,
        Parameter(
            name="FILE",
            help="File with games: a saved game, recorded games, a tournament or a match.",
        ),
    ],
    /,
    *,
    game: Annotated[
        int | None,
        number("Number of the game in a file with several, which are listed without it.", 1),
    ] = None,
    out: Annotated[
        Path | None,
        Parameter(
            metavar="PATH",
            help="What is written: a page (.html), a film (.gif or .mp4), or without a suffix a "
            "folder of SVGs.",
            show_default="a page named like the file",
        ),
    ] = None,
    text: Annotated[bool, Parameter(help="Print the game instead.")] = False,
    viewer: Annotated[
        str | None,
        Parameter(
            metavar="PLAYER",
            help="Player whose view it is, such as player_0: what was hidden from that player is "
            "left out.",
            show_default="everything is shown",
        ),
    ] = None,
    theme: Annotated[
        Literal["light", "dark"], Parameter(help="Colours of films and SVGs; a page has both.")
    ] = "light",
    width: Annotated[int, number("Width of films and SVGs, in pixels.", 64)] = 480,
    seconds: Annotated[float, Parameter(help="How long a film shows a position.")] = 1.0,
) -> None:
    """Turn a recorded game into a page, a film or pictures, or print it."""
    with working():
        from tzaar_envs.replay import PlayedGame, game_text, read_file, write_replay
        from tzaar_envs.replay.files import check_replay_path
        from tzaar_envs.replay.film import FilmStyle

        if text and out is not None:
            raise ValueError("--text and --out cannot be given together: choose one")
        if out is not None:
            check_replay_path(out)
        style = FilmStyle(theme, width, seconds)
        records = read_file(file)
        if game is None and len(records) > 1:
            _list_games(records)
            print(f"Choose one with --game N, 1 to {len(records)}")
            return
        chosen = game or 1
        if chosen > len(records):
            raise ValueError(
                f"--game {chosen} is not allowed: {str(file)!r} has the games 1 to {len(records)}"
            )
        name = f"{file.stem}-{chosen}" if len(records) > 1 else file.stem
        path = out or Path(f"{name}.html")
        if not text:
            check_free(None if out is None else "--out", path)
        try:
            played = PlayedGame(records[chosen - 1])
        except ValueError as error:
            raise ValueError(f"{str(file)!r}, game {chosen}: {error}") from error
        if viewer is not None:
            played = PlayedGame(played.record, viewer=_player(viewer, len(played.seats)))
    if text:
        print("\n\n".join(game_text(played, has_colours())))
        return
    with working(f"Writing {path}"):
        write_replay(path, played, style)
    print(f"The game is in {path}")


def _player(name: str, players: int) -> int:
    """Return the number of the player with a name.

    Raises:
        ValueError: there is none.
    """
    names = [f"player_{number}" for number in range(players)]
    if name not in names:
        raise ValueError(f"--viewer {name} is not allowed: use {', '.join(names)}")
    return names.index(name)


def _list_games(records: Sequence[GameRecord]) -> None:
    rows = [
        (str(at), record.game, " - ".join(record.agents), str(record.plies), _outcome(record))
        for at, record in enumerate(records, start=1)
    ]
    columns = ("", "game", "agents", "moves", "result")
    new_console().print(table_of(columns, rows, right=("", "moves")))


def _outcome(record: GameRecord) -> str:
    if record.returns is None:
        return record.forfeit or "not finished"
    returns = " ".join(f"{value:+g}" for value in record.returns)
    return f"{returns} ({record.forfeit or record.end})"
