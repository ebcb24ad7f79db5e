"""The commands that train: `train`, and `sweep`, which searches for settings with Optuna.

The options of `train` come from the training script that `--algo` names.

A trial of a sweep is a `tzaar-envs train` in a process and a folder of its own. What it is worth is
the area under its learning curve; a trial that is worse than most after the same evaluation ends
early. The folder of a sweep has the journal of Optuna, which also holds what is searched.
"""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveFloat, PositiveInt

from tzaar_envs.cli import common
from tzaar_envs.registry import find_spec
from tzaar_envs.system.extras import require_extra
from tzaar_envs.training import ALGORITHMS, arguments_of, script_of

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution

    from tzaar_envs.training.common.settings import Settings

_DEFAULT = next(iter(ALGORITHMS))
_LISTING = "\n\n".join(f"{name}: {text}." for name, (_, text) in ALGORITHMS.items())
_CHOICE = Parameter(choices=tuple(ALGORITHMS), show_choices=False)

EVALUATIONS = 6  # of a trial, besides the one before its first step
_MAX_FAILURES = 3  # in a row
_LOGARITHMIC = 10  # a range that spans this factor is searched on a logarithmic scale
_STATES = {"COMPLETE": "done", "PRUNED": "stopped", "FAIL": "failed"}  # as Optuna has them
_OWN = ("game", "option", "folder", "resume", "seed", "minutes", "evaluate_every", "final_games")

# Default ranges, whatever the script: a factor of 4 around the default, some doublings and halves
# of it, or all between two numbers.
_AROUND = (
    "learning_rate", "entropy", "temperature", "replay_ratio", "policy_weight", "value_weight",
)  # fmt: skip
_DOUBLED = ("batch_size", "num_envs", "rollout", "round", "width", "gradient_steps")
_BETWEEN = {
    "epochs": (1, 6), "gamma": (0.95, 1.0), "gae_lambda": (0.8, 1.0), "td_lambda": (0.7, 1.0),
    "epsilon": (0.01, 0.3), "opening": (0, 24), "clip_range": (0.1, 0.4),
}  # fmt: skip


def train_command(words: Sequence[str] = ()) -> Callable[..., None]:
    """Return the command that trains, whose options are the settings of a training script.

    Args:
        words: The words of the user: the script, the game or the run to resume, whose settings are
            the defaults of the options.

    Raises:
        ValueError: The folder to resume has a run of another script, or a damaged one.
        FileNotFoundError: It does not hold a run.
        ModuleNotFoundError: The library of the script is not installed.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for flag in ("--algo", "--resume", "--device", "--shaping"):
        parser.add_argument(flag, nargs="?")
    told, others = parser.parse_known_args(words)
    folder = None
    if told.resume:
        from tzaar_envs.training.common.run import RunFolder

        folder = RunFolder(Path(told.resume))
        told.algo = told.algo or folder.read_config().get("algorithm")
    name = told.algo or _DEFAULT
    script = script_of(name)
    kind: type[Settings] = arguments_of(name)
    if folder is None:
        shaped = (told.shaping or "0").strip("0.") != ""  # what is no number is refused later
        defaults = kind.tuned(_game_among(others), told.device or "auto", shaped=shaped)
    else:
        defaults = vars(folder.settings(kind))

    def command(
        game: str = "", /, *, option: tuple[str, ...] = (), algo: str = "", settings: Any = None
    ) -> None:
        """Train a policy with MaskablePPO or another algorithm (`--algo`)."""
        arguments = kind(**vars(settings or suited()))
        script.train(
            dataclasses.replace(
                arguments,
                game=find_spec(game).name if game else arguments.game,
                option=option or arguments.option,
            )
        )

    suited = _with_defaults(kind, defaults)
    text = f"Training algorithm; the options of {name} are shown here.\n\n{_LISTING}"
    command.__annotations__ = {
        "game": common.GameName,
        "option": common.GameOptions,
        "algo": Annotated[str, Parameter(help=text, show_default=lambda _: _DEFAULT), _CHOICE],
        "settings": Annotated[suited | None, Parameter(name="*", help="Settings of the script.")],
    }
    return command


def _with_defaults(kind: type[Settings], defaults: dict[str, Any]) -> type[Settings]:
    """Return a dataclass of settings with other defaults, and with its annotations evaluated."""
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = [
        (field.name, hints[field.name], defaults.get(field.name, field.default))
        for field in dataclasses.fields(kind)
    ]
    own = {"__module__": kind.__module__}
    return dataclasses.make_dataclass(
        kind.__name__, fields, bases=(kind,), namespace=own, kw_only=True
    )


def _game_among(words: Sequence[str]) -> str:
    """Return the first of the words that is the name of a game, if possible no option's value."""
    alone = [word for before, word in pairwise(["", *words]) if not before.startswith("-")]
    for word in (*alone, *words):
        try:
            return find_spec(word).name
        except ValueError:
            continue
    return ""


