"""Measure how long scripts take to learn a game: `python docs/tools/measure_learning.py --help`.

Each run is a `tzaar-envs train` in a process and a folder of its own, with another seed; the same
command with `--folder` continues what was interrupted. Times are those of training, without
evaluations. CPU minutes are those of all cores of the run: on a busy machine they say more than the
clock. `make_learning_page.py` makes a page of the JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import cyclopts

from tzaar_envs.cli.training import train_words
from tzaar_envs.core.game import Game
from tzaar_envs.registry import list_games, load_game
from tzaar_envs.search.alphabeta import why_unsuitable
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.machine import machine, versions
from tzaar_envs.training.common.evaluation import WITHOUT_SEARCH, points_per_game
from tzaar_envs.training.common.run import RunFolder, evaluations_of

RANDOM_SCORE = 0.95
BASELINE_SCORE = 0.5
EVALUATIONS = 12  # of a run, besides the one before it
PACKAGES = ("tzaar-envs", "numpy", "numba", "gymnasium", "pettingzoo", "torch")

_ALPHABETA = "alphabeta:depth=2"


class Target(NamedTuple):
    """A score against a baseline.

    Attributes:
        baseline: Name of the agent.
        score: Points per game over all seats, of which a draw gives half of one.
    """

    baseline: str
    score: float

    def __str__(self) -> str:
        return f"{self.score:.0%} against {self.baseline}"


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
    game: Game, algorithm: str, settings: Mapping[str, Any], folder: Path
) -> LearningRun:
    """Return a run, trained in a process of its own, or continued, or found in the folder.

    Args:
        game: The game, with its default options.
        algorithm: Name of a script, as for `tzaar-envs train --algo`.
        settings: Seed, minutes, clock and threads, as for `tzaar-envs train`.
        folder: Folder of all runs, which are called GAME-ALGO-SEED in it.

    Raises:
        ValueError: The folder holds a run with other settings.
        ChildProcessError: The run has failed; quotes its last line.
    """
    folder /= f"{game.name}-{algorithm}-{settings['seed']}"
    place = RunFolder(folder)
    if place.config.exists():
        words = ["train", "--resume", str(folder)]
        stored = place.read_config()["arguments"]
        found = {name: stored.get(name) for name in settings}
        if found != settings:
            raise ValueError(
                f"{folder} holds a run with {found}, not {settings}: use another folder"
            )
    else:
        common = {
            "evaluate_every": settings["minutes"] / EVALUATIONS,
            "evaluation_share": 0,
            "final_games": 1,
            "folder": folder,
        }
        if not why_unsuitable(game):
            common["rival"] = _ALPHABETA
        words = train_words(game.name, algorithm, {**settings, **common})
    if not any(folder.glob("result_*.json")):  # which a run writes when it has ended
        for _ in evaluations_of(words, place):
            pass
    return run_of(game, algorithm, settings["seed"], place.read_evaluations())


def run_of(
    game: Game, algorithm: str, seed: int, evaluations: Sequence[dict[str, Any]]
) -> LearningRun:
    """Return a run from the lines of its evaluations."""
    scores: dict[str, Sequence[float]] = {
        baseline: [points_per_game(record["results"][baseline]) for record in evaluations]
        for baseline in evaluations[0]["results"]
    }
    curves = {
        name: [record[name] for record in evaluations]
        for name in ("minutes", "cpu_minutes", "steps")
    }
    return LearningRun(game.spec.env_id, algorithm, seed, scores=scores, **curves)


def main(
    *names: str,
    algo: tuple[str, ...] = ("alphazero",),
    seeds: int = 3,
    minutes: float = 15.0,
    clock: Literal["wall", "cpu"] = "wall",
    threads: int = 0,
    folder: Path | None = None,
    json_path: Path = Path("learning.json"),
) -> None:
    """Measure how many minutes of training from nothing lead to given scores.

    Args:
        names: Games; by default all.
        algo: Script whose learning is measured; can be repeated.
        seeds: Runs of each script, with different seeds.
        minutes: Minutes of training in each run.
        clock: What these minutes are: those of the clock, or those of all cores for the run.
        threads: Threads of each run; 0 uses all cores.
        folder: Folder for the runs; those that it holds are continued. [default:
            runs/learning-TIME]
        json_path: File for all curves; it is written after each run.
    """
    folder = folder or Path("runs") / f"learning-{datetime.now():%Y%m%d-%H%M%S}"
    print(f"The runs are in {folder}, the curves in {json_path}")
    runs = []
    for name, algorithm, seed in product(names or list_games(), algo, range(seeds)):
        game = load_game(name)
        settings = {"seed": seed, "minutes": minutes, "clock": clock, "threads": threads}
        run = learning_run(game, algorithm, settings, folder)
        print(f"{run.game}, {algorithm}, seed {seed}:")
        for target in targets_of(game):
            found = run.reached(target)
            when = (
                "not reached" if found is None else "{:.1f} minutes, {:.1f} of CPU".format(*found)
            )
            print(f"  {target}: {when}; highest {run.best(target):.0%}", flush=True)
        runs.append(asdict(run))
        content = {"machine": machine() | versions(*PACKAGES), "runs": runs}
        write_atomically(json_path, json.dumps(content, indent=2) + "\n")


if __name__ == "__main__":
    cyclopts.run(main)
