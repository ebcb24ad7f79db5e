"""The page of learning speed: what is measured in many sittings becomes one table."""

import json
from typing import Any

import make_learning_page
from make_learning_page import cell
from measure_learning import LearningRun, Target

RANDOM = Target("random", 0.95)
BASELINES = ("random", "greedy", "alphabeta:depth=2")


def run_with(seed: int, *scores: float, algorithm: str = "ppo", game: str = "tzaar_v0") -> Any:
    """Return a run that has these scores against all baselines, half a CPU minute apart."""
    return {
        "game": game,
        "algorithm": algorithm,
        "seed": seed,
        "minutes": [1.0 * place for place in range(len(scores))],
        "cpu_minutes": [0.5 * place for place in range(len(scores))],
        "steps": [2000 * place for place in range(len(scores))],
        "scores": {name: list(scores) for name in BASELINES},
    }


def test_a_cell_says_when_and_how_many() -> None:
    runs = [
        LearningRun(**each)
        for each in (
            run_with(0, 0.5, 1.0, 1.0),
            run_with(1, 0.5, 0.6, 0.95),
            run_with(2, 0.5, 0.6, 0.7),
        )
    ]
    assert cell(RANDOM, runs[:1]) == "**0.5**"
    assert cell(RANDOM, runs[:2]) == "**0.8** (0.5 to 1.0)"
    assert cell(RANDOM, runs) == "**0.8** (0.5 to 1.0), 2 of 3"
    assert cell(RANDOM, runs[2:]) == "highest 70 %"


def test_the_published_page_is_that_of_the_published_runs() -> None:
    known = json.loads(make_learning_page.KNOWN.read_text(encoding="utf-8"))
    runs = [LearningRun(**run) for run in known["runs"]]
    page = make_learning_page.page(runs, known["machines"])
    assert page == make_learning_page.PAGE.read_text(encoding="utf-8")
