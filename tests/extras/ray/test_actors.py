"""AlphaZero with actors on two nodes, of which one dies while they play."""

from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

from tzaar_envs.training.alphazero import Arguments, train
from tzaar_envs.training.common.run import Checkpoint
from tzaar_envs.training.libraries.ray_actors import RayActors

OBJECT_STORE = 100_000_000
MOST_WAITS = 600  # seconds at most, for processes to start and for a lost node to be noticed


def small(**changes: Any) -> Arguments:
    """Return arguments of a run in which evaluations take no time."""
    settings: dict[str, Any] = {
        "game": "turm_und_waechter",
        "minutes": 0.0,
        "actors": 2,
        "round": 100,
        "width": 8,
        "hidden": 4,
        "evaluation_games": 1,
        "final_games": 1,
        "evaluate_every": 100.0,
    }
    return Arguments(**settings | changes)


def test_actors_come_and_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    node = {"num_cpus": 1, "object_store_memory": OBJECT_STORE}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    second = cluster.add_node(**node)
    stages = ["both", "one", "both again"]
    waits = samples_of_one = 0
    collect = RayActors.collect

    def watched(actors: Any, *arguments: Any) -> Any:
        nonlocal waits, samples_of_one
        found = collect(actors, *arguments)
        waits += 1
        assert waits < MOST_WAITS, stages
        match len(actors.at_work), stages:
            case 2, ["both", *_]:
                cluster.remove_node(second, allow_graceful=False)
                stages.pop(0)
            case 1, ["one", *_]:
                samples_of_one += sum(map(len, found))
                if samples_of_one > 1000:
                    cluster.add_node(**node)
                    stages.pop(0)
            case 2, ["both again"]:
                raise KeyboardInterrupt
        return found

    monkeypatch.setattr(RayActors, "collect", watched)
    folder = tmp_path / "run"
    try:
        with pytest.raises(SystemExit):
            train(small(address=cluster.address, folder=folder))
        assert not ray.is_initialized()
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert stages == ["both again"]
    stored = Checkpoint.read(folder / "checkpoint.pt")
    assert stored.steps > 1000
    assert f"Stopped; saved as of step {stored.steps:,}" in capsys.readouterr().out


def test_a_run_on_this_machine_is_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    collect = RayActors.collect
    steps: list[int] = []

    def interrupted(actors: Any, *arguments: Any) -> Any:
        if len(steps) > 3:
            raise KeyboardInterrupt
        found = collect(actors, *arguments)
        steps.extend(map(len, found))
        return found

    with monkeypatch.context() as patched:
        patched.setattr(RayActors, "collect", interrupted)
        with pytest.raises(SystemExit):
            train(small(steps=2000, actors=1, folder=folder))
    stored = Checkpoint.read(folder / "checkpoint.pt")
    assert 0 < stored.steps < 2000
    train(Arguments(resume=folder))
    ended = Checkpoint.read(folder / "checkpoint.pt")
    assert ended.steps >= 2000
    assert ended.learner is not None
    assert stored.learner is not None
    assert ended.learner["rounds"]["played"] > stored.learner["rounds"]["played"]
    assert not ray.is_initialized()
    assert f"Resuming after {stored.steps:,} steps" in capsys.readouterr().out
