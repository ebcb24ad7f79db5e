"""The tool that measures learning: which runs it starts, and what it makes of their evaluations."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import measure_learning
import pytest
from measure_learning import Target, learning_run, run_of, targets_of

import tzaar_envs
from tzaar_envs.training.common.run import RunFolder

GAME = tzaar_envs.load_game("tzaar")
BASELINES = ("random", "greedy", "alphabeta:depth=2", "random (without search)")


def evaluations(*scores: float) -> list[dict[str, Any]]:
    """Return the lines of a run that has these scores against all baselines, a minute apart."""
    return [
        {
            "steps": 100 * place,
            "minutes": 1.0 * place,
            "cpu_minutes": 0.5 * place,
            "results": {
                name: [[round(20 * score), 0, 20 - round(20 * score)]] * 2 for name in BASELINES
            },
        }
        for place, score in enumerate(scores)
    ]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """Let runs only write evaluations; return the words of those that were started.

    Their second minute is only there once they are resumed.
    """
    words: list[Sequence[str]] = []

    def run(command: Sequence[str], place: RunFolder) -> Iterator[dict[str, Any]]:
        words.append(command)
        is_new = "--resume" not in command
        lines = evaluations(0.1, 0.2, 0.5, 1.0)
        if is_new:
            place.create()
            minutes = float(command[command.index("--minutes") + 1])
            arguments = {"minutes": minutes, "clock": "wall", "threads": 0, "game": command[1]}
            arguments["seed"] = int(command[command.index("--seed") + 1])
            algorithm = command[command.index("--algo") + 1]
            config = {"algorithm": algorithm, "arguments": arguments}
            place.config.write_text(json.dumps(config))
        for line in lines[:3] if is_new else lines[3:]:
            place.append_evaluation(line)
            yield line
        if line["minutes"] >= 2.0:
            place.result("random").touch()

    monkeypatch.setattr(measure_learning, "evaluations_of", run)
    return words


def test_targets_are_the_baselines_of_the_game() -> None:
    assert [str(target) for target in targets_of(GAME)] == [
        "95% against random",
        "50% against greedy",
        "50% against alphabeta:depth=2",
    ]
    names = [target.baseline for target in targets_of(tzaar_envs.load_game("zatre"))]
    assert names == ["random", "turn-search", "greedy"]


def test_against_random_the_policy_counts_not_its_search() -> None:
    lines = evaluations(0.0, 1.0, 1.0)
    for line, wins in zip(lines, (0, 3, 20), strict=True):
        line["results"]["random (without search)"] = [[wins, 0, 20 - wins]] * 2
    run = run_of(GAME, "alphazero", 0, lines)
    assert run.reached(Target("random", 0.95)) == (2.0, 1.0)
    assert run.reached(Target("greedy", 0.5)) == (1.0, 0.5)


def test_an_interrupted_run_continues(tmp_path: Path, started: list[Sequence[str]]) -> None:
    settings = {"seed": 0, "minutes": 2.0, "clock": "wall", "threads": 0}
    first = learning_run(GAME, "ppo", settings, tmp_path)
    assert learning_run(GAME, "ppo", settings, tmp_path) == first  # it is finished
    assert len(started) == 1

    place = RunFolder(tmp_path / "tzaar-ppo-0")
    place.result("random").unlink()
    again = learning_run(GAME, "ppo", settings, tmp_path)
    assert list(started[1]) == ["train", "--resume", str(place.path)]
    assert again.minutes == [0.0, 1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="use another folder"):
        learning_run(GAME, "ppo", settings | {"minutes": 5.0}, tmp_path)
