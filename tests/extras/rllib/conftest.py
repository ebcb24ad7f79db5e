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
    """Return a check of a `LeagueAlgorithm`: all play with the weights that the learner knows."""
    import numpy as np

    def check(league: Any) -> None:
        names = league.members
        known = league.on_learner(
            lambda learner: {name: learner.module[name].get_state() for name in names}
        )
        played = league.algorithm.env_runner_group.foreach_env_runner(
            lambda runner: {name: runner.module[name].get_state() for name in names}
        )
        assert played
        for members in played:
            for name in names:
                for key, value in known[name].items():
                    np.testing.assert_array_equal(members[name][key], value, f"{name} {key}")

    return check


@pytest.fixture
def after_updates(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Any, int], None]], None]:
    """Return what has a function called after each update, with the league and the steps."""
    from tzaar_envs.training.common.session import Session

    log, checkpoint = Session.log, Session.checkpoint
    calls: list[Callable[[Any, int], None]] = []
    learnt: list[int] = []

    def logged(self: Any, *args: Any) -> None:
        log(self, *args)
        learnt.append(self.steps)

    def kept(self: Any) -> None:
        checkpoint(self)
        if learnt and learnt.pop() == self.steps:  # not the one before the first update
            for call in calls:
                call(self._parts["league"], self.steps)

    monkeypatch.setattr(Session, "log", logged)
    monkeypatch.setattr(Session, "checkpoint", kept)
    return calls.append
