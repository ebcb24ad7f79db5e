"""The commands `tournament` and `rate`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tzaar_envs.arguments.errors import EXIT_INTERRUPTED
from tzaar_envs.arguments.parameters import (
    GameName,
    GameOptions,
    LuckPolicy,
    MatchSeed,
    OpeningPlies,
    Workers,
    agents_at_seats,
    check_output,
    game_of,
    number,
)
from tzaar_envs.cli.output import new_console, progress_of_matches, working
from tzaar_envs.system.extras import require_extra

if TYPE_CHECKING:
    from tzaar_envs.arena import Sprt, Standings

Report = Annotated[
    Path | None, Parameter(metavar="FILE", help="Markdown or HTML file for a report: .md or .html.")
]

Replays = Annotated[
    int | None,
    number(
        "Games of each line-up that become pages in a folder beside the report, which links to "
        "them; a page has about 60 to 200 kB. 0: none.",
        0,
        show_default="1, of the first 24 line-ups",
    ),
]


def tournament(
    name: GameName,
    agents: Annotated[list[str], agents_at_seats("At least as many agents as the game has seats")],
    /,
    *,
    games: Annotated[
        int | None,
        number(
            "Games for each line-up, at most; a multiple of the number of seats.",
            1,
            show_default="50 for each seat",
        ),
    ] = None,
    seed: MatchSeed = 0,
    workers: Workers = 1,
    opening_plies: OpeningPlies = 0,
    book: Annotated[
        Path | None,
        Parameter(metavar="FILE", help="File of start positions, one in each line."),
    ] = None,
    sprt: Annotated[
        str | None,
        Parameter(
            metavar="ELO0,ELO1",
            help="Stop a pairing once a sequential test accepts one of these Elo differences.",
        ),
    ] = None,
    move_seconds: Annotated[
        float | None,
        Parameter(help="Time limit per move, in seconds; exceeding it loses the game."),
    ] = None,
    memory_gib: Annotated[
        float | None,
        Parameter(
            help="Memory, in GiB, that the agents of each process may allocate; needing more loses "
            "the game."
        ),
    ] = None,
    option: GameOptions = (),
    luck: LuckPolicy = None,
    out: Annotated[
        Path | None,
        Parameter(
            metavar="FILE",
            help="Results file; if it exists, the tournament resumes from it.",
            show_default="GAME-tournament.jsonl",
        ),
    ] = None,
    report: Report = None,
    replays: Replays = None,
    ray: Annotated[bool, Parameter(help="Play the games on Ray (needs the extra `ray`).")] = False,
) -> None:
    """Play every combination of agents, and rate the agents.

    Ctrl-C loses no finished game: the same command resumes from the results file.
    """
    with working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.arena import LuckMeter, play_tournament
        from tzaar_envs.arena.checks import check_sources
        from tzaar_envs.registry import find_spec

        game = game_of(find_spec(name), option)
        check_sources(game, agents)
        _check_report(report, replays)
        test = None if sprt is None else _parse_sprt(sprt)
        game.rules  # noqa: B018  # loaded here
        if luck is not None:
            LuckMeter(game, luck)  # refused before the first game
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
            memory_gib=memory_gib,
            progress=progress,
        )
    standings = _standings([result.path], None, luck)
    _print_standings(standings)
    if report is not None:
        _write_report(report, standings, replays)
    print(f"The results are in {result.path}")
    if result.interrupted:
        print("Interrupted; the same command resumes from there")
        sys.exit(EXIT_INTERRUPTED)


def rate_command(
    files: Annotated[
        list[Path], Parameter(name="FILE...", help="Results files of tournaments of one game.")
    ],
    /,
    *,
    anchor: Annotated[
        str | None,
        Parameter(
            metavar="AGENT",
            help="Agent whose rating is set to 0.",
            show_default="none, the mean rating is 0",
        ),
    ] = None,
    luck: LuckPolicy = None,
    plot: Annotated[
        Path | None, Parameter(metavar="FILE", help="PNG file for a plot of the ratings.")
    ] = None,
    report: Report = None,
    replays: Replays = None,
) -> None:
    """Rate the agents from results files of `tournament`."""
    if plot is not None:
        require_extra("sb3", "the plot", "matplotlib")
        check_output("--plot", plot)
    from tzaar_envs.arena.reports.rating_plot import draw_ratings
    from tzaar_envs.arena.reports.tournament_report import report_title

    _check_report(report, replays)
    standings = _standings(files, anchor, luck)
    _print_standings(standings)
    if plot is not None:
        draw_ratings(plot, standings.ratings, report_title(standings))
        print(f"The plot is in {plot}")
    if report is not None:
        _write_report(report, standings, replays)


def _standings(files: Sequence[Path], anchor: str | None, luck: str | None) -> Standings:
    from tzaar_envs.arena import read_standings

    if luck is None:
        return read_standings(files, anchor)
    with progress_of_matches() as progress:
        return read_standings(files, anchor, luck, progress)


def _check_report(report: Path | None, replays: int | None) -> None:
    from tzaar_envs.arena.reports.tournament_report import check_report_path

    if report is not None:
        check_report_path(report)
        check_output("--report", report)
    elif replays:
        raise ValueError("--replays needs --report FILE, which links to the pages of the games")


def _write_report(report: Path, standings: Standings, replays: int | None) -> None:
    """Write the report, and pages of the first games of each line-up that it links to."""
    from tzaar_envs.arena import write_report
    from tzaar_envs.replay.tournament_pages import write_pages

    folder = report.with_name(f"{report.stem}-games")
    with working("Writing the pages of games"):
        pages = [] if replays == 0 else write_pages(folder, standings, replays)
    write_report(report, standings, pages)
    if pages:
        size = sum(page.size for page in pages) / 1e6
        print(f"The pages of {len(pages)} games, {size:.1f} MB, are in {folder}")
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
