"""Terminal reports of matches."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from tzaar_envs.arena.match_result import MatchResult
from tzaar_envs.arena.summaries import forfeit_messages, length_note
from tzaar_envs.render.markdown import for_terminal, plain, table


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


def match_report(result: MatchResult) -> Markdown:
    """Return a table with a row per agent over all seats and one per agent and seat, and notes.

    Below each value is its 95 % interval. Points have a column of their own only where they differ
    from the returns; it takes the place of the rate of losses, which follows from the others.
    """
    own_points = any(game.scores not in (None, game.returns) for game in result.games)
    columns = ["Agent, seat", "W-D-L", "Win %", "Draw %"]
    columns += ["Mean return", "Mean points"] if own_points else ["Loss %", "Mean return"]
    rows, seats = [], result.header.seats
    for summary in result.summaries():
        cells = [
            _rate(summary.win_rate, summary.win_interval),
            _rate(summary.draw_rate, summary.draw_interval),
            _rate(summary.loss_rate, summary.loss_interval),
            _mean(summary.mean_return, summary.return_interval, "+.2f"),
            _mean(summary.mean_score, summary.score_interval, ".1f"),
        ]
        shown = [*cells[:2], *(cells[3:] if own_points else cells[2:4])]
        name = summary.agent if summary.seat is None else f"as {seats[summary.seat]}"
        counts = f"{summary.wins}-{summary.draws}-{summary.losses}"
        rows += [[name, counts, *(cell[0] for cell in shown)]]
        rows += [["", "", *(cell[1] for cell in shown)]]
    title = f"## {plain(' - '.join(result.agents))}: {plain(result.header.game_title)}"
    parts = [title, table(columns, rows), *_notes(result), *_without_luck(result)]
    return for_terminal("\n\n".join(parts))


def _notes(result: MatchResult) -> Iterator[str]:
    header, games = result.header, len(result.games)
    if result.interrupted:
        yield f"**Interrupted: {games:,} of {header.games:,} games are finished.**"
    openings = f", {header.opening_plies} random opening plies" if header.opening_plies else ""
    faults = ", ".join(f"{fault}: {count:,}" for fault, count in result.forfeits.items())
    yield (
        f"{games:,} games, seed {header.seed}{openings}. {length_note(result.games)} Forfeits: "
        f"{faults or 'none'}. {result.moves_per_second:,.0f} moves per second on {result.workers} "
        f"process{'es' if result.workers > 1 else ''} ({result.seconds:.1f} s)."
    )
    for error in forfeit_messages(result.games, 1):
        yield f"**First forfeit:** {plain(error)}"
    if result.distinct_games < games:
        yield (
            f"**Only {result.distinct_games:,} of the games are distinct**, so the intervals are "
            "too narrow: random opening plies make games differ."
        )
    yield (
        "Intervals are 95 %: Wilson for rates and, mapped from -1 .. 1, for returns (conservative)"
        "; Student for points."
    )


def _without_luck(result: MatchResult) -> Iterator[str]:
    found = result.summaries_without_luck()
    if result.luck is None or not found:
        return
    columns, rows = ["Without luck", "Mean return", ""], []
    if len(found) == 2:
        columns += ["Elo", ""]
    for agent in found:
        cells = [agent.agent, *_mean(agent.mean_return, agent.interval, "+z.3f")]
        rows += [cells + [*_mean(agent.elo, agent.elo_interval, "+z.0f")][: len(columns) - 3]]
    yield table(columns, rows)
    times = [agent.times_as_many for agent in found if agent.times_as_many is not None]
    worth = f" This is worth {min(times):.1f} times as many games." if times else ""
    yield (
        f"What chance gave, by the values of {plain(result.luck.policy)} for each outcome and "
        f"{result.luck.draws} others, is taken away; intervals are Student's, over starts.{worth}"
    )


def _rate(rate: float | None, interval: tuple[float, float]) -> tuple[str, str]:
    if rate is None:
        return "-", ""
    return f"{100 * rate:.1f}", f"{100 * interval[0]:.1f}-{100 * interval[1]:.1f}"


def _mean(mean: float | None, interval: tuple[float, float] | None, form: str) -> tuple[str, str]:
    if mean is None:
        return "-", ""
    return f"{mean:{form}}", f"{interval[0]:{form}} to {interval[1]:{form}}" if interval else ""
