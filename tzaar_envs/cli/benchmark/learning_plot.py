"""Learning curves of runs: scores over CPU minutes (needs matplotlib)."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from tzaar_envs.cli.benchmark.learning import LearningRun, Target
from tzaar_envs.system.files import write_atomically


def draw_learning(
    path: Path, targets: Mapping[str, Sequence[Target]], runs: Sequence[LearningRun]
) -> None:
    """Draw a panel for each game and target, with one line per run; write the file atomically.

    Args:
        path: the file, SVG if it ends with `.svg`, else PNG.
        targets: of each game, by its id.
        runs: of these games.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = max(map(len, targets.values()))
    figure = Figure(figsize=(2.9 * columns, 2.1 * len(targets) + 0.3), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(targets), columns, squeeze=False, sharey=True)
    algorithms = list(dict.fromkeys(run.algorithm for run in runs))
    for row, (game, own_targets) in zip(panels, targets.items(), strict=True):
        own = [run for run in runs if run.game == game]
        row[0].set_ylabel(game)
        for axes, target in zip(row, own_targets, strict=False):
            for run in own:
                axes.plot(
                    run.cpu_minutes,
                    run.scores[run.measured_by(target)],
                    color=f"C{algorithms.index(run.algorithm)}",
                    marker=".",
                    linewidth=1,
                    label=run.algorithm,
                )
            axes.axhline(target.score, color="grey", linestyle=":", linewidth=1)
            axes.set_title(own[0].measured_by(target) if own else str(target), fontsize="small")
            axes.set(ylim=(-0.03, 1.03), xlim=(0, None))
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            axes.tick_params(labelsize="small")
            axes.grid(alpha=0.3)
        for axes in row[len(own_targets) :]:
            axes.set_axis_off()
    for axes in panels[-1]:
        axes.set_xlabel("CPU minutes of training", fontsize="small")
    by_name = {
        name: line
        for axes in panels.flat
        for line, name in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    if len(by_name) > 1:
        figure.legend(
            by_name.values(),
            by_name.keys(),
            loc="outside upper center",
            ncols=2 * columns,
            fontsize="small",
        )
    content = io.BytesIO()
    kind = "svg" if path.suffix.lower() == ".svg" else "png"
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "learning"}):
        metadata = {"Date": None} if kind == "svg" else {}
        figure.savefig(content, format=kind, dpi=75, metadata=metadata)
    write_atomically(path, content.getvalue())
