"""`tzaar-envs tournament` and `rate`: tournaments and ratings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tzaar_envs.cli.arguments import number_reader
from tzaar_envs.cli.errors import EXIT_INTERRUPTED
from tzaar_envs.cli.output import new_console, progress_of_matches, working
from tzaar_envs.cli.parameters import (
    GameName,
    GameOptions,
    MatchSeed,
    OpeningPlies,
    Workers,
    game_of,
    number,
)
from tzaar_envs.system.extras import require_extra

if TYPE_CHECKING:
    from tzaar_envs.arena import Sprt, Standings


def tournament(
    name: GameName,
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT", help="As many as there are seats, or more; see `tzaar-envs info GAME`."
        ),
    ],
    games: Annotated[
        int | None,
        number(
            "--games",
            1,
            help="For each line-up, at most: a multiple of the seats.",
            show_default="50 for each seat",
        ),
    ] = None,
    seed: MatchSeed = 0,
    workers: Workers = 1,
    opening_plies: OpeningPlies = 0,
    book: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Start from these positions, one on each line."),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1", help="End a pairing when its test has decided between the two."
        ),
    ] = None,
    move_seconds: Annotated[
        float | None,
        typer.Option(
            "--move-seconds",
            parser=number_reader("--move-seconds", float),
            metavar="NUMBER",
            help="Who takes longer for a move loses the game.",
        ),
    ] = None,
    option: GameOptions = [],  # noqa: B006
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The results file; if it exists, go on with it.",
            show_default="GAME-tournament.jsonl",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report: FILE.md or FILE.html.")
    ] = None,
    ray: Annotated[bool, typer.Option("--ray", help="Play on Ray (needs the extra ray).")] = False,
) -> None:
    """Let every combination of agents play, and rate them.

    Ctrl-C loses nothing that is finished: the same command goes on with its results file.
    """
    with working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.arena import play_tournament, read_standings, write_report
        from tzaar_envs.arena.reports.tournament_report import check_report_path
        from tzaar_envs.registry import find_spec

        game = game_of(find_spec(name), option)
        if report is not None:
            check_report_path(report)
        test = None if sprt is None else _parse_sprt(sprt)
        game.rules  # noqa: B018  # loaded here
    with progress_of_matches() as progress:
        result = play_tournament(
            game,
            agents,
            out or Path(f"{game.name}-tournament.jsonl"),
            games if games is not None else 50 * game.num_players,
            seed=seed,
            workers=workers,
            opening_plies=opening_plies,
            book=book,
            sprt=test,
            move_seconds=move_seconds,
            ray=ray,
            progress=progress,
        )
    standings = read_standings([result.path])
    _print_standings(standings)
    if report is not None:
        write_report(report, standings)
        print(f"The report is in {report}")
    print(f"The results are in {result.path}")
    if result.interrupted:
        print("Interrupted; the same command goes on from there")
        raise typer.Exit(EXIT_INTERRUPTED)


def rate_command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Results files of the same game.")
    ],
    anchor: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT", help="Whose rating is 0.", show_default="the mean of all is 0"
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the ratings to this PNG file.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report: FILE.md or FILE.html.")
    ] = None,
) -> None:
    """Rate the agents of results files of `tournament`."""
    if plot is not None:
        require_extra("sb3", "the plot", "matplotlib")
    from tzaar_envs.arena import read_standings, write_report
    from tzaar_envs.arena.reports.rating_plot import draw_ratings
    from tzaar_envs.arena.reports.tournament_report import check_report_path, report_title

    if report is not None:
        check_report_path(report)
    standings = read_standings(files, anchor)
    _print_standings(standings)
    if plot is not None:
        draw_ratings(plot, standings.ratings, report_title(standings))
        print(f"The plot is in {plot}")
    if report is not None:
        write_report(report, standings)
        print(f"The report is in {report}")


def _print_standings(standings: Standings) -> None:
    from tzaar_envs.arena import for_terminal, tournament_report

    new_console().print(for_terminal(tournament_report(standings)))


def _parse_sprt(text: str) -> Sprt:
    from tzaar_envs.arena import Sprt

    try:
        elo0, elo1 = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"--sprt {text!r} is not allowed: use ELO0,ELO1, such as 0,20") from None
    return Sprt(elo0, elo1)
