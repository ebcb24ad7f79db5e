"""Results files: the game records of a tournament, below a header that describes it."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from tzaar_envs.arena.records import FileHeader, GameRecord, read_records
from tzaar_envs.arena.records.record import Count, OptionValue
from tzaar_envs.arena.sprt import Sprt


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A book of start positions: how many, and a digest of them."""

    positions: Count
    sha256: str


class Header(FileHeader, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a match or tournament is.

    Attributes:
        game: the id of the environment, for instance `tzaar_v0`.
        options: the value of every option of the game.
        seats: the names of the seats in the rules, in turn order.
        agents: the texts of the agents, `module:function` for factories.
        games: the number for each line-up, at most.
        seed: all games follow from it.
        opening_plies: random plies before the agents take over.
        book: of start positions; None without one.
        move_seconds: the time limit for a move; None: no limit.
        sprt: Elo of the two hypotheses of the test that ends a pairing early; None without one.
        versions: of Python and the libraries.
        machine: where it began.
    """

    FORMAT: ClassVar[str] = "tzaar-envs tournament"
    FORMAT_VERSION: ClassVar[int] = 2
    KIND: ClassVar[str] = "results file"
    INFORMATIVE: ClassVar[frozenset[str]] = frozenset({"versions", "machine"})

    game: str
    options: dict[str, OptionValue]
    seats: list[str]
    agents: list[str]
    games: Count
    seed: Count
    opening_plies: Count = 0
    book: Book | None = None
    move_seconds: float | None = None
    sprt: tuple[float, float] | None = None
    versions: dict[str, str]
    machine: dict[str, Any]

    def __post_init__(self) -> None:
        if not self.agents or not self.seats:
            raise ValueError("'agents' or 'seats' is empty")
        if self.sprt is not None:
            Sprt(*self.sprt)  # refuses what is not a test

    @property
    def game_title(self) -> str:
        """The game with its options."""
        options = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.game} ({options})" if options else self.game

    def key(self, record: GameRecord) -> Hashable:
        """Return which game of the tournament it is."""
        return record.match

    def check_record(self, record: GameRecord) -> None:
        """Raise a ValueError for a record that is not of this tournament; says why."""
        seats = len(self.seats)
        if (record.game, record.options) != (self.game, self.options):
            raise ValueError(f"it is a game of {record.game!r:.80} with {record.options}")
        if record.match is None or record.match.rotation >= seats:
            raise ValueError(f"'match' is {record.match}")
        if not isinstance(record.seed, list) or record.seed[-1:] != [self.seed]:
            raise ValueError(f"its seed is {record.seed}, which does not end with {self.seed}")
        if record.opening != self.opening_plies:
            raise ValueError(f"it has an opening of {record.opening} plies")
        if len(record.agents) != seats or not {*record.agents} <= {*self.agents}:
            raise ValueError(f"'agents' are not {seats} of the tournament")
        if record.returns is None or len(record.returns) != seats:
            raise ValueError(f"'returns' are not {seats} numbers")
        if record.culprit is not None and record.culprit >= seats:
            raise ValueError(f"the culprit is not a seat of 0 to {seats - 1}")
        if record.forfeit is None and len(record.scores or ()) != seats:
            raise ValueError(f"'scores' are not {seats} numbers")


def read_results(path: str | Path) -> tuple[Header, list[GameRecord]]:
    """Read a results file; a torn last line is left out.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not a results file, or a line is damaged; says which and why.
    """
    return read_records(path, Header)
