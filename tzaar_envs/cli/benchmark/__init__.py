"""The command `benchmark`: the speed of the suite on this machine.

Figures are medians of several runs with their range. `measures` has the measures of a game,
`networks` those of networks and of training, and `learning` how long scripts take to learn a game.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveFloat, PositiveInt

import tzaar_envs
from tzaar_envs.cli.output import new_console, working
from tzaar_envs.cli.parameters import JsonPath, check_output, game_of
from tzaar_envs.command_line import EXIT_INTERRUPTED, complete_game
from tzaar_envs.core.game import Game
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.interrupts import ctrl_c_was_pressed, noticing_ctrl_c, sigint_deferred
from tzaar_envs.system.machine import machine, versions
from tzaar_envs.training import ALGORITHMS

_PACKAGES = ("tzaar-envs", "numpy", "numba", "gymnasium", "pettingzoo")


def benchmark(
    names: Annotated[tuple[str, ...], Parameter(name="GAME...", completer=complete_game)] = (),
    /,
    *,
    training: bool = False,
    networks: bool = False,
    learning: bool = False,
    algo: Annotated[tuple[str, ...], Parameter(choices=tuple(ALGORITHMS))] = ("alphazero",),
    seeds: PositiveInt = 3,
    minutes: PositiveFloat = 15.0,
    clock: Literal["wall", "cpu"] = "wall",
    threads: NonNegativeInt = 0,
    folder: Path | None = None,
    json_path: JsonPath = None,
) -> None:
    """Measure the speed of the games on this machine, about a minute for each.

    Ctrl-C ends it; what is measured by then is reported and written.

    Args:
        names: Games to measure; by default all.
        training: Also measure MaskablePPO training, on each game and on a game without rules.
        networks: Measure instead search and self-play with a sparse network.
        learning: Measure instead how many minutes of training from nothing lead to given scores.
        algo: Script whose learning is measured; can be repeated.
        seeds: Runs of each script, with different seeds.
        minutes: Minutes of training in each run.
        clock: What these minutes are: those of the clock, or those of all cores for the run, which
            do not depend on what else they do.
        threads: Threads of each run; 0 uses all cores.
        folder: Folder for the runs; those that it holds are continued. [default:
            runs/learning-TIME]
    """
    from tzaar_envs.cli.benchmark.learning import LearningSettings, learning_run, report_learning
    from tzaar_envs.cli.benchmark.measures import measure_game, report_speed

    check_output("--json", json_path)
    if training or networks or learning:
        require_extra("sb3", "the training", "torch", "sb3_contrib")
    games = [game_of(name) for name in names or tzaar_envs.list_games()]
    facts = machine() | versions(*_PACKAGES, *(("torch",) if learning else ()))
    folder = folder or Path("runs") / f"learning-{datetime.now():%Y%m%d-%H%M%S}"
    parts: list[tuple[str, Iterable[Any]]]  # what is measured, in words, and the measurements
    if learning:
        common = LearningSettings(minutes, clock, threads)
        parts = [
            (
                f"{script} learns {game.spec.env_id}, seed {seed}",
                map(learning_run, [game], [script], [seed], [common], [folder]),
            )
            for game, script, seed in product(games, algo, range(seeds))
        ]
    else:
        measures: list[Callable[[Game], Iterable[Any]]] = [measure_game]
        if networks or training:
            from tzaar_envs.cli.benchmark.networks import measure_networks, measure_training

            measures = [measure_networks] if networks else [measure_game, measure_training]
        parts = [
            (f"Measuring {game.spec.env_id}", measure(game))
            for measure, game in product(measures, games)
        ]
    console = new_console()
    results: list[Any] = []
    interrupted = False
    try:
        with noticing_ctrl_c():
            console.print(", ".join(f"{name} {value}" for name, value in facts.items()))
            for what, entries in parts:
                with working(what):
                    for entry in entries:
                        results.append(entry)  # kept if Ctrl-C ends the loop
                        if ctrl_c_was_pressed():  # foreign code can swallow the exception
                            raise KeyboardInterrupt
    except KeyboardInterrupt:
        interrupted = True
    with sigint_deferred():  # what is measured is not lost
        (report_learning if learning else report_speed)(console, results)
        if json_path is not None:
            measured = [asdict(entry) for entry in results]
            content = {"machine": facts, "runs" if learning else "measurements": measured}
            write_atomically(json_path, json.dumps(content, indent=2) + "\n")
            print(f"The result is in {json_path}")
        if learning:
            print(f"The runs are in {folder}")
    if interrupted:
        again = f"the same command with --folder {folder} continues"
        print(f"Interrupted; {again if learning else 'the rest is not measured'}")
        sys.exit(EXIT_INTERRUPTED)
