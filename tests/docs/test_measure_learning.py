"""The tool that measures learning: which runs it starts, and what it makes of their evaluations."""

from measure_learning import targets_of

import tzaar_envs

GAME = tzaar_envs.load_game("tzaar")


def test_targets_are_the_baselines_of_the_game() -> None:
    assert [str(target) for target in targets_of(GAME)] == [
        "95% against random",
        "50% against greedy",
        "50% against alphabeta:depth=2",
    ]
    names = [target.baseline for target in targets_of(tzaar_envs.load_game("zatre"))]
    assert names == ["random", "turn-search", "greedy"]
