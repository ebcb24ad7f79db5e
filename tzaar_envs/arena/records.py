"""Records of played games: data from which every position can be replayed, and files of them.

A record holds actions in notation and the chance outcomes that came with them, so replaying it does
not depend on random generators. A record is not trusted until it has been replayed: decoding checks
types and ranges, `states` plays every action, and `check` compares the result.

A file has a header line, then one line of JSON per game, and is only ever added to. Lines are
written whole, so an interruption leaves at most one torn line, the last. Readers leave it out, and
the next writer cuts it off; a last line that lacks only its line break is whole. Files may come
from other people: every line is decoded into a typed struct, and whatever is wrong with it becomes
one ValueError that names the file and the line.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, ClassVar, Literal, Self, TypeAlias, TypeVar

import msgspec

from tzaar_envs.core.errors import Forfeit
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import resolve_options
from tzaar_envs.registry import load_game
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.interrupts import signals_deferred

if TYPE_CHECKING:
    from tzaar_envs.core.state import State

H = TypeVar("H", bound="FileHeader")

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Amount: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]  # a float can hold it
Index: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
Score: TypeAlias = Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)]
Value: TypeAlias = Annotated[float, msgspec.Meta(ge=-1, le=1)]
OptionValue: TypeAlias = bool | int | float | str


class GameId(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """The coordinates of a game in a match or tournament.

    Attributes:
        line_up: The number of the line-up: which agents play together.
        start: The number of the start.
        rotation: In rotation r agent i of the line-up takes seat `(i + r) % seats`.
    """

    line_up: Index
    start: Index
    rotation: Index


class MoveData(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What an agent reported about one move.

    Attributes:
        value: Value of the position before the move, -1 .. 1, for the player to move.
        proven: The value is exact.
        depth: Depth of the search, in plies.
        nodes: Positions that the search visited, or simulations that it ran.
        visits: The visits of the search to each action, by its notation.
        line: The principal variation in notation.
        seconds: The time that the agent took.
    """

    value: Value | None = None
    proven: bool = False
    depth: Amount | None = None
    nodes: Amount | None = None
    visits: dict[str, Amount] = {}
    line: list[str] = []
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e15)] | None = None


