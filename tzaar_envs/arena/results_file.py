"""Results files: what a tournament came to, one line of JSON for each game, only ever added to.

The first line says what the tournament is. It and all others are written whole, so that an
interruption leaves at most one torn line, the last; it is cut off when the file is opened to go on.
Nothing in a file is believed: every field is checked as it is read.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from tzaar_envs.arena.faults import FAULT_NAMES
from tzaar_envs.arena.plan import GameId
from tzaar_envs.arena.sprt import Sprt
from tzaar_envs.core.game import Game
from tzaar_envs.core.record import check_record, replay
from tzaar_envs.core.state import State
from tzaar_envs.system.interrupts import sigint_deferred

FORMAT = "tzaar-envs tournament"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class Header:
    """What a tournament is.

    Attributes:
        game: the id of the environment, for instance `tzaar_v0`.
        options: the value of every option of the game.
        seats: what the rules call the seats, in turn order.
        agents: what the agents are made from: text forms, or `module:function` of factories.
        games: how many for each line-up, at most.
        seed: all games follow from it.
        opening_plies: random plies before the agents take over.
        book: how many positions the book has and a digest of them; None without one.
        move_seconds: the longest that an agent may take for a move; None: any time.
        sprt: Elo of the two hypotheses of the test that ends a pairing early; None without one.
        versions: of Python and the libraries.
        machine: where it began.
    """

    game: str
    options: dict[str, Any]
    seats: list[str]
    agents: list[str]
    games: int
    seed: int
    opening_plies: int
    book: dict[str, Any] | None
    move_seconds: float | None
    sprt: list[float] | None
    versions: dict[str, str] = field(compare=False)
    machine: dict[str, Any] = field(compare=False)

    def differences(self, other: Header) -> list[str]:
        """Return what another tournament has otherwise, as texts for people."""
        return [
            f"{entry.name} {getattr(self, entry.name)!r} there, {getattr(other, entry.name)!r} here"
            for entry in fields(self)
            if entry.compare and getattr(self, entry.name) != getattr(other, entry.name)
        ]

    def to_line(self) -> str:
        """Return the first line of a results file."""
        return _write({"format": FORMAT, "format_version": FORMAT_VERSION} | asdict(self))

    @classmethod
    def from_line(cls, text: str) -> Header:
        """Read the first line of a results file.

        Raises:
            ValueError: it is none; says why.
        """
        content = _read(text)
        if content.pop("format", None) != FORMAT:
            raise ValueError(f"it does not say 'format': {FORMAT!r}")
        if (version := content.pop("format_version", None)) != FORMAT_VERSION:
            raise ValueError(
                f"its format_version is {version!r}, this release reads {FORMAT_VERSION}"
            )
        _check_fields(content, _HEADER_TYPES)
        header = cls(**content)
        if not header.agents or not all(isinstance(agent, str) for agent in header.agents):
            raise ValueError("'agents' are not texts, one at least")
        if not header.seats or not all(isinstance(seat, str) for seat in header.seats):
            raise ValueError("'seats' are not texts, one at least")
        if header.sprt is not None:
            if len(header.sprt) != 2 or not all(_is_number(bound) for bound in header.sprt):
                raise ValueError("'sprt' is not two numbers")
            Sprt(*header.sprt)  # refuses what is no test
        return header


@dataclass(frozen=True)
class GameLine:
    """One game of a tournament. What belongs to seats stands in the order of the seats.

    Attributes:
        line_up: the number of the line-up.
        start: the number of the start.
        rotation: how far the line-up was rotated.
        seed: of the tournament.
        agents: who sat at each seat.
        returns: of each seat, -1 .. 1.
        scores: the points of each seat; None where a fault cut the game off.
        plies: the actions played, those of a random opening included.
        truncated: ended by a move cap alone.
        fault: how an agent lost at once, one of `FAULT_NAMES`; None in a game without a fault.
        culprit: the seat of that agent.
        error: what happened, for people.
        position: where the agents took over, in notation.
        moves: their actions in notation.
        outcomes: what chance brought with each of them, see `State.apply`.
    """

    line_up: int
    start: int
    rotation: int
    seed: int
    agents: list[str]
    returns: list[float]
    scores: list[float] | None
    plies: int
    truncated: bool
    fault: str | None
    culprit: int | None
    error: str | None
    position: str
    moves: list[str]
    outcomes: list[list[int]]

    @property
    def id(self) -> GameId:
        """Which game of the tournament it is."""
        return GameId(self.line_up, self.start, self.rotation)

    def replay(self, game: Game) -> list[State]:
        """Return the position where the agents took over and the one after each of their actions.

        Raises:
            ValueError: the game cannot have been played like this.
        """
        positions = replay(game.parse(self.position, 0), self.moves, self.outcomes)
        last = positions[-1]
        if self.fault is None:
            if not last.is_terminal:
                raise ValueError("the game is not over after its last move")
            if last.returns().tolist() != self.returns or last.scores().tolist() != self.scores:
                raise ValueError("returns or scores are not those that the moves give")
        elif last.current_player != self.culprit:
            raise ValueError(f"seat {self.culprit} is not to move after the last move")
        return positions

    def to_line(self) -> str:
        """Return its line in a results file."""
        return _write(vars(self))

    @classmethod
    def from_line(cls, text: str, header: Header) -> GameLine:
        """Read a line of a results file.

        Raises:
            ValueError: it is none of this tournament; says why.
        """
        content = _read(text)
        _check_fields(content, _GAME_TYPES)
        line = cls(**content)
        seats = len(header.seats)
        if min(line.line_up, line.start, line.plies) < 0 or not 0 <= line.rotation < seats:
            raise ValueError("a number is out of range")
        if line.seed != header.seed:
            raise ValueError(f"its seed is {line.seed}, not {header.seed}")
        if len(line.agents) != seats or not all(agent in header.agents for agent in line.agents):
            raise ValueError(f"'agents' are not {seats} of the tournament")
        for name, values in (("returns", line.returns), ("scores", line.scores)):
            if values is not None and (
                len(values) != seats or not all(_is_number(value) for value in values)
            ):
                raise ValueError(f"{name!r} are not {seats} numbers")
        if not all(-1 <= value <= 1 for value in line.returns):
            raise ValueError("a return is not in -1 .. 1")
        if line.fault is None:
            if line.culprit is not None or line.scores is None:
                raise ValueError("it has a culprit or no scores, but no fault")
        elif line.fault not in FAULT_NAMES.values():
            raise ValueError(f"the fault {line.fault!r} is none of {[*FAULT_NAMES.values()]}")
        elif line.culprit not in range(seats):
            raise ValueError(f"the culprit is no seat of 0 to {seats - 1}")
        check_record(line.moves, line.outcomes)
        return line


_NONE = type(None)
_HEADER_TYPES: dict[str, tuple[type, ...]] = {
    "game": (str,),
    "options": (dict,),
    "seats": (list,),
    "agents": (list,),
    "games": (int,),
    "seed": (int,),
    "opening_plies": (int,),
    "book": (dict, _NONE),
    "move_seconds": (int, float, _NONE),
    "sprt": (list, _NONE),
    "versions": (dict,),
    "machine": (dict,),
}
_GAME_TYPES: dict[str, tuple[type, ...]] = {
    "line_up": (int,),
    "start": (int,),
    "rotation": (int,),
    "seed": (int,),
    "agents": (list,),
    "returns": (list,),
    "scores": (list, _NONE),
    "plies": (int,),
    "truncated": (bool,),
    "fault": (str, _NONE),
    "culprit": (int, _NONE),
    "error": (str, _NONE),
    "position": (str,),
    "moves": (list,),
    "outcomes": (list,),
}


def _check_fields(content: Mapping[str, Any], types: Mapping[str, tuple[type, ...]]) -> None:
    if set(content) != set(types):
        differing = sorted(set(content) ^ set(types))
        raise ValueError(f"it misses, or should not have, {', '.join(map(repr, differing))}")
    for name, allowed in types.items():
        if type(content[name]) not in allowed:  # type() because bool counts as int
            raise ValueError(f"{name!r} is {content[name]!r}")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _write(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"


def _read(text: str) -> dict[str, Any]:
    def refuse(name: str) -> NoReturn:
        raise ValueError(f"it holds {name}, which is no JSON number")

    try:
        content = json.loads(text, parse_constant=refuse)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"it is not JSON ({error})") from None
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    return content


def read_results(path: str | Path) -> tuple[Header, list[GameLine]]:
    """Read a results file; a torn last line is left out.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no results file, or a line of it is damaged; says which and why.
    """
    header, games, _ = _parse(Path(path), Path(path).read_bytes())
    return header, games


def _parse(path: Path, content: bytes) -> tuple[Header, list[GameLine], int]:
    """Return what is in a file, and how many bytes of it are whole lines."""
    *lines, torn = content.split(b"\n")
    if not lines:
        raise ValueError(f"{str(path)!r} is no results file: its first line is not whole")
    try:
        header = Header.from_line(lines[0].decode("utf-8"))
    except (UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is no results file: {error}") from None
    games: dict[GameId, GameLine] = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            game = GameLine.from_line(line.decode("utf-8"), header)
            if game.id in games:
                raise ValueError("the same game stands there twice")
        except (UnicodeDecodeError, ValueError) as error:
            raise ValueError(f"{str(path)!r}, line {number}: {error}") from None
        games[game.id] = game
    return header, [*games.values()], len(content) - len(torn)


class ResultsFile:
    """A results file that is being written, by this process alone.

    Args:
        path: it is made if it does not exist; otherwise it is gone on with.
        header: of the tournament.

    Attributes:
        games: what stood in the file already.

    Raises:
        OSError: the file cannot be read or written, or another process writes to it.
        ValueError: it is no results file, or one of another tournament; says what differs.
    """

    def __init__(self, path: str | Path, header: Header) -> None:
        self.path = Path(path)
        self.games: list[GameLine] = []
        self._path_text = str(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b", buffering=0)
        try:
            self._lock()
            self._file.seek(0)
            content = self._file.read()
            if _is_beginning_of_header(content):
                self._end = 0
                self._file.truncate(0)
                self._kept = 0
                self._append(header.to_line())
                return
            there, self.games, self._end = _parse(self.path, content)
            if differences := there.differences(header):
                raise ValueError(
                    f"{self._path_text!r} holds another tournament ({'; '.join(differences)}): "
                    "choose another name"
                )
            self._file.truncate(self._end)
            self._kept = len(self.games)
        except BaseException:
            self._file.close()
            raise

    def append(self, game: GameLine) -> None:
        """Add a game; it is with the operating system when this returns.

        Raises:
            OSError: there is no room; says what is kept and how to go on.
        """
        self._append(game.to_line())
        self._kept += 1

    def _append(self, line: str) -> None:
        data = line.encode()
        with sigint_deferred():
            try:
                written = 0
                while written < len(data):
                    written += self._file.write(data[written:]) or 0
            except OSError as error:
                with contextlib.suppress(OSError):
                    self._file.truncate(self._end)
                raise OSError(
                    error.errno,
                    f"{error.strerror}; {self._kept} finished games are kept there: make room and "
                    "give the same command again, which goes on from there",
                    self._path_text,
                ) from error
            self._end += len(data)

    def close(self) -> None:
        """Close the file; what is in it survives a power failure from now on."""
        with contextlib.suppress(OSError):  # not every file system can
            os.fsync(self._file.fileno())
        self._file.close()

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _lock(self) -> None:
        """Let no second process write to the file; the lock goes with this process."""
        try:
            import fcntl
        except ImportError:  # not on Windows
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OSError(
                error.errno, "another process is writing to this file", self._path_text
            ) from None


def _is_beginning_of_header(content: bytes) -> bool:
    """Whether a file has nothing but, at most, a torn first line of ours."""
    beginning = b'{"format": "%s"' % FORMAT.encode()
    is_ours = content.startswith(beginning) or beginning.startswith(content)
    return is_ours and b"\n" not in content
