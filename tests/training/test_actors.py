"""Self-play by other processes; `tests/extras/ray` has those of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest
from training_runs import Script, differing

from tzaar_envs.training import alphazero
from tzaar_envs.training.alphazero import AlphaZeroArguments, train

SCRIPT = Script(
    train,
    AlphaZeroArguments,
    game="twenty_one",
    steps=300,
    round=32,
    search="gumbel",
    simulations=2,
    batch_size=32,
    width=8,
    hidden=4,
    evaluation_simulations=2,
    actors=2,
)


class Here(Executor):
    """An executor that works at once, in this process.

    Attributes:
        seeds: those of the rounds that were asked for.
        opened: the arguments of each `open_executor`.
        killed: how many were killed.
    """

    def __init__(self) -> None:
        self.seeds: list[list[int]] = []
        self.opened: list[tuple[int, bool | str]] = []
        self.killed = 0

    def open(self, workers: int, ray: bool | str = False) -> Here:
        self.opened.append((workers, ray))
        return self

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.seeds.append(args[3])
        try:
            future.set_result(fn(*args, **kwargs))
        except ValueError as error:
            future.set_exception(error)
        return future

    def kill(self) -> None:
        self.killed += 1


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    executor = Here()
    monkeypatch.setattr(alphazero, "open_executor", executor.open)
    monkeypatch.setattr(alphazero, "require_extra", lambda *_: None)
    return executor


@pytest.mark.usefixtures("unmeasured")
def test_a_run_learns_what_actors_play(tmp_path: Path, here: Here) -> None:
    stored = SCRIPT.train(tmp_path / "run", address="auto")
    assert stored["steps"] >= 300
    assert here.opened == [(2, "auto")]
    assert here.killed == 1
    assert here.seeds == [[here.seeds[0][0], number] for number in range(len(here.seeds))]
    played = len(here.seeds)
    idle = SCRIPT.train(tmp_path / "other", steps=1, actors=1)
    assert here.opened[1:] == [(1, False)]
    assert len(here.seeds) == played + 4  # two rounds ahead, and two after the first ones
    assert differing(stored["learner"]["network"], idle["learner"]["network"])


def test_errors_of_actors_are_told(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ValueError("these are not weights")

    monkeypatch.setattr(alphazero, "play_as_actor", fail)
    with pytest.raises(ValueError, match=r"^these are not weights$"):
        SCRIPT.train(tmp_path / "run")
    assert here.killed == 1
