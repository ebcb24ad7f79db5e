"""Learning curves: points against the baselines over the time and the steps of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tzaar_envs.arena.ratings import wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {"random": "#2a78b5", "greedy": "#c8502d"}
LINES = ("-", "--", ":", "-.")


def draw_learning_curve(
    path: Path, title: str, seat_names: Sequence[str], evaluations: Sequence[dict[str, Any]]
) -> None:
    """Write a PNG: one line per baseline and seat, with the 95 % interval as a band.

    Args:
        path: where the PNG is written.
        title: heading of the plot.
        seat_names: names of the seats.
        evaluations: records with `minutes`, `steps`, and `results`: for each baseline and seat the
            numbers of wins, draws and losses.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, MaxNLocator

    figure = Figure(figsize=(10, 4.8), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    by_time, by_steps = figure.subplots(1, 2, sharey=True)
    _draw_lines(by_time, [record["minutes"] for record in evaluations], seat_names, evaluations)
    _draw_lines(by_steps, [record["steps"] for record in evaluations], seat_names, evaluations)
    figure.suptitle(title)
    by_time.set(xlabel="minutes of training", ylabel="points per game (draw = 1/2)")
    by_time.set(ylim=(-0.02, 1.02))
    by_time.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    by_steps.set(xlabel="steps of the learner")
    by_steps.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    by_steps.xaxis.set_major_formatter(EngFormatter())
    if evaluations:
        by_steps.legend(loc="best", fontsize="small")
    figure.savefig(path)


def _draw_lines(
    axes: Axes,
    places: Sequence[float],
    seat_names: Sequence[str],
    evaluations: Sequence[dict[str, Any]],
) -> None:
    """Draw the points of all evaluations over these places of the horizontal axis."""
    baselines = list(evaluations[0]["results"]) if evaluations else []
    for baseline in baselines:
        for seat, seat_name in enumerate(seat_names):
            results = [record["results"][baseline][seat] for record in evaluations]
            points = [wins + draws / 2 for wins, draws, _ in results]
            games = [sum(result) for result in results]
            rates = [won / played for won, played in zip(points, games, strict=True)]
            lows, highs = zip(*map(wilson, points, games), strict=True)
            colour = COLOURS.get(baseline.partition(" ")[0], "#555555")
            marker = "o" if " " not in baseline else "x"
            style = LINES[seat % len(LINES)]
            label = f"against {baseline}, as {seat_name}"
            axes.plot(places, rates, style, color=colour, label=label, marker=marker, markersize=4)
            axes.fill_between(places, lows, highs, color=colour, alpha=0.12, linewidth=0)
    axes.set_xlim(0, max([*places, 1e-3]) * 1.02)
    axes.grid(alpha=0.3)
