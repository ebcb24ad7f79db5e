"""The command `benchmark`: the speed of the suite on this machine.

Figures are medians of several runs with their range. `measures` has the measures of a game, and
`networks` those of networks and of training.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from itertools import product
from typing import Annotated

from cyclopts import Parameter

import tzaar_envs
from tzaar_envs.cli import common
from tzaar_envs.core.game import Game
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.interrupts import noticing_ctrl_c, signals_deferred
from tzaar_envs.system.machine import machine, versions

_PACKAGES = ("tzaar-envs", "numpy", "numba", "gymnasium", "pettingzoo")


def benchmark(
    names: Annotated[
        tuple[str, ...], Parameter(name="GAME...", completer=common.complete_game)
    ] = (),
    /,
    *,
    training: bool = False,
    networks: bool = False,
    json_path: common.JsonPath = None,
) -> None:
    """Measure the speed of the games on this machine, about a minute for each.

    Ctrl-C ends it; what is measured by then is reported and written.

    Args:
        names: Games to measure; by default all.
        training: Also measure MaskablePPO training.
        networks: Measure instead search and self-play with a sparse network.
    """
    from tzaar_envs.cli.benchmark.measures import Measurement, measure_game, report_speed

    common.check_output("--json", json_path)
    games = [common.game_of(name) for name in names or tzaar_envs.list_games()]
    facts = machine() | versions(*_PACKAGES)
    measures: list[Callable[[Game], Iterable[Measurement]]] = [measure_game]
    if networks or training:
        require_extra("sb3", "the training", "torch", "sb3_contrib")
        from tzaar_envs.cli.benchmark.networks import measure_networks, measure_training

        measures = [measure_networks] if networks else [measure_game, measure_training]
    console = common.new_console()
    results: list[Measurement] = []
    try:
        with noticing_ctrl_c() as ctrl_c_was_pressed:
            console.print(", ".join(f"{name} {value}" for name, value in facts.items()))
            for measure, game in product(measures, games):
                with common.working(f"Measuring {game.spec.env_id}"):
                    for entry in measure(game):
                        results.append(entry)  # kept if Ctrl-C ends the loop
                        if ctrl_c_was_pressed():  # foreign code can swallow the exception
                            raise KeyboardInterrupt
    except KeyboardInterrupt:
        print("Interrupted; the rest is not measured")
        raise
    finally:
        with signals_deferred():  # what is measured is not lost
            report_speed(console, results)
            if json_path is not None:
                content = {"machine": facts, "measurements": [asdict(entry) for entry in results]}
                write_atomically(json_path, json.dumps(content, indent=2) + "\n")
                print(f"The result is in {json_path}")
