"""Connections to Ray clusters (needs the extra `ray` or `rllib`)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import ray

from tzaar_envs.system.interrupts import sigint_deferred

_OBJECT_STORE = 200_000_000  # bytes, of a Ray on this machine alone; a rollout needs far less


@contextmanager
def ray_cluster(address: str, processes: int) -> Iterator[None]:
    """Connect to Ray while the context is open, unless this process already has.

    Args:
        address: of a running cluster, or `auto` to find it; empty: start Ray on this machine.
        processes: that Ray runs at once, if it is started here.

    Raises:
        ConnectionError: there is no cluster at this address.
    """
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it explains its defaults
    if ray.is_initialized():
        yield
        return
    here = {
        "num_cpus": max(1, processes),
        "object_store_memory": _OBJECT_STORE,
        "include_dashboard": False,
    }
    # A process that leaves Ray half started or half stopped can crash at its end. To connect to a
    # cluster elsewhere may take minutes, which Ctrl-C must be able to end.
    with nullcontext() if address else sigint_deferred():
        ray.init(
            address or "local",
            logging_level=logging.ERROR,
            log_to_driver=False,
            **({} if address else here),
        )
    try:
        yield
    finally:
        with sigint_deferred():
            ray.shutdown()
