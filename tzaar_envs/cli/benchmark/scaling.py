"""Steps/s over batch size and threads, as figures and as a plot (needs matplotlib)."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from tzaar_envs.cli.benchmark.measurement import Measurement, measured
from tzaar_envs.cli.benchmark.measures import VectorLoop
from tzaar_envs.core.game import Game
from tzaar_envs.system.files import write_atomically

BATCH_SIZES = (1, 8, 64, 512, 4096)
THREADS = (1, 2)
SCALING = "scaling"
"""The name of this measure."""


def measure_scaling(game: Game) -> Iterator[Measurement]:
    """Yield the steps/s of the vector environment for every batch size and thread count."""
    for threads in THREADS:
        for size in BATCH_SIZES:
            if size >= threads:
                loop = VectorLoop(game, size, threads)
                note = f"{size} games, {threads} threads"
                yield measured(game.spec.env_id, SCALING, "steps/s", loop.rate, note, runs=3)
                loop.close()


def draw_scaling(path: Path, measurements: Sequence[Measurement]) -> None:
    """Draw one line per game and thread count; write the file atomically."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    lines: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for entry in measurements:
        if entry.measure == SCALING:
            size, threads = (int(part.split()[0]) for part in entry.note.split(", "))
            lines.setdefault((entry.game, threads), []).append((size, entry.median))
    colours = {game: f"C{number}" for number, game in enumerate(sorted({key[0] for key in lines}))}
    for (game, threads), points in sorted(lines.items()):
        axes.plot(
            *zip(*points, strict=True),
            color=colours[game],
            linestyle="-" if threads == 1 else "--",
            marker="o",
            label=f"{game}, {threads} thread{'s' * (threads > 1)}",
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("games in a batch")
    axes.set_ylabel("steps per second")
    axes.set_title("make_vec, observation and mask delivered")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120)
    write_atomically(path, content.getvalue())
