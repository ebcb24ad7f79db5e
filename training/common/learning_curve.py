"""Learning curves: points against the baselines over the steps of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tzaar_envs.statistics.intervals import wilson

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
        evaluations: records with `steps`, and `results`: for each baseline and seat the numbers of
            wins, draws and losses.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.8), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    steps = [record["steps"] for record in evaluations]
    baselines = list(evaluations[0]["results"]) if evaluations else []
    for baseline in baselines:
        for seat, seat_name in enumerate(seat_names):
            results = [record["results"][baseline][seat] for record in evaluations]
            points = [wins + draws / 2 for wins, draws, _ in results]
            games = [sum(result) for result in results]
            rates = [won / played for won, played in zip(points, games, strict=True)]
            lows, highs = zip(*map(wilson, points, games), strict=True)
            colour = COLOURS.get(baseline, "#555555")
            style = LINES[seat % len(LINES)]
            label = f"against {baseline}, as {seat_name}"
            axes.plot(steps, rates, style, color=colour, label=label, marker="o", markersize=3)
            axes.fill_between(steps, lows, highs, color=colour, alpha=0.12, linewidth=0)
    axes.set(title=title, xlabel="steps of the learner", ylabel="points per game (draw = 1/2)")
    axes.set(xlim=(0, max([1000, *steps])), ylim=(-0.02, 1.02))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:,.0f} k")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(alpha=0.3)
    if baselines:
        axes.legend(loc="best", fontsize="small")
    figure.savefig(path)
