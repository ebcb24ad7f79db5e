"""Learning speed: minutes from nothing to given scores (needs the extra `sb3`).

Each run is a `tzaar-envs train` in a process and a folder of its own, with another
seed. Times are those of training, without evaluations. CPU minutes are those of all cores of that
process: on a busy machine they say more than the clock.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rich.console import Console

from tzaar_envs.cli.output import table_of
from tzaar_envs.cli.train import train_words
from tzaar_envs.core.game import Game
from tzaar_envs.registry import load_game
from tzaar_envs.search.alphabeta import why_unsuitable
from tzaar_envs.training.common.evaluation import WITHOUT_SEARCH, points_per_game
from tzaar_envs.training.common.run import RunFolder, evaluations_of

RANDOM_SCORE = 0.95
BASELINE_SCORE = 0.5
EVALUATIONS = 12  # of a run, besides the one before it

_ALPHABETA = "alphabeta:depth=2"


@dataclass(frozen=True)
class Target:
    """A score against a baseline.

    Attributes:
        baseline: Name of the agent.
        score: Points per game over all seats, of which a draw gives half of one.
    """

    baseline: str
    score: float

    def __str__(self) -> str:
        return f"{self.score:.0%} against {self.baseline}"


class LearningSettings(NamedTuple):
    """What all runs have in common.

    Attributes:
        minutes: Minutes of training.
        clock: What minutes are, as for `tzaar-envs train --clock`.
        threads: Threads of the training; 0 uses all cores.
    """

    minutes: float
    clock: Literal["wall", "cpu"]
    threads: int


@dataclass(frozen=True)
class LearningRun:
    """The learning curve of one run.

    Attributes:
        game: Id of the environment.
        algorithm: Name of the script.
        seed: Seed of the run.
        minutes: Minutes of training at each evaluation.
        cpu_minutes: CPU minutes of all cores at each evaluation.
        steps: Steps at each evaluation.
        scores: Points per game at each evaluation, by baseline.
    """

    game: str
    algorithm: str
    seed: int
    minutes: Sequence[float]
    cpu_minutes: Sequence[float]
    steps: Sequence[int]
    scores: dict[str, Sequence[float]]

    def measured_by(self, target: Target) -> str:
        """Return the name of the scores that a target is about.

        Almost any search wins against `random`, so there the policy without its search counts.
        """
        alone = target.baseline + WITHOUT_SEARCH
        return alone if target.score == RANDOM_SCORE and alone in self.scores else target.baseline

    def reached(self, target: Target) -> tuple[float, float] | None:
        """Return minutes and CPU minutes of the first evaluation with a score; None if none has.

        What a policy scores before its first step, by its random weights, is not learnt.
        """
        for place, score in enumerate(self.scores[self.measured_by(target)]):
            if score >= target.score and self.steps[place] > 0:
                return self.minutes[place], self.cpu_minutes[place]
        return None

    def best(self, target: Target) -> float:
        """Return the highest score that was learnt against the baseline of a target."""
        scores = zip(self.steps, self.scores[self.measured_by(target)], strict=True)
        return max((score for steps, score in scores if steps > 0), default=0.0)


def targets_of(game: Game) -> list[Target]:
    """Return the scores to reach in a game: against random, its own baselines, and greedy.

    Where alpha-beta can search the game, its search to depth 2 comes last.
    """
    own = [entry.name for entry in game.spec.baselines]
    others = [*own, "greedy"] if why_unsuitable(game) else [*own, "greedy", _ALPHABETA]
    return [Target("random", RANDOM_SCORE), *(Target(name, BASELINE_SCORE) for name in others)]


def learning_run(
    game: Game, algorithm: str, seed: int, settings: LearningSettings, folder: Path
) -> LearningRun:
    """Return a run, trained in a process of its own, or continued, or found in the folder.

    Args:
        game: The game, with its default options.
        algorithm: Name of a script, as for `tzaar-envs train --algo`.
        seed: Seed of the run.
        settings: Settings of all runs.
        folder: Folder of all runs, which are called GAME-ALGO-SEED in it.

    Raises:
        ValueError: The folder holds a run with other settings.
        ChildProcessError: The run has failed; quotes its last line.
    """
    folder /= f"{game.name}-{algorithm}-{seed}"
    place = RunFolder(folder)
    own = {"seed": seed, **settings._asdict()}
    if place.config.exists():
        words = ["train", "--resume", str(folder)]
        stored = place.read_config()["arguments"]
        found = {name: stored.get(name) for name in own}
        if found != own:
            raise ValueError(f"{folder} holds a run with {found}, not {own}: use another folder")
    else:
        common = {
            "evaluate_every": settings.minutes / EVALUATIONS,
            "evaluation_share": 0,
            "final_games": 1,
            "folder": folder,
        }
        if not why_unsuitable(game):
            common["rival"] = _ALPHABETA
        words = train_words(game.name, algorithm, own | common)
    if not any(folder.glob("result_*.json")):  # which a run writes when it has ended
        for _ in evaluations_of(words, place):
            pass
    return run_of(game, algorithm, seed, place.read_evaluations())


def run_of(
    game: Game, algorithm: str, seed: int, evaluations: Sequence[dict[str, Any]]
) -> LearningRun:
    """Return a run from the lines of its evaluations."""
    scores: dict[str, Sequence[float]] = {
        baseline: [points_per_game(record["results"][baseline]) for record in evaluations]
        for baseline in evaluations[0]["results"]
    }
    return LearningRun(
        game.spec.env_id,
        algorithm,
        seed,
        [record["minutes"] for record in evaluations],
        [record["cpu_minutes"] for record in evaluations],
        [record["steps"] for record in evaluations],
        scores,
    )


def report_learning(console: Console, runs: Sequence[LearningRun]) -> None:
    """Print the table of runs."""
    targets = {
        name: targets_of(load_game(name)) for name in dict.fromkeys(run.game for run in runs)
    }
    rows = []
    for name, own in targets.items():
        rows += learning_table(own, [run for run in runs if run.game == name])
    columns = ("game", "script", "score", "seeds", "minutes", "CPU minutes", "best")
    console.print(table_of(columns, rows, right=("seeds", "minutes", "CPU minutes", "best")))
    console.print(
        f"From nothing; {EVALUATIONS} evaluations a run, whose time does not count. Minutes: "
        "median and range over the seeds that reached the score. Best: the highest of any seed."
    )


def learning_table(targets: Sequence[Target], runs: Sequence[LearningRun]) -> list[list[str]]:
    """Return a row for each script and target: how many seeds reached it, and when.

    Times are the median and the range over those that did.
    """
    rows = []
    for algorithm in dict.fromkeys(run.algorithm for run in runs):
        own = [run for run in runs if run.algorithm == algorithm]
        for target in targets:
            found = [each for run in own if (each := run.reached(target)) is not None]
            times = [_median_and_range([pair[place] for pair in found]) for place in (0, 1)]
            best = max(run.best(target) for run in own)
            seeds = f"{len(found)} of {len(own)}"
            rows.append([own[0].game, algorithm, str(target), seeds, *times, f"{best:.0%}"])
    return rows


def _median_and_range(values: Sequence[float]) -> str:
    if not values:
        return "-"
    if len(values) == 1:
        return f"{values[0]:.1f}"
    return f"{statistics.median(values):.1f} ({min(values):.1f} - {max(values):.1f})"
