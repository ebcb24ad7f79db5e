"""Files of game records: a header line, then one line of JSON per game, only ever added to.

Lines are written whole, so an interruption leaves at most one torn line, the last. Readers leave it
out, and the next writer cuts it off. Nothing in a file is believed: every line is decoded into a
typed struct, and whatever is wrong with it becomes one ValueError that names the file and the line.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, ClassVar, Generic, TypeVar

import filelock
import msgspec

from tzaar_envs.records.record import GameRecord
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.interrupts import sigint_deferred

LONGEST_LINE = 2**24  # bytes; longer lines are refused unread
_FORMAT_BEGINS = "tzaar-envs"


class FileHeader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of a file of records; each kind of file has a subclass with its own fields.

    Attributes:
        FORMAT: the name of the format, beginning with `tzaar-envs`.
        FORMAT_VERSION: goes up when fields of the header change.
        KIND: what error messages call such a file.
        INFORMATIVE: fields in which two headers of the same content may differ.
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

    def key(self, record: GameRecord) -> Hashable:
        """Return what no two records of the file may share; None if nothing."""
        return None


H = TypeVar("H", bound=FileHeader)

_decoder = msgspec.json.Decoder(GameRecord)
_encoder = msgspec.json.Encoder()


def read_records(path: str | Path, header_type: type[H]) -> tuple[H, list[GameRecord]]:
    """Read a file of one kind; a torn last line is left out.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not such a file, or a line is damaged; says which and why.
    """
    with Path(path).open("rb") as file:
        header, records, _ = _read(path, file, header_type)
    return header, records


def read_games(path: str | Path) -> Iterator[GameRecord]:
    """Yield the records of a file of any kind, without checking its header.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not a file of records, or a line is damaged; says which and why.
    """
    with Path(path).open("rb") as file:
        lines = _whole_lines(path, file)
        for first in lines:
            with _naming(f"{str(path)!r} is not a {FileHeader.KIND}"):
                name = _decode_object(first).get("format")
                if not isinstance(name, str) or not name.startswith(_FORMAT_BEGINS):
                    raise ValueError(f"its format is {name!r}")
            break
        for number, line in enumerate(lines, start=2):
            with _naming(f"{str(path)!r}, line {number}"):
                yield _decode_record(line)


def write_records(path: str | Path, header: FileHeader, records: Iterable[GameRecord]) -> None:
    """Write a file as a whole; an interruption leaves the old one, or none.

    Raises:
        OSError: the file cannot be written.
    """
    lines = [_header_line(header), *map(_record_line, records)]
    write_atomically(Path(path), b"".join(lines))


def append_record(path: str | Path, header: FileHeader, record: GameRecord) -> None:
    """Add a record to a file that several processes write to; a missing file is made.

    Raises:
        OSError: the file cannot be written; it is left as it was.
        ValueError: it is not such a file, or its header differs; says how.
    """
    with Path(path).open("a+b", buffering=0) as file:
        filelock.lock_descriptor(file.fileno(), poll_interval=0.005)
        end = _end_of_last_line(file)
        line = _record_line(record)
        if _is_new(file, header):
            file.truncate(0)
            _write(file, 0, _header_line(header) + line)
            return
        with _reading(file) as reader:
            first = next(_whole_lines(path, reader), b"")
        _check_same(path, _read_header(path, first, type(header)), header)
        file.truncate(end)
        _write(file, end, line)


class RecordFile(Generic[H]):
    """A file of records that is written by this process alone, and can be continued.

    Args:
        path: created if it does not exist, its folder too; otherwise continued.
        header: of the file.

    Attributes:
        records: those that were in the file when it was opened.

    Raises:
        OSError: the file cannot be read or written, or another process is writing to it.
        ValueError: it is not such a file, or its header differs; says how.
    """

    def __init__(self, path: str | Path, header: H) -> None:
        self.path = Path(path)
        self.records: list[GameRecord] = []
        self._path_text = str(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b", buffering=0)
        try:
            if not filelock.lock_descriptor(self._file.fileno(), blocking=False):
                raise BlockingIOError(
                    errno.EAGAIN, "another process is writing to this file", self._path_text
                )
            self._open(header)
        except BaseException:
            self._file.close()
            raise

    def _open(self, header: H) -> None:
        self._kept = 0
        if _is_new(self._file, header):
            self._file.truncate(0)
            self._end = 0
            self._append(_header_line(header))
            return
        with _reading(self._file) as reader:
            there, self.records, self._end = _read(self._path_text, reader, type(header))
        _check_same(self._path_text, there, header)
        self._file.truncate(self._end)
        self._kept = len(self.records)

    def append(self, record: GameRecord) -> None:
        """Add a record; it is with the operating system when this returns.

        Raises:
            OSError: there is no room; says what is kept.
        """
        self._append(_record_line(record))
        self._kept += 1

    def _append(self, line: bytes) -> None:
        with sigint_deferred():
            try:
                _write(self._file, self._end, line)
            except OSError as error:
                raise OSError(
                    error.errno,
                    f"{error.strerror}; {self._kept} finished games are kept there: make room and "
                    "run the same command again to continue",
                    self._path_text,
                ) from error
            self._end += len(line)

    def close(self) -> None:
        """Close the file; what is in it survives a power failure from now on."""
        if self._file.closed:
            return
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


# --- Reading --------------------------------------------------------------------------------------


@contextlib.contextmanager
def _reading(file: io.FileIO) -> Iterator[BinaryIO]:
    """Lend a buffered reader from the beginning of a file that is written without a buffer."""
    file.seek(0)
    reader = io.BufferedReader(file)
    try:
        yield reader
    finally:
        reader.detach()


def _read(
    path: str | Path, file: BinaryIO, header_type: type[H]
) -> tuple[H, list[GameRecord], int]:
    """Return what is in a file, and how many bytes of it are whole lines."""
    lines = _whole_lines(path, file)
    first = next(lines, None)
    if first is None:
        raise ValueError(f"{str(path)!r} is not a {header_type.KIND}: its first line is incomplete")
    header = _read_header(path, first, header_type)
    end = len(first)
    records: list[GameRecord] = []
    keys: set[Hashable] = set()
    for number, line in enumerate(lines, start=2):
        with _naming(f"{str(path)!r}, line {number}"):
            record = _decode_record(line)
            header.check_record(record)
            if (key := header.key(record)) is not None:
                if key in keys:
                    raise ValueError("the same game is in the file twice")
                keys.add(key)
        records.append(record)
        end += len(line)
    return header, records, end


def _whole_lines(path: str | Path, file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines from here on that have an end; refuse lines that are too long."""
    number = 0
    while (line := file.readline(LONGEST_LINE)).endswith(b"\n"):
        number += 1
        yield line
    if len(line) == LONGEST_LINE:
        raise ValueError(
            f"{str(path)!r}, line {number + 1}: longer than the {LONGEST_LINE} bytes allowed"
        )


