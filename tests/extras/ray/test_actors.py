"""AlphaZero with actors on two nodes of a Ray cluster, of which one dies while they play."""

from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

from tzaar_envs.networks.sparse.replay_buffer import Samples
from tzaar_envs.training.alphazero import AlphaZeroArguments, Rounds, train
from tzaar_envs.training.common.run import Checkpoint

OBJECT_STORE = 100_000_000
MAX_WAITS = 600  # seconds at most, for processes to start and for a lost node to be noticed


def test_a_run_survives_the_death_of_a_node(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    node = {"num_cpus": 1, "object_store_memory": OBJECT_STORE}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    second = cluster.add_node(**node)
    waits, before, after = 0, 0, 0
    collect = Rounds.collect

    def watched(rounds: Rounds) -> list[Samples]:
        nonlocal waits, before, after
        found = collect(rounds)
        positions = sum(len(samples.values) for samples in found)
        waits += 1
        assert waits < MAX_WAITS
        if before < 1000:
            before += positions
            if before >= 1000:
                cluster.remove_node(second, allow_graceful=False)
        else:
            after += positions
            if after > 1000:
                raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Rounds, "collect", watched)
    folder = tmp_path / "run"
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
    try:
        with pytest.raises(KeyboardInterrupt):
            train(AlphaZeroArguments(**settings, address=cluster.address, folder=folder))
        assert not ray.is_initialized()
    finally:
        ray.shutdown()
        cluster.shutdown()
    stored = Checkpoint.read(folder / "checkpoint.pt")
    assert stored.steps > 1000
    assert f"Stopped; saved as of step {stored.steps:,}" in capsys.readouterr().out
