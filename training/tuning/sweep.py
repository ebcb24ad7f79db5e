"""Search of training settings by learning speed, with Optuna (needs the extra `sweep`).

A trial is a `tzaar-envs train` in a process of its own. What it is worth is the area under its
learning curve, see `learning_speed`; a trial that is worse than most after the same evaluation ends
early. The first trial has the defaults.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.interrupts import sigint_deferred
from tzaar_envs.system.programs import Program, ProgramEndedError
from tzaar_envs.training.common.algorithms import settings_of
from tzaar_envs.training.common.run_folder import RunFolder, danger_of, read_json
from tzaar_envs.training.common.settings import Settings
from tzaar_envs.training.tuning.ranges import Choices, Range, Value, as_words, parse_range

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial, Trial

EVALUATIONS = 6  # of a trial, besides the one before its first step
_PATIENT = 3  # trials that are not compared
_MOST_FAILURES = 3  # in a row
_LONG = 3600.0  # seconds
_JOURNAL = "trials.log"


@dataclass(frozen=True)
class Plan:
    """What a sweep searches, as its folder keeps it.

    Attributes:
        game: the name of the game.
        option: its options, as `name=value`.
        algorithm: of the script.
        minutes: of training in each trial.
        seed: of the search and of each run.
        ranges: texts, by the names of the settings.
    """

    game: str
    option: tuple[str, ...]
    algorithm: str
    minutes: float
    seed: int
    ranges: dict[str, str]

    def base(self) -> Settings:
        """Return the settings of the first trial: the defaults, of runs from scratch if all are.

        Raises:
            ValueError: there is no such game or script, or a value is not allowed.
        """
        if not 0 < self.minutes < math.inf:
            raise ValueError(f"minutes={self.minutes:g} is not allowed: use more than 0")
        settings = settings_of(self.algorithm).for_game(
            self.game,
            option=self.option,
            minutes=self.minutes,
            seed=self.seed,
            from_scratch=self.ranges.get("from_scratch") == "true",
        )
        settings.check()
        return settings

    def parsed_ranges(self) -> dict[str, Range]:
        """Return the ranges.

        Raises:
            ValueError: one is not allowed.
        """
        base = self.base()
        return {name: parse_range(base, name, text) for name, text in self.ranges.items()}

    def train_words(self, values: Mapping[str, Value]) -> list[str]:
        """Return the words of the command that trains with these settings."""
        options = [word for text in self.option for word in ("--option", text)]
        return ["train", self.game, "--algo", self.algorithm, *options, *as_words(values)]


@dataclass(frozen=True)
class Outcome:
    """What came of a trial.

    Attributes:
        number: of the trial.
        state: `done`, `stopped` early, or `failed`.
        speed: the area under its learning curve; None if it has none.
        values: its settings.
    """

    number: int
    state: str
    speed: float | None
    values: dict[str, Value]


def learning_speed(evaluations: Sequence[Mapping[str, Any]]) -> float:
    """Return the area under a learning curve, divided by its minutes.

    The curve shows the mean score against all baselines: points per game, of which a draw gives
    half of one. Before the first evaluation it is 0.

    Args:
        evaluations: as `RunFolder.read_evaluations` returns them, at least one.
    """
    minutes = [float(each["minutes"]) for each in evaluations]
    scores = [_score(each["results"]) for each in evaluations]
    if minutes[-1] == 0:
        return scores[-1]
    pairs = zip(minutes, minutes[1:], scores, scores[1:], strict=False)
    return sum((end - begin) * (one + two) / 2 for begin, end, one, two in pairs) / minutes[-1]


def _score(results: Mapping[str, Sequence[Sequence[int]]]) -> float:
    """Return the mean of the points per game against each baseline."""
    scores = []
    for seats in results.values():
        points = sum(wins + draws / 2 for wins, draws, _ in seats)
        scores.append(points / sum(map(sum, seats)))
    return sum(scores) / len(scores)


class Sweep:
    """A search in a folder, new or resumed.

    Args:
        path: of the folder.

    Attributes:
        path: of the folder.
        plan: what is searched.
    """

    def __init__(self, path: Path, plan: Plan, study: Study) -> None:
        self.path = path
        self.plan = plan
        self._study = study
        self._ranges = plan.parsed_ranges()
        self._base = plan.base()
        self._seats = self._base.load_game().num_players

    @classmethod
    def begin(cls, path: Path, plan: Plan) -> Sweep:
        """Return a new search.

        Raises:
            ValueError: something is not allowed in the plan.
            FileExistsError: the folder already holds a sweep.
            ModuleNotFoundError: the extra `sweep` is not installed.
        """
        require_extra("sweep", "the search", "optuna")
        plan.parsed_ranges()
        plan.base().load_game()
        if (path / "sweep.json").exists():
            raise FileExistsError(
                f"{path} already holds a sweep: resume it, or choose another folder"
            )
        path.mkdir(parents=True, exist_ok=True)
        write_atomically(path / "sweep.json", json.dumps(dataclasses.asdict(plan), indent=2) + "\n")
        sweep = cls(path, plan, _open_study(path, plan))
        sweep._repeat(sweep._defaults())
        return sweep

    @classmethod
    def resume(cls, path: Path, named: Mapping[str, str] | None = None) -> Sweep:
        """Return the search in a folder.

        Args:
            path: of the folder.
            named: ranges that the user has named; only there may a program be started.

        Raises:
            ValueError: its files are not those of a sweep, or name a program.
            FileNotFoundError: it holds none.
            ModuleNotFoundError: the extra `sweep` is not installed.
        """
        require_extra("sweep", "the search", "optuna")
        from optuna.trial import TrialState

        if not (path / "sweep.json").exists():
            raise FileNotFoundError(f"{path} does not hold a sweep to resume (no sweep.json)")
        plan = _read_plan(path / "sweep.json")
        _check_trusted(path / "sweep.json", plan, named or {})
        study = _open_study(path, plan)
        try:
            sweep = cls(path, plan, study)
        except ValueError as error:
            raise ValueError(
                f"{path / 'sweep.json'} is not the plan of a sweep: {_reason(error)}"
            ) from error
        with _reading(path):
            for trial in sweep._study.get_trials(deepcopy=False, states=[TrialState.RUNNING]):
                # Its process was killed.
                sweep._study.tell(trial.number, state=TrialState.FAIL)
                sweep._repeat(trial.params)
        return sweep

    def _defaults(self) -> dict[str, Value]:
        """Return the settings that the script would have, as far as the ranges allow them."""
        own = {name: getattr(self._base, name) for name in self._ranges}
        return {
            name: value
            for name, value in own.items()
            if self._ranges[name].holds(value) and len(self._ranges[name].ends) > 1
        }

    def outcomes(self) -> list[Outcome]:
        """Return the trials so far that are over, in their order."""
        with _reading(self.path):
            return [
                _outcome_of(trial)
                for trial in self._study.get_trials(deepcopy=False)
                if trial.state.is_finished()
            ]

    def run(self, trials: int, report: Callable[[Outcome], None]) -> None:
        """Run trials until so many have ended by themselves or were stopped early.

        Args:
            trials: how many, with those before.
            report: called after each.

        Raises:
            ChildProcessError: several trials in a row have failed; quotes the last one.
            KeyboardInterrupt: the trial that was running is lost.
        """
        from optuna.trial import TrialState

        failures = 0
        while sum(each.state != "failed" for each in self.outcomes()) < trials:
            with sigint_deferred():
                trial = self._study.ask()
                values = {name: _draw(trial, name, each) for name, each in self._ranges.items()}
                trial.set_user_attr("values", values)
            state = TrialState.FAIL
            speed: float | None = None
            try:
                state, speed = self._train(trial, values)
                failures = 0
            except KeyboardInterrupt:
                self._repeat(trial.params)
                raise
            except ChildProcessError as error:
                failures += 1
                if failures == _MOST_FAILURES:
                    raise ChildProcessError(
                        f"{failures} trials in a row have failed; the last: {error}"
                    ) from error
            finally:
                with sigint_deferred():
                    if speed is not None:
                        trial.set_user_attr("speed", speed)
                    told = speed if state == TrialState.COMPLETE else None
                    report(_outcome_of(self._study.tell(trial, told, state)))

    def _train(self, trial: Trial, values: Mapping[str, Value]) -> tuple[Any, float]:
        """Train with these settings, return how it ended and the learning speed."""
        from optuna.trial import TrialState

        folder = RunFolder(self.path / f"trial-{trial.number:04d}")
        minutes = self.plan.minutes
        words = [
            *self.plan.train_words(values),
            *("--minutes", f"{minutes:g}", "--evaluate-every", f"{minutes / EVALUATIONS:g}"),
            *("--seed", str(self.plan.seed), "--final-games", "1", "--folder", str(folder.path)),
        ]
        speed = math.nan
        for number, _ in enumerate(evaluations_of(words, folder, self._seats)):
            speed = learning_speed(folder.read_evaluations(self._seats)[: number + 1])
            with sigint_deferred():
                trial.report(speed, number)
            if trial.should_prune():
                return TrialState.PRUNED, speed
        return TrialState.COMPLETE, speed

    def _repeat(self, values: Mapping[str, Any]) -> None:
        """Let the next trial have these settings."""
        with sigint_deferred():
            self._study.enqueue_trial(dict(values))

    def best(self) -> Outcome | None:
        """Return the trial that learnt fastest; None before the first one is done."""
        done = [each for each in self.outcomes() if each.state == "done"]
        return max(done, key=lambda each: each.speed or 0.0, default=None)


def evaluations_of(words: Sequence[str], folder: RunFolder, seats: int) -> Iterator[dict[str, Any]]:
    """Run a training command, and yield its evaluations as they are made.

    The process ends with the iterator.

    Raises:
        ChildProcessError: it has failed, or made no evaluation; quotes its last line.
    """
    program = Program([sys.executable, "-u", "-m", "tzaar_envs", *words])
    known = 0
    ended = ""
    try:
        while not ended:
            try:
                program.read(time.monotonic() + _LONG)  # it says when it has evaluated
            except TimeoutError:
                continue
            except ProgramEndedError as error:
                ended = str(error)
            found = folder.read_evaluations(seats)
            yield from found[known:]
            known = len(found)
    finally:
        program.end()
    if program.exit_code or not known:
        raise ChildProcessError(f"'tzaar-envs {' '.join(words)}' has failed: {ended}")


def _draw(trial: Trial, name: str, given: Range) -> Value:
    if isinstance(given, Choices):
        if len(given.values) == 1:
            return given.values[0]
        choice = trial.suggest_categorical(name, given.values)
        assert choice is not None
        return choice
    if isinstance(given.low, int) and isinstance(given.high, int):
        return trial.suggest_int(name, given.low, given.high, log=given.is_logarithmic)
    drawn = trial.suggest_float(name, given.low, given.high, log=given.is_logarithmic)
    return float(f"{drawn:.4g}")  # as the command has it


def _outcome_of(trial: FrozenTrial) -> Outcome:
    from optuna.trial import TrialState

    words = {TrialState.COMPLETE: "done", TrialState.PRUNED: "stopped", TrialState.FAIL: "failed"}
    attributes = trial.user_attrs
    return Outcome(
        trial.number, words[trial.state], attributes.get("speed"), attributes.get("values", {})
    )


def _open_study(path: Path, plan: Plan) -> Study:
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with _reading(path):
        storage = JournalStorage(JournalFileBackend(str(path / _JOURNAL)))
        study = optuna.create_study(
            storage=storage, study_name="sweep", direction="maximize", load_if_exists=True
        )
        trials = study.get_trials(deepcopy=False)
        for trial in trials:
            _check_trial(trial)
    # A resumed search must not draw what it has drawn before.
    study.sampler = optuna.samplers.TPESampler(
        seed=(plan.seed + len(trials)) % 2**32, n_startup_trials=5
    )
    study.pruner = optuna.pruners.MedianPruner(_PATIENT, n_warmup_steps=EVALUATIONS // 3)
    return study


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Name the journal in errors of Optuna, which notices some damage only when it reads again."""
    try:
        yield
    except Exception as error:  # it stumbles over anything in a file that is not its own
        raise ValueError(
            f"{path / _JOURNAL} is not the journal of a sweep: {_reason(error)}"
        ) from error


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _check_trial(trial: FrozenTrial) -> None:
    """Refuse a trial of which a journal says something that no sweep has noted.

    Raises:
        ValueError: says which trial.
    """
    values, speed = trial.user_attrs.get("values", {}), trial.user_attrs.get("speed")
    is_settings = isinstance(values, dict) and all(
        isinstance(each, bool | int | float | str) for each in values.values()
    )
    is_speed = isinstance(speed, float) and math.isfinite(speed)
    if not is_settings or not (is_speed or (speed is None and trial.value is None)):
        raise ValueError(f"trial {trial.number} has other facts than those of a sweep")


def _check_trusted(path: Path, plan: Plan, named: Mapping[str, str]) -> None:
    """Refuse a plan that names what its user has to name, unless the user does.

    Raises:
        ValueError: says what.
    """
    for name, text in plan.ranges.items():
        for value in text.split(","):
            danger = danger_of(name, value.strip())
            if danger and named.get(name) != text:
                raise ValueError(
                    f"{path} names {danger} in {name}, which is used only if you name it: resume "
                    f"with --setting {shlex.quote(f'{name}={text}')}"
                )


def _read_plan(path: Path) -> Plan:
    content = read_json(path)
    kinds = {"game": str, "option": list, "algorithm": str, "minutes": float, "seed": int}
    fits = content.keys() == {*kinds, "ranges"} and isinstance(content["ranges"], dict)
    if not fits or not all(isinstance(content[name], kind) for name, kind in kinds.items()):
        raise ValueError(f"{path} is not the plan of a sweep")
    texts = [*content["option"], *content["ranges"].values()]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{path} is not the plan of a sweep")
    return Plan(**{**content, "option": tuple(content["option"])})
