"""What all browsers share: the tables, the processes that think, and the limits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tzaar_envs.core.game import Game
from tzaar_envs.web.catalogue import games
from tzaar_envs.web.limits import Limits
from tzaar_envs.web.seats import SeatRules
from tzaar_envs.web.table import Table
from tzaar_envs.web.thinker import Failed, Prepare
from tzaar_envs.web.thinking import Thinkers, Thought

_LOADING = 60.0  # seconds that rules may take to load once they are compiled


class Guest(Protocol):
    """A browser at a table."""

    async def leave_table(self) -> None:
        """Give up the table to another browser."""


@dataclass
class _Place:
    table: Table
    guest: Guest | None
    left: float = 0.0


class House:
    """Tables and thinking processes. All methods are called by the event loop's thread.

    Args:
        limits: of everything.
        named: agent texts that browsers may use although they name files.

    Raises:
        ValueError, FileNotFoundError, ModuleNotFoundError: one of them cannot play, see
            `SeatRules`.

    Attributes:
        limits: as given.
        seats: which agents browsers may use.
        movers: the processes that look for moves.
        analysts: those that analyse.
        games: what there is to choose from, for the page.
        browsers: how many are connected.
    """

    def __init__(self, limits: Limits, named: Sequence[str] = ()) -> None:
        self.limits = limits
        self.seats = SeatRules(limits, named)
        self.games = games(self.seats)
        self.movers = Thinkers(limits.processes)
        self.analysts = Thinkers(limits.processes)
        self._loaders = Thinkers(1)  # so that nobody waits for others' agents to begin a game
        self.browsers = 0
        self._places: dict[str, _Place] = {}
        self._loaded: set[str] = set()

    def close(self) -> None:
        """End all processes."""
        self.movers.close()
        self.analysts.close()
        self._loaders.close()

    async def load(self, game: Game) -> None:
        """Load the rules of a game without keeping the event loop waiting.

        They are compiled in a process of its own, if that was never done on this machine.

        Raises:
            ValueError: they cannot be loaded; says why.
        """
        if game.name not in self._loaded:
            loop = asyncio.get_running_loop()
            answered: asyncio.Future[object] = loop.create_future()

            def report(answer: object) -> None:
                loop.call_soon_threadsafe(_settle, answered, answer)

            self._loaders.think(Thought(Prepare(game), report, _LOADING, f"rules {game.name}"))
            answer = await answered
            if isinstance(answer, Failed):
                raise ValueError(f"{game.name} could not be loaded: {answer.reason}")
            self._loaded.add(game.name)
        await asyncio.to_thread(lambda: game.rules)

    def add(self, table: Table, guest: Guest) -> None:
        """Keep a new table.

        Raises:
            ValueError: there are too many.
        """
        now = time.monotonic()
        for token, place in list(self._places.items()):
            if place.guest is None and now - place.left > self.limits.kept_seconds:
                del self._places[token]
        left = [token for token, place in self._places.items() if place.guest is None]
        if len(self._places) >= self.limits.games:
            if not left:
                raise ValueError(
                    f"{len(self._places)} games are open, the most that this server allows: try "
                    "again later"
                )
            del self._places[min(left, key=lambda token: self._places[token].left)]
        self._places[table.token] = _Place(table, guest)

    async def find(self, token: str, guest: Guest) -> Table:
        """Return the table with a token, and take it over from another browser.

        Raises:
            ValueError: there is none.
        """
        place = self._places.get(token)
        if place is None:
            raise ValueError("this game is not kept any more: begin a new one")
        before, place.guest = place.guest, guest
        if before is not None and before is not guest:
            await before.leave_table()
        return place.table

    def leave(self, table: Table, guest: Guest) -> None:
        """Keep a table for a browser that has left and may come back."""
        place = self._places.get(table.token)
        if place is not None and place.guest is guest:
            place.guest, place.left = None, time.monotonic()

    def drop(self, table: Table) -> None:
        """Forget a table."""
        self._places.pop(table.token, None)


def _settle(future: asyncio.Future[object], answer: object) -> None:
    if not future.done():
        future.set_result(answer)