class GameRecord(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="record",
    tag=1,  # the version of the format
    rename={"forfeit": "fault"},
):
    """A played game. Lists with one item per seat are in the order of the seats.

    In JSON the field `record` comes first and holds the version of this format; fields that have
    their default value are left out.

    Attributes:
        game: The id of the environment, for instance `tzaar_v0`.
        options: The value of every option of the game.
        agents: Text forms of the agents, per seat; empty if unknown.
        seed: One number or several, from which the start position and all chance events that were
            not given otherwise follow; None if unknown.
        position: The start position in notation; None: the one that follows from the seed. If
            both are given the position counts.
        opening: The number of random first actions, before the agents took over.
        actions: All actions in notation.
        outcomes: The chance outcomes of each action, see `State.apply`; empty if no action had any.
        returns: Per seat, -1 .. 1; None if the game has no result.
        scores: Points per seat at the end; None if the game was forfeited.
        truncated: Whether a move cap ended the game.
        end: The code that says why the game ended, see `State.end_code`; None if it has not, or if
            it was forfeited.
        forfeit: The kind of forfeit (in JSON `fault`); None if no agent forfeited the game.
        culprit: The seat of that agent.
        error: The reason for the forfeit, for people.
        move_data: The agents' reports about each action; empty if there are none.
        match: The place of the game in a match or tournament; None outside of them.
    """

    game: str
    options: dict[str, OptionValue]
    actions: list[str]
    agents: list[str] = []
    seed: Count | list[Count] | None = None
    position: str | None = None
    opening: Count = 0
    outcomes: list[list[int]] = []
    returns: list[Value] | None = None
    scores: list[Score] | None = None
    truncated: bool = False
    end: str | None = None
    forfeit: Forfeit | None = None
    culprit: Count | None = None
    error: str | None = None
    move_data: list[MoveData | None] = []
    match: GameId | None = None

    def __post_init__(self) -> None:
        moves = len(self.actions)
        if self.position is None and self.seed is None:
            raise ValueError("the start is unknown: neither 'position' nor 'seed' is given")
        for name, found in (("outcomes", self.outcomes), ("move_data", self.move_data)):
            if len(found) not in (0, moves):
                raise ValueError(f"{name}: expected one entry for each of the {moves} actions")
        if self.opening > moves:
            raise ValueError(f"opening: {self.opening} is more than the {moves} actions")
        if (self.forfeit is None) != (self.culprit is None):
            raise ValueError("forfeit and culprit: expected both or neither")

    @property
    def plies(self) -> int:
        """The number of actions, those of a random opening included."""
        return len(self.actions)

    def load_game(self) -> Game:
        """Return the game with its options.

        Raises:
            ValueError: This release has no such game, or not with these options.
        """
        return load_game(self.game, **self.options)

    def start(self, game: Game | None = None) -> State:
        """Return the position before the first action.

        If it follows from the seed, chance events that are not given later do so too.

        Args:
            game: The game, where it is not in the registry; None: `load_game` finds it.

        Raises:
            ValueError: The game or the position is not valid.
        """
        if game is None:
            game = self.load_game()
        elif game.spec.env_id != self.game or game.options != resolve_options(
            game.spec.options, self.options, game.name
        ):
            raise ValueError(
                f"the record is a game of {self.game} with {self.options}, not of {game!r}"
            )
        if self.seed is not None:
            state = game.new_state(self.seed)
            if self.position is None or self.position == str(state):
                return state
        try:
            return game.parse(self.position or "", self.seed)
        except ValueError as error:
            raise ValueError(f"start position: {error}") from error

    def states(self, game: Game | None = None) -> list[State]:
        """Replay the game: return the start position and the one after every action.

        Args:
            game: As in `start`.

        Raises:
            ValueError: An action, or its chance outcome, is not possible; names the move and why.
        """
        positions = [self.start(game)]
        outcomes = self.outcomes or [[]] * len(self.actions)
        for number, (action, outcome) in enumerate(
            zip(self.actions, outcomes, strict=True), start=1
        ):
            state = positions[-1].clone()
            try:
                state.apply(state.parse_action(action), outcome)
            except ValueError as error:
                raise ValueError(f"move {number}: {error}") from error
            positions.append(state)
        return positions

    def check(self, game: Game | None = None) -> list[State]:
        """Replay the game and compare its result with what the record claims.

        Args:
            game: As in `start`.

        Returns:
            The positions, see `states`.

        Raises:
            ValueError: The game cannot have been played like this; says why.
        """
        positions = self.states(game)
        last = positions[-1]
        seats = last.game.num_players
        for name in ("agents", "returns", "scores"):
            values = getattr(self, name)
            if values and len(values) != seats:
                raise ValueError(f"{name}: expected one for each of the {seats} seats")
        if self.forfeit is not None:
            if last.current_player != self.culprit:
                raise ValueError(f"seat {self.culprit} is not to move after the last move")
            returns = self.returns and forfeit_returns(seats, last.current_player)
        elif self.returns is not None and not last.is_terminal:
            raise ValueError("the game is not over after its last move")
        else:
            returns = last.returns().tolist() if last.is_terminal else None
        has_scores = self.scores is not None and self.forfeit is None
        for name, expected in (
            ("returns", returns),
            ("scores", last.scores().tolist() if has_scores else None),
            ("truncated", last.is_truncated),
            ("end", last.end_code),
        ):
            if getattr(self, name) != expected:
                raise ValueError(
                    f"{name}: {getattr(self, name)} is recorded, but the moves give {expected}"
                )
        return positions


def forfeit_returns(seats: int, culprit: int) -> list[float]:
    """Return the result of a game that one seat has lost at once: the others share 1."""
    returns = [1 / max(1, seats - 1)] * seats
    returns[culprit] = -1.0
    return returns


# --- Files ----------------------------------------------------------------------------------------

_HEADER_BYTES = 1 << 16  # more than the header of a shared file has


