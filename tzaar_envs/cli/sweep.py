"""The command `sweep`: training settings that learn fast, searched with Optuna.

A trial is a `tzaar-envs train` in a process and a folder of its own. What it is worth is the area
under its learning curve; a trial that is worse than most after the same evaluation ends early. The
folder of a sweep has one file, the journal of Optuna, which also holds what is searched.
"""

from __future__ import annotations

import dataclasses
import shlex
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from cyclopts import Parameter

from tzaar_envs.cli.output import new_console, print_table, working
from tzaar_envs.command_line import EXIT_INTERRUPTED, PROGRAM, GameName, GameOptions, number
from tzaar_envs.system.extras import require_extra
from tzaar_envs.training import ALGORITHMS, script_of

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial, Trial

    from tzaar_envs.training.common.settings import Settings

EVALUATIONS = 6  # of a trial, besides the one before its first step
_MAX_FAILURES = 3  # in a row
_UNPRUNED = 3  # trials that are not compared
_LOGARITHMIC = 10  # a range that spans this factor is searched on a logarithmic scale
_OWN = ("game", "option", "folder", "resume", "seed", "minutes", "evaluate_every", "final_games")

# Default ranges, whatever the script: a factor around the default, some doublings and halves of it,
# or all between two numbers.
_AROUND = {
    "learning_rate": 4, "entropy": 4, "temperature": 4, "replay_ratio": 3, "policy_weight": 4,
    "value_weight": 4,
}  # fmt: skip
_DOUBLED = ("batch_size", "num_envs", "rollout", "round", "width", "gradient_steps")
_BETWEEN = {
    "epochs": (1, 6), "gamma": (0.95, 1), "gae_lambda": (0.8, 1), "td_lambda": (0.7, 1),
    "epsilon": (0.01, 0.3), "opening": (0, 24), "clip_range": (0.1, 0.4),
}  # fmt: skip


class Numbers(NamedTuple):
    """All numbers between two: whole ones if both are."""

    low: float
    high: float


Range = Numbers | list[Any]
"""Numbers, or a list of values."""


def sweep(
    name: GameName | None = None,
    /,
    *,
    algo: Annotated[str, Parameter(help=f"Training script: {', '.join(ALGORITHMS)}.")] = "sb3",
    trials: Annotated[int, number(low=1)] = 30,
    minutes: float = 2.0,
    setting: Annotated[tuple[str, ...], Parameter(metavar="NAME=RANGE")] = (),
    only: bool = False,
    seed: Annotated[int, number(low=0)] = 0,
    option: GameOptions = (),
    folder: Path | None = None,
    resume: Path | None = None,
) -> None:
    """Search for the training settings that learn fastest, with Optuna.

    Each trial is a run of the script. The area under its learning curve counts: points per game
    against all baselines, over the minutes. Bad trials end early. Ctrl-C keeps the trials that are
    over.

    Args:
        trials: Number of trials, with those of a resumed sweep.
        minutes: Minutes of training in each trial.
        setting: Setting of the script and its range: LOW..HIGH, some values A,B,C, or one value for
            all trials; can be repeated. Other settings have default ranges.
        only: Search only the settings that are given, no default ranges.
        seed: Seed of the search and of each run.
        folder: Folder for the results. [default: sweeps/GAME-ALGO-TIME]
        resume: Folder of a sweep to resume; it holds all other settings but the trials.
    """
    require_extra("sb3", "the training", "torch")
    require_extra("sweep", "the search", "optuna")
    if resume is None and name is None:
        raise ValueError("sweep needs a game, or --resume FOLDER")
    with working("Loading the script"):
        if resume is not None:
            path = resume
            if not (path / "trials.log").exists():
                raise FileNotFoundError(f"{path} does not hold a sweep to resume (no trials.log)")
            study = _open_study(path)
            plan: dict[str, Any] = study.user_attrs["plan"]
            base = _base_of(plan)
        else:
            plan = {"game": name, "algo": algo, "minutes": minutes, "seed": seed}
            plan |= {"option": list(option), "ranges": _given_ranges(setting)}
            if only and not plan["ranges"]:
                raise ValueError("--only needs a setting to search: give --setting NAME=RANGE")
            base = _base_of(plan)
            if not only:
                plan["ranges"] = default_ranges(base) | plan["ranges"]
            stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
            path = folder or Path("sweeps") / f"{base.load_game().name}-{algo}-{stamp}"
        ranges = {key: parse_range(base, key, text) for key, text in plan["ranges"].items()}
        if resume is None:
            if (path / "trials.log").exists():
                raise FileExistsError(f"{path} already holds a sweep: resume it")
            path.mkdir(parents=True, exist_ok=True)
            study = _open_study(path)
            study.set_user_attr("plan", plan)
            study.enqueue_trial(_defaults_within(base, ranges))
    print(f"Searching {', '.join(ranges)}; everything is saved to {path}")
    interrupted = False
    try:
        _run(study, plan, ranges, path, trials)
    except KeyboardInterrupt:
        interrupted = True
    _report(study, plan)
    if interrupted:
        print(f"Interrupted; resume with:\n  {PROGRAM} sweep --resume {path}")
        sys.exit(EXIT_INTERRUPTED)