def train_words(
    game: str, algorithm: str, settings: Mapping[str, Any], options: Sequence[str] = ()
) -> list[str]:
    """Return the words behind `tzaar-envs` that train with these settings of the script."""
    words = ["train", game, "--algo", algorithm]
    for text in options:
        words += ["--option", text]
    for name, value in settings.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is False:
            words.append(f"{flag}=false")
        else:
            words += [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    return words


# --- sweep ---------------------------------------------------------------------------------------


def sweep(
    name: common.GameName,
    /,
    *,
    algo: Annotated[str, Parameter(choices=tuple(ALGORITHMS))] = "sb3",
    trials: PositiveInt = 30,
    minutes: PositiveFloat = 2.0,
    setting: Annotated[tuple[str, ...], Parameter(metavar="NAME=RANGE")] = (),
    seed: NonNegativeInt = 0,
    option: common.GameOptions = (),
    folder: Path | None = None,
) -> None:
    """Search for the training settings that learn fastest, with Optuna.

    Each trial is one run, judged by the area under its learning curve: points per game against all
    baselines, over the minutes. Bad trials end early. Ctrl-C keeps the trials that are over: the
    same command with the same folder continues.

    Args:
        algo: Training script.
        trials: Number of trials, with those that the folder holds.
        minutes: Minutes of training in each trial.
        setting: Setting of the script and its range: LOW..HIGH, some values A,B,C, or one value for
            all trials; can be repeated. [default: default ranges of the usual settings]
        seed: Seed of the search and of each run.
        folder: Folder for the results; a sweep that it holds is continued. [default:
            sweeps/GAME-ALGO-TIME]
    """
    require_extra("sb3", "the training", "torch")
    require_extra("sweep", "the search", "optuna")
    with common.working("Loading the script"):
        kind: type[Settings] = arguments_of(algo)
        base = kind.for_game(name, option=option, minutes=minutes, seed=seed)
        base.check()
        game = base.load_game()
        ranges: dict[str, BaseDistribution] = {}
        # Single values first: others may be allowed with them alone.
        for text in sorted(setting, key=lambda text: "," in text or ".." in text):
            left, equals, right = text.partition("=")
            if not equals:
                raise ValueError(f"--setting {text!r} is not allowed: use NAME=RANGE")
            key = left.strip().lstrip("-").replace("-", "_")
            ranges[key] = parse_range(base, key, right)
            choices: Sequence[Any] = getattr(ranges[key], "choices", ())
            if len(choices) == 1:
                base = dataclasses.replace(base, **{key: choices[0]})
        ranges = ranges or default_ranges(base)
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        path = folder or Path("sweeps") / f"{game.name}-{algo}-{stamp}"
        searched = {key: str(allowed) for key, allowed in ranges.items()}
        run = {"game": game.name, "algorithm": algo, "options": list(option)}
        plan = {"run": run, "minutes": minutes, "seed": seed, "ranges": searched}
        study = open_study(path, plan)
        if not study.trials:
            defaults = {key: getattr(base, key) for key in ranges}
            study.enqueue_trial(
                {key: defaults[key] for key in ranges if _has(ranges[key], defaults[key])}
            )
    print(f"Searching {', '.join(ranges)}; everything is saved to {path}")
    try:
        _run(study, ranges, path, trials)
    except KeyboardInterrupt:
        print(f"Interrupted; the same command with --folder {shlex.quote(str(path))} continues")
        raise
    finally:
        _report(study)


# --- ranges --------------------------------------------------------------------------------------


def default_ranges(settings: Settings) -> dict[str, BaseDistribution]:
    """Return the ranges that are searched where none are given, by the names of the settings."""
    from optuna.distributions import CategoricalDistribution

    ranges: dict[str, BaseDistribution] = {}
    for name, value in vars(settings).items():
        if name in _DOUBLED:
            values = {max(1, int(value * factor)) for factor in (0.25, 0.5, 1, 2, 4)}
            ranges[name] = CategoricalDistribution(sorted(values))
        elif name in _AROUND and value:
            ranges[name] = _numbers(value / 4, value * 4)
        elif name in _BETWEEN:
            low, high = _BETWEEN[name]
            ranges[name] = _numbers(min(low, value), max(high, value))
    return ranges


def _numbers(low: float, high: float) -> BaseDistribution:
    """Return all numbers between two: whole ones if both are."""
    from optuna.distributions import FloatDistribution, IntDistribution

    log = 0 < low * _LOGARITHMIC <= high
    if isinstance(low, int) and isinstance(high, int):
        return IntDistribution(low, high, log=log)
    return FloatDistribution(low, high, log=log)


def _has(allowed: Any, value: Any) -> bool:
    """Whether a range has a value, of the same type as its own."""
    choices = getattr(allowed, "choices", None)
    return allowed.low <= value <= allowed.high if choices is None else value in choices


def parse_range(settings: Settings, name: str, text: str) -> BaseDistribution:
    """Return the range of a setting.

    Args:
        settings: Settings of the runs; they say what the setting is.
        name: Name of the setting.
        text: `LOW..HIGH` for all numbers between, else values that are separated by commas.

    Raises:
        ValueError: There is no such setting, or the range is not allowed.
    """
    from optuna.distributions import CategoricalDistribution

    kind = type(getattr(settings, name, None))
    if name in _OWN or kind not in (bool, int, float, str):
        raise ValueError(
            f"{name!r} is no setting that a sweep of --algo {settings.algorithm} can search: see "
            f"{common.PROGRAM} train --algo {settings.algorithm} --help"
        )
    low, dots, high = text.partition("..")
    is_span = bool(dots) and kind in (int, float)
    words = [low, high] if is_span else text.split(",")
    try:
        values = [msgspec.convert(word.strip(), kind, strict=False) for word in words]
        if is_span and not values[0] < values[1]:
            raise ValueError(f"{name}={text} is not allowed: the first number must be the smaller")
        for value in values:
            changed: dict[str, Any] = {name: value}
            dataclasses.replace(settings, **changed).check()
    except msgspec.ValidationError:
        wanted = {bool: "true or false", int: "integers", float: "numbers"}[kind]
        raise ValueError(f"{name}={text} is not allowed: use {wanted}") from None
    return _numbers(*values) if is_span else CategoricalDistribution(values)


# --- trials --------------------------------------------------------------------------------------


def open_study(path: Path, plan: dict[str, Any]) -> Study:
    """Return the study in a folder, new or continued; a trial that was killed is repeated.

    Raises:
        ValueError: The folder holds a sweep of other settings.
    """
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    path.mkdir(parents=True, exist_ok=True)
    study = optuna.create_study(
        storage=JournalStorage(JournalFileBackend(str(path / "trials.log"))),
        study_name="sweep",
        direction="maximize",
        load_if_exists=True,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=3, n_warmup_steps=EVALUATIONS // 3),
    )
    found = study.user_attrs.get("plan", plan)
    if found != plan:
        raise ValueError(f"{path} holds a sweep with {found}, not {plan}: use another folder")
    study.set_user_attr("plan", plan)
    # A sweep that is continued must not draw what it has drawn before.
    seed = (plan["seed"] + len(study.trials)) % 2**32
    study.sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=5)
    for trial in study.get_trials(states=[optuna.trial.TrialState.RUNNING]):
        study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
        study.enqueue_trial(trial.params)
    return study


