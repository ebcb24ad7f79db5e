"""Two nodes, of which one dies while training."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

from tzaar_envs.training.rllib_ppo import Arguments, train

OBJECT_STORE = 100_000_000
MOST_UPDATES = 300  # until the lost env runner is back


def test_training_goes_on_without_a_node(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    after_updates: Callable[[Callable[[Any, int], None]], None],
    assert_same_members: Callable[[Any], None],
) -> None:
    node = {"num_cpus": 1, "object_store_memory": OBJECT_STORE}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    second = cluster.add_node(**node)
    updates: list[tuple[int, int]] = []  # env runners and steps

    def watch(league: Any, steps: int) -> None:
        runners = league.algorithm.env_runner_group.num_healthy_remote_workers()
        updates.append((runners, steps))
        assert_same_members(league)
        alone = [number for number, _ in updates].count(1)
        if len(updates) == 2:
            cluster.remove_node(second, allow_graceful=False)
        if alone == 3:
            cluster.add_node(**node)
        if alone > MOST_UPDATES or (alone > 3 and runners == 2):
            raise KeyboardInterrupt

    after_updates(watch)
    arguments = Arguments(
        game="twenty_one",
        address=cluster.address,
        folder=tmp_path / "run",
        minutes=0.0,
        imitation=0,
        runners=2,
        num_envs=4,
        rollout=16,
        batch_size=32,
        epochs=1,
        width=4,
        blocks=0,
        threads=1,
        snapshots=1,
        snapshot_every=300,
    )
    try:
        with pytest.raises(SystemExit):
            train(arguments)
        assert not ray.is_initialized()
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert "Stopped; saved as of step" in capsys.readouterr().out
    runners = [number for number, _ in updates]
    assert runners[:2] == [2, 2]
    assert 1 in runners  # the runner of the second node was lost
    assert runners[-1] == 2  # and came back with another node
    gone = runners.index(1)
    steps = [count for _, count in updates[gone:]]
    assert steps == sorted(set(steps))  # every update has learnt something
