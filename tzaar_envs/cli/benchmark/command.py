"""The command `benchmark`: speed on this machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

import tzaar_envs
from tzaar_envs.cli.output import new_console, table_of, working
from tzaar_envs.cli.parameters import JsonPath, check_free, game_of
from tzaar_envs.command_line import EXIT_INTERRUPTED, complete_game
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.interrupts import (
    ctrl_c_was_pressed,
    noticing_ctrl_c,
    sigint_deferred,
)

if TYPE_CHECKING:
    from rich.console import Console

    from tzaar_envs.cli.benchmark.learning import LearningRun
    from tzaar_envs.cli.benchmark.measurement import Measurement
    from tzaar_envs.core.game import Game
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
    networks: Annotated[
        bool, Parameter(help="Measure instead search and self-play with a sparse network.")
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
    clock: Annotated[
        Literal["wall", "cpu"],
        Parameter(
            help="What these minutes are: those of the clock, or those of all cores for the run, "
            "which do not depend on what else they do."
        ),
    ] = "wall",
    threads: Annotated[int, Parameter(help="Threads of each run; 0 uses all cores.")] = 0,
    folder: Annotated[
        Path | None,
        Parameter(
            metavar="FOLDER",
            help="Folder for the runs; those that it holds are continued. "
            "[default: runs/learning-TIME]",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        Parameter(
            metavar="FILE",
            help="Picture of steps/s over batch size and threads, PNG; or of learning curves, PNG "
            "or SVG.",
        ),
    ] = None,
    json_path: JsonPath = None,
) -> None:
    """Measure the speed of the games on this machine, about a minute for each.

    Ctrl-C ends it; what is measured by then is reported and written.
    """
    if learning:
        _measure_learning(names, algo, seeds, (minutes, clock, threads), folder, plot, json_path)
        return
    from tzaar_envs.registry import find_spec

    check_free("--json", json_path)
    check_free("--plot", plot)
    if plot is not None:
        require_extra("sb3", "the plot", "matplotlib")
    if training or networks:
        require_extra("sb3", "the training", "torch", "sb3_contrib")
    specs = [find_spec(name) for name in names or tzaar_envs.list_games()]
    with working():
        from tzaar_envs.cli.benchmark import as_json, environment
        from tzaar_envs.cli.benchmark.peers import PACKAGES
        from tzaar_envs.cli.benchmark.scaling import draw_scaling
        from tzaar_envs.system.files import write_atomically

    packages = PACKAGES if peers else ()
    console = new_console()
    measurements: list[Measurement] = []
    interrupted = False
    try:
        with noticing_ctrl_c():
            versions = environment(*packages)
            console.print(", ".join(f"{name} {value}" for name, value in versions.items()))
            for what, entries in _parts(specs, networks, training, peers, plot is not None):
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
    from tzaar_envs.cli.benchmark.scaling import SCALING

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
    settings: tuple[float, Literal["wall", "cpu"], int],
    folder: Path | None,
    plot: Path | None,
    json_path: Path | None,
) -> None:
    """Measure the learning speed of scripts on games."""
    from tzaar_envs.training.common.algorithms import ALGORITHMS

    check_free("--json", json_path)
    check_free("--plot", plot)
    require_extra("sb3", "the training", "torch", "matplotlib")
    for name in algorithms:
        if name not in ALGORITHMS:
            raise ValueError(f"there is no algorithm {name!r}: use {', '.join(ALGORITHMS)}")
    minutes, clock, threads = settings
    if seeds < 1 or not 0 < minutes < float("inf") or threads < 0:
        raise ValueError(
            f"seeds={seeds}, minutes={minutes:g}, threads={threads} is not allowed: use 1 seed or "
            "more, more than 0 minutes, 0 threads or more"
        )
    games = [game_of(name) for name in names or tzaar_envs.list_games()]
    from tzaar_envs.cli.benchmark import environment
    from tzaar_envs.cli.benchmark.learning import LearningSettings, learning_run

    folder = folder or Path("runs") / f"learning-{datetime.now():%Y%m%d-%H%M%S}"
    console = new_console()
    console.print(", ".join(f"{name} {value}" for name, value in environment("torch").items()))
    runs: list[LearningRun] = []
    interrupted = False
    try:
        for game, algorithm, seed in product(games, algorithms, range(seeds)):
            with working(f"{algorithm} learns {game.spec.env_id}, seed {seed}"):
                place = folder / f"{game.name}-{algorithm}-{seed}"
                common = LearningSettings(minutes, clock, threads)
                runs.append(learning_run(game, algorithm, seed, common, place))
    except KeyboardInterrupt:
        interrupted = True
    with sigint_deferred():  # what is measured is not lost
        _report_learning(console, games, runs, plot, json_path)
        print(f"The runs are in {folder}")
    if interrupted:
        print(f"Interrupted; the same command with --folder {folder} continues")
        sys.exit(EXIT_INTERRUPTED)


def _report_learning(
    console: Console,
    games: Sequence[Game],
    runs: Sequence[LearningRun],
    plot: Path | None,
    json_path: Path | None,
) -> None:
    """Print the table of runs, and write plot and JSON file."""
    from tzaar_envs.cli.benchmark import environment
    from tzaar_envs.cli.benchmark.learning import (
        EVALUATIONS,
        learning_table,
        runs_as_json,
        targets_of,
    )
    from tzaar_envs.cli.benchmark.learning_plot import draw_learning
    from tzaar_envs.system.files import write_atomically

    measured = {run.game for run in runs}
    targets = {game.spec.env_id: targets_of(game) for game in games if game.spec.env_id in measured}
    rows = [
        row
        for name, own in targets.items()
        for row in learning_table(own, [run for run in runs if run.game == name])
    ]
    columns = ("game", "script", "score", "seeds", "minutes", "CPU minutes", "best")
    console.print(table_of(columns, rows, right=("seeds", "minutes", "CPU minutes", "best")))
    console.print(
        f"From nothing; {EVALUATIONS} evaluations a run, whose time does not count. Minutes: "
        "median and range over the seeds that reached the score. Best: the highest of any seed."
    )
    if plot is not None and runs:
        draw_learning(plot, targets, runs)
        print(f"The plot is in {plot}")
    if json_path is not None:
        content = {"machine": environment("torch"), "runs": runs_as_json(runs)}
        write_atomically(json_path, json.dumps(content, indent=2) + "\n")
        print(f"The result is in {json_path}")


def _parts(
    specs: Sequence[GameSpec], networks: bool, training: bool, peers: bool, scaling: bool
) -> Iterator[tuple[str, Iterable[Measurement]]]:
    """Yield what is measured, one after the other: in words, and the measurements."""
    from tzaar_envs.cli.benchmark import run_benchmark
    from tzaar_envs.cli.benchmark.peers import measure_peers
    from tzaar_envs.cli.benchmark.scaling import measure_scaling

    if networks:
        from tzaar_envs.cli.benchmark.networks import measure_networks

        for spec in specs:
            yield f"networks on {spec.env_id}", measure_networks(game_of(spec.name))
        return
    for spec in specs:
        yield spec.env_id, run_benchmark(game_of(spec.name))
    if training:
        from tzaar_envs.cli.benchmark.training import measure_training

        for spec in specs:
            yield f"training on {spec.env_id}", measure_training(game_of(spec.name))
    if peers:
        yield "other suites", measure_peers()
    if scaling:
        for spec in specs:
            what = f"{spec.env_id} over batch size and threads"
            yield what, measure_scaling(game_of(spec.name))
