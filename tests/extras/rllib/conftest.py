"""Tests of the extra `rllib`: collected where it is installed."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

NEEDED = ("ray", "tree", "torch", "safetensors")  # Ray comes without RLlib too, dm-tree with it
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]


@pytest.fixture(scope="module")
def local_ray() -> Iterator[None]:
    """Yield with a small Ray on this machine, which a file's tests share."""
    import ray

    ray.init(
        "local",
        num_cpus=2,
        object_store_memory=200_000_000,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
    )
    yield
    ray.shutdown()


@pytest.fixture
def assert_same_members() -> Callable[[Any], None]:
    """Return a check of an `RLlibRun`: everyone plays with the weights that the learner knows."""
    import numpy as np

    def check(run: Any) -> None:
        names = ["learner", *run.members]
        known = run._learner(
            lambda learner: {name: learner.module[name].get_state() for name in names}
        )
        played = run.algorithm.env_runner_group.foreach_env_runner(
            lambda runner: {name: runner.module[name].get_state() for name in names}
        )
        assert played
        for members in played:
            for name in names:
                for key, value in known[name].items():
                    np.testing.assert_array_equal(members[name][key], value, f"{name} {key}")

    return check