def _run(study: Study, ranges: dict[str, BaseDistribution], path: Path, trials: int) -> None:
    """Run trials until so many have ended by themselves or were stopped early.

    Raises:
        ChildProcessError: Several trials in a row have failed; quotes the last one.
    """
    from optuna.trial import TrialState

    from tzaar_envs.training.common.evaluation import learning_speed
    from tzaar_envs.training.common.run import RunFolder, evaluations_of

    plan, failures = study.user_attrs["plan"], 0
    while len(study.get_trials(states=(TrialState.COMPLETE, TrialState.PRUNED))) < trials:
        trial = study.ask(ranges)
        folder = RunFolder(path / f"trial-{trial.number:04d}")
        common = {
            "minutes": plan["minutes"],
            "evaluate_every": plan["minutes"] / EVALUATIONS,
            "seed": plan["seed"],
            "final_games": 1,
            "folder": folder.path,
        }
        state, speed, evaluations = TrialState.COMPLETE, 0.0, []
        try:
            words = train_words(settings=trial.params | common, **plan["run"])
            for evaluation in evaluations_of(words, folder):
                evaluations.append(evaluation)
                speed = learning_speed(evaluations)
                trial.report(speed, len(evaluations) - 1)
                if trial.should_prune():
                    state = TrialState.PRUNED
                    break
            failures = 0
        except ChildProcessError as error:
            state, failures = TrialState.FAIL, failures + 1
            if failures == _MAX_FAILURES:
                raise ChildProcessError(
                    f"{_MAX_FAILURES} trials in a row have failed; the last: {error}"
                ) from error
        study.tell(trial, speed if state == TrialState.COMPLETE else None, state)
        print(f"trial {trial.number}: {speed:.3f}, {_STATES[state.name]}", flush=True)


def _report(study: Study) -> None:
    """Print the trials, fastest first, and the command with the best settings."""
    ended = [(trial.value, trial) for trial in study.trials if trial.value is not None]
    rows = []
    for speed, trial in sorted(ended, key=itemgetter(0), reverse=True):
        short = {
            name: f"{value:.4g}" if isinstance(value, float) else value
            for name, value in trial.params.items()
        }
        state = _STATES[trial.state.name]
        rows.append((str(trial.number), state, f"{speed:.3f}", common.assignments(short)))
    print()
    columns = ("trial", "state", "speed", "settings")
    common.new_console().print(common.table_of(columns, rows, right=("speed",)))
    if any(state == "done" for _, state, *_ in rows):
        best = study.best_trial
        run = study.user_attrs["plan"]["run"]
        words = shlex.join([common.PROGRAM, *train_words(settings=best.params, **run)])
        print(f"\nSpeed {best.value:.3f}; train with these settings:\n  {words}")
