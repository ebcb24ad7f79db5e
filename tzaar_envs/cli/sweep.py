"""The command `sweep`: training settings that learn fast."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tzaar_envs.cli.output import new_console, print_table, working
from tzaar_envs.command_line import EXIT_INTERRUPTED, PROGRAM, GameName, GameOptions, number
from tzaar_envs.system.extras import require_extra
from tzaar_envs.training.common.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from tzaar_envs.training.tuning.sweep import Outcome, Sweep

_DEFAULT = next(iter(ALGORITHMS))


def sweep(
    name: GameName | None = None,
    /,
    *,
    algo: Annotated[str, Parameter(help=f"Training script: {', '.join(ALGORITHMS)}.")] = _DEFAULT,
    trials: Annotated[int, number("Number of trials, with those of a resumed sweep.", 1)] = 30,
    minutes: Annotated[float, Parameter(help="Minutes of training in each trial.")] = 2.0,
    setting: Annotated[
        tuple[str, ...],
        Parameter(
            metavar="NAME=RANGE",
            help="Setting of the script and its range: LOW..HIGH, some values A,B,C, or one value "
            "for all trials; can be repeated. Other settings have default ranges.",
        ),
    ] = (),
    only: Annotated[
        bool, Parameter(help="Search only the settings that are given, no default ranges.")
    ] = False,
    seed: Annotated[int, number("Seed of the search and of each run.", 0)] = 0,
    option: GameOptions = (),
    folder: Annotated[
        Path | None,
        Parameter(help="Folder for the results. [default: sweeps/GAME-ALGO-TIME]"),
    ] = None,
    resume: Annotated[
        Path | None,
        Parameter(help="Folder of a sweep to resume; it holds all other settings but the trials."),
    ] = None,
) -> None:
    """Search for the training settings that learn fastest, with Optuna.

    Each trial is a run of the script. The area under its learning curve counts: points per game
    against all baselines, over the minutes. Bad trials end early. Ctrl-C keeps the trials that are
    over.
    """
    require_extra("sb3", "the training", "torch")
    require_extra("sweep", "the search", "optuna")
    with working("Loading the script"):
        from tzaar_envs.training.tuning.sweep import Sweep

        found = (
            Sweep.resume(resume, _ranges_of(setting))
            if resume is not None
            else _new_sweep(name, algo, minutes, setting, only, seed, option, folder)
        )
    print(f"Searching {', '.join(found.plan.ranges)}; everything is saved to {found.path}")
    interrupted = False
    try:
        found.run(trials, lambda outcome: print(_line_of(outcome), flush=True))
    except KeyboardInterrupt:
        interrupted = True
    _report(found)
    if interrupted:
        print(f"Interrupted; resume with:\n  {PROGRAM} sweep --resume {found.path}")
        sys.exit(EXIT_INTERRUPTED)


def _new_sweep(
    name: str | None,
    algo: str,
    minutes: float,
    setting: Sequence[str],
    only: bool,
    seed: int,
    option: Sequence[str],
    folder: Path | None,
) -> Sweep:
    from tzaar_envs.registry import find_spec
    from tzaar_envs.training.tuning.ranges import default_ranges
    from tzaar_envs.training.tuning.sweep import Plan, Sweep

    if name is None:
        raise ValueError("sweep needs a game, or --resume FOLDER")
    given = _ranges_of(setting)
    if only and not given:
        raise ValueError("--only needs a setting to search: give one with --setting NAME=RANGE")
    plan = Plan(find_spec(name).name, tuple(option), algo, float(minutes), seed, given)
    if not only:
        plan = replace(plan, ranges=default_ranges(plan.base()) | given)
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    return Sweep.begin(folder or Path("sweeps") / f"{plan.game}-{algo}-{stamp}", plan)


def _ranges_of(setting: Sequence[str]) -> dict[str, str]:
    """Return the ranges that the words of `--setting` give, by the names of the settings."""
    given: dict[str, str] = {}
    for text in setting:
        left, equals, right = text.partition("=")
        key = left.strip().lstrip("-").replace("-", "_")
        if not equals or key in given:
            problem = "is given twice" if equals else "is not allowed: use NAME=RANGE"
            raise ValueError(f"setting {text!r} {problem}")
        given[key] = right
    return given


def _line_of(outcome: Outcome) -> str:
    speed = "-" if outcome.speed is None else f"{outcome.speed:.3f}"
    return f"trial {outcome.number:3d}  {outcome.state:7}  {speed:>5}  {_settings(outcome)}"


def _settings(outcome: Outcome) -> str:
    return " ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in outcome.values.items()
    )


def _report(found: Sweep) -> None:
    """Print the trials, fastest first, and the command with the best settings."""
    outcomes = sorted(found.outcomes(), key=lambda each: -(each.speed or 0.0))
    rows = [
        (
            str(each.number),
            each.state,
            "-" if each.speed is None else f"{each.speed:.3f}",
            _settings(each),
        )
        for each in outcomes
    ]
    if rows:
        print()
        print_table(new_console(), ("trial", "state", "speed", "settings"), rows, right=("speed",))
    best = found.best()
    if best is not None:
        words = shlex.join([PROGRAM, *found.plan.train_words(best.values)])
        print(f"\nSpeed {best.speed:.3f}; train with these settings:\n  {words}")
