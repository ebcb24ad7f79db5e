"""Pages of the games of a tournament, for the links in its report."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tzaar_envs.arena.records import GameId
from tzaar_envs.arena.reports.tournament_report import GamePage
from tzaar_envs.arena.standings import Standings
from tzaar_envs.replay.page import game_page
from tzaar_envs.replay.played_game import PlayedGame
from tzaar_envs.system.files import write_atomically

MOST_PAGES = 24
"""So many pages a report has if nobody asks for a number of games."""


def write_pages(folder: Path, standings: Standings, games: int | None) -> list[GamePage]:
    """Write the pages of the first games of each line-up.

    Args:
        folder: beside the report; it is created, and pages of the same names are replaced.
        standings: of the tournaments.
        games: at most so many of each line-up; None: one, of the first `MOST_PAGES` line-ups.

    Returns:
        The pages, with paths relative to the report.

    Raises:
        ValueError: a game cannot have been played as recorded; names the file and says why.
        OSError: a page cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages: list[GamePage] = []
    for number, records in enumerate(standings.tournaments):
        written: Counter[int] = Counter()
        for record in sorted(records, key=lambda record: _order(record.match)):
            line_up, start, rotation = _order(record.match)
            if written[line_up] >= (1 if games is None else games):
                continue
            if games is None and len(pages) == MOST_PAGES:
                return pages
            written[line_up] += 1
            try:
                played = PlayedGame(record)
            except ValueError as error:
                raise ValueError(
                    f"{standings.files[number]!r}, line-up {line_up}, start {start}, rotation "
                    f"{rotation}: {error}"
                ) from None
            content = game_page(played).encode()
            name = f"{number + 1}-{line_up}-{start}-{rotation}.html"
            write_atomically(folder / name, content)
            sides = " - ".join(record.agents)
            title = f"{sides}: {played.result}"
            pages.append(GamePage(f"{folder.name}/{name}", title, len(content)))
    return pages


def _order(match: GameId | None) -> tuple[int, int, int]:
    return (match.line_up, match.start, match.rotation) if match is not None else (0, 0, 0)
