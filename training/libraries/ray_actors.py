"""Players of self-play on a Ray cluster, which come and go (needs the extra `ray`)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Generic, Protocol, Self, TypeVar

import ray

Games = TypeVar("Games", covariant=True)

MOST_DEATHS = 3  # in a row, of the actors of one place
_AHEAD = 2  # an actor plays the next games while those before are on their way
_PATIENCE = 1.0  # seconds


class GamePlayer(Protocol[Games]):
    """What plays games."""

    def load(self, weights: Any, /) -> None:
        """Play on with these weights."""

    def play(self, order: Any, /) -> Games:
        """Return games that follow from weights and order."""
        ...


class RayActors(Generic[Games]):
    """Actors that play games with the weights they were given last.

    A context manager: the actors end with it. When one dies, the games that it was playing are
    lost, and another takes its place, as soon as the cluster has room.

    Args:
        make: makes the player of an actor, where it plays; can be pickled.
        count: how many actors there shall be; each needs a core.

    Attributes:
        at_work: the places of those actors that have played.
    """

    def __init__(self, make: Callable[[], GamePlayer[Games]], count: int) -> None:
        self._new = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Actor).remote
        self._make = make
        self._actors: list[Any] = [self._new(make) for _ in range(count)]
        self._deaths = [0] * count  # since games came from this place
        self._asked: dict[Any, tuple[int, Any]] = {}  # place and actor of those games
        self.at_work: set[int] = set()

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the actors."""
        for actor in self._actors:
            self._end(actor)

    def collect(self, weights: Any, order: Callable[[], Any]) -> list[Games]:
        """Return the games that have arrived, waiting a second for the first, and ask for more.

        Args:
            weights: with which the actors go on.
            order: returns another order each time.

        Raises:
            ChildProcessError: actors die again and again before they have played.
            Exception: what a player has raised.
        """
        ray.wait([*self._asked], num_returns=1, timeout=_PATIENCE)
        arrived, _ = ray.wait([*self._asked], num_returns=len(self._asked), timeout=0)
        found = [games for reference in arrived for games in self._games_of(reference)]
        self.ask(weights, order)
        return found

    def ask(self, weights: Any, order: Callable[[], Any]) -> None:
        """Ask each actor for so many games that it has enough to do; see `collect`."""
        shared = ray.put(weights)
        busy = [id(actor) for _, actor in self._asked.values()]
        for place, actor in enumerate(self._actors):
            for _ in range(_AHEAD - busy.count(id(actor))):
                self._asked[actor.play.remote(shared, order())] = place, actor

    def _games_of(self, reference: Any) -> list[Games]:
        """Return the games behind a reference, or none if they are lost."""
        place, actor = self._asked.pop(reference)
        try:
            games: Games = ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None  # without the pages that Ray adds
        except ray.exceptions.RayError as error:  # the actor, its node or the way to it
            if actor is self._actors[place]:
                self._replace(place, error)
            return []
        self._deaths[place] = 0
        self.at_work.add(place)
        return [games]

    def _replace(self, place: int, error: Exception) -> None:
        self._deaths[place] += 1
        if self._deaths[place] == MOST_DEATHS:
            reason = str(error).strip().partition("\n")[0]
            raise ChildProcessError(
                f"{MOST_DEATHS} Ray actors died in a row before they had played: {reason}"
            ) from error
        self._end(self._actors[place])
        self.at_work.discard(place)
        self._actors[place] = self._new(self._make)

    def _end(self, actor: Any) -> None:
        with contextlib.suppress(Exception):  # it has just died, or the connection has
            ray.kill(actor)


class _Actor(Generic[Games]):
    """A player in a process of Ray."""

    def __init__(self, make: Callable[[], GamePlayer[Games]]) -> None:
        self._make = make
        self._player: GamePlayer[Games] | None = None

    def play(self, weights: Any, order: Any) -> Games:
        """Return games; the player is made for the first ones, so that its errors are told."""
        self._player = self._player or self._make()
        self._player.load(weights)
        return self._player.play(order)
