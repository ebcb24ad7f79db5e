"""Sweeps with Optuna: trials, pruning, interruptions, resuming."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import run_cli

from tzaar_envs.cli import training as sweeps
from tzaar_envs.training import arguments_of
from tzaar_envs.training.common import run as training_run
from tzaar_envs.training.common.run import RunFolder

WORDS = ("sweep", "tzaar", "--algo", "alphazero", "--minutes", "1")
DEFAULTS: Any = arguments_of("alphazero").for_game("tzaar")
RATES = ("--setting", "learning-rate=1e-4..1e-2")

Curve = Callable[[dict[str, str]], Sequence[float]]


class Runs:
    """Runs that only yield evaluations: scores that follow from the settings.

    Attributes:
        settings: Settings of the runs so far, by their flags.
        curve: From settings to the scores of the evaluations.
    """

    def __init__(self) -> None:
        self.settings: list[dict[str, str]] = []
        self.evaluated: list[int] = []
        self.curve: Curve = lambda settings: (0.0, *[100 * float(settings["--learning-rate"])] * 6)

    def __call__(self, words: Sequence[str], folder: RunFolder) -> Iterator[dict[str, Any]]:
        """Yield the evaluations of a run, one after the other."""
        settings = dict(itertools.pairwise(words))
        self.settings.append(settings)
        self.evaluated.append(0)
        for place, score in enumerate(self.curve(settings)):
            self.evaluated[-1] += 1
            won = round(1000 * score)
            results = {"greedy": [[won, 0, 1000 - won]] * 2}
            yield {"steps": place, "minutes": place / 6, "results": results}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Replace the runs of all sweeps."""
    made = Runs()
    monkeypatch.setattr(training_run, "evaluations_of", made)
    return made


def test_the_best_settings_become_a_command(tmp_path: Path, runs: Runs) -> None:
    words = [*WORDS, *RATES, "--option", "setup=fixed", "--trials", "8"]
    words += ["--setting", f"width=7,{DEFAULTS.width}", "--setting", "round=500"]
    code, output, errors = run_cli(*words, "--folder", str(tmp_path / "sweep"))
    assert (code, errors) == (0, "")
    assert len(runs.settings) == 8
    first = runs.settings[0]
    assert float(first["--learning-rate"]) == DEFAULTS.learning_rate
    assert int(first["--width"]) == DEFAULTS.width
    assert {int(each["--width"]) for each in runs.settings} == {7, DEFAULTS.width}
    assert {each["--round"] for each in runs.settings} == {"500"}
    assert {each["--minutes"] for each in runs.settings} == {"1"}
    best = max(runs.settings, key=lambda each: float(each["--learning-rate"]))
    command = output.strip().splitlines()[-1].strip()
    expected = f"--learning-rate {best['--learning-rate']} --width {best['--width']} --round 500"
    assert command.startswith("tzaar-envs train tzaar --algo alphazero --option setup=fixed")
    assert command.endswith(expected)


def test_bad_trials_end_early(tmp_path: Path, runs: Runs) -> None:
    runs.curve = lambda settings: [1.0 if len(runs.settings) <= 3 else 0.0] * 7
    code, output, _ = run_cli(*WORDS, *RATES, "--trials", "5", "--folder", str(tmp_path / "sweep"))
    assert code == 0
    assert runs.evaluated == [7, 7, 7, 3, 3]
    assert output.count("stopped") == 4  # as it happens, and in the table


def test_an_interrupted_sweep_keeps_its_trials(tmp_path: Path, runs: Runs) -> None:
    folder = tmp_path / "sweep"
    whole = runs.curve

    def interrupted(settings: dict[str, str]) -> Sequence[float]:
        if len(runs.settings) == 3:
            raise KeyboardInterrupt
        return whole(settings)

    runs.curve = interrupted
    code, output, _ = run_cli(*WORDS, *RATES, "--trials", "4", "--folder", str(folder))
    assert code == 130
    assert f"the same command with --folder {folder} continues" in output
    assert "tzaar-envs train tzaar" in output
    code, output, _ = run_cli(*WORDS, *RATES, "--trials", "4", "--folder", str(folder))
    assert code == 0
    rates = [each["--learning-rate"] for each in runs.settings]
    assert rates[2] == rates[3]  # the trial that was lost
    assert len(set(rates)) == len(rates) - 1 == 4
    assert all(f"learning_rate={float(rate):.4g}" in output for rate in rates)
    # With all its trials, there is nothing more to do.
    assert run_cli(*WORDS, *RATES, "--trials", "4", "--folder", str(folder))[0] == 0
    assert len(runs.settings) == 5


def test_a_trial_whose_process_was_killed_is_repeated(tmp_path: Path, runs: Runs) -> None:
    folder = tmp_path / "sweep"
    plan = {"seed": 0}
    study = sweeps.open_study(folder, plan)
    study.tell(study.ask(), 0.5)
    study.ask()
    study = sweeps.open_study(folder, plan)
    assert [trial.state.name for trial in study.trials] == ["COMPLETE", "FAIL", "WAITING"]


def test_a_trial_is_a_run_of_the_script(tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    words = ["sweep", "twenty_one", "--algo", "alphazero", "--minutes", "0.01", "--trials", "1"]
    settings = ["round=50", "width=8", "evaluation_games=1", "simulations=2", "threads=1"]
    words += [word for each in settings for word in ("--setting", each)]
    code, output, errors = run_cli(*words, "--folder", str(folder))
    assert (code, errors) == (0, "")
    run = RunFolder(folder / "trial-0000")
    assert run.policy.exists()
    assert run.read_evaluations()
    assert "tzaar-envs train twenty_one --algo alphazero --round 50" in output
