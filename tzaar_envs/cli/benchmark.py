"""`tzaar-envs benchmark`: how fast everything is here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import tzaar_envs
from tzaar_envs.cli.output import new_console, table_of, working
from tzaar_envs.cli.parameters import game_of
from tzaar_envs.system.extras import require_extra


def benchmark(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="GAME", help="Which games; all if none is given.")
    ] = None,
    peers: Annotated[
        bool, typer.Option("--peers", help="Measure other suites too, those that are installed.")
    ] = False,
    training: Annotated[
        bool,
        typer.Option(
            "--training", help="Measure MaskablePPO too, beside a game that does nothing."
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw steps/s over batch size and threads to this PNG file."
        ),
    ] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the whole result to this file.")
    ] = None,
) -> None:
    """Measure how fast the games are on this machine; a minute for each."""
    from tzaar_envs.registry import find_spec

    for option, path in (("--json", json), ("--plot", plot)):
        if path is not None and path.exists():
            raise ValueError(f"{option} {str(path)!r} exists already: choose another name")
    if plot is not None:
        require_extra("sb3", "the plot", "matplotlib")
    if training:
        require_extra("sb3", "the training", "torch", "sb3_contrib")
    specs = [find_spec(name) for name in names or tzaar_envs.list_games()]
    with working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.benchmark import as_json, environment, run_benchmark
        from tzaar_envs.benchmark.peers import PACKAGES, measure_peers
        from tzaar_envs.benchmark.scaling import draw_scaling, measure_scaling

    packages = PACKAGES if peers else ()
    console = new_console()
    console.print(", ".join(f"{name} {value}" for name, value in environment(*packages).items()))
    measurements = []
    for spec in specs:
        with working(f"Measuring {spec.env_id}"):
            measurements += list(run_benchmark(game_of(spec, [])))
    if training:
        from tzaar_envs.benchmark.training import measure_training

        for spec in specs:
            with working(f"Measuring training on {spec.env_id}"):
                measurements += list(measure_training(game_of(spec, [])))
    if peers:
        with working("Measuring other suites"):
            measurements += list(measure_peers())
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
    ]
    columns = ("game", "measure", "median", "spread", "unit", "note")
    console.print(table_of(columns, rows, right=("median", "spread")))
    console.print(
        "One core, but for 2 threads; medians and spread of 5 runs, of 3 for the cold start."
    )
    if plot is not None:
        for spec in specs:
            with working(f"Measuring {spec.env_id} over batch size and threads"):
                measurements += list(measure_scaling(game_of(spec, [])))
        draw_scaling(plot, measurements)
        print(f"The plot is in {plot}")
    if json is not None:
        import json as json_format

        from tzaar_envs.system.files import write_atomically

        content = json_format.dumps(as_json(measurements, *packages), indent=2) + "\n"
        write_atomically(json, content)
        print(f"The result is in {json}")