# --- ranges --------------------------------------------------------------------------------------


def _base_of(plan: Mapping[str, Any]) -> Settings:
    """Return the settings of the first trial: the defaults of the script for the game."""
    base: Settings = script_of(plan["algo"]).Arguments.for_game(
        plan["game"], option=tuple(plan["option"]), minutes=plan["minutes"], seed=plan["seed"]
    )
    if not base.minutes:
        raise ValueError("minutes=0 is not allowed: use more than 0")
    base.check()
    base.load_game()
    return base


def _given_ranges(setting: Sequence[str]) -> dict[str, str]:
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


def default_ranges(settings: Settings) -> dict[str, str]:
    """Return the ranges that are searched where none are given, by the names of the settings."""
    ranges = {}
    for name, value in vars(settings).items():
        if name in _DOUBLED:
            values = {max(1, value // 4), max(1, value // 2), value, value * 2, value * 4}
            ranges[name] = ",".join(map(str, sorted(values)))
        elif name in _AROUND:
            ranges[name] = f"{value / _AROUND[name]:g}..{value * _AROUND[name]:g}" if value else "0"
        elif name in _BETWEEN:
            low, high = _BETWEEN[name]
            ranges[name] = f"{min(low, value):g}..{max(high, value):g}"
    return ranges


def parse_range(settings: Settings, name: str, text: str) -> Range:
    """Return the range of a setting.

    Args:
        settings: Settings of the runs; they say what the setting is.
        name: Name of the setting.
        text: `LOW..HIGH` for all numbers between, else values that are separated by commas.

    Raises:
        ValueError: There is no such setting, or the range is not allowed.
    """
    kind: Any = type(getattr(settings, name, None))
    if name in _OWN or not issubclass(kind, bool | int | float | str):
        raise ValueError(
            f"{name!r} is no setting that a sweep of --algo {settings.algorithm} can search"
        )
    low, dots, high = text.partition("..")
    is_span = bool(dots) and kind in (int, float)
    try:
        words = (low, high) if is_span else text.split(",")
        values: list[Any] = [msgspec.convert(word.strip(), kind, strict=False) for word in words]
        if is_span and not values[0] < values[1]:
            raise ValueError("the first number must be the smaller one")
        for value in values:
            changed: dict[str, Any] = {name: value}
            dataclasses.replace(settings, **changed).check()
    except ValueError as error:
        raise ValueError(f"the range {name}={text} is not allowed: {error}") from error
    return Numbers(*values) if is_span else values


def _defaults_within(settings: Settings, ranges: Mapping[str, Range]) -> dict[str, Any]:
    """Return the settings that the script would have, as far as the ranges allow them."""
    defaults = {}
    for name, allowed in ranges.items():
        value = getattr(settings, name)
        is_number = isinstance(allowed, Numbers)
        if allowed[0] <= value <= allowed[1] if is_number else value in allowed and allowed[1:]:
            defaults[name] = value
    return defaults


# --- trials --------------------------------------------------------------------------------------


def _open_study(path: Path) -> Study:
    """Return the study in a folder; a trial whose process was killed is repeated."""
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend
    from optuna.trial import TrialState

    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    storage = JournalStorage(JournalFileBackend(str(path / "trials.log")))
    study = optuna.create_study(
        storage=storage, study_name="sweep", direction="maximize", load_if_exists=True
    )
    for trial in study.get_trials(deepcopy=False, states=[TrialState.RUNNING]):
        study.tell(trial.number, state=TrialState.FAIL)
        study.enqueue_trial(trial.params)
    return study


def _run(
    study: Study, plan: Mapping[str, Any], ranges: Mapping[str, Range], path: Path, trials: int
) -> None:
    """Run trials until so many have ended by themselves or were stopped early.

    Raises:
        ChildProcessError: Several trials in a row have failed; quotes the last one.
        KeyboardInterrupt: The trial that was running will be repeated.
    """
    import optuna
    from optuna.trial import TrialState

    from tzaar_envs.training.common.evaluation import learning_speed
    from tzaar_envs.training.common.run import RunFolder, evaluations_of

    # A resumed search must not draw what it has drawn before.
    seed = (plan["seed"] + len(study.trials)) % 2**32
    study.sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=5)
    study.pruner = optuna.pruners.MedianPruner(_UNPRUNED, n_warmup_steps=EVALUATIONS // 3)

    def objective(trial: Trial) -> float:
        values = {name: _draw(trial, name, allowed) for name, allowed in ranges.items()}
        trial.set_user_attr("values", values)
        folder = RunFolder(path / f"trial-{trial.number:04d}")
        minutes = plan["minutes"]
        words = [
            *train_words(plan, values),
            *("--minutes", f"{minutes:g}", "--evaluate-every", f"{minutes / EVALUATIONS:g}"),
            *("--seed", str(plan["seed"]), "--final-games", "1", "--folder", str(folder.path)),
        ]
        evaluations: list[dict[str, Any]] = []
        try:
            for evaluation in evaluations_of(words, folder):
                evaluations.append(evaluation)
                trial.report(learning_speed(evaluations), len(evaluations) - 1)
                if trial.should_prune():
                    raise optuna.TrialPruned
        except KeyboardInterrupt:
            study.enqueue_trial(trial.params)
            raise
        except ChildProcessError as error:
            trial.set_user_attr("error", str(error))
            raise
        return learning_speed(evaluations)

    def after_trial(study: Study, trial: FrozenTrial) -> None:
        print(f"trial {'  '.join(_row_of(trial))}", flush=True)
        last = [each.state for each in study.trials[-_MAX_FAILURES:]]
        if last == [TrialState.FAIL] * _MAX_FAILURES:
            reason = trial.user_attrs["error"]
            raise ChildProcessError(
                f"{_MAX_FAILURES} trials in a row have failed; the last: {reason}"
            )

    ended = (TrialState.COMPLETE, TrialState.PRUNED)
    while len(study.get_trials(deepcopy=False, states=ended)) < trials:
        study.optimize(objective, 1, catch=(ChildProcessError,), callbacks=[after_trial])


def _draw(trial: Trial, name: str, allowed: Range) -> Any:
    """Return a value for a setting, as the command line has it."""
    if not isinstance(allowed, Numbers):
        return trial.suggest_categorical(name, allowed) if len(allowed) > 1 else allowed[0]
    low, high = allowed
    log = 0 < low * _LOGARITHMIC <= high
    if isinstance(low, int) and isinstance(high, int):
        return trial.suggest_int(name, low, high, log=log)
    return float(f"{trial.suggest_float(name, low, high, log=log):.4g}")


def train_words(plan: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    """Return the words of the command that trains with these settings."""
    words = ["train", plan["game"], "--algo", plan["algo"]]
    for text in plan["option"]:
        words += ["--option", text]
    for name, value in values.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not False:
            words += [flag, f"{value:.4g}" if isinstance(value, float) else str(value)]
    return words


def _row_of(trial: FrozenTrial) -> tuple[str, str, str, str]:
    """Return number, state, learning speed and settings of a trial."""
    state = {"COMPLETE": "done", "PRUNED": "stopped", "FAIL": "failed"}[trial.state.name]
    speeds = list(trial.intermediate_values.values())
    settings = " ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in trial.user_attrs.get("values", {}).items()
    )
    return str(trial.number), state, f"{speeds[-1]:.3f}" if speeds else "-", settings


def _report(study: Study, plan: Mapping[str, Any]) -> None:
    """Print the trials, fastest first, and the command with the best settings."""
    ended = [trial for trial in study.trials if trial.state.is_finished()]
    rows = sorted(map(_row_of, ended), key=lambda row: row[2].replace("-", ""), reverse=True)
    if rows:
        print()
        print_table(new_console(), ("trial", "state", "speed", "settings"), rows, right=("speed",))
    if any(row[1] == "done" for row in rows):
        best = study.best_trial
        words = shlex.join([PROGRAM, *train_words(plan, best.user_attrs["values"])])
        print(f"\nSpeed {best.value:.3f}; train with these settings:\n  {words}")
