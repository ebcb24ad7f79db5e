"""The command `benchmark`: speed on this machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

import tzaar_envs
from tzaar_envs.arguments.errors import EXIT_INTERRUPTED
from tzaar_envs.arguments.parameters import JsonPath, check_free, complete_game, game_of
from tzaar_envs.cli.output import new_console, table_of, working
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.interrupts import (
    ctrl_c_was_pressed,
    noticing_ctrl_c,
    sigint_deferred,
)

if TYPE_CHECKING:
    from rich.console import Console

    from tzaar_envs.benchmark.measurement import Measurement
    from tzaar_envs.core.spec import GameSpec


def benchmark(
    names: Annotated[
        tuple[str, ...],
        Parameter(
            name="GAME...", help="Games to measure; by default all.", completer=complete_game
        ),
    ] = (),
    /,
    *,
    peers: Annotated[
        bool, Parameter(help="Also measure other game suites, those that are installed.")
    ] = False,
    training: Annotated[
        bool,
        Parameter(
            help="Also measure MaskablePPO training, on each game and on a game without rules."
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        Parameter(
            metavar="FILE", help="PNG file for a plot of steps/s over batch size and threads."
        ),
    ] = None,
    json_path: JsonPath = None,
) -> None:
    """Measure the speed of the games on this machine, about a minute for each.

    Ctrl-C ends it; what is measured by then is reported and written.
    """
    from tzaar_envs.registry import find_spec

    check_free("--json", json_path)
    check_free("--plot", plot)
    if plot is not None:
        require_extra("sb3", "the plot", "matplotlib")
    if training:
        require_extra("sb3", "the training", "torch", "sb3_contrib")
    specs = [find_spec(name) for name in names or tzaar_envs.list_games()]
    with working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.benchmark import as_json, environment
        from tzaar_envs.benchmark.peers import PACKAGES
        from tzaar_envs.benchmark.scaling import draw_scaling
        from tzaar_envs.system.files import write_atomically

    packages = PACKAGES if peers else ()
    console = new_console()
    measurements: list[Measurement] = []
    interrupted = False
    try:
        with noticing_ctrl_c():
            versions = environment(*packages)
            console.print(", ".join(f"{name} {value}" for name, value in versions.items()))
            for what, entries in _parts(specs, training, peers, plot is not None):
                with working(f"Measuring {what}"):
                    for entry in entries:
                        measurements.append(entry)  # kept if Ctrl-C ends the loop
                        if ctrl_c_was_pressed():  # foreign code can swallow the exception
                            raise KeyboardInterrupt
    except KeyboardInterrupt:
        interrupted = True
    with sigint_deferred():  # what is measured is not lost
        _report(console, measurements)
        if plot is not None:
            draw_scaling(plot, measurements)
            print(f"The plot is in {plot}")
        if json_path is not None:
            content = json.dumps(as_json(measurements, *packages), indent=2) + "\n"
            write_atomically(json_path, content)
            print(f"The result is in {json_path}")
    if interrupted:
        print("Interrupted; the rest is not measured")
        sys.exit(EXIT_INTERRUPTED)


def _report(console: Console, measurements: Iterable[Measurement]) -> None:
    """Print the table of all measurements but those that a plot shows."""
    from tzaar_envs.benchmark.scaling import SCALING

    rows = [
        (
            entry.game,
            entry.measure,
            f"{entry.median:,.{2 if entry.unit == 's' else 0}f}",
            f"{entry.lowest:,.{2 if entry.unit == 's' else 0}f} - "
            f"{entry.highest:,.{2 if entry.unit == 's' else 0}f}",
            entry.unit,
            entry.note,
        )
        for entry in measurements
        if entry.measure != SCALING
    ]
    columns = ("game", "measure", "median", "spread", "unit", "note")
    console.print(table_of(columns, rows, right=("median", "spread")))
    console.print(
        "One core, except where 2 threads are named; median and range of 5 runs (cold start: 3)."
    )


def _parts(
    specs: Sequence[GameSpec], training: bool, peers: bool, scaling: bool
) -> Iterator[tuple[str, Iterable[Measurement]]]:
    """Yield what is measured, one after the other: in words, and the measurements."""
    from tzaar_envs.benchmark import run_benchmark
    from tzaar_envs.benchmark.peers import measure_peers
    from tzaar_envs.benchmark.scaling import measure_scaling

    for spec in specs:
        yield spec.env_id, run_benchmark(game_of(spec, ()))
    if training:
        from tzaar_envs.benchmark.training import measure_training

        for spec in specs:
            yield f"training on {spec.env_id}", measure_training(game_of(spec, ()))
    if peers:
        yield "other suites", measure_peers()
    if scaling:
        for spec in specs:
            what = f"{spec.env_id} over batch size and threads"
            yield what, measure_scaling(game_of(spec, ()))
