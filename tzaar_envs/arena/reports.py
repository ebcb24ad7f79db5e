"""Reports of matches and tournaments: tables and notes."""

from __future__ import annotations

import contextlib
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import get_args
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from tzaar_envs.arena.match import MatchResult, distinct_games, forfeit_messages
from tzaar_envs.arena.plan import STARTS_PER_CHUNK, Header, line_ups
from tzaar_envs.arena.ratings import Interval
from tzaar_envs.arena.records import GameRecord
from tzaar_envs.arena.sprt import Sprt
from tzaar_envs.arena.standings import Standings
from tzaar_envs.arena.tournament import pair_counts
from tzaar_envs.core.errors import Forfeit
from tzaar_envs.render.markdown import for_terminal, plain, shell, table, to_html
from tzaar_envs.system.files import write_atomically

# --- Matches --------------------------------------------------------------------------------------


@contextlib.contextmanager
def match_progress(console: Console | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal; give what this yields to `play_match` as `progress`.

    Args:
        console: Where; None: the standard error, so that the standard output stays clean.
    """
    console = console or Console(stderr=True)
    columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task("games", total=None)
    with bar:
        yield lambda done, games: bar.update(task, completed=done, total=games)


def match_report(result: MatchResult) -> Markdown:
    """Return a table with a row per agent over all seats and one per agent and seat, and notes.

    Below each value is its 95 % interval. Points have a column only where they differ from the
    returns.
    """
    own_points = any(game.scores not in (None, game.returns) for game in result.games)
    columns = ["Agent, seat", "W-D-L", "Win %", "Draw %", "Mean return"]
    columns += ["Mean points"] if own_points else []
    rows, seats = [], result.header.seats
    for summary in result.summaries():
        cells = [
            _mean(summary.win_rate, summary.win_interval, ".1%", "-"),
            _mean(summary.draw_rate, summary.draw_interval, ".1%", "-"),
            _mean(summary.mean_return, summary.return_interval, "+.2f"),
            _mean(summary.mean_score, summary.score_interval, ".1f"),
        ][: len(columns) - 2]
        name = summary.agent if summary.seat is None else f"as {seats[summary.seat]}"
        counts = f"{summary.wins}-{summary.draws}-{summary.losses}"
        counts += f" ({summary.forfeits} forfeited)" if summary.forfeits else ""
        rows += [[name, counts, *(cell[0] for cell in cells)]]
        rows += [["", "", *(cell[1] for cell in cells)]]
    title = f"## {plain(' - '.join(result.agents))}: {plain(result.header.game_title)}"
    parts = [title, table(columns, rows), *_notes(result)]
    return for_terminal("\n\n".join(parts))


def _notes(result: MatchResult) -> Iterator[str]:
    header, games = result.header, len(result.games)
    if result.interrupted:
        yield f"**Interrupted: {games:,} of {header.games:,} games are finished.**"
    openings = f", {header.opening_plies} random opening plies" if header.opening_plies else ""
    forfeits = ", ".join(f"{kind}: {count:,}" for kind, count in result.forfeits.items())
    moves = sum(game.plies - game.opening for game in result.games)
    yield (
        f"{games:,} games, seed {header.seed}{openings}. {length_note(result.games)} Forfeits: "
        f"{forfeits or 'none'}. {moves / max(result.seconds, 1e-9):,.0f} moves per second on "
        f"{result.workers} process{'es' if result.workers > 1 else ''} ({result.seconds:.1f} s)."
    )
    for error in forfeit_messages(result.games, 1):
        yield f"**First forfeit:** {plain(error)}"
    yield from _distinct_note(result.games)
    yield (
        "Intervals are 95 %: Wilson for rates and, mapped from -1 .. 1, for returns (conservative)"
        "; Student for points."
    )


def luck_report(standings: Standings) -> Markdown:
    """Return the ratings of a match, for the terminal, with a note on how luck was taken away."""
    return for_terminal("\n\n".join([_rating_table(standings), *_rating_notes(standings)]))


def _mean(
    mean: float | None, interval: Interval | None, form: str, between: str = " to "
) -> tuple[str, str]:
    """Return a mean and its interval as text; percentages have no sign."""
    if mean is None:
        return "-", ""
    ends = between.join(f"{end:{form}}" for end in interval or ())
    return f"{mean:{form}}".replace("%", ""), ends.replace("%", "")


# --- Tournaments ----------------------------------------------------------------------------------


_FORMATS = (".md", ".html")
_PAGES = (
    "The first games of each line-up, move by move; `tzaar-envs replay FILE --game N` shows any "
    "other game of a results file:"
)


def tournament_report(standings: Standings, pages: Mapping[str, str] | None = None) -> str:
    """Return the report of some results as a Markdown document.

    Args:
        standings: The results.
        pages: Titles of pages that show games, by their paths relative to the report.
    """
    pages = pages or {}
    sections = {
        "Ratings": [_rating_table(standings), *_rating_notes(standings)],
        "Crosstable": [*_crosstable(standings)],
        "Sequential tests": _tests(standings),
        "Games": [
            table(
                ("seat", "score %"),
                [*zip(standings.headers[0].seats, map(_score, standings.shares.T), strict=True)],
            ),
            length_note(standings.games),
            _PAGES if pages else "",
            "\n".join(f"- [{plain(title)}]({quote(path)})" for path, title in pages.items()),
        ],
        "Forfeits": _forfeits(standings),
        "How it was played": [*_how(standings)],
    }
    blocks = [f"# {plain(report_title(standings))}"]
    for heading, parts in sections.items():
        blocks += [f"## {heading}", *filter(None, parts)] if parts else []
    return "\n\n".join(blocks) + "\n"


def report_title(standings: Standings) -> str:
    """Return the title of a report."""
    return (
        f"{standings.headers[0].game_title}: {len(standings.agents)} agents, "
        f"{len(standings.games):,} games"
    )


def check_report_path(path: Path) -> None:
    """Raise a ValueError for a suffix that is not a known format."""
    if path.suffix not in _FORMATS:
        raise ValueError(f"report {str(path)!r} is not allowed: use a name with .md or .html")


def write_report(path: Path, standings: Standings, pages: Mapping[str, str] | None = None) -> None:
    """Write a report as Markdown or HTML, depending on the path's suffix; whole or not at all.

    Args:
        path: The report.
        standings: The results.
        pages: Titles of pages that show games, by their paths relative to the report.

    Raises:
        ValueError: It has another suffix.
    """
    check_report_path(path)
    document = tournament_report(standings, pages)
    if path.suffix == ".html":
        document = to_html(document, report_title(standings))
    write_atomically(path, document)


def _rating_table(standings: Standings) -> str:
    ratings = standings.ratings
    forfeits = Counter(
        game.agents[game.culprit] for game in standings.games if game.culprit is not None
    )
    columns = ["", "agent", "Elo", "95 %", "over the next", "games", "score %", "W-D-L"]
    columns += ["forfeits"] if forfeits else []
    returns = np.array([game.returns for game in standings.games]).reshape(standings.seats.shape)
    rows = []
    for rank, agent in enumerate(ratings.order):
        shares = standings.shares_of(agent)
        own = returns[standings.seats == agent]
        wins, losses = int((own > 0).sum()), int((own < 0).sum())
        lead = ""
        if rank + 1 < len(ratings.order):
            difference, half = ratings.difference(agent, ratings.order[rank + 1])
            lead = f"{difference:+.0f} ± {half:.0f}"
        cells = [
            str(rank + 1),
            ratings.agents[agent],
            f"{ratings.elo[agent]:+.0f}",
            f"± {ratings.half_width(agent):.0f}",
            lead,
            f"{shares.size:,}",
            _score(shares),
            f"{wins}-{shares.size - wins - losses}-{losses}",
            str(forfeits[standings.agents[agent]]),
        ]
        rows.append(cells[: len(columns)])
    return table(columns, rows, left=2)


def _rating_notes(standings: Standings) -> Iterator[str]:
    agents, ratings = [*map(plain, standings.agents)], standings.ratings
    zero = "the mean is 0"
    if ratings.anchor is not None:
        zero = f"{agents[ratings.anchor]} is {ratings.elo[ratings.anchor]:.0f}"
    yield (
        f"Elo by maximum likelihood ({zero}; a draw is half a win), with a weak prior of one win "
        "and one loss against an average agent, which alone limits the rating of an agent that won "
        "or lost every game; 95 % intervals from the spread over starts."
    )
    if standings.luck is not None:
        yield (
            "Elo without luck: what chance gave, by the values of "
            f"{plain(standings.luck)}, is subtracted as far as it explains a line-up's results. "
            "Scores, wins and the crosstable are not adjusted."
        )
    groups = standings.groups()
    if len(groups) > 1:
        listing = "; ".join(", ".join(agents[agent] for agent in group) for group in groups)
        yield f"These groups never met, so the prior alone compares them: {listing}."
    yield from _distinct_note(standings.games)


def _score(shares: NDArray[np.float64]) -> str:
    return f"{100 * shares.mean():.1f}" if shares.size else ""


def _crosstable(standings: Standings) -> Iterator[str]:
    order = standings.ratings.order
    rows = []
    for rank, agent in enumerate(order, start=1):
        scores = [standings.score(agent, other) for other in order]
        cells = ["" if score is None else f"{100 * score:.1f}" for score in scores]
        rows.append((str(rank), standings.agents[agent], *cells))
    yield table(("", "agent", *(row[0] for row in rows)), rows, left=2)
    met = standings.meetings[standings.meetings > 0]
    most = met.max(initial=0)
    least = met.min(initial=most)
    yield (
        "Score in % of the agent in the row against the one in the column: a higher return counts "
        f"1, an equal one ½; {least:,}{f' to {most:,}' if least < most else ''} games per pair."
    )


def _tests(standings: Standings) -> list[str]:
    rows = []
    for header, games in zip(standings.headers, standings.tournaments, strict=True):
        if header.sprt is None:
            continue
        test = Sprt(*header.sprt)
        pairings = line_ups(header.agents, len(header.seats), gauntlet=header.gauntlet)
        for number, agents in enumerate(pairings):
            pairs = pair_counts(games, number, _tested_starts(header, games, number))
            decision = test.decision(pairs)
            rows.append(
                (
                    " - ".join(header.agents[agent] for agent in agents),
                    f"{test.elo0:g} or {test.elo1:g}",
                    "undecided" if decision is None else f"{header.sprt[decision]:g} Elo",
                    f"{test.llr(pairs):+.2f}",
                    *map(str, pairs.tolist()),
                )
            )
    if not rows:
        return []
    columns = ("pairing", "Elo", "accepted", "LLR", "0", "½", "1", "1½", "2")
    note = (
        "Generalised likelihood-ratio tests on pairs of games from one start, with the numbers of "
        "pairs in which the first agent had 0 to 2 points; both error rates are 5 %."
    )
    return [table(columns, rows, left=3), note]


def _tested_starts(header: Header, games: Sequence[GameRecord], line_up: int) -> int:
    """Return how many starts a test has looked at: after an interruption only whole chunks."""
    played = {game.match.start for game in games if game.match and game.match.line_up == line_up}
    starts = next(start for start in count() if start not in played)
    if starts < header.games // len(header.seats):
        starts -= starts % STARTS_PER_CHUNK
    return starts


def _forfeits(standings: Standings) -> list[str]:
    counts = Counter(
        (game.agents[game.culprit], game.forfeit)
        for game in standings.games
        if game.culprit is not None
    )
    if not counts:
        return ["No game was forfeited."]
    kinds = get_args(Forfeit)
    culprits = [agent for agent in standings.agents if any(counts[agent, kind] for kind in kinds)]
    rows = [(agent, *(str(counts[agent, kind]) for kind in kinds)) for agent in culprits]
    rule = "A forfeit gives -1 to the culprit, and the win to all others."
    return [
        table(("games forfeited by", *kinds), rows),
        rule,
        "\n".join(f"- {plain(message)}" for message in forfeit_messages(standings.games)),
    ]


def _how(standings: Standings) -> Iterator[str]:
    luck = [] if standings.luck is None else [f"--luck {shlex.quote(standings.luck)}"]
    yield shell(*(" ".join([command_of(header), *luck]) for header in standings.headers))
    for header in standings.headers:
        if header.book is not None:
            yield f"Book: {header.book.positions} positions, SHA-256 {header.book.sha256}."
        used = ", ".join(f"{name} {value}" for name, value in header.versions.items())
        where = ", ".join(f"{name} {value}" for name, value in header.machine.items())
        yield plain(f"Versions: {used}. Machine: {where}.")
    yield "Every start is played in every rotation of the seats."


def command_of(header: Header) -> str:
    """Return the command that plays a tournament."""
    command = "evaluate" if header.gauntlet else "tournament"
    words = [f"tzaar-envs {command}", header.game, *map(shlex.quote, header.agents)]
    words += ["--gauntlet"] if header.gauntlet else []
    words += [f"-o {shlex.quote(f'{name}={value}')}" for name, value in header.options.items()]
    settings = {
        "games": header.games,
        "seed": header.seed,
        "opening-plies": header.opening_plies or None,
        "book": header.book and "FILE",
        "sprt": None
        if header.gauntlet or header.sprt is None
        else "{:g} {:g}".format(*header.sprt),
    }
    words += [f"--{name} {value}" for name, value in settings.items() if value is not None]
    return " ".join(words)


# --- Both -----------------------------------------------------------------------------------------


def length_note(games: Sequence[GameRecord]) -> str:
    """Return the lengths of games in plies as a sentence; empty without games."""
    plies = [game.plies for game in games]
    truncated = sum(game.truncated for game in games)
    if not plies:
        return ""
    return (
        f"Plies per game: mean {np.mean(plies):.1f}, median {np.median(plies):g}, {min(plies)} to "
        f"{max(plies)}; {truncated:,} of {len(games):,} games reached the move cap."
    )


def _distinct_note(games: Sequence[GameRecord]) -> Iterator[str]:
    if (distinct := distinct_games(games)) < len(games):
        yield (
            f"**Only {distinct:,} of the games are distinct**, so the intervals are too narrow: "
            "random opening plies, or a book in a tournament, make games differ."
        )
