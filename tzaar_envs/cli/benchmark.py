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
    learning: Annotated[
        bool,
        Parameter(
            help="Measure instead how many minutes of training from nothing lead to given scores."
        ),
    ] = False,
    algo: Annotated[
        tuple[str, ...],
        Parameter(help="Script whose learning is measured; may be repeated."),
    ] = ("alphazero",),
    seeds: Annotated[int, Parameter(help="Runs of each script, with different seeds.")] = 3,
    minutes: Annotated[float, Parameter(help="Minutes of training in each run.")] = 15.0,
    threads: Annotated[int, Parameter(help="Threads of each run; 0 uses all cores.")] = 0,
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
    if learning:
        _measure_learning(names, algo, seeds, minutes, threads, json_path)
        return
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


def _measure_learning(
    names: Sequence[str],
    algorithms: Sequence[str],
    seeds: int,
    minutes: float,
    threads: int,
    json_path: Path | None,
) -> None:
    """Measure the learning speed of scripts on games."""
    from tzaar_envs.registry import find_spec
    from tzaar_envs.training.common.algorithms import ALGORITHMS

    check_free("--json", json_path)
    require_extra("sb3", "the training", "torch")
    for name in algorithms:
        if name not in ALGORITHMS:
            raise ValueError(f"there is no algorithm {name!r}: use {', '.join(ALGORITHMS)}")
    if seeds < 1 or not 0 < minutes < float("inf") or threads < 0:
        raise ValueError(
            f"seeds={seeds}, minutes={minutes:g}, threads={threads} is not allowed: use 1 seed or "
            "more, more than 0 minutes, 0 threads or more"
        )
    specs = [find_spec(name) for name in names or tzaar_envs.list_games()]
    from tzaar_envs.benchmark import environment
    from tzaar_envs.benchmark.learning import (
        LearningRun,
        learning_table,
        measure_learning,
        runs_as_json,
        targets_of,
    )

    console = new_console()
    console.print(", ".join(f"{name} {value}" for name, value in environment("torch").items()))
    runs: list[LearningRun] = []
    interrupted = False
    try:
        for spec in specs:
            game = game_of(spec, ())
            for algorithm in algorithms:
                with working(f"{algorithm} learns {spec.env_id}"):
                    for run in measure_learning(game, algorithm, seeds, minutes, threads):
                        runs.append(run)  # kept if Ctrl-C ends the loop
    except KeyboardInterrupt:
        interrupted = True
    rows = [
        row
        for spec in specs
        if (own := [run for run in runs if run.game == spec.env_id])
        for row in learning_table(targets_of(game_of(spec, ())), own)
    ]
    columns = ("game", "script", "score", "seeds", "minutes", "CPU minutes", "best")
    console.print(table_of(columns, rows, right=("seeds", "minutes", "CPU minutes", "best")))
    console.print(
        f"From nothing, {minutes:g} minutes a run, evaluated 12 times; evaluations do not count. "
        "Median and range over the seeds that reached the score."
    )
    if json_path is not None:
        from tzaar_envs.system.files import write_atomically

        content = {"machine": environment("torch"), "runs": runs_as_json(runs)}
        write_atomically(json_path, json.dumps(content, indent=2) + "\n")
        print(f"The result is in {json_path}")
    if interrupted:
        print("Interrupted; the rest is not measured")
        sys.exit(EXIT_INTERRUPTED)


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