class FileHeader(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="format"
):
    """The first line of a file of records.

    Each kind of file has a subclass with its own fields, whose tag `format` begins with
    `tzaar-envs`. Its `format_version` goes up when fields of the header change.

    Attributes:
        KIND: What error messages call such a file.
        INFORMATIVE: Fields in which two headers of the same content may differ.
    """

    KIND: ClassVar[str] = "file of game records"
    INFORMATIVE: ClassVar[frozenset[str]] = frozenset()

    def differences(self, other: FileHeader) -> list[str]:
        """Return in which fields another header differs, as texts for people."""
        return [
            f"{name} {getattr(self, name)!r} there, {getattr(other, name)!r} here"
            for name in self.__struct_fields__
            if name not in self.INFORMATIVE and getattr(self, name) != getattr(other, name)
        ]

    def extends(self, other: FileHeader) -> bool:
        """Whether a file with the other header may be continued under this one."""
        return not other.differences(self)

    def check_record(self, record: GameRecord) -> None:
        """Raise a ValueError for a record that does not belong in this file; says why."""


class RecordedGamesHeader(FileHeader, frozen=True, kw_only=True, tag="tzaar-envs games"):
    """The first line of a file of recorded games."""

    KIND: ClassVar[str] = "file of recorded games"

    format_version: Literal[1] = 1


def read_records(path: str | Path, header_type: type[H]) -> tuple[H, list[GameRecord]]:
    """Read a file of one kind; a torn last line is left out.

    Args:
        path: The file.
        header_type: Header of this kind of file.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not such a file, or a line is damaged; says which and why.
    """
    with Path(path).open("rb") as file:
        return _read(path, file, header_type)


def read_games(path: str | Path) -> Iterator[GameRecord]:
    """Yield the records of a file of any kind, without checking its header.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not a file of records, or a line is damaged; says which and why.
    """
    with Path(path).open("rb") as file:
        yield from games_in(file, path)


def games_in(file: BinaryIO, name: str | Path) -> Iterator[GameRecord]:
    """Yield the records of an open file of any kind, without checking its header.

    Args:
        file: The file, at its beginning.
        name: The name in errors.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not a file of records, or a line is damaged; says which and why.
    """
    if not re.match(rb'{"format": ?"tzaar-envs.*\n', without_mark(file.readline())):
        raise ValueError(f"{str(name)!r} is not a {FileHeader.KIND}")
    yield from _records_in(file, name)


def _read(path: str | Path, file: BinaryIO, header_type: type[H]) -> tuple[H, list[GameRecord]]:
    with _naming(f"{str(path)!r} is not a {header_type.KIND}"):
        first = without_mark(file.readline())
        if first == b"{\n":  # as a match is saved
            raise ValueError("it has no header in its first line")
        header = msgspec.json.decode(first, type=header_type)
    return header, [*_records_in(file, path, header)]


def _records_in(
    file: BinaryIO, name: str | Path, header: FileHeader | None = None
) -> Iterator[GameRecord]:
    """Yield the records of the whole lines from here on, which belong to the header."""
    decoder = msgspec.json.Decoder(GameRecord)
    for number, line in enumerate(file, start=2):
        with _naming(f"{str(name)!r}, line {number}"):
            if not line.endswith(b"\n") and not _is_whole(line):
                return
            record = decoder.decode(line)
            if header is not None:
                header.check_record(record)
        yield record


def _is_whole(line: bytes) -> bool:
    """Whether a last line without its end has not been torn: an editor may have cut its end off."""
    try:
        msgspec.json.decode(line)
    except msgspec.DecodeError:
        return False
    return True


def without_mark(content: bytes) -> bytes:
    """Return text in UTF-8 without the byte-order mark that some editors put before it."""
    return content.removeprefix(codecs.BOM_UTF8)