def _read_header(path: str | Path, line: bytes, header_type: type[H]) -> H:
    with _naming(f"{str(path)!r} is not a {header_type.KIND}"):
        content = _decode_object(line)
        if content.pop("format", None) != header_type.FORMAT:
            raise ValueError(f"its 'format' is not {header_type.FORMAT!r}")
        version = content.pop("format_version", None)
        if version != header_type.FORMAT_VERSION:
            raise ValueError(
                f"its format_version is {version!r}, this release reads "
                f"{header_type.FORMAT_VERSION}"
            )
        return msgspec.convert(content, header_type)


def _check_same(path: str | Path, there: FileHeader, here: FileHeader) -> None:
    if differences := there.differences(here):
        raise ValueError(
            f"{str(path)!r} is another {here.KIND} ({'; '.join(differences)}): choose another name"
        )


def _decode_object(line: bytes) -> dict[str, Any]:
    content = _decoding(msgspec.json.decode, line)
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    return content


def _decode_record(line: bytes) -> GameRecord:
    record: GameRecord = _decoding(_decoder.decode, line)
    return record


def _decoding(decode: Callable[[bytes], Any], line: bytes) -> Any:
    """Return a decoded line; every failure is a ValueError of one sentence."""
    try:
        return decode(line)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text ({error.reason} at byte {error.start})") from None
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError as error:
        raise ValueError(f"it is not JSON ({error})") from None


@contextlib.contextmanager
def _naming(place: str) -> Iterator[None]:
    """Put the place in front of every ValueError."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


# --- Writing --------------------------------------------------------------------------------------


def _header_line(header: FileHeader) -> bytes:
    names = {"format": header.FORMAT, "format_version": header.FORMAT_VERSION}
    return _line(names | msgspec.structs.asdict(header))


def _record_line(record: GameRecord) -> bytes:
    return _line(record)


def _line(content: Any) -> bytes:
    try:
        return _encoder.encode(content) + b"\n"
    except UnicodeEncodeError:
        return _encoder.encode(_writable(msgspec.to_builtins(content))) + b"\n"


def _writable(content: Any) -> Any:
    """Return plain data in which lone surrogates, which UTF-8 cannot hold, are escaped."""
    if isinstance(content, str):
        return content.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(content, list):
        return [_writable(item) for item in content]
    if isinstance(content, dict):
        return {_writable(key): _writable(value) for key, value in content.items()}
    return content


def _write(file: io.FileIO, end: int, data: bytes) -> None:
    """Add data at the end of a file, or leave the file as it was."""
    try:
        written = 0
        while written < len(data):
            written += file.write(data[written:])
    except BaseException:  # Ctrl-C too
        with contextlib.suppress(OSError):
            file.truncate(end)
        raise


def _is_new(file: io.FileIO, header: FileHeader) -> bool:
    """Whether a file holds nothing but, at most, a torn first line of this kind."""
    beginning = _encoder.encode({"format": header.FORMAT})[:-1]
    with _reading(file) as reader:
        line = reader.readline(LONGEST_LINE)
    is_ours = line.startswith(beginning) or beginning.startswith(line)
    return is_ours and not line.endswith(b"\n")


def _end_of_last_line(file: io.FileIO) -> int:
    """Return how many bytes of a file are whole lines."""
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        return 0
    file.seek(size - 1)
    if file.read(1) == b"\n":
        return size
    file.seek(0)
    return file.read().rfind(b"\n") + 1
