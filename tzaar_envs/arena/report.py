"""Reports of matches for the terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import numpy as np
from rich import box
from rich.console import Console, Group
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from tzaar_envs.arena.result import MatchResult

_INDENT = "  "  # of an agent's seats


@contextlib.contextmanager
def match_progress(console: Console | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar; give what this yields to `play_match` as `progress`.

    Args:
        console: where; None: the standard error, so that the standard output stays clean.
    """
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console or Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("games", total=None)
    with bar:
        yield lambda done, games: bar.update(task, completed=done, total=games)


def match_report(result: MatchResult) -> Group:
    """Return the table and what has to be said below it, to be printed with rich."""
    return Group(match_table(result), match_footnote(result))


def match_table(result: MatchResult) -> Table:
    """Return a table with a row per agent over all seats and one per agent and seat.

    Below each value stands its 95 % interval. Points have a column of their own only where they are
    something other than the returns; the rate of losses, which the others leave, makes room for it.
    """
    own_points = not np.array_equal(
        np.where(np.isnan(result.records.scores), result.records.returns, result.records.scores),
        result.records.returns,
    )
    # Text objects throughout: an agent's name may hold what looks like rich markup.
    table = Table(
        title=Text(_title(result)), box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0)
    )
    table.add_column("Agent, seat", overflow="fold")
    table.add_column("W-D-L", justify="right", no_wrap=True)
    last_headings = ["Mean return", "Mean points"] if own_points else ["Loss %", "Mean return"]
    for heading in ("Win %", "Draw %", *last_headings):
        table.add_column(heading, justify="right", no_wrap=True)
    for summary in result.summaries():
        cells = [
            Text(
                summary.agent
                if summary.seat is None
                else f"{_INDENT}{result.seat_names[summary.seat]}"
            ),
            Text(f"{summary.wins}-{summary.draws}-{summary.losses}"),
            _rate(summary.win_rate, summary.win_interval),
            _rate(summary.draw_rate, summary.draw_interval),
        ]
        if not own_points:
            cells.append(_rate(summary.loss_rate, summary.loss_interval))
        cells.append(_mean(summary.mean_return, summary.return_interval, "+.2f"))
        if own_points:
            cells.append(_mean(summary.mean_score, summary.score_interval, ".1f"))
        table.add_row(*cells, end_section=summary.seat == len(result.seat_names) - 1)
    return table


def match_footnote(result: MatchResult) -> Text:
    """Return what the numbers of the table rest on, with warnings where there is cause."""
    note = Text()
    if result.interrupted:
        note.append(
            f"Interrupted: {result.games:,} of {result.games_requested:,} games are finished.\n",
            style="yellow",
        )
    note.append(f"{result.games:,} games, seed {result.seed}")
    note.append(f", {result.opening_plies} random opening plies" if result.opening_plies else "")
    options = ", ".join(f"{name}={value}" for name, value in result.options.items())
    note.append(f"; options: {options or 'none'}.\n")
    if lengths := result.lengths:
        note.append(
            f"Plies per game: mean {lengths.mean:.1f}, median {lengths.median:g}, "
            f"{lengths.minimum} to {lengths.maximum}; "
            f"{int(result.records.truncated.sum()):,} ended by the move cap.\n"
        )
    style = "red" if result.illegal_moves or result.exceptions or result.crashes else ""
    note.append(f"Illegal moves: {result.illegal_moves:,}", style=style)
    note.append(f", exceptions: {result.exceptions:,}", style=style)
    note.append(f", crashes: {result.crashes:,}" if result.crashes else "", style=style)
    note.append(
        f"; {result.moves_per_second:,.0f} moves per second on {result.workers} "
        f"process{'es' if result.workers > 1 else ''} ({result.seconds:.1f} s).\n"
    )
    for error in result.errors[:1]:
        note.append(f"First fault: {error}\n", style="red")
    if result.distinct_games < result.games:
        note.append(
            f"Only {result.distinct_games:,} of the games are distinct, so the intervals are too "
            "narrow: random opening plies make games differ.\n",
            style="yellow",
        )
    note.append(
        "Intervals are 95 %: Wilson for rates and, mapped from -1 .. 1, for returns (conservative)"
        "; Student for points.",
        style="dim",
    )
    return note


def _title(result: MatchResult) -> str:
    return f"{' - '.join(result.agents)}: {result.game}_v{result.version}"


def _rate(rate: float | None, interval: tuple[float, float]) -> Text:
    if rate is None:
        return Text("-")
    low, high = (100 * bound for bound in interval)
    return Text.assemble(f"{100 * rate:.1f}\n", (f"{low:.1f}-{high:.1f}", "dim"))


def _mean(mean: float | None, interval: tuple[float, float] | None, form: str) -> Text:
    if mean is None:
        return Text("-")
    text = Text(f"{mean:{form}}")
    if interval is not None:
        text.append(f"\n{interval[0]:{form}} to {interval[1]:{form}}", "dim")
    return text
