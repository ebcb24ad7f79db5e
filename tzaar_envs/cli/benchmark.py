"""The command `benchmark`: speed on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import tzaar_envs
from tzaar_envs.arguments.parameters import JsonPath, check_free, complete_game, game_of
from tzaar_envs.cli.output import new_console, table_of, working
from tzaar_envs.system.extras import require_extra


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
    """Measure the speed of the games on this machine, about a minute for each."""
    from tzaar_envs.registry import find_spec

    check_free("--json", json_path)
    check_free("--plot", plot)
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
            measurements += list(run_benchmark(game_of(spec, ())))
    if training:
        from tzaar_envs.benchmark.training import measure_training

        for spec in specs:
            with working(f"Measuring training on {spec.env_id}"):
                measurements += list(measure_training(game_of(spec, ())))
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
        "One core, except where 2 threads are named; median and range of 5 runs (cold start: 3)."
    )
    if plot is not None:
        for spec in specs:
            with working(f"Measuring {spec.env_id} over batch size and threads"):
                measurements += list(measure_scaling(game_of(spec, ())))
        draw_scaling(plot, measurements)
        print(f"The plot is in {plot}")
    if json_path is not None:
        from tzaar_envs.system.files import write_atomically

        content = json.dumps(as_json(measurements, *packages), indent=2) + "\n"
        write_atomically(json_path, content)
        print(f"The result is in {json_path}")
