"""A small Ray, where RLlib is installed."""

from collections.abc import Iterator

import pytest


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