@contextlib.contextmanager
def _naming(place: str) -> Iterator[None]:
    """Put the place in front of every error."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place}: {error}") from error


def encode_records(header: FileHeader, records: Iterable[GameRecord]) -> bytes:
    """Return the content of a file with these records."""
    return msgspec.json.Encoder().encode_lines([header, *records])


def write_records(path: str | Path, header: FileHeader, records: Iterable[GameRecord]) -> None:
    """Write a file as a whole; an interruption leaves the old one, or none.

    Raises:
        OSError: The file cannot be written.
    """
    write_atomically(Path(path), encode_records(header, records))


def append_records(path: str | Path, header: FileHeader, records: Iterable[GameRecord]) -> None:
    """Add records to a file that several processes write to; a missing file is created.

    The header is checked, or written, even if there are no records.

    Raises:
        OSError: The file cannot be written; it is left as it was.
        ValueError: It is not such a file, or its header differs; says how.
    """
    with RecordFile(path, header, is_shared=True) as file:
        file.append(*records)


class RecordFile:
    """A file of records that is being written, and can be continued.

    Args:
        path: The file; a missing one is created, its folder too.
        header: Header of the file.
        is_shared: Other processes write to it in turn: wait for them, and do not read the records.

    Attributes:
        path: As given.
        records: Those that were in the file when it was opened; none of a shared one.

    Raises:
        OSError: The file cannot be read or written, or another process is writing to it.
        ValueError: It is not such a file, or its header differs; says how.
    """

    def __init__(self, path: str | Path, header: FileHeader, *, is_shared: bool = False) -> None:
        self.path = Path(path)
        self.records: list[GameRecord] = []
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock(is_shared)
        try:
            self._open(header, is_shared)
        except BaseException:
            self._file.close()
            raise

    def _lock(self, waits: bool) -> None:
        """Open the file for this process alone."""
        import filelock  # takes longer to import than all the rest of this room

        self._file = self.path.open("a+b", buffering=0)
        if not filelock.lock_descriptor(self._file.fileno(), blocking=waits, poll_interval=0.005):
            self._file.close()
            raise BlockingIOError(
                errno.EAGAIN, "another process is writing to this file", str(self.path)
            )

    def _open(self, header: FileHeader, is_shared: bool) -> None:
        """Write the header of a new file; else check it, and cut off a torn last line."""
        self._file.seek(0)
        content = self._file.read(_HEADER_BYTES if is_shared else -1)
        first_line = encode_records(header, [])
        begins = first_line.partition(b",")[0]
        if b"\n" not in content and (content.startswith(begins) or begins.startswith(content)):
            self._file.truncate(0)
            self._end = 0
            self._write(first_line)
            return
        if is_shared:
            content = content[: content.find(b"\n") + 1]
        there, self.records = _read(self.path, io.BytesIO(content), type(header))
        differences = there.differences(header)
        if not header.extends(there):
            raise ValueError(
                f"{str(self.path)!r} is another {header.KIND} ({'; '.join(differences)}): choose "
                "another name"
            )
        if differences:
            self._file.close()
            began = {name: getattr(there, name) for name in header.INFORMATIVE}
            header = msgspec.structs.replace(header, **began)
            write_records(self.path.resolve(), header, self.records)
            self._lock(is_shared)
        self._end = self._file.seek(-1, os.SEEK_END) + 1
        if self._file.read(1) != b"\n":
            self._file.seek(0)
            content = self._file.read()
            last = content.rfind(b"\n") + 1
            if _is_whole(content[last:]):
                self._write(b"\n")
            else:
                self._end = last
                self._file.truncate(last)

    def append(self, *records: GameRecord) -> None:
        """Add records; they are with the operating system when this returns.

        Raises:
            OSError: There is no room; the file is left as it was.
        """
        self._write(msgspec.json.Encoder().encode_lines(records))

    def _write(self, data: bytes) -> None:
        with signals_deferred():
            try:
                written = 0
                while written < len(data):
                    written += self._file.write(data[written:])
            except OSError as error:
                with contextlib.suppress(OSError):
                    self._file.truncate(self._end)
                raise OSError(error.errno, error.strerror, str(self.path)) from error
            self._end += len(data)

    def close(self) -> None:
        """Close the file; what is in it survives a power failure from now on."""
        if not self._file.closed:
            with contextlib.suppress(OSError):  # not every file system can
                os.fsync(self._file.fileno())
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
