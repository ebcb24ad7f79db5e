"""Players on Ray, with a Ray that plays in this process; `tests/extras/ray` has the real one."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import run_cli
from training_runs import Script, differing

from tzaar_envs.training.alphazero import Arguments, train

MODULES = [f"tzaar_envs.training.libraries.{name}" for name in ("ray_actors", "ray_cluster")]
SCRIPT = Script(
    train,
    Arguments,
    game="twenty_one",
    steps=300,
    round=32,
    simulations=2,
    batch_size=32,
    width=8,
    hidden=4,
    evaluation_simulations=2,
    actors=2,
)


class FakeRay(types.ModuleType):
    """The part of Ray that is used.

    Attributes:
        deaths: the numbers of those calls of actors that fail since the actor has died.
        log: what was done.
    """

    class exceptions:  # noqa: N801
        class RayError(Exception):
            pass

        class RayTaskError(RayError):
            def __init__(self, cause: Exception) -> None:
                self.cause = cause

        class ActorDiedError(RayError):
            pass

    def __init__(self) -> None:
        super().__init__("ray")
        self.deaths: set[int] = set()
        self.log: list[str] = []
        self._begun: list[tuple[Any, Any]] = []

    def is_initialized(self) -> bool:
        return False

    def init(self, address: str, **settings: Any) -> None:
        self.log.append(f"init {address} {settings.get('num_cpus')}")

    def shutdown(self) -> None:
        self.log.append("shutdown")

    def put(self, value: Any) -> Any:
        return value

    def kill(self, actor: Any) -> None:
        self.log.append("kill")

    def remote(self, **settings: Any) -> Callable[[Any], Any]:
        assert settings["num_cpus"] == 1
        return lambda kind: types.SimpleNamespace(remote=lambda *given: self._actor(kind(*given)))

    def _actor(self, player: Any) -> Any:
        self.log.append("actor")
        play = types.SimpleNamespace(remote=lambda *given: self._begin(player, given))
        return types.SimpleNamespace(play=play)

    def _begin(self, player: Any, given: Any) -> int:
        self._begun.append((player, given[1]))
        return len(self._begun)

    def wait(
        self, asked: Sequence[int], num_returns: int, timeout: float
    ) -> tuple[Sequence[int], Sequence[int]]:
        return list(asked)[:num_returns], list(asked)[num_returns:]

    def get(self, reference: int) -> Any:
        player, order = self._begun[reference - 1]
        if reference in self.deaths:
            raise self.exceptions.ActorDiedError("the node is gone\nand more")
        try:
            return player.play(self.weights, order)
        except ValueError as error:
            raise self.exceptions.RayTaskError(error) from error

    weights: Any = None


class Playing:
    """A player that returns its seeds."""

    def load(self, weights: str) -> None:
        if weights == "wrong":
            raise ValueError("these are not weights")

    def play(self, seed: Sequence[int]) -> int:
        return seed[0]


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeRay]:
    """Replace Ray, and forget afterwards what has imported it."""
    fake = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", fake)
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield fake
    for name in MODULES:
        sys.modules.pop(name, None)


def actors_of(count: int) -> Any:
    from tzaar_envs.training.libraries.ray_actors import RayActors

    return RayActors[int](Playing, count)


def seeds() -> Callable[[], list[int]]:
    """Return what returns [1], [2], [3] and so on."""
    drawn: list[int] = []

    def draw() -> list[int]:
        drawn.append(len(drawn) + 1)
        return [drawn[-1]]

    return draw


def test_each_actor_has_enough_to_do(ray: FakeRay) -> None:
    draw = seeds()
    with actors_of(3) as actors:
        actors.ask("weights", draw)
        assert actors.collect("weights", draw) == [1, 2, 3, 4, 5, 6]
        assert actors.collect("weights", draw) == [7, 8, 9, 10, 11, 12]
        assert actors.at_work == {0, 1, 2}
    assert ray.log == ["actor"] * 3 + ["kill"] * 3


def test_a_dead_actor_costs_its_games_and_is_replaced(ray: FakeRay) -> None:
    draw = seeds()
    ray.deaths = {3, 4, 8}  # both calls of the second actor, later one of its successor
    with actors_of(2) as actors:
        actors.ask("weights", draw)
        assert actors.collect("weights", draw) == [1, 2]
        assert actors.at_work == {0}
        assert actors.collect("weights", draw) == [5, 6, 7]
        assert actors.collect("weights", draw) == [9, 10, 11, 12]
        assert actors.at_work == {0, 1}
    assert ray.log.count("actor") == 4


def test_actors_that_always_die_are_told(ray: FakeRay) -> None:
    ray.deaths = set(range(100))
    with actors_of(1) as actors:
        actors.ask("weights", seeds())
        for _ in range(2):
            assert actors.collect("weights", seeds()) == []
        with pytest.raises(
            ChildProcessError, match=r"3 Ray actors died in a row .*: the node is gone$"
        ):
            actors.collect("weights", seeds())


def test_errors_of_players_are_told(ray: FakeRay) -> None:
    ray.weights = "wrong"
    with actors_of(1) as actors:
        actors.ask("wrong", seeds())
        with pytest.raises(ValueError, match=r"^these are not weights$"):
            actors.collect("wrong", seeds())


@pytest.mark.usefixtures("unmeasured")
def test_a_run_learns_what_actors_play(
    tmp_path: Path, ray: FakeRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray, "put", lambda network: setattr(ray, "weights", network))
    ray.deaths = {3, 4}
    stored = SCRIPT.train(tmp_path / "run", address="auto")
    assert stored["steps"] >= 300
    assert ray.log[0] == "init auto None"
    assert ray.log[-1] == "shutdown"
    assert ray.log.count("actor") >= 3
    idle = SCRIPT.train(tmp_path / "other", steps=1, actors=1)
    assert ray.log[-4:] == ["init local 1", "actor", "kill", "shutdown"]
    assert differing(stored["learner"]["network"], idle["learner"]["network"])


def test_wrong_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SCRIPT.assert_refuses(tmp_path / "run", {"actors": -1}, "actors=-1 is not allowed")
    SCRIPT.assert_refuses(
        tmp_path / "run", {"actors": 0, "address": "auto"}, "address='auto' is not allowed without"
    )
    monkeypatch.setitem(sys.modules, "ray", None)
    words = ("train", "tzaar", "--algo", "alphazero", "--actors", "2", "--folder", str(tmp_path))
    code, _, errors = run_cli(*words)
    assert code == 2
    assert "self-play by actors needs the extra 'ray'" in errors
    assert not list(tmp_path.iterdir())
