"""Tests of the extra `rllib`: collected where it is installed."""

from collections.abc import Iterator
from importlib.util import find_spec

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
