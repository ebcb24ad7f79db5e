"""Files of game records: a header line, then one line of JSON per game, only ever added to.

Lines are written whole, so an interruption leaves at most one torn line, the last. Readers leave it
out, and the next writer cuts it off. Files may come from other people: every line is decoded into a
typed struct, and whatever is wrong with it becomes one ValueError that names the file and the line.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, ClassVar, Generic, TypeVar

import msgspec

from tzaar_envs.arena.records.record import GameRecord
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.interrupts import sigint_deferred

T = TypeVar("T")
H = TypeVar("H", bound="FileHeader")

_FORMAT_BEGINS = "tzaar-envs"
_decoder = msgspec.json.Decoder(GameRecord)


class FileHeader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of a file of records; each kind of file has a subclass with its own fields.

    Attributes:
        FORMAT: The name of the format, beginning with `tzaar-envs`.
        FORMAT_VERSION: Goes up when fields of the header change.
        KIND: What error messages call such a file.
        INFORMATIVE: Fields in which two headers of the same content may differ.
    """

    FORMAT: ClassVar[str]
    FORMAT_VERSION: ClassVar[int]
    KIND: ClassVar[str] = "file of game records"
    INFORMATIVE: ClassVar[frozenset[str]] = frozenset()

    def differences(self, other: FileHeader) -> list[str]:
        """Return in which fields another header differs, as texts for people."""
        return [
            f"{name} {getattr(self, name)!r} there, {getattr(other, name)!r} here"
            for name in self.__struct_fields__
            if name not in self.INFORMATIVE and getattr(self, name) != getattr(other, name)
        ]

    def check_record(self, record: GameRecord) -> None:
        """Raise a ValueError for a record that does not belong in this file; says why."""


# --- Reading --------------------------------------------------------------------------------------


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
        name: What errors call it.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not a file of records, or a line is damaged; says which and why.
    """
    lines = _whole_lines(file)
    for first in lines:
        with _naming(f"{str(name)!r} is not a {FileHeader.KIND}"):
            found = _decode_object(first).get("format")
            if not isinstance(found, str) or not found.startswith(_FORMAT_BEGINS):
                raise ValueError(f"its format is {found!r}")
        break
    for number, line in enumerate(lines, start=2):
        with _naming(f"{str(name)!r}, line {number}"):
            yield _decode(_decoder.decode, line)


def _read(path: str | Path, file: BinaryIO, header_type: type[H]) -> tuple[H, list[GameRecord]]:
    lines = _whole_lines(file)
    header = _read_header(path, next(lines, None), header_type)
    records: list[GameRecord] = []
    for number, line in enumerate(lines, start=2):
        with _naming(f"{str(path)!r}, line {number}"):
            record = _decode(_decoder.decode, line)
            header.check_record(record)
        records.append(record)
    return header, records


def _read_header(path: str | Path, line: bytes | None, header_type: type[H]) -> H:
    with _naming(f"{str(path)!r} is not a {header_type.KIND}"):
        if line is None:
            raise ValueError("its first line is incomplete")
        content = _decode_object(line)
        if content.pop("format", None) != header_type.FORMAT:
            raise ValueError(f"its 'format' is not {header_type.FORMAT!r}")
        version, readable = content.pop("format_version", None), header_type.FORMAT_VERSION
        if version != readable:
            raise ValueError(f"its format_version is {version!r}, this release reads {readable}")
        return msgspec.convert(content, header_type)


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines from here on that have an end."""
    return (line for line in file if line.endswith(b"\n"))


def _decode_object(line: bytes) -> dict[str, Any]:
    content = _decode(msgspec.json.decode, line)
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    return content


def _decode(decode: Callable[[bytes], T], line: bytes) -> T:
    """Return a decoded line; every failure is a ValueError of one sentence."""
    try:
        return decode(line)
    except msgspec.ValidationError:
        raise
    except (RecursionError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise ValueError(f"it is not JSON ({error})") from None


@contextlib.contextmanager
def _naming(place: str) -> Iterator[None]:
    """Put the place in front of every ValueError."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


# --- Writing --------------------------------------------------------------------------------------


def encode_records(header: FileHeader, records: Iterable[GameRecord]) -> bytes:
    """Return the content of a file with these records."""
    return b"".join([_header_line(header), *map(_line, records)])


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


class RecordFile(Generic[H]):
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

    def __init__(self, path: str | Path, header: H, *, is_shared: bool = False) -> None:
        import filelock  # takes longer to import than all the rest of this room

        self.path = Path(path)
        self.records: list[GameRecord] = []
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b", buffering=0)
        try:
            if not filelock.lock_descriptor(
                self._file.fileno(), blocking=is_shared, poll_interval=0.005
            ):
                raise BlockingIOError(
                    errno.EAGAIN, "another process is writing to this file", str(path)
                )
            self._open(path, header, is_shared)
        except BaseException:
            self._file.close()
            raise

    def _open(self, path: str | Path, header: H, is_shared: bool) -> None:
        """Write the header of a new file; else check it, and cut off a torn last line."""
        with self._reading() as reader:
            first = reader.readline()
        begins = _header_line(header).partition(b",")[0]
        if not first.endswith(b"\n") and (first.startswith(begins) or begins.startswith(first)):
            self._file.truncate(0)
            self._end = 0
            self._write(_header_line(header))
            return
        if is_shared:
            there = _read_header(path, first if first.endswith(b"\n") else None, type(header))
        else:
            with self._reading() as reader:
                there, self.records = _read(path, reader, type(header))
        if differences := there.differences(header):
            raise ValueError(
                f"{str(path)!r} is another {header.KIND} ({'; '.join(differences)}): choose "
                "another name"
            )
        self._end = self._end_of_last_line()
        self._file.truncate(self._end)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[BinaryIO]:
        """Lend a buffered reader from the beginning of the file."""
        self._file.seek(0)
        reader = io.BufferedReader(self._file)
        try:
            yield reader
        finally:
            reader.detach()

    def _end_of_last_line(self) -> int:
        """Return how many bytes of the file are whole lines."""
        size = self._file.seek(-1, os.SEEK_END) + 1
        if self._file.read(1) == b"\n":
            return size
        self._file.seek(0)
        return self._file.read().rfind(b"\n") + 1

    def append(self, *records: GameRecord) -> None:
        """Add records; they are with the operating system when this returns.

        Raises:
            OSError: There is no room; the file is left as it was.
        """
        self._write(b"".join(map(_line, records)))

    def _write(self, data: bytes) -> None:
        with sigint_deferred():
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

    def __enter__(self) -> RecordFile[H]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _header_line(header: FileHeader) -> bytes:
    names = {"format": header.FORMAT, "format_version": header.FORMAT_VERSION}
    return _line(names | msgspec.structs.asdict(header))


def _line(content: Any) -> bytes:
    return msgspec.json.encode(content) + b"\n"
