"""The commands in which agents play: `evaluate`, `tournament`, `rate`, `dataset`, `engine`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.types import PositiveInt

from tzaar_envs.cli import common
from tzaar_envs.system.interrupts import signals_deferred

if TYPE_CHECKING:
    from tzaar_envs.arena import MatchResult, Standings, TournamentResult
    from tzaar_envs.core.game import Game

_CLEAR_LEAD = 50  # Elo, of the test that ends a pairing of a gauntlet


def evaluate(
    name: common.GameName,
    agents: Annotated[list[str], common.Agents],
    /,
    *,
    games: common.MatchGames = None,
    settings: common.MatchSettings = common.MATCH,
    option: common.GameOptions = (),
    luck: common.LuckPolicy = None,
    json_path: common.JsonPath = None,
    gauntlet: bool = False,
    out: common.FilePath = None,
    report: common.FilePath = None,
) -> None:
    """Play a match between agents: each start position once in every rotation of the seats.

    Ctrl-C ends the match; the games finished by then are reported and written.

    Args:
        agents: One agent for each seat; with --gauntlet, one or more. See `tzaar-envs info GAME`.
        gauntlet: Let the first agent meet the others one after the other, or the ladder of the
            game if no others are named, and rate it on the scale of the ladder. A pairing ends
            early when it is clear who is stronger, after 200 games (or --games) at the latest. The
            same command resumes after Ctrl-C.
        out: Results file of the gauntlet. [default: GAME-gauntlet.jsonl]
        report: Markdown or HTML file for the report of the gauntlet. [default: named like the
            results file, .html]
    """
    from tzaar_envs.arena import LuckMeter, luck_report, match_progress, match_report

    common.check_output("--json", json_path)
    game = common.game_of(name, option)
    if gauntlet:
        if json_path is not None:
            raise ValueError("--json is not allowed with --gauntlet: its results file is --out")
        _run_gauntlet(game, agents, games, settings, luck, out, report)
        return
    if out is not None or report is not None:
        raise ValueError("--out and --report need --gauntlet; a match has --json FILE")
    if luck is not None:
        with common.working("Loading the policy"):
            LuckMeter(game, luck)  # refused before the first game
    result = _played(game, agents, games, settings)
    if json_path is not None:
        with signals_deferred():
            result.save(json_path)
    console = common.new_console()
    console.print(match_report(result))
    if json_path is not None:
        print(f"The result is in {json_path}")
    if luck is not None:
        with match_progress() as progress:
            standings = result.standings(luck, progress)
        console.print(luck_report(standings))
    if result.interrupted:
        print(f"Interrupted after {len(result.games):,} of {result.header.games:,} games")
        raise KeyboardInterrupt


def _played(
    game: Game, agents: Sequence[str], games: int | None, settings: common.MatchSettings
) -> MatchResult:
    """Return a match, with a progress bar."""
    from tzaar_envs.arena import match_progress, play_match

    count = 100 * game.num_players if games is None else games
    with match_progress() as progress:
        return play_match(game, agents, count, progress=progress, **vars(settings))


def tournament(
    name: common.GameName,
    agents: Annotated[list[str], common.Agents],
    /,
    *,
    games: PositiveInt | None = None,
    settings: common.MatchSettings = common.MATCH,
    book: common.FilePath = None,
    sprt: Annotated[tuple[float, float] | None, Parameter(metavar="ELO0 ELO1")] = None,
    option: common.GameOptions = (),
    luck: common.LuckPolicy = None,
    out: common.FilePath = None,
    report: common.FilePath = None,
    ray: bool = False,
) -> None:
    """Play every combination of agents, and rate the agents.

    Ctrl-C loses no finished game: the same command resumes from the results file.

    Args:
        agents: At least as many agents as the game has seats, see `tzaar-envs info GAME`.
        games: Games for each line-up, at most; a multiple of the number of seats. [default: 50 for
            each seat]
        book: File of start positions, one in each line.
        sprt: Stop a pairing once a sequential test accepts one of these two Elo differences.
        out: Results file; if it exists, the tournament resumes from it, also with more games or
            further agents. [default:
            GAME-tournament.jsonl]
        report: Markdown or HTML file for a report: .md or .html. It links to pages of games in a
            folder beside it, one game of each of the first line-ups.
        ray: Play the games on Ray (needs the extra `ray`).
    """
    from tzaar_envs.arena import Sprt

    game = common.game_of(name, option)
    result = _played_tournament(
        game,
        agents,
        out or Path(f"{game.name}-tournament.jsonl"),
        games if games is not None else 50 * game.num_players,
        luck,
        report,
        book=book,
        sprt=None if sprt is None else Sprt(*sprt),
        ray=ray,
        **vars(settings),
    )
    rate([result.path], luck=luck, report=report)
    _end(result)


def _run_gauntlet(
    game: Game,
    agents: Sequence[str],
    games: int | None,
    settings: common.MatchSettings,
    luck: str | None,
    out: Path | None,
    report: Path | None,
) -> None:
    from tzaar_envs.arena import Sprt
    from tzaar_envs.arena.standings import ladder_rating

    own, *opponents = agents
    opponents = opponents or [agent for agent in game.spec.ladder if agent != own]
    if game.num_players != 2:
        raise ValueError(
            f"--gauntlet is not allowed: its games have two seats, {game!r} has {game.num_players}"
        )
    if not opponents:
        raise ValueError(f"--gauntlet needs opponents: {game.name} has no ladder")
    path = out or Path(f"{game.name}-gauntlet.jsonl")
    report = report or path.with_suffix(".html")
    count = 200 if games is None else games
    result = _played_tournament(
        game,
        [own, *opponents],
        path,
        count,
        luck,
        report,
        sprt=Sprt(-_CLEAR_LEAD, _CLEAR_LEAD),
        gauntlet=True,
        **vars(settings),
    )
    standings = _rated([path], None, luck, report)
    ladder = {agent: elo for agent, (elo, *_) in game.spec.published_ratings().items()}
    rating = ladder_rating(standings, 0, ladder)
    if any(game.options[each.name] != each.default for each in game.spec.options):
        print("The ladder is of games with the usual options, so this is no rating on its scale")
    elif rating is not None:
        elo, half_width = rating
        print(
            f"{own} has the rating {elo:.0f} ± {half_width:.0f} on the scale of the ladder, where "
            "greedy has 1000; the ratings of its opponents count as exact"
        )
    _end(result)


def _played_tournament(
    game: Game,
    agents: Sequence[str],
    path: Path,
    games: int,
    luck: str | None,
    report: Path | None,
    **settings: Any,
) -> TournamentResult:
    """Play a tournament, after everything that can be refused is."""
    from tzaar_envs.arena import LuckMeter, match_progress, play_tournament
    from tzaar_envs.arena.plan import check_sources

    with common.working():
        check_sources(game, agents)
        _check_report(report, [path])
        game.load_rules()
        if luck is not None:
            LuckMeter(game, luck)
    with match_progress() as progress:
        return play_tournament(game, agents, path, games, progress=progress, **settings)


def _end(result: TournamentResult) -> None:
    print(f"The results are in {result.path}")
    if result.interrupted:
        print("Interrupted; the same command resumes from there")
        raise KeyboardInterrupt


def rate(
    files: Annotated[list[Path], Parameter(name="FILE...")],
    /,
    *,
    anchor: Annotated[str | None, common.Agent] = None,
    luck: common.LuckPolicy = None,
    report: common.FilePath = None,
) -> None:
    """Rate the agents from results files of `tournament`.

    Args:
        files: Results files of tournaments of one game.
        anchor: Agent whose rating is set to 0. [default: none, the mean rating is 0]
        report: Markdown or HTML file for a report: .md or .html. It links to pages of games in a
            folder beside it, one game of each of the first line-ups.
    """
    _rated(files, anchor, luck, report)


def _rated(
    files: Sequence[Path], anchor: str | None, luck: str | None, report: Path | None
) -> Standings:
    """Print the ratings of results files, and write their report."""
    from tzaar_envs.arena import (
        for_terminal,
        match_progress,
        read_standings,
        tournament_report,
        write_report,
    )
    from tzaar_envs.replay.files import write_pages

    _check_report(report, files)
    with match_progress() as progress:
        standings = read_standings(files, anchor, luck, progress)
    common.new_console().print(for_terminal(tournament_report(standings)))
    if report is not None:
        folder = report.with_name(f"{report.stem}-games")
        with common.working("Writing the pages of games"):
            pages = write_pages(folder, standings)
        write_report(report, standings, pages)
        print(f"The pages of {len(pages)} games are in {folder}")
        print(f"The report is in {report}")
    return standings


def _check_report(report: Path | None, files: Sequence[Path]) -> None:
    from tzaar_envs.arena.reports import check_report_path

    if report is not None:
        if report.resolve() in [file.resolve() for file in files]:
            raise ValueError(f"--report {str(report)!r} is the results file: use another name")
        check_report_path(report)
        common.check_output("--report", report, replace=True)


def dataset(
    name: common.GameName,
    agents: Annotated[tuple[str, ...], common.Agents] = (),
    /,
    *,
    games: common.MatchGames = None,
    records: common.FilePath = None,
    out: Path | None = None,
    reward: Literal["outcome", "score", "gain"] = "outcome",
    settings: common.MatchSettings = common.MATCH,
    option: common.GameOptions = (),
) -> None:
    """Write games as a dataset of per-player transitions, which Minari and RL libraries load.

    The games are played by agents or read from a file of recorded games. Needs the extra `data`.

    Args:
        agents: One agent for each seat, or one for all.
        records: File of recorded games to convert, in place of games between agents.
        out: Folder of the dataset. [default: GAME-dataset]
        reward: Reward: the return at the end, the lead in points at the end, or the same lead
            step by step.
    """
    from tzaar_envs.datasets import require_minari, write_dataset
    from tzaar_envs.replay import read_file

    require_minari()
    if bool(agents) == (records is not None):
        raise ValueError("dataset needs agents that play, or --records FILE: give one of them")
    if records is not None and (games is not None or settings != common.MATCH):
        raise ValueError(
            "--records plays no games: leave out --games, --seed and the other options of matches"
        )
    game = common.game_of(name, option)
    path = out or Path(f"{game.name}-dataset")
    common.check_output(None if out is None else "--out", path)
    interrupted = False
    if records is None:
        seated = [*agents] * (game.num_players if len(agents) == 1 else 1)
        result = _played(game, seated, games, settings)
        chosen, interrupted = result.games, result.interrupted
        if interrupted and not chosen:
            raise KeyboardInterrupt
    else:
        chosen = [record for record in read_file(records) if record.game == game.spec.env_id]
        if not chosen:
            raise ValueError(f"{str(records)!r} has no game of {game.spec.env_id}")
        if not option:  # the options of the records count
            game = chosen[0].load_game()
    with common.working(f"Writing {path}"):
        write_dataset(path, chosen, game, reward=reward)
    count = sum(record.returns is not None for record in chosen)
    print(f"The transitions of {count} games are in {path}")
    if interrupted:
        raise KeyboardInterrupt


def engine(
    name: common.GameName,
    /,
    *,
    agent: Annotated[str, common.Agent] = "mcts",
    option: common.GameOptions = (),
) -> None:
    """Speak the engine protocol, so that other programs can ask an agent for moves.

    It reads commands from the standard input; docs/engines.md describes them.

    Args:
        agent: Agent that plays, see `tzaar-envs info GAME`.
    """
    from tzaar_envs.agents.engine_server import EngineServer

    server = EngineServer(common.game_of(name, option), agent, partial(print, flush=True))
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    server.serve(sys.stdin)
