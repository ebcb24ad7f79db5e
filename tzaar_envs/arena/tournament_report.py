"""Reports of tournaments: ratings, crosstable, tests, lengths, faults, and how it was played."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tzaar_envs.arena.document import Document, Section, Table, to_html, to_markdown
from tzaar_envs.arena.faults import FAULT_NAMES
from tzaar_envs.arena.rating_plot import ratings_svg
from tzaar_envs.arena.results_file import Header
from tzaar_envs.arena.sprt import Sprt
from tzaar_envs.arena.standings import Standings, fault_counts, first_of_line_up
from tzaar_envs.arena.tournament import pair_counts
from tzaar_envs.system.files import write_atomically

_FORMATS = (".md", ".html")
_ERRORS_SHOWN = 10


def tournament_report(standings: Standings) -> Document:
    """Return all that there is to say about some results."""
    sections = [
        Section("Ratings", _rating_table(standings), tuple(_rating_notes(standings))),
        Section("Crosstable", _crosstable(standings), (_crosstable_note(standings),)),
        *_test_section(standings),
        Section("Games", _seat_table(standings), tuple(_game_notes(standings))),
        _fault_section(standings),
        Section(
            "How it was played",
            sentences=tuple(_how(standings)),
            commands=tuple(map(command_of, standings.headers)),
        ),
    ]
    return Document(report_title(standings), sections)


def report_title(standings: Standings) -> str:
    """Return the title of a report."""
    header = standings.headers[0]
    options = ", ".join(f"{name}={value}" for name, value in header.options.items())
    return (
        f"{header.game}{f' ({options})' if options else ''}: {len(standings.agents)} agents, "
        f"{len(standings.games):,} games"
    )


def check_report_path(path: Path) -> None:
    """Raise a ValueError for a name that says no format."""
    if path.suffix not in _FORMATS:
        raise ValueError(f"--report {str(path)!r} is not allowed: use a name with .md or .html")


def write_report(path: Path, standings: Standings) -> None:
    """Write a report as Markdown or HTML, as the path's suffix says; whole or not at all.

    Raises:
        ValueError: it has another suffix.
    """
    check_report_path(path)
    document = tournament_report(standings)
    if path.suffix == ".md":
        write_atomically(path, to_markdown(document))
    else:
        write_atomically(path, to_html(document, ratings_svg(standings.ratings)))


def _rating_table(standings: Standings) -> Table:
    ratings = standings.ratings
    rows = []
    for rank, agent in enumerate(ratings.order):
        shares = standings.shares_of(agent)
        wins, losses = int((shares == 1).sum()), int((shares == 0).sum())
        if rank + 1 < len(ratings.order):
            difference, half = ratings.difference(agent, ratings.order[rank + 1])
            lead = f"{difference:+.0f} ± {half:.0f}"
        else:
            lead = ""
        rows.append(
            (
                str(rank + 1),
                ratings.agents[agent],
                f"{ratings.elo[agent]:+.0f}",
                f"± {ratings.half_width(agent):.0f}",
                lead,
                f"{shares.size:,}",
                f"{100 * shares.mean():.1f}" if shares.size else "",
                f"{wins}-{shares.size - wins - losses}-{losses}",
            )
        )
    columns = ("", "agent", "Elo", "95 %", "over the next", "games", "score %", "W-D-L")
    return Table(columns, rows, left=2)


def _rating_notes(standings: Standings) -> Iterator[str]:
    agents, ratings = standings.agents, standings.ratings
    zero = "the mean is 0" if ratings.anchor is None else f"{agents[ratings.anchor]} is 0"
    yield (
        f"Elo by maximum likelihood ({zero}; a draw is half a win), with a weak prior of one win "
        "and one loss against an average agent; 95 % intervals from the spread over starts."
    )
    for agent, name in enumerate(agents):
        shares = standings.shares_of(agent)
        for share, what, side in ((1, "won", "above"), (0, "lost", "below")):
            if shares.size and (shares == share).all():
                yield (
                    f"{name} {what} all its games: how far {side} the others it stands rests on "
                    "the prior alone."
                )
    groups = standings.groups()
    if len(groups) > 1:
        listing = "; ".join(", ".join(agents[agent] for agent in group) for group in groups)
        yield f"These groups never met, so the prior alone compares them: {listing}."
    if (distinct := standings.distinct_games) < len(standings.games):
        yield (
            f"Only {distinct:,} of the games are distinct, so the intervals may be too narrow: "
            "random opening plies or a book make games differ."
        )


def _crosstable(standings: Standings) -> Table:
    order = standings.ratings.order
    rows = []
    for rank, agent in enumerate(order):
        cells = []
        for other in order:
            score = standings.score(agent, other)
            cells.append("" if score is None else f"{100 * score:.1f}")
        rows.append((str(rank + 1), standings.agents[agent], *cells))
    return Table(("", "agent", *(str(rank + 1) for rank in range(len(order)))), rows, left=2)


def _crosstable_note(standings: Standings) -> str:
    count = len(standings.agents)
    met = [standings.meetings(a, b) for a in range(count) for b in range(a + 1, count)]
    met = [meetings for meetings in met if meetings]
    numbers = f"{min(met, default=0):,}"
    if min(met, default=0) < max(met, default=0):
        numbers += f" to {max(met):,}"
    return (
        "Score in % of the agent in the row against the one in the column: games with the higher "
        f"return, and half of those with the same; {numbers} games for each two that met."
    )


def _test_section(standings: Standings) -> Iterator[Section]:
    rows = []
    for tournament, header in enumerate(standings.headers):
        if header.sprt is None:
            continue
        test = Sprt(*header.sprt)
        games = [
            line
            for line, own in zip(standings.games, standings.tournament, strict=True)
            if own == tournament
        ]
        for line_up in sorted({line.line_up for line in games}):
            line = next(line for line in games if line.line_up == line_up)
            first = first_of_line_up(line)
            other = next(agent for agent in line.agents if agent != first)
            pairs = pair_counts(games, line_up, header.games)
            decision = test.decision(pairs)
            taken = "undecided" if decision is None else f"{header.sprt[decision]:g} Elo"
            elo0, elo1 = header.sprt
            rows.append(
                (
                    f"{first} - {other}",
                    f"{elo0:g} or {elo1:g}",
                    taken,
                    f"{test.llr(pairs):+.2f}",
                    *map(str, pairs.tolist()),
                )
            )
    if rows:
        columns = ("pairing", "Elo", "taken", "LLR", "0", "½", "1", "1½", "2")
        yield Section(
            "Sequential tests",
            Table(columns, rows, left=3),
            (
                "Generalised likelihood-ratio tests on pairs of games from one start, with the "
                "numbers of pairs in which the first agent had 0 to 2 points; both error rates "
                "are 5 %.",
            ),
        )


def _seat_table(standings: Standings) -> Table:
    rows = []
    for seat, name in enumerate(standings.headers[0].seats):
        shares = standings.shares[:, seat]
        rows.append((name, f"{100 * shares.mean():.1f}" if shares.size else ""))
    return Table(("seat", "score %"), rows)


def _game_notes(standings: Standings) -> Iterator[str]:
    plies = np.array([line.plies for line in standings.games], np.int64)
    if plies.size:
        truncated = sum(line.truncated for line in standings.games)
        yield (
            f"Plies per game: mean {plies.mean():.1f}, median {np.median(plies):g}, {plies.min()} "
            f"to {plies.max()}; {truncated:,} of {plies.size:,} games ended by the move cap."
        )


def _fault_section(standings: Standings) -> Section:
    counts = fault_counts(standings.games)
    if not counts:
        return Section("Faults", sentences=("No game was lost by a fault.",))
    kinds = [*FAULT_NAMES.values()]
    culprits = [agent for agent in standings.agents if any(counts[agent, kind] for kind in kinds)]
    rows = [(agent, *(str(counts[agent, kind]) for kind in kinds)) for agent in culprits]
    faulty = [line for line in standings.games if line.culprit is not None]
    errors = [
        f"{line.agents[line.culprit or 0]}, line-up {line.line_up}, start {line.start}, rotation "
        f"{line.rotation}, ply {line.plies}: {line.error}"
        for line in faulty[:_ERRORS_SHOWN]
    ]
    rule = "A fault loses the game: -1 for the culprit, the win for all others."
    return Section("Faults", Table(("games lost by", *kinds), rows), (rule, *errors))


def _how(standings: Standings) -> Iterator[str]:
    for header in standings.headers:
        if header.book is not None:
            yield (
                f"Book: {header.book.get('positions')} positions, SHA-256 "
                f"{header.book.get('sha256')}."
            )
        used = ", ".join(f"{name} {value}" for name, value in header.versions.items())
        where = ", ".join(f"{name} {value}" for name, value in header.machine.items())
        yield f"Versions: {used}. Machine: {where}."
    yield "Every start is played in every rotation of the seats."


def command_of(header: Header) -> str:
    """Return the command that plays a tournament."""
    words = ["tzaar-envs tournament", header.game, *map(shlex.quote, header.agents)]
    words += [f"-o {shlex.quote(f'{name}={value}')}" for name, value in header.options.items()]
    words += [f"--games {header.games}", f"--seed {header.seed}"]
    if header.opening_plies:
        words.append(f"--opening-plies {header.opening_plies}")
    if header.book is not None:
        words.append("--book FILE")
    if header.sprt is not None:
        words.append("--sprt " + ",".join(f"{elo:g}" for elo in header.sprt))
    if header.move_seconds is not None:
        words.append(f"--move-seconds {header.move_seconds:g}")
    return " ".join(words)
